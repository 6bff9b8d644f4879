package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// hubCheck looks at one repository on GitHub.
type hubCheck struct {
	doctor

	hub     *hub
	account *api.Account
	entry   *RepositoryConfig
	try     bool // what may be written, where nothing else tells
}

func (c *hubCheck) label(part string) string {
	return strings.TrimSpace("repository " + c.entry.Name + " " + part)
}

// run looks whether the repository can be read, written to, labelled and fetched.
func (c *hubCheck) run(ctx context.Context) {
	access, err := c.hub.client.Access(ctx, c.account, c.entry.RepoName())
	if err != nil {
		words, remedy := hubWords(err)
		c.bad(c.label(""), "on GitHub: "+words, remedy)
		return
	}
	c.access(ctx, access)
	c.labels(ctx, access.Repo.FullName)
	c.fetch(ctx, access.Repo)
}

// access says what the token may do, by the repository's present name.
func (c *hubCheck) access(ctx context.Context, access *api.Access) {
	name := Plain(string(access.Repo.FullName))
	about := "on GitHub as " + name
	if access.Repo.Private {
		about += ", private"
	}
	missing, writing := access.Missing, "reviews can be written"
	if missing == nil && !c.account.Classic {
		var lack *api.Lack
		if lack, writing = c.mayReview(ctx, access); lack != nil {
			missing = []api.Lack{*lack}
		}
	}
	for _, lack := range missing {
		c.bad(c.label(""), about+": "+Plain(lack.What), Plain(lack.Remedy))
	}
	if missing != nil {
		return
	}
	check := DoctorCheck{Label: c.label(""), OK: true, Detail: about + ": it can be read; " + writing}
	if !strings.EqualFold(c.entry.Name, string(access.Repo.FullName)) {
		check.Detail = "it was renamed, " + check.Detail
		check.Remedy = "write name: " + name + " in " + ConfigFile + "; until then the old name leads there, while nobody else takes it"
	}
	c.answer.Checks = append(c.answer.Checks, check)
}

// mayReview tries what a token without scopes may write.
func (c *hubCheck) mayReview(ctx context.Context, access *api.Access) (lack *api.Lack, words string) {
	if access.Pull == 0 {
		return nil, "whether reviews can be written (pull requests: write) shows when a pull request is open"
	}
	if !c.try {
		return nil, "whether reviews can be written (pull requests: write) was not tried: it was at enough others"
	}
	lack, known, err := c.hub.client.MayReview(ctx, access.Repo.FullName, access.Pull)
	switch {
	case err != nil:
		words, _ = hubWords(err)
		return nil, "whether reviews can be written (pull requests: write) is not known: " + words
	case !known:
		return nil, "whether reviews can be written (pull requests: write) is not known"
	}
	return lack, "a request to write reviews, which changed nothing, was not refused"
}

// labels says whether verdicts are labelled, which a repository asks for by having
// all the labels. (case G41)
func (c *hubCheck) labels(ctx context.Context, name events.RepoName) {
	label := c.label("labels")
	have, err := c.hub.client.Labels(ctx, name)
	if err != nil {
		words, remedy := hubWords(err)
		c.bad(label, words, remedy)
		return
	}
	l := c.config.GitHub.Labels
	var missing, there, spelled []string
	for _, ours := range []string{l.Approved, l.ChangesRequested, l.Commented} {
		found := ""
		for _, theirs := range have {
			if api.SameLabel(ours, theirs) {
				found = Plain(theirs)
			}
		}
		switch {
		case found == "":
			missing = append(missing, Plain(ours))
			continue
		case found != ours:
			spelled = append(spelled, found)
		}
		there = append(there, found)
	}
	switch {
	case there == nil:
		c.good(label, "verdicts are not labelled: the repository has none of "+strings.Join(missing, ", ")+" (make all three, and they are)")
	case missing != nil:
		c.bad(label, "verdicts are not labelled: the repository has "+strings.Join(there, ", ")+" and lacks "+strings.Join(missing, ", "),
			"make the labels that it lacks, or remove the others")
	case spelled != nil:
		c.good(label, "verdicts are labelled: "+strings.Join(there, ", ")+" (spelled otherwise than configured: "+strings.Join(spelled, ", ")+"; case does not matter)")
	default:
		c.good(label, "verdicts are labelled: "+strings.Join(there, ", "))
	}
}

// fetch asks git for the repository's branch, with the token.
func (c *hubCheck) fetch(ctx context.Context, is api.Repo) {
	label := c.label("git")
	place, err := c.hub.placeOf(namedRepo{configured: c.entry.RepoName(), now: is.FullName, clone: is.CloneURL})
	if err != nil {
		c.bad(label, Plain(err.Error()), "see github.api_url: the token is sent to that host alone")
		return
	}
	remote, err := git.AskRemoteWith(ctx, existing(c.home.dir), place.From, place.Env, place.Credential)
	switch {
	case errors.Is(err, git.ErrNoCommit):
		c.good(label, "it can be fetched, and has no commit yet")
	case errors.Is(err, context.DeadlineExceeded):
		c.bad(label, place.From.String()+" did not answer in time", "see that it can be reached from here ("+EnvGit+"=https_proxy lets git have that variable)")
	case errors.Is(err, git.ErrAccess):
		c.bad(label, "git is refused: "+Plain(err.Error()), "give the token contents: read (a classic one: the scope repo)")
	case err != nil:
		c.bad(label, "it cannot be fetched: "+Plain(err.Error()),
			"see that "+place.From.String()+" can be reached from here ("+EnvGit+"=https_proxy lets git have that variable) and that the token has contents: read")
	default:
		c.good(label, fmt.Sprintf("%s at %s can be fetched from %s", Plain(remote.Branch), shortCommit(remote.Head), place.From))
	}
}
