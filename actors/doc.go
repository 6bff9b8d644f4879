// Package actors says what to do about what happened. Four files show the whole:
//
//	route.go   a recorded event ─▶ a command for another actor
//	effect.go  a recorded intent ─▶ work outside the log
//	sweep.go   what is overdue ─▶ a command
//	ports.go   what the outside must offer: Engine, Forge, Workspace, Clock, Boots
//
// router.go delivers what route.go says, in order, until each is answered;
// node.go puts router, sweeper and effects of one process together. They hold no
// goroutine, no lock and no clock, so that shell/proto drives them in production
// and virtual drives the same code in seeded simulations. The decisions
// themselves are in pr, run, pool, account, repo and fleet; kinds.go lists them.
package actors
