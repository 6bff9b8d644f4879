package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/events"
)

// filesPagesMax is where GitHub ends the list of a pull request's files, at 3,000.
// (case G06)
const filesPagesMax = 30

// OpenPulls reads all open pull requests, the oldest first: that order does not move
// when one is updated. (case G04) changed is false where all is as it was at the last
// call of this Client. An incomplete scan is an error. The items must not be changed.
func (c *Client) OpenPulls(ctx context.Context, name events.RepoName) (pulls []Pull, changed bool, err error) {
	op := "list open pull requests of " + oneLine(string(name))
	path, ok := repoPath(name)
	if !ok {
		return nil, false, badName(op)
	}
	found, err := scan(ctx, c, listing[Pull]{
		request:  request{op: op, path: path + "/pulls?state=open&sort=created&direction=asc&" + perPage, traffic: trafficPoll, conditional: true},
		decode:   decodeList(pullOf),
		id:       func(p *Pull) string { return strconv.Itoa(p.Number) },
		pagesMax: pagesMax, shifts: true,
	})
	if err != nil {
		return nil, false, err
	}
	if !found.complete { // guard: what is on the pages that were not read counts as closed (case G53)
		return nil, false, &Fault{Kind: KindUnexpected, Op: op, Message: fmt.Sprintf("there are more than %d pages", pagesMax)}
	}
	if len(found.items) > 0 {
		c.learn(name, found.items[0].BaseName)
	} else if found.moved && c.Moved(name) == "" {
		_, _ = c.repo(ctx, name, trafficPoll, true) // which learns the name, this time or the next
	}
	return found.items, !found.same, nil
}

// Pull reads a pull request as it is now, never from a cache.
func (c *Client) Pull(ctx context.Context, name events.RepoName, number int) (*Pull, error) {
	op := fmt.Sprintf("read pull request %s#%d", oneLine(string(name)), number)
	path, ok := pullPath(name, number)
	if !ok {
		return nil, badName(op)
	}
	pull, _, err := fetch(ctx, c, request{op: op, path: path, traffic: trafficLook}, decodeInto(func(p *github.PullRequest) (Pull, error) {
		pull, err := pullOf(p)
		if err == nil && pull.Number != number {
			err = fmt.Errorf("the answer is about #%d", pull.Number)
		}
		return pull, err
	}))
	if err != nil {
		return nil, err
	}
	c.learn(name, pull.BaseName)
	return &pull, nil
}

// Files reads the changed files. complete is false where GitHub has more than it
// lists.
func (c *Client) Files(ctx context.Context, name events.RepoName, number int) (files []File, complete bool, err error) {
	op := fmt.Sprintf("list files of %s#%d", oneLine(string(name)), number)
	path, ok := pullPath(name, number)
	if !ok {
		return nil, false, badName(op)
	}
	found, err := scan(ctx, c, listing[File]{
		request: request{op: op, path: path + "/files?" + perPage, traffic: trafficLook},
		decode:  decodeList(fileOf), id: func(f *File) string { return f.Name }, pagesMax: filesPagesMax,
	})
	if err != nil {
		return nil, false, err
	}
	return found.items, found.complete && len(found.items) < filesPagesMax*100, nil
}

func pullPath(name events.RepoName, number int) (string, bool) {
	path, ok := repoPath(name)
	return fmt.Sprintf("%s/pulls/%d", path, number), ok && number > 0
}

// pullOf takes what may be missing as missing: forks and accounts are deleted. (case
// G31) mergeable is not looked at. (case G55)
func pullOf(p *github.PullRequest) (Pull, error) {
	pull := Pull{
		Number: p.GetNumber(), Title: p.GetTitle(), Author: userOf(p.GetUser()), Draft: p.GetDraft(),
		Closed: p.GetState() != "open", Merged: p.GetMerged() || !p.GetMergedAt().IsZero(), Locked: p.GetLocked(),
		Head: events.Commit(p.GetHead().GetSHA()), HeadRef: p.GetHead().GetRef(), HeadRepo: events.RepoName(p.GetHead().GetRepo().GetFullName()),
		Base: events.Commit(p.GetBase().GetSHA()), BaseRef: p.GetBase().GetRef(),
		BaseRepo: p.GetBase().GetRepo().GetID(), BaseName: events.RepoName(p.GetBase().GetRepo().GetFullName()),
		Created: p.GetCreatedAt().Time, Updated: p.GetUpdatedAt().Time, Files: p.GetChangedFiles(), URL: p.GetHTMLURL(),
	}
	for _, label := range p.Labels {
		pull.Labels = append(pull.Labels, label.GetName())
	}
	slices.Sort(pull.Labels)
	switch {
	case pull.Number <= 0:
		return pull, errors.New("the pull request has no number")
	case !isCommit(pull.Head) || !isCommit(pull.Base):
		return pull, fmt.Errorf("#%d has no head or no base", pull.Number)
	case pull.BaseRepo <= 0:
		return pull, fmt.Errorf("#%d is in no repository", pull.Number)
	}
	return pull, nil
}

// isCommit reports whether a text is a full object id: it will be given to git.
func isCommit(c events.Commit) bool {
	if len(c) != 40 && len(c) != 64 {
		return false
	}
	for _, r := range c {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') {
			return false
		}
	}
	return true
}

func fileOf(f *github.CommitFile) (File, error) {
	file := File{
		Name: f.GetFilename(), Previous: f.GetPreviousFilename(), Status: f.GetStatus(), Patch: f.GetPatch(), HasPatch: f.Patch != nil,
	}
	if file.Name == "" {
		return file, errors.New("the file has no name")
	}
	return file, nil
}
