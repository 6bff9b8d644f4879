package status

import (
	"context"

	"github.com/reviewctl/reviewctl/projections"
)

// QueueReport is the answer of `queue`.
type QueueReport struct {
	Items []Place `json:"items"`
}

// Queue returns all who wait: the fleet's line by key, then the pools' by key,
// then the accounts' by rank, then the heads whose time has not come.
func Queue(ctx context.Context, rows projections.Rows) (QueueReport, error) {
	page, err := projections.List[Place](ctx, rows, projections.Query{View: Name, Kind: kindLine})
	if err != nil {
		return QueueReport{}, err
	}
	for i := range page.Items {
		page.Items[i].Place = i + 1
	}
	return QueueReport{Items: page.Items}, nil
}

// Standing is a place within its own line.
type Standing struct {
	Place
	Of int // how many wait in that line
}

// Standings returns the places that match, each with its number in its own line.
func Standings(ctx context.Context, rows projections.Rows, match func(*Place) bool) ([]Standing, error) {
	queue, err := Queue(ctx, rows)
	if err != nil {
		return nil, err
	}
	length := map[string]int{}
	var found []Standing
	for _, p := range queue.Items {
		length[p.line()]++
		p.Place = length[p.line()]
		if match(&p) {
			found = append(found, Standing{Place: p})
		}
	}
	for i := range found {
		found[i].Of = length[found[i].line()]
	}
	return found, nil
}
