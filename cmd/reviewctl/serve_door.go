package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"
)

// DoorTimeout bounds a request and its answer.
const DoorTimeout = 10 * time.Second

// Door answers over HTTP whether the daemon lives and works. (CLI.md, "Over HTTP")
type Door struct {
	server *http.Server
	host   string
	ready  atomic.Pointer[func() string] // says what troubles the daemon; nil = it starts
}

// openDoor listens on an address.
func openDoor(address string) (*Door, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, &CLIError{
			Code: CodeUnavailable, What: "the address cannot be listened on", Subject: address + ": " + err.Error(),
			Remedy: "stop what holds it, or give another with --listen", Err: err,
		}
	}
	d := &Door{host: listener.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answerPlain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		trouble := d.ready.Load()
		if trouble == nil {
			answerPlain(w, http.StatusServiceUnavailable, "starting")
			return
		}
		text := "ok"
		if why := (*trouble)(); why != "" { // it works, and goes on by itself when that is over
			text += "\nGitHub: " + why
		}
		answerPlain(w, http.StatusOK, text)
	})
	d.server = &http.Server{
		Handler: d.guard(mux, address), ReadHeaderTimeout: DoorTimeout, ReadTimeout: DoorTimeout, WriteTimeout: DoorTimeout,
	}
	go func() { _ = d.server.Serve(listener) }() // ends with Close
	return d, nil
}

func answerPlain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the asker is gone: nobody to tell
}

// guard refuses a request that was sent to another name: a page of another site
// must not reach a daemon on this machine.
func (d *Door) guard(next http.Handler, configured string) http.Handler {
	_, port, _ := net.SplitHostPort(d.host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if r.Host != d.host && r.Host != configured && host != "localhost" && r.Host != "127.0.0.1:"+port {
			answerPlain(w, http.StatusMisdirectedRequest, "this is not "+r.Host)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Ready says that the daemon works, and who knows what troubles it.
func (d *Door) Ready(trouble func() string) { d.ready.Store(&trouble) }

// Close ends it.
func (d *Door) Close() { _ = d.server.Close() }

// DaemonState is what a running daemon says of itself over its local socket.
type DaemonState struct {
	DaemonCounters

	PID   int    `json:"pid"`
	Views string `json:"views"` // why the read models are not kept up; "" = they are
	Forge string `json:"forge"` // what troubles all of GitHub; "" = nothing
}

// openSocket serves the daemon's state to `status` on this machine.
func (d *daemon) openSocket() (*http.Server, error) {
	path := d.station.Home.socket()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: DoorTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(d.state()) // the asker is gone: nobody to tell
	})}
	go func() { _ = server.Serve(listener) }() // ends with Close
	return server, nil
}

func (d *daemon) state() DaemonState {
	c := d.station.Log.Counters()
	s := DaemonState{
		DaemonCounters: DaemonCounters{StoreReads: c.Reads, Appends: c.Appends, Wakeups: c.Wakeups}, PID: os.Getpid(),
		Forge: d.hub.trouble(),
	}
	if why := d.views.Load(); why != nil {
		s.Views = *why
	}
	return s
}

// askDaemon asks the running daemon, or returns nil.
func askDaemon(ctx context.Context, home Home) *DaemonState {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", home.socket())
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://daemon/", nil)
	if err != nil {
		return nil
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	var state DaemonState
	if json.NewDecoder(answer.Body).Decode(&state) != nil {
		return nil
	}
	return &state
}
