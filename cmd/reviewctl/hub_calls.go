package main

import (
	"context"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// The calls of poller and publisher. Each says how GitHub is.

// Viewer is the account that the token belongs to.
func (h *hub) Viewer(ctx context.Context) (api.User, error) {
	user, err := h.client.Viewer(ctx)
	h.note(err)
	return user, err
}

// Repo reads a repository.
func (h *hub) Repo(ctx context.Context, name events.RepoName) (*api.Repo, error) {
	repo, err := h.client.Repo(ctx, name)
	h.note(err)
	return repo, err
}

// OpenPulls reads all open pull requests.
func (h *hub) OpenPulls(ctx context.Context, name events.RepoName) ([]api.Pull, bool, error) {
	pulls, changed, err := h.client.OpenPulls(ctx, name)
	h.note(err)
	return pulls, changed, err
}

// Pull reads a pull request as it is now.
func (h *hub) Pull(ctx context.Context, name events.RepoName, number int) (*api.Pull, error) {
	pull, err := h.client.Pull(ctx, name, number)
	h.note(err)
	return pull, err
}

// Files reads the changed files.
func (h *hub) Files(ctx context.Context, name events.RepoName, number int) ([]api.File, bool, error) {
	files, complete, err := h.client.Files(ctx, name, number)
	h.note(err)
	return files, complete, err
}

// Reviews reads all reviews.
func (h *hub) Reviews(ctx context.Context, name events.RepoName, number int) ([]api.Review, error) {
	reviews, err := h.client.Reviews(ctx, name, number)
	h.note(err)
	return reviews, err
}

// CreatePending makes a review that nobody else sees yet.
func (h *hub) CreatePending(ctx context.Context, name events.RepoName, number int, draft api.Draft) (*api.Review, error) {
	review, err := h.client.CreatePending(ctx, name, number, draft)
	h.note(err)
	return review, err
}

// Submit shows a pending review to everybody.
func (h *hub) Submit(ctx context.Context, name events.RepoName, number int, review int64, event api.Event) (*api.Review, error) {
	submitted, err := h.client.Submit(ctx, name, number, review, event)
	h.note(err)
	return submitted, err
}

// DeletePending removes a review that was not submitted.
func (h *hub) DeletePending(ctx context.Context, name events.RepoName, number int, review int64) error {
	err := h.client.DeletePending(ctx, name, number, review)
	h.note(err)
	return err
}

// Labels reads the names of the repository's labels.
func (h *hub) Labels(ctx context.Context, name events.RepoName) ([]string, error) {
	labels, err := h.client.Labels(ctx, name)
	h.note(err)
	return labels, err
}

// AddLabel sets a label.
func (h *hub) AddLabel(ctx context.Context, name events.RepoName, number int, label string) error {
	err := h.client.AddLabel(ctx, name, number, label)
	h.note(err)
	return err
}

// RemoveLabel takes a label off.
func (h *hub) RemoveLabel(ctx context.Context, name events.RepoName, number int, label string) error {
	err := h.client.RemoveLabel(ctx, name, number, label)
	h.note(err)
	return err
}
