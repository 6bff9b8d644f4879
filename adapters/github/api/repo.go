package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/events"
)

// badName refuses what would change the path of a request. Nothing is sent.
func badName(op string) *Fault {
	return &Fault{Kind: KindValidation, Sub: SubUnknown, Op: op, Message: "not asked: that is no OWNER/REPO, number or name on GitHub"}
}

// Repo reads a repository. Its name in the answer is the one that it has now.
func (c *Client) Repo(ctx context.Context, name events.RepoName) (*Repo, error) {
	return c.repo(ctx, name, trafficPoll, true)
}

func (c *Client) repo(ctx context.Context, name events.RepoName, t traffic, conditional bool) (*Repo, error) {
	op := "read repository " + oneLine(string(name))
	path, ok := repoPath(name)
	if !ok {
		return nil, badName(op)
	}
	found, _, err := fetch(ctx, c, request{op: op, path: path, traffic: t, conditional: conditional}, decodeInto(repoOf))
	if err != nil {
		return nil, err
	}
	c.learn(name, found.FullName)
	return &found, nil
}

func repoOf(r *github.Repository) (Repo, error) {
	p := r.GetPermissions()
	found := Repo{
		ID: r.GetID(), FullName: events.RepoName(r.GetFullName()), DefaultBranch: r.GetDefaultBranch(), CloneURL: r.GetCloneURL(),
		Private: r.GetPrivate(), Archived: r.GetArchived(), Disabled: r.GetDisabled(),
		Permissions: Permissions{Admin: p["admin"], Maintain: p["maintain"], Push: p["push"], Triage: p["triage"], Pull: p["pull"]},
	}
	if found.ID <= 0 {
		return found, errors.New("the repository has no id")
	}
	if _, ok := repoPath(found.FullName); !ok {
		return found, fmt.Errorf("the repository's name is %q", found.FullName)
	}
	return found, nil
}

// Viewer is the account whose token this is. It is asked for once a token.
func (c *Client) Viewer(ctx context.Context) (User, error) {
	const op = "read the token's account"
	token, fault := c.secret()
	if fault != nil {
		fault.Op = op
		return User{}, fault
	}
	identity := "viewer " + identityOf(token)
	if k := c.memo.get(identity); k != nil {
		if user, ok := k.value.(User); ok {
			return user, nil
		}
	}
	user, _, err := fetch(ctx, c, request{op: op, path: "user", traffic: trafficLook}, decodeInto(viewerOf))
	if err != nil {
		return User{}, err
	}
	c.memo.put(identity, &kept{value: user})
	return user, nil
}

func viewerOf(u *github.User) (User, error) {
	user := userOf(u)
	if user.ID <= 0 || user.Login == "" {
		return user, errors.New("the account has no id or no login")
	}
	return user, nil
}

// userOf takes an account that may be missing: it was deleted. (case G31)
func userOf(u *github.User) User {
	return User{ID: u.GetID(), Login: u.GetLogin(), Bot: u.GetType() == "Bot"}
}
