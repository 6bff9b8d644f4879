package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/events"
)

// Reviews reads all reviews as they are now, the oldest first, our own pending one
// among them.
func (c *Client) Reviews(ctx context.Context, name events.RepoName, number int) ([]Review, error) {
	op := fmt.Sprintf("list reviews of %s#%d", oneLine(string(name)), number)
	path, ok := pullPath(name, number)
	if !ok {
		return nil, badName(op)
	}
	found, err := scan(ctx, c, listing[Review]{
		request: request{op: op, path: path + "/reviews?" + perPage, traffic: trafficLook},
		decode:  decodeList(reviewOf), id: func(r *Review) string { return strconv.FormatInt(r.ID, 10) },
		pagesMax: pagesMax, shifts: true,
	})
	if err != nil {
		return nil, err
	}
	if !found.complete {
		return nil, &Fault{Kind: KindUnexpected, Op: op, Message: fmt.Sprintf("there are more than %d pages", pagesMax)}
	}
	return found.items, nil
}

// CreatePending makes a review that nobody else sees yet. It is all or nothing.
func (c *Client) CreatePending(ctx context.Context, name events.RepoName, number int, draft Draft) (*Review, error) {
	op := fmt.Sprintf("create review of %s#%d", oneLine(string(name)), number)
	path, ok := pullPath(name, number)
	if !ok {
		return nil, badName(op)
	}
	body := &github.PullRequestReviewRequest{CommitID: github.String(string(draft.Commit)), Body: github.String(draft.Body)} // no event: pending
	for _, comment := range draft.Comments {
		body.Comments = append(body.Comments, commentOf(comment))
	}
	review, err := change(ctx, c, request{op: op, method: http.MethodPost, path: path + "/reviews", body: body, traffic: trafficReview},
		decodeInto(expect(0, StatePending)))
	if err != nil {
		return nil, c.whereTo(ctx, name, err)
	}
	return &review, nil
}

// commentOf stands on the new side, by lines: positions must not be mixed with them.
func commentOf(comment Comment) *github.DraftReviewComment {
	made := &github.DraftReviewComment{
		Path: github.String(comment.Path), Body: github.String(comment.Body), Line: github.Int(comment.Line), Side: github.String("RIGHT"),
	}
	if comment.StartLine > 0 && comment.StartLine != comment.Line {
		made.StartLine, made.StartSide = github.Int(comment.StartLine), github.String("RIGHT")
	}
	return made
}

// stateAfter is a review's state once it was submitted.
var stateAfter = map[Event]ReviewState{
	EventApprove: StateApproved, EventRequestChanges: StateChangesRequested, EventComment: StateCommented,
}

// Submit shows a pending review to everybody.
func (c *Client) Submit(ctx context.Context, name events.RepoName, number int, review int64, event Event) (*Review, error) {
	op := fmt.Sprintf("submit review %d of %s#%d", review, oneLine(string(name)), number)
	path, ok := pullPath(name, number)
	state, known := stateAfter[event]
	if !ok || !known || review <= 0 {
		return nil, badName(op)
	}
	body := &github.PullRequestReviewRequest{Event: github.String(string(event))}
	r := request{op: op, method: http.MethodPost, path: fmt.Sprintf("%s/reviews/%d/events", path, review), body: body, traffic: trafficReview}
	submitted, err := change(ctx, c, r, decodeInto(expect(review, state)))
	if err != nil {
		return nil, c.whereTo(ctx, name, err)
	}
	return &submitted, nil
}

// DeletePending removes a review that was not submitted.
func (c *Client) DeletePending(ctx context.Context, name events.RepoName, number int, review int64) error {
	op := fmt.Sprintf("delete review %d of %s#%d", review, oneLine(string(name)), number)
	path, ok := pullPath(name, number)
	if !ok || review <= 0 {
		return badName(op)
	}
	r := request{op: op, method: http.MethodDelete, path: fmt.Sprintf("%s/reviews/%d", path, review), traffic: trafficReview}
	if _, err := change(ctx, c, r, decodeInto(expect(review, ""))); err != nil {
		return c.whereTo(ctx, name, err)
	}
	return nil
}

// expect makes sure that a write gave what was asked for: an answer that has no id is
// none, whatever its status says. (case G35)
func expect(id int64, state ReviewState) func(*github.PullRequestReview) (Review, error) {
	return func(r *github.PullRequestReview) (Review, error) {
		review, err := reviewOf(r)
		switch {
		case err != nil:
			return review, err
		case id != 0 && review.ID != id:
			return review, fmt.Errorf("the answer is about review %d", review.ID)
		case state != "" && review.State != state: // guard: a review that is seen by all counts as pending
			return review, fmt.Errorf("the review is %s, not %s", oneLine(string(review.State)), state)
		}
		return review, nil
	}
}

// reviewOf takes states in either spelling. (case G16)
func reviewOf(r *github.PullRequestReview) (Review, error) {
	review := Review{
		ID: r.GetID(), Author: userOf(r.GetUser()), Body: r.GetBody(), State: ReviewState(strings.ToUpper(r.GetState())),
		Commit: events.Commit(r.GetCommitID()), Submitted: r.GetSubmittedAt().Time, URL: r.GetHTMLURL(),
	}
	if review.ID <= 0 {
		return review, errors.New("the review has no id")
	}
	return review, nil
}
