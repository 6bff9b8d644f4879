package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/events"
)

// bodyMax is GitHub's limit of a body, in characters. (github.md §3)
const bodyMax = 65_536

// draft is the body of POST …/reviews.
type draft struct {
	CommitID string         `json:"commit_id"`
	Body     string         `json:"body"`
	Event    string         `json:"event"`
	Comments []draftComment `json:"comments"`
}

// read decodes the request's body; an answer says what is wrong with it.
func (c *call) read(into any) *answer {
	if len(c.body) == 0 {
		return nil
	}
	if !json.Valid(c.body) {
		return c.problem(http.StatusBadRequest, "Problems parsing JSON")
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return c.problem(http.StatusUnprocessableEntity, "Invalid request.\n\nNo subschema in \"anyOf\" matched.\n"+err.Error())
	}
	return nil
}

func (c *call) listReviews() *answer {
	return page(c, c.state(c.pull).visible(c.viewer), func(r *Review) any { return c.reviewShape(r) })
}

// own is the review of the path, as the viewer sees it: nil = none.
func (c *call) own() *Review {
	id, _ := strconv.ParseInt(c.values["review_id"], 10, 64)
	r := c.state(c.pull).review(id)
	if r == nil || r.State == pending && r.by != c.viewer {
		return nil
	}
	return r
}

func (c *call) getReview() *answer {
	r := c.own()
	if r == nil {
		return c.notFound()
	}
	return newAnswer(http.StatusOK, c.reviewShape(r))
}

// createReview is POST …/reviews: all or nothing, and not idempotent. Without an
// event it is pending. (github.md §5.3)
func (c *call) createReview() *answer {
	var d draft
	if a := c.read(&d); a != nil {
		return a
	}
	st := c.pull.cur
	if a := c.closedTo(d.Event); a != nil {
		return a
	}
	if st.pendingOf(c.viewer) != nil { // submitted ones are blocked too (case G14)
		return c.unprocessable("User can only have one pending review per pull request")
	}
	at := st.head
	if d.CommitID != "" {
		if at = events.Commit(d.CommitID); !c.pull.has(at) {
			if len(d.Comments) == 0 { // case G27
				return c.unprocessable("The commitOID is not part of the pull request")
			}
			return c.unprocessable("Start commit oid is not part of the pull request")
		}
	}
	if a := c.text(d.Body); a != nil {
		return a
	}
	if a := c.wordless(d.Event, d.Body, len(d.Comments)); a != nil {
		return a
	}
	comments, a := c.place(d.Comments, at)
	if a != nil {
		return a
	}
	r := &Review{ID: c.s.next("review"), Author: c.viewer.login, by: c.viewer, State: pending, Body: d.Body, Commit: at, Original: at, Created: c.now, Comments: comments, Ours: true}
	for _, comment := range comments {
		comment.ID = c.s.next("comment")
	}
	c.pull.change(func(st *state) {
		st.reviews = append(st.reviews, r)
		c.submitted(r, d.Event)
	})
	if at != c.pull.cur.head {
		for _, comment := range r.Comments {
			c.pull.anchorComment(comment)
		}
	}
	return newAnswer(http.StatusOK, c.reviewShape(r))
}

// closedTo refuses what the pull request does not take from this viewer.
func (c *call) closedTo(event string) *answer {
	switch {
	case event != "" && stateOf[event] == "":
		return c.unprocessable("Variable $event of type PullRequestReviewEvent was provided invalid value")
	case c.pull.cur.locked:
		return c.problem(http.StatusForbidden, "Unable to create comment because issue is locked.")
	case c.pull.author != c.viewer:
	case event == "APPROVE": // case G13
		return c.unprocessable("Can not approve your own pull request")
	case event == "REQUEST_CHANGES":
		return c.unprocessable("Can not request changes on your own pull request")
	}
	return nil
}

// text refuses a body that is too long.
func (c *call) text(body string) *answer {
	if utf8.RuneCountInString(body) > bodyMax {
		return c.unprocessable("Body is too long (maximum is 65536 characters)")
	}
	return nil
}

// wordless refuses a review that says nothing where something must be said.
func (c *call) wordless(event, body string, comments int) *answer {
	if strings.TrimSpace(body) != "" || event == "" || event == "APPROVE" || event == "COMMENT" && comments > 0 {
		return nil
	}
	if event == "REQUEST_CHANGES" {
		return c.unprocessable("You need to leave a comment indicating the requested changes.")
	}
	return c.unprocessable("Body can't be blank")
}

// submitted makes a review seen by all.
func (c *call) submitted(r *Review, event string) {
	if event == "" {
		return
	}
	r.State, r.Submitted = stateOf[event], c.now
}

// submitReview is POST …/reviews/ID/events.
func (c *call) submitReview() *answer {
	var in struct{ Body, Event string }
	if a := c.read(&in); a != nil {
		return a
	}
	r := c.own()
	if r == nil {
		return c.notFound()
	}
	if r.by != c.viewer || r.State != pending {
		return c.unprocessable("Can not submit a review that is not pending")
	}
	if in.Event == "" {
		return c.unprocessable("Variable $event of type PullRequestReviewEvent! was provided invalid value")
	}
	if a := c.closedTo(in.Event); a != nil {
		return a
	}
	body := in.Body
	if body == "" {
		body = r.Body
	}
	if a := c.text(body); a != nil {
		return a
	}
	if a := c.wordless(in.Event, body, len(r.Comments)); a != nil {
		return a
	}
	c.pull.change(func(st *state) {
		r = st.review(r.ID)
		r.Body = body
		c.submitted(r, in.Event)
	})
	return newAnswer(http.StatusOK, c.reviewShape(r))
}

// deleteReview is DELETE …/reviews/ID, for pending ones alone.
func (c *call) deleteReview() *answer {
	r := c.own()
	if r == nil {
		return c.notFound()
	}
	if r.State != pending {
		return c.unprocessable("Can not delete a non-pending pull request review")
	}
	shown := c.reviewShape(r)
	c.pull.change(func(st *state) {
		for i, other := range st.reviews {
			if other.ID == r.ID {
				st.reviews = append(st.reviews[:i:i], st.reviews[i+1:]...)
				return
			}
		}
	})
	return newAnswer(http.StatusOK, shown)
}

// updateReview is PUT …/reviews/ID. A body must be given; that of another is not
// there for who may not write. (case G34)
func (c *call) updateReview() *answer {
	var in struct{ Body string }
	if a := c.read(&in); a != nil {
		return a
	}
	r := c.own()
	if r == nil || r.by != c.viewer && c.repo.role(c.token.Login) < RoleWrite {
		return c.notFound()
	}
	if strings.TrimSpace(in.Body) == "" {
		return c.unprocessable("Body can't be blank")
	}
	if a := c.text(in.Body); a != nil {
		return a
	}
	c.pull.change(func(st *state) {
		r = st.review(r.ID)
		r.Body = in.Body
	})
	return newAnswer(http.StatusOK, c.reviewShape(r))
}

// dismissReview is PUT …/reviews/ID/dismissals.
func (c *call) dismissReview() *answer {
	var in struct{ Message string }
	if a := c.read(&in); a != nil {
		return a
	}
	r := c.own()
	switch {
	case r == nil:
		return c.notFound()
	case in.Message == "":
		return c.unprocessable("Message can't be blank")
	case r.State != stateOf["APPROVE"] && r.State != stateOf["REQUEST_CHANGES"]:
		return c.unprocessable("Can not dismiss a " + strings.ToLower(r.State) + " pull request review")
	}
	c.pull.change(func(st *state) {
		r = st.review(r.ID)
		r.State = dismissed
	})
	return newAnswer(http.StatusOK, c.reviewShape(r))
}

// reviewShape is GitHub's pull-request-review. A pending one has no submitted_at.
func (c *call) reviewShape(r *Review) map[string]any {
	api := fmt.Sprintf("%s/pulls/%d", c.repo.apiURL(c.origin), c.pull.Number)
	web := fmt.Sprintf("%s/%s/pull/%d#pullrequestreview-%d", c.origin.web, c.repo.full(), c.pull.Number, r.ID)
	v := map[string]any{
		"id": r.ID, "node_id": nodeID("PRR", r.ID), "user": c.origin.simpleUser(r.by), "body": r.Body, "state": r.State,
		"html_url": web, "pull_request_url": api, "author_association": c.repo.association(r.by), "commit_id": r.Commit,
		"_links": map[string]any{"html": map[string]any{"href": web}, "pull_request": map[string]any{"href": api}},
	}
	if r.State != pending {
		v["submitted_at"] = stamp(r.Submitted)
	}
	return v
}
