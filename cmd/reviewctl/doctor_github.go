package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/api"
)

// Bounds of what doctor asks of GitHub: a dead one costs the first, a slow one the
// second.
const (
	hubAccountWait = 15 * time.Second
	hubWait        = time.Minute // in all
	hubReposMax    = 100         // that are looked at, hubAtOnce at once
	hubAtOnce      = 4
	hubTriesMax    = 20 // repositories where it is tried what may be written: a second each
	tokenEndsSoon  = 7 * 24 * time.Hour
)

// github asks GitHub what the token may do. Where no repository is there and no token
// either, it asks for nothing.
func (d *doctor) github(ctx context.Context) {
	c, repos := &d.config.GitHub, hubRepositories(d.config)
	if len(repos) == 0 && c.TokenFile == "" && d.app.Env(c.TokenEnv) == "" {
		return
	}
	token, err := c.token(d.app.Env)
	if err != nil {
		d.failed("github token", err)
		d.unseen(repos, "there is no token")
		return
	}
	d.good("github token", c.tokenPlace(d.app.Env))
	ctx, cancel := context.WithTimeout(ctx, hubWait)
	defer cancel()
	defer d.hide(len(d.answer.Checks), token) // a server or git may say it back
	h, err := newHub(d.config, "", d.transport, d.app.Env, d.app.Logger())
	if err != nil {
		d.failed("github api", err)
		return
	}
	account := d.account(ctx, h)
	if account == nil {
		d.unseen(repos, "GitHub was not asked")
		return
	}
	more := len(repos) - hubReposMax
	for _, checks := range d.onHub(ctx, h, account, repos[:min(len(repos), hubReposMax)]) {
		d.answer.Checks = append(d.answer.Checks, checks...)
	}
	if more > 0 {
		d.good("github repositories", fmt.Sprintf("%d more were not looked at: serve looks at each, and puts on record which it cannot read", more))
	}
	d.rate(h.client.Rate())
}

// tokenPlace says where the token is read from, and never which it is.
func (c *GitHubConfig) tokenPlace(env func(string) string) string {
	if c.TokenFile == "" {
		return "from the variable " + c.TokenEnv
	}
	place := "from " + c.TokenFile
	if st, err := os.Stat(c.TokenFile); err == nil {
		place += fmt.Sprintf(" (mode %04o)", st.Mode().Perm())
	}
	if env(c.TokenEnv) != "" {
		place += ", and not from " + c.TokenEnv + ", which is set as well"
	}
	return place
}

// hide takes the token out of what was added since.
func (d *doctor) hide(from int, token string) {
	for i := from; i < len(d.answer.Checks); i++ {
		check := &d.answer.Checks[i]
		check.Detail = strings.ReplaceAll(check.Detail, token, hidden)
		check.Remedy = strings.ReplaceAll(check.Remedy, token, hidden)
	}
}

// unseen says of each repository that it was not looked at.
func (d *doctor) unseen(repos []*RepositoryConfig, why string) {
	for _, r := range repos {
		d.bad("repository "+r.Name, "on GitHub; not looked at: "+why, "see github above")
	}
}

// account looks whose the token is; nil = that could not be asked.
func (d *doctor) account(ctx context.Context, h *hub) *api.Account {
	ctx, cancel := context.WithTimeout(ctx, hubAccountWait)
	defer cancel()
	where := Plain(cmp.Or(d.config.GitHub.APIURL, api.BaseURLDefault))
	a, err := h.client.Account(ctx)
	if err != nil {
		label := "github api"
		var fault *api.Fault
		if errors.As(err, &fault) && (fault.Kind == api.KindAuth || fault.Kind == api.KindPermission) {
			d.good(label, where+" answers")
			label = "github account"
		}
		words, remedy := hubWords(err)
		if fault != nil && (fault.Kind == api.KindNotFound || fault.Kind == api.KindTransient && fault.Status != 0) {
			remedy = "see that github.api_url is the API of a GitHub (" + GitHubAPIDefault + ", or https://HOST/api/v3/), and call again"
		}
		d.bad(label, where+": "+words, remedy)
		return nil
	}
	d.good("github api", where+" answers")
	apart := "it agrees with GitHub's"
	if a.Skew > 0 {
		apart = fmt.Sprintf("it is %s behind GitHub's", a.Skew)
	} else if a.Skew < 0 {
		apart = fmt.Sprintf("it is %s ahead of GitHub's", -a.Skew)
	}
	if a.ClockOff() {
		d.bad("github clock", apart, "set the clock, and let it be kept (NTP)")
	} else {
		d.good("github clock", apart)
	}
	d.owner(a)
	return a
}

// owner says whose the token is, of which sort, and until when it holds.
func (d *doctor) owner(a *api.Account) {
	what := a.Viewer.Login + ", with a fine-grained token"
	if a.Classic {
		what = a.Viewer.Login + ", with a classic token of the scopes " + cmp.Or(strings.Join(a.Scopes, ", "), "none")
	}
	check := DoctorCheck{Label: "github account", OK: true, Detail: Plain(what)}
	if !a.Expires.IsZero() {
		check.Detail += "; it holds until " + a.Expires.Format(time.RFC3339)
		if a.Expires.Before(clock{}.Now().Add(tokenEndsSoon)) {
			check.Remedy = "make another token before then; one in a file is used as soon as it is written there"
		}
	}
	d.answer.Checks = append(d.answer.Checks, check)
}

// onHub looks at a few repositories at once, and returns what it found in their order.
func (d *doctor) onHub(ctx context.Context, h *hub, account *api.Account, repos []*RepositoryConfig) [][]DoctorCheck {
	found := make([][]DoctorCheck, len(repos))
	var all sync.WaitGroup
	places := make(chan struct{}, hubAtOnce)
	for i, r := range repos {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			part := &hubCheck{doctor: doctor{app: d.app, config: d.config, home: d.home}, hub: h, account: account, entry: r, try: i < hubTriesMax}
			part.run(ctx)
			found[i] = part.answer.Checks
		})
	}
	all.Wait()
	return found
}

// rate says what is left of the hour. Polls leave the last tenth to publishing.
func (d *doctor) rate(r api.Rate) {
	const label = "github rate limit"
	left := fmt.Sprintf("%d of %d requests left until %s", r.Remaining, r.Limit, r.Reset.UTC().Format(time.RFC3339))
	switch {
	case r.Limit == 0:
		d.good(label, "GitHub names none")
	case r.Remaining <= r.Limit/10:
		d.bad(label, left+": they are kept for publishing, and nothing is polled before then", "wait, or give this program an account of its own: all tokens of one share its limit")
	default:
		d.good(label, left)
	}
}

// hubWords is a fault of GitHub in words, and what to do about it.
func hubWords(err error) (words, remedy string) {
	var f *api.Fault
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "there was no answer in time", "see that it can be reached from here (https_proxy is heeded), and call again"
	case !errors.As(err, &f):
		return Plain(err.Error()), "call again later"
	}
	said := Plain(f.Message)
	if f.Status != 0 {
		said = strings.TrimSpace(fmt.Sprintf("%d %s", f.Status, said))
	}
	row, known := hubFaults[f.Kind]
	if f.Kind == api.KindPermission {
		row = hubRefusal(f, row)
	}
	if !known {
		row = [2]string{Plain(f.Error()), "call again later"}
		said = ""
	}
	if said != "" {
		row[0] += " (" + said + ")"
	}
	if !f.RetryAt.IsZero() {
		row[1] = "call again after " + f.RetryAt.Add(time.Second).UTC().Format(time.RFC3339)
	}
	return row[0], row[1]
}

// hubFaults are words and remedies by the kind of a fault.
var hubFaults = map[api.Kind][2]string{
	api.KindAuth:       {"GitHub does not take the token", "make a new token, and put it where github.token_env or github.token_file says"},
	api.KindClockSkew:  {"GitHub says that the clock here is off", "set the clock, and let it be kept (NTP)"},
	api.KindPrimary:    {"the hourly limit of requests is used up", "call again in an hour"},
	api.KindSecondary:  {"GitHub asks for a pause", "call again in a few minutes"},
	api.KindPaced:      {"not asked, so as not to ask too much at once", "call again in a minute"},
	api.KindPermission: {"GitHub refuses it", "see what GitHub says on its page; set enabled: false at the repository to leave it out"},
	api.KindNotFound: {
		"GitHub does not show it: it is not there, or it is hidden from the token",
		"see that the name is right, and let the token see the repository (a classic one: the scope repo; a fine-grained one: select it); if it was deleted, set enabled: false",
	},
	api.KindGone:      {"it is gone for good", "set enabled: false at the repository"},
	api.KindBlocked:   {"GitHub shows it to nobody, for legal reasons", "set enabled: false at the repository"},
	api.KindTransient: {"there is no answer that can be understood", "see that it can be reached from here (https_proxy is heeded), and call again"},
	api.KindValidation: {
		"this is not the name of a repository on GitHub",
		"give OWNER/REPO as its address says",
	},
}

// hubRefusal tells why, where GitHub says it.
func hubRefusal(f *api.Fault, row [2]string) [2]string {
	switch f.Sub {
	case api.SubSSO:
		row[1] = "authorise the token for the organisation: Configure SSO, at the list of tokens"
	case api.SubSuspended:
		row[1] = "ask GitHub's support: the account is suspended"
	case api.SubToken:
		row[1] = "use a classic token with the scope repo, or a fine-grained one of the repository's owner with contents: read and pull requests: write"
	}
	return row
}
