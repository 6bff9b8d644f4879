package poll

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/prose"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what is told, in runes. GitHub's own are 256 for a title, 39 for a
// login, 50 for a label; a host that says more is not believed.
const (
	titleMax = 256
	loginMax = 100
	labelMax = 100
	refMax   = 1024 // bytes; git takes no longer path
)

// ghost is what GitHub shows in the place of a deleted account.
const ghost = "ghost"

// SkipLabelsDefault and IgnoredDefault hold where nobody says otherwise.
// (semantics 1.1 and 20)
func SkipLabelsDefault() []string { return []string{"tag:skip-review"} }

// IgnoredDefault are authors whose pull requests are reviewed only when asked for.
func IgnoredDefault() []string {
	return []string{"dependabot", "dependabot[bot]", "renovate", "renovate[bot]", "github-actions[bot]"}
}

// place is where a pull request stands: what a review hangs on.
type place struct {
	head  events.Commit
	base  string // the branch
	draft bool
	label string // that says not to review it
}

// sight is what one pull request looks like.
type sight struct {
	place

	name     events.RepoName
	title    string
	author   string
	authorID string
	ignored  bool
}

// terms are the configured words that sights are made with, in lower case.
type terms struct {
	skip    []string
	ignored []string
}

func newTerms(skip, ignored []string) terms {
	t := terms{skip: slices.Clone(skip), ignored: slices.Clone(ignored)}
	for _, list := range [][]string{t.skip, t.ignored} {
		for i := range list {
			list[i] = strings.ToLower(list[i])
		}
	}
	return t
}

// Describe is the title and the author of a pull request as they are recorded,
// whoever asked for the review; why says why it cannot be reviewed, or is "".
func Describe(p *api.Pull) (title, author, why string) {
	title, author = clean(p.Title, titleMax), clean(p.Author.Login, loginMax)
	if author == "" {
		author = ghost
	}
	return title, author, unusable(p)
}

// see makes the sight of a pull request in the repository of a name.
func (t terms) see(name events.RepoName, p *api.Pull) sight {
	s := sight{
		place:   place{head: p.Head, base: p.BaseRef, draft: p.Draft, label: t.skipLabel(p.Labels)},
		name:    name,
		ignored: slices.Contains(t.ignored, strings.ToLower(p.Author.Login)),
	}
	if p.Author.ID != 0 {
		s.authorID = strconv.FormatInt(p.Author.ID, 10)
	}
	s.title, s.author, _ = Describe(p)
	return s
}

// skipLabel is the first label that says not to review, as the forge spells it.
func (t terms) skipLabel(labels []string) string {
	for _, label := range labels {
		if slices.Contains(t.skip, strings.ToLower(label)) {
			return clean(label, labelMax)
		}
	}
	return ""
}

// facts are the sight's part beside its commits.
func (s *sight) facts() *pr.Facts {
	return &pr.Facts{Draft: s.draft, SkipLabel: s.label, Ignored: s.ignored, AuthorID: s.authorID}
}

// unusable says why no actor can be told of a pull request, or "".
func unusable(p *api.Pull) string {
	switch {
	case p.Number <= 0:
		return "it has no number"
	case !git.IsCommit(string(p.Head)):
		return fmt.Sprintf("its head %.50q is no commit", p.Head)
	case p.Base != "" && !git.IsCommit(string(p.Base)):
		return fmt.Sprintf("its base %.50q is no commit", p.Base)
	case p.BaseRef == "" || len(p.BaseRef) > refMax || strings.HasPrefix(p.BaseRef, "-"), !utf8.ValidString(p.BaseRef),
		strings.ContainsFunc(p.BaseRef, unicode.IsControl):
		return fmt.Sprintf("its base branch's name %.50q cannot be used", p.BaseRef)
	}
	return ""
}

// refOf is where the head of a pull request is fetched from: it is in the base
// repository even where the fork is gone. (case G31)
func refOf(number int) string { return fmt.Sprintf("refs/pull/%d/head", number) }

// clean makes a text of somebody else's fit for the record: one line, bounded,
// valid, and without what cannot be seen.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, prose.Visible(strings.ToValidUTF8(text, "\uFFFD")))
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	return strings.TrimSpace(text)
}
