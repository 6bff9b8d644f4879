package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// canned is an answer of a script, or none.
type canned struct {
	status int
	body   string
	lines  []string
	half   bool // the body ends in the middle
	err    error
}

func (c canned) reply() (*http.Response, error) {
	if c.err != nil {
		return nil, c.err
	}
	resp := reply(c.status, c.body, c.lines...)
	if c.half {
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(c.body), errReader{}))
	}
	return resp, nil
}

func says(status int, body string, lines ...string) canned {
	return canned{status: status, body: body, lines: lines}
}

var (
	breaks = canned{err: errors.New("connection reset by peer")}
	half   = canned{status: 200, body: `{"id":`, half: true}
)

// script answers with one answer after the other, the last for ever.
func script(answers ...canned) (trip, *int) {
	asked := 0
	return func(*http.Request) (*http.Response, error) {
		asked++
		return answers[min(asked, len(answers))-1].reply()
	}, &asked
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestReadsAreRepeated a few times, with a growing wait, where that may help; never
// where it does not.
func TestReadsAreRepeated(t *testing.T) {
	for _, c := range []struct {
		name  string
		first canned
		asked int
		kind  Kind // of three such answers; "" = one is enough to see
	}{
		{"no connection", breaks, 3, KindTransient},
		{"HTML where JSON should be", says(200, "<!doctype html><title>Down</title>"), 3, KindTransient},
		{"an empty 200", says(200, ""), 3, KindTransient},
		{"an empty 204", says(204, ""), 3, KindTransient},
		{"cut JSON", says(200, `{"id":1,"full_na`), 3, KindTransient},
		{"half a body", half, 3, KindTransient},
		{"a list for an object", says(200, `[]`), 3, KindTransient},
		{"null", says(200, `null`), 3, KindTransient},
		{"two values", says(200, `{"id":1} {}`), 3, KindTransient},
		{"no id", says(200, `{}`), 3, KindTransient},
		{"an id that is none", says(200, `{"id":"seven"}`), 3, KindTransient},
		{"a name that would be a path", says(200, `{"id":1,"full_name":"../user"}`), 3, KindTransient},
		{"502 with a page", says(502, "<html>"), 3, KindTransient},
		{"202", says(202, "{}"), 3, KindNotReady},
		{"304 that nobody asked for", says(304, ""), 3, KindTransient},
		{"case G54: 401 is read once more, with the token as it is then", says(401, `{"message":"Bad credentials"}`), 2, KindAuth},
		{"403", says(403, `{"message":"Resource not accessible by integration"}`), 1, KindPermission},
		{"404", says(404, "{}"), 1, KindNotFound},
		{"451", says(451, "{}"), 1, KindBlocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f, asked := script(c.first)
				_, err := client(t, f).Repo(t.Context(), town)
				if f := faultIn(t, err); f.Kind != c.kind || f.Unknown || *asked != c.asked || f.Op != "read repository octo/town" {
					t.Errorf("%d requests: %+v", *asked, f)
				}
				if c.asked == 3 && elapsed() != 5*time.Second {
					t.Errorf("after %s", elapsed())
				}
				f, _ = script(c.first, says(200, repoBody))
				if repo, err := client(t, f).Repo(t.Context(), town); c.asked > 1 && (err != nil || repo.ID != 7) {
					t.Error(repo, err)
				}
			})
		})
	}
}

// TestWritesAreNeverRepeated, and what may have happened is called unknown. (cases
// G24, G35 and G54)
func TestWritesAreNeverRepeated(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  canned
		kind    Kind
		unknown bool
	}{
		{"the answer is lost", breaks, KindTransient, true},
		{"502 with a page", says(502, "<html>"), KindTransient, true},
		{"an empty 200", says(200, ""), KindTransient, true},
		{"a page", says(200, "<html>"), KindTransient, true},
		{"half a body", half, KindTransient, true},
		{"202", says(202, "{}"), KindNotReady, true},
		{"304", says(304, ""), KindTransient, true},
		{"case G35: no id", says(200, "{}"), KindTransient, true},
		{"case G35: a list", says(200, "[]"), KindTransient, true},
		{"not pending", says(200, `{"id":9,"state":"COMMENTED"}`), KindTransient, true},
		{"401", says(401, "{}"), KindAuth, false},
		{"403", says(403, "{}"), KindPermission, false},
		{"404", says(404, "{}"), KindNotFound, false},
		{"422", says(422, `{"errors":["Line could not be resolved"]}`), KindValidation, false},
		{"429", says(429, ""), KindSecondary, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f, asked := script(c.answer, says(200, pendingBody))
				_, err := client(t, f).CreatePending(t.Context(), town, 1, Draft{})
				if f := faultIn(t, err); f.Kind != c.kind || f.Unknown != c.unknown || *asked != 1 || elapsed() != 0 {
					t.Errorf("%d requests, %s: %+v", *asked, elapsed(), f)
				}
			})
		})
	}
}

// drip gives a byte a second, for ever.
type drip struct{ ctx context.Context }

func (d drip) Read(into []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		into[0] = ' '
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (drip) Close() error { return nil }

// TestSlowAnswersEnd: a request has a bounded time, its body in it.
func TestSlowAnswersEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := 0
		c := client(t, func(r *http.Request) (*http.Response, error) {
			if asked++; asked%2 == 0 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			resp := reply(200, "")
			resp.Body = drip{r.Context()}
			return resp, nil
		})
		_, err := c.CreatePending(t.Context(), town, 1, Draft{})
		if f := faultIn(t, err); !f.Unknown || f.Status != 200 || elapsed() != requestTimeMax || !strings.Contains(f.Message, errTooSlow.Error()) {
			t.Error(f, elapsed())
		}
		_, err = c.CreatePending(t.Context(), town, 1, Draft{})
		if f := faultIn(t, err); !f.Unknown || f.Kind != KindTransient || elapsed() != 2*requestTimeMax+writeGapMin {
			t.Error(f, elapsed())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err = c.CreatePending(ctx, town, 1, Draft{}) // go-github drops our fault here
		if f := faultIn(t, err); !f.Unknown || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(f)
		}
		before := asked
		_, err = c.CreatePending(ctx, town, 1, Draft{})
		if f := faultIn(t, err); f.Unknown || !errors.Is(err, context.DeadlineExceeded) || asked != before {
			t.Error("nothing was sent:", f)
		}
	})
}

// spaces is a body that never ends.
type spaces struct{}

func (spaces) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = ' '
	}
	return len(into), nil
}

func (spaces) Close() error { return nil }

// TestLargeAnswersEnd at a bound.
func TestLargeAnswersEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := client(t, func(*http.Request) (*http.Response, error) {
			resp := reply(200, "")
			resp.Body = spaces{}
			return resp, nil
		})
		if c.bodyMax != bodyBytesMax {
			t.Error("bounded by", c.bodyMax)
		}
		c.bodyMax = 1 << 20 // as much takes a test its time
		_, err := c.CreatePending(t.Context(), town, 1, Draft{})
		if f := faultIn(t, err); !f.Unknown || !strings.Contains(f.Message, "longer than") {
			t.Error(f)
		}
	})
}

// TestWhatWasNotSentIsKnown: without a connection a write has not happened; with one
// that is closed, nobody knows, and nothing sends it again.
func TestWhatWasNotSentIsKnown(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	over := func(url string) *Client {
		transport := newTransport()
		t.Cleanup(transport.(*http.Transport).CloseIdleConnections)
		return client(t, nil, func(p *Params) { p.BaseURL, p.Transport = url, transport })
	}
	_, err = over("http://"+address).CreatePending(t.Context(), town, 1, Draft{})
	if f := faultIn(t, err); f.Kind != KindTransient || f.Unknown {
		t.Error(f)
	}
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked.Add(1)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	_, err = over(server.URL).CreatePending(t.Context(), town, 1, Draft{Body: "text"})
	if f := faultIn(t, err); f.Kind != KindTransient || !f.Unknown || asked.Load() != 1 {
		t.Error(f, asked.Load())
	}
}

// TestTheTokenIsTold to nobody: not in errors, not in logs, not on disk, not to
// another host; whatever GitHub says.
func TestTheTokenIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		token, dir := secretToken(), t.TempDir()
		var log bytes.Buffer
		var sent []string
		echo := `{"message":"you sent ` + token + `","errors":["` + token + ` twice"]}`
		answers, _ := script(
			says(422, echo), says(418, token), says(403, echo, "X-Accepted-GitHub-Permissions: "+token),
			canned{err: errors.New("proxy saw " + token)}, says(200, "you sent "+token), says(429, echo),
			says(200, `[]`, `ETag: "1"`, "Link: <https://elsewhere.test/x?"+token+`>; rel="next"`),
			says(200, `[]`, `ETag: "1"`),
		)
		c := client(t, func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.URL.Host+" "+r.Header.Get("Authorization"))
			return answers(r)
		}, func(p *Params) {
			p.CacheDir = dir
			p.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		for range 6 {
			_, err := c.CreatePending(t.Context(), town, 1, Draft{})
			if f := faultIn(t, err); strings.Contains(err.Error(), token) || strings.Contains(f.Needs+f.Message, token) {
				t.Error(err)
			}
		}
		if _, _, err := c.OpenPulls(t.Context(), town); err == nil || strings.Contains(err.Error(), token) {
			t.Error(err)
		}
		if _, _, err := c.OpenPulls(t.Context(), town); err != nil {
			t.Error(err)
		}
		if log.Len() == 0 || strings.Contains(log.String(), token) {
			t.Error(log.String())
		}
		for _, line := range sent {
			if line != "api.github.com Bearer "+token {
				t.Error(line)
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil || bytes.Contains(content, []byte(token)) || strings.Contains(file, token) {
				t.Error(file, err)
			}
		}
	})
}

// TestTokensThatAreNone send nothing.
func TestTokensThatAreNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for text, failure := range map[string]error{"": nil, " \n": nil, "two words": nil, "line\nline": nil, "ümlaut": nil, "x": errors.New("read it: no such file")} {
			f, asked := script(says(200, repoBody))
			c := client(t, f, func(p *Params) { p.Token = func() (string, error) { return text, failure } })
			_, err := c.Repo(t.Context(), town)
			if f := faultIn(t, err); f.Kind != KindAuth || *asked != 0 || f.Status != 0 {
				t.Errorf("%q: %+v", text, f)
			}
			if _, err := c.Viewer(t.Context()); faultIn(t, err).Kind != KindAuth {
				t.Error(err)
			}
		}
		var seen string
		c := client(t, func(r *http.Request) (*http.Response, error) {
			seen = r.Header.Get("Authorization") + " " + r.Header.Get("User-Agent") + " " + r.Header.Get("X-Github-Api-Version")
			return reply(200, repoBody), nil
		}, func(p *Params) { p.Token = func() (string, error) { return " abc\n", nil } })
		if _, err := c.Repo(t.Context(), town); err != nil || seen != "Bearer abc "+userAgent+" 2022-11-28" {
			t.Error(err, seen)
		}
	})
}
