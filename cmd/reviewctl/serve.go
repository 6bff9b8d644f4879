package main

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

// ShadowSuffix is behind the log's name of a daemon that runs in the shadow of
// another: it has its own log. (hard-parts §4)
const ShadowSuffix = ".shadow"

// Run is the daemon: it ends with the context, in order. SIGHUP makes it read its
// configuration again.
func (c *ServeCmd) Run(app *App) error {
	again := make(chan os.Signal, 1) // one that waits is enough: it reads what is there then
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	file, err := findConfig(app.Config, app.Env)
	if err != nil {
		return err
	}
	first, err := c.read(app, file)
	if err != nil {
		return err
	}
	if len(localRepositories(first.Config))+len(hubRepositories(first.Config)) == 0 {
		return &CLIError{
			Code: CodeConfig, What: "there is nothing to serve", Subject: "no enabled repository is configured",
			Remedy: "add one under repositories in " + ConfigFile + ": {name: OWNER/REPO} on GitHub, or {name, path, branches, base} on this disk",
		}
	}
	files, err := app.openFiles(first.Config, true)
	if err != nil {
		return err
	}
	defer files.Close()
	d := &daemon{app: app, cmd: c, file: file, now: first, atStart: first.Config}
	return d.serve(files, again)
}

// read reads the configuration as it holds for this daemon: the file's, then
// environment and flags, then what a shadow leaves out.
func (c *ServeCmd) read(app *App, file string) (*configRead, error) {
	read, err := readConfig(file, app.Env)
	if err != nil {
		return nil, err
	}
	read.override(app.Globals, app.Env)
	if len(hubRepositories(read.Config)) > 0 {
		if _, err := read.GitHub.token(app.Env); err != nil {
			return nil, err
		}
	}
	if c.Shadow {
		read.Store += ShadowSuffix
		embeddedOnly(read.Config, &read.policy)
	}
	if c.Listen != "" {
		read.Listen = c.Listen
	}
	return read, nil
}

// embeddedOnly leaves out every engine that runs a program: a shadow spends
// nothing, and plans nothing that it would not run. (hard-parts §4)
func embeddedOnly(c *Config, p *Policy) {
	runs := func(name string) bool { return name != EngineStatic }
	maps.DeleteFunc(c.Engines, func(name string, _ EngineConfig) bool { return runs(name) })
	for i := range c.Repositories {
		c.Repositories[i].Engines = slices.DeleteFunc(c.Repositories[i].Engines, runs)
	}
	p.Phase1.Engine = slices.DeleteFunc(p.Phase1.Engine, func(name events.EngineName) bool { return runs(string(name)) })
}

// serve runs until the context ends, or the process cannot go on.
func (d *daemon) serve(files *Files, again <-chan os.Signal) error {
	door, err := openDoor(d.now.Listen)
	if err != nil {
		return err
	}
	defer door.Close()
	stop, err := d.start(files)
	if err != nil {
		return err
	}
	defer stop()
	socket, err := d.openSocket()
	if err != nil {
		return err
	}
	defer socket.Close()
	views, cancel := context.WithCancel(d.app.Context)
	defer cancel()
	warm := make(chan struct{})
	go func() {
		defer close(warm)
		d.keepViews(views)
	}()
	door.Ready(d.hub.trouble)
	d.app.Progress("serving " + door.host)
	err = d.wait(again)
	cancel()
	<-warm
	if d.app.Context.Err() != nil && err == nil {
		return ErrStopped
	}
	return err
}

// wait reads the configuration again when it is told to.
func (d *daemon) wait(again <-chan os.Signal) error {
	for {
		select {
		case <-d.app.Context.Done():
			return nil
		case err := <-d.station.Process.Failed():
			return err
		case <-again:
			d.reload(d.app.Context)
		}
	}
}

// start takes the daemon's lock, starts the station and watches the repositories.
func (d *daemon) start(files *Files) (stop func(), err error) {
	if err := files.Home.Make(); err != nil {
		return nil, err
	}
	lock, err := files.Home.LockDaemon()
	if err != nil {
		return nil, err
	}
	var ends []func()
	stop = func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
	ends = append(ends, func() { _ = lock.Unlock() })
	if d.hub, err = openHub(d.now.Config, files.Home, d.app.Env, d.app.Logger()); err == nil {
		err = d.hub.recall(d.app.Context, files)
	}
	if err != nil {
		stop()
		return nil, err
	}
	d.places = startPlaces(d.now.Config, d.hub)
	settle := sync.OnceFunc(d.places.settle)
	d.station, err = startStation(d.app.Context, files, StationConfig{
		Config: d.now.Config, Policy: d.now.policy, Daemon: true, Configs: true, Logger: d.app.Logger(),
		Locate: d.places.locate, Hub: d.posts(),
	})
	if err != nil {
		settle()
		stop()
		return nil, err
	}
	ends = append(ends, d.station.Stop, d.unwatch, settle)
	if err := d.watch(d.app.Context, d.now.Config); err != nil {
		stop()
		return nil, err
	}
	settle()
	if err := d.note(d.app.Context, d.now, nil); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// posts is where reviews go: a shadow writes nowhere. (hard-parts §4)
func (d *daemon) posts() *hub {
	if d.cmd.Shadow {
		return nil
	}
	return d.hub
}

// tell asks an actor in our own name; a refusal is an error.
func (s *Station) tell(ctx context.Context, stream events.StreamName, cmd events.Command) error {
	answer, err := s.System.Ask(ctx, stream, actors.ByNode, cmd)
	if err == nil && !answer.Accepted {
		err = &events.Refusal{Reason: answer.Reason}
	}
	return err
}
