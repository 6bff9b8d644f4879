package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// hopsMax bounds how often a read is sent elsewhere.
const hopsMax = 5

// redirects reports whether net/http would follow an answer.
func redirects(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}

// followRead lets a read be sent elsewhere on the same host, as for a repository
// that was renamed.
func (c *Client) followRead(req *http.Request, via []*http.Request) error {
	var why string
	switch {
	case req.Method != http.MethodGet || via[0].Method != http.MethodGet:
		why = "only reading is sent elsewhere"
	case !c.ours(req.URL):
		why = "the answer leads to another host: " + oneLine(req.URL.Host)
	case len(via) > hopsMax: // guard: an answer that leads in circles is followed for ever
		why = "the answer leads in circles"
	default:
		return nil
	}
	return redirectFault(req, via, why)
}

// refuseRedirect never lets a write be sent elsewhere: net/http would make a GET of
// it, which succeeds and writes nothing. (case G35) The wire has answered before;
// this is the second fence.
func refuseRedirect(req *http.Request, via []*http.Request) error {
	return redirectFault(req, via, "a write is not sent elsewhere")
}

func redirectFault(req *http.Request, via []*http.Request, why string) error {
	f := &Fault{Kind: KindRedirected, Message: why}
	if ex := exchangeOf(req.Context()); ex != nil {
		f.Op, f.Unknown = ex.op, false
		ex.fault = f
	}
	_ = via
	return f
}

// learn remembers that a repository answered under another name.
func (c *Client) learn(asked, called events.RepoName) {
	if called == "" || strings.EqualFold(string(asked), string(called)) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.moved) >= movedMax {
		clear(c.moved)
	}
	c.moved[asked] = called
}

// movedMax bounds how many names are remembered.
const movedMax = 10_000

// Moved returns the name under which a repository answered last, or "" where that is
// the one it was asked by.
func (c *Client) Moved(name events.RepoName) events.RepoName {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moved[name]
}

// whereTo completes the fault of a write that was sent elsewhere with the name that
// the repository has now. Its caller writes once more there.
func (c *Client) whereTo(ctx context.Context, name events.RepoName, err error) error {
	var f *Fault
	if !errors.As(err, &f) || f.Kind != KindRedirected {
		return err
	}
	if repo, err := c.repo(ctx, name, trafficLook, false); err == nil && !strings.EqualFold(string(repo.FullName), string(name)) {
		f.Moved = repo.FullName
	}
	return f
}
