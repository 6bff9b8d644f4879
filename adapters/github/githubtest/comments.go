package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// draftComment is an inline comment of POST …/reviews.
type draftComment struct {
	Path      string `json:"path"`
	Body      string `json:"body"`
	Line      *int   `json:"line"`
	Side      Side   `json:"side"`
	StartLine *int   `json:"start_line"`
	StartSide Side   `json:"start_side"`
	Position  *int   `json:"position"`
}

// UnmarshalJSON refuses what go's decoder would drop: a comment of a review has no
// subject_type.
func (d *draftComment) UnmarshalJSON(text []byte) error {
	type plain draftComment
	var extra struct {
		SubjectType any `json:"subject_type"`
	}
	if err := json.Unmarshal(text, (*plain)(d)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &extra); err == nil && extra.SubjectType != nil {
		return fmt.Errorf("subject_type is not a permitted key")
	}
	return nil
}

// GitHub's words for a comment that has no place. (github.md §1, "Create")
const (
	noPath    = "Path could not be resolved"
	noLine    = "Line could not be resolved"
	noHunks   = "Pull request review thread line must be part of the diff, Pull request review thread start line must be part of the same hunk as the line., and Pull request review thread diff hunk can't be blank"
	noHunk    = "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank"
	otherHunk = "Pull request review thread start line must be part of the same hunk as the line"
	backwards = "Pull request review thread start line must precede the end line"
	noPlace   = "Position is invalid"
)

// place finds the place of every comment, or refuses all of them: nothing is
// stored then. (github.md §5.2)
func (c *call) place(drafts []draftComment, at events.Commit) ([]*Comment, *answer) {
	comments := []*Comment{}
	var wrong []string
	changes := c.pull.changes(at)
	rows := map[string][]row{}
	for i := range drafts {
		d := &drafts[i]
		if strings.TrimSpace(d.Body) == "" {
			return nil, c.unprocessable("Pull request review thread comment body can't be blank")
		}
		if a := c.text(d.Body); a != nil {
			return nil, a
		}
		if d.Position != nil && d.Line != nil {
			return nil, c.problem(http.StatusUnprocessableEntity, "Invalid request.\n\nNo subschema in \"oneOf\" matched.\nMore than one subschema in \"oneOf\" matched.")
		}
		n := slices.IndexFunc(changes, func(ch change) bool { return ch.path == d.Path })
		if n < 0 {
			wrong = append(wrong, noPath)
			continue
		}
		if rows[d.Path] == nil {
			rows[d.Path] = parsePatch(changes[n].patch)
		}
		comment, why := d.place(rows[d.Path])
		if why != "" {
			wrong = append(wrong, why)
			continue
		}
		comment.Commit, comment.OriginalCommit, comment.Created = at, at, c.now
		comments = append(comments, comment)
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return nil, c.unprocessable(slices.Compact(wrong)...)
	}
	return comments, nil
}

// place finds a comment's row in its file's patch, or says why there is none.
func (d *draftComment) place(rows []row) (*Comment, string) {
	switch {
	case len(rows) == 0 && d.StartLine != nil:
		return nil, noHunks
	case len(rows) == 0:
		return nil, noHunk
	}
	comment := &Comment{Path: d.Path, Body: d.Body, Side: Right}
	var at *row
	switch {
	case d.Position != nil:
		if *d.Position > 0 && *d.Position < len(rows) {
			at = &rows[*d.Position]
		}
		if at == nil || at.kind == '@' || at.kind == '\\' {
			return nil, noPlace
		}
		comment.Line = at.new
		if at.kind == '-' {
			comment.Side, comment.Line = Left, at.old
		}
	case d.Line == nil:
		return nil, noLine
	default:
		if d.Side != "" {
			comment.Side = d.Side
		}
		comment.Line = *d.Line
		if at = find(rows, comment.Side, *d.Line); at == nil {
			return nil, noLine
		}
	}
	if d.StartLine != nil {
		start, why := d.start(comment, rows, at)
		if why != "" {
			return nil, why
		}
		comment.StartLine = start
	}
	comment.Position, comment.OriginalAt, comment.Hunk = at.position, at.position, hunkUntil(rows, at)
	comment.OriginalLine, comment.OriginalStart = comment.Line, comment.StartLine
	return comment, ""
}

// start finds the first row of several: above the last one, in the same hunk.
func (d *draftComment) start(comment *Comment, rows []row, end *row) (int, string) {
	comment.StartSide = d.StartSide
	if d.StartSide == "" {
		comment.StartSide = comment.Side
	}
	if comment.StartSide == comment.Side && *d.StartLine >= comment.Line {
		return 0, backwards
	}
	first := find(rows, comment.StartSide, *d.StartLine)
	switch {
	case first == nil || first.hunk != end.hunk:
		return 0, otherHunk
	case first.position >= end.position:
		return 0, backwards
	}
	return *d.StartLine, ""
}

// listComments is GET …/pulls/N/comments: of submitted reviews, oldest first.
func (c *call) listComments() *answer {
	type pair struct {
		r *Review
		c *Comment
	}
	var list []pair
	for _, r := range c.state(c.pull).reviews {
		if r.State == pending {
			continue
		}
		for _, comment := range r.Comments {
			list = append(list, pair{r, comment})
		}
	}
	return page(c, list, func(one pair) any { return c.commentShape(one.r, one.c, false) })
}

// listReviewComments is GET …/reviews/ID/comments: GitHub's older shape, without
// lines. (github.md §1, "Comments of a review")
func (c *call) listReviewComments() *answer {
	r := c.own()
	if r == nil {
		return c.notFound()
	}
	return page(c, r.Comments, func(one *Comment) any { return c.commentShape(r, one, true) })
}

func numberOrNull(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (c *call) commentShape(r *Review, one *Comment, older bool) map[string]any {
	api := fmt.Sprintf("%s/pulls/comments/%d", c.repo.apiURL(c.origin), one.ID)
	pull := fmt.Sprintf("%s/pulls/%d", c.repo.apiURL(c.origin), c.pull.Number)
	web := fmt.Sprintf("%s/%s/pull/%d#discussion_r%d", c.origin.web, c.repo.full(), c.pull.Number, one.ID)
	href := func(url string) any { return map[string]any{"href": url} }
	v := map[string]any{
		"id": one.ID, "node_id": nodeID("PRRC", one.ID), "url": api, "pull_request_review_id": r.ID, "diff_hunk": one.Hunk,
		"path": one.Path, "position": numberOrNull(one.Position), "original_position": one.OriginalAt,
		"commit_id": one.Commit, "original_commit_id": one.OriginalCommit, "user": c.origin.simpleUser(r.by), "body": one.Body,
		"created_at": stamp(one.Created), "updated_at": stamp(one.Created), "html_url": web, "pull_request_url": pull,
		"author_association": c.repo.association(r.by),
		"_links":             map[string]any{"self": href(api), "html": href(web), "pull_request": href(pull)},
	}
	if older {
		return v
	}
	if one.Outdated() {
		c.odd = "null for an outdated line" // likewise
	}
	v["line"], v["original_line"], v["side"], v["subject_type"] = numberOrNull(one.Line), one.OriginalLine, one.Side, "line"
	v["start_line"], v["original_start_line"], v["start_side"] = numberOrNull(one.StartLine), numberOrNull(one.OriginalStart), nil
	if one.OriginalStart > 0 {
		v["start_side"] = one.StartSide
	}
	return v
}
