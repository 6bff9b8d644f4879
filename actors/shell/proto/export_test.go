package proto

import "github.com/asynkron/protoactor-go/actor"

// OnDeadLetter calls f with every message that reached nobody.
func (s *System) OnDeadLetter(f func(msg any)) {
	s.actors.EventStream.Subscribe(func(msg any) {
		if letter, ok := msg.(*actor.DeadLetterEvent); ok {
			f(letter.Message)
		}
	})
}
