package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
)

func main() {
	sandbox.Main() // does not return when this process is to hold an engine
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one ends the process at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	stop()
	os.Exit(int(code))
}
