package main

import (
	"context"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/events"
)

// withoutSecrets takes what the static rules know out of the words of a pull
// request before they are on record. Its branch stays as it is: it is what git is
// asked for.
func withoutSecrets(ctx context.Context, cmd events.Command) (events.Command, error) {
	observed, ok := cmd.(pr.Observe)
	if !ok {
		return cmd, nil
	}
	for _, text := range []*string{&observed.Title, &observed.Author} {
		clean, err := engine.Redact(ctx, *text)
		if err != nil {
			return nil, err
		}
		*text = clean
	}
	return observed, nil
}

// observe is tell for what others wrote.
func (s *Station) observe(ctx context.Context, stream events.StreamName, cmd events.Command) error {
	clean, err := withoutSecrets(ctx, cmd)
	if err != nil {
		return err
	}
	return s.tell(ctx, stream, clean)
}
