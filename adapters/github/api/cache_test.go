package api

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/events"
)

// tagged is a GitHub of one list: each page has a tag of its own, for each token
// another.
type tagged struct {
	bodies map[string]string // by query of the page
	seen   []string
}

func (g *tagged) serve(r *http.Request) (*http.Response, error) {
	page := r.URL.Query().Get("page")
	body := g.bodies[page]
	tag := fmt.Sprintf("%q", page+body+r.Header.Get("Authorization"))
	g.seen = append(g.seen, page+" "+r.Header.Get("If-None-Match"))
	headers := []string{"ETag: W/" + tag}
	if page == "" && g.bodies["2"] != "" {
		headers = append(headers, `Link: <https://api.github.com/repos/octo/town/labels?per_page=100&page=2>; rel="next", <x>; rel="last"`)
	}
	if r.Header.Get("If-None-Match") == "W/"+tag {
		return reply(304, "", "ETag: W/"+tag), nil
	}
	return reply(200, body, headers...), nil
}

func labelsBody(names ...string) string {
	return `[{"name":"` + strings.Join(names, `"},{"name":"`) + `"}]`
}

// TestConditionalRequests: case G02. Each page has its own tag, a restart uses the
// files, and another token costs one full fetch and nothing else.
func TestConditionalRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &tagged{bodies: map[string]string{"": labelsBody("a"), "2": labelsBody("b")}}
		dir := filepath.Join(t.TempDir(), "github")
		token := "one"
		start := func() *Client {
			return client(t, g.serve, func(p *Params) {
				p.CacheDir, p.Token = dir, func() (string, error) { return token, nil }
			})
		}
		read := func(c *Client, want string, requests, unchanged int) {
			t.Helper()
			before := c.Requests()
			labels, err := c.Labels(t.Context(), town)
			if err != nil || strings.Join(labels, " ") != want {
				t.Fatal(labels, err)
			}
			after := c.Requests()
			if sent, same := after.Sent-before.Sent, after.NotModified-before.NotModified; sent != requests || same != unchanged {
				t.Fatalf("%d requests, %d unchanged: %q", sent, same, g.seen)
			}
			g.seen = nil
		}
		c := start()
		read(c, "a b", 3, 1) // two pages, and the first once more: nothing has shifted
		read(c, "a b", 2, 2)
		g.bodies["2"] = labelsBody("b", "c")
		read(c, "a b c", 3, 2)       // that page 1 is the same says nothing about page 2
		read(start(), "a b c", 3, 3) // another process has to look again
		c = start()
		read(c, "a b c", 3, 3)
		token = "two"
		read(c, "a b c", 3, 1)
		read(c, "a b c", 2, 2)
		token = "one"
		read(c, "a b c", 3, 3)

		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 4 {
			t.Fatal(files, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Error(info.Mode(), err)
		}
		for _, file := range files {
			if info, err := file.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Error(info.Mode(), err)
			}
		}
	})
}

// TestABrokenCacheIsNone: whatever stands in the files, the answer is GitHub's.
func TestABrokenCacheIsNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &tagged{bodies: map[string]string{"": labelsBody("a")}}
		dir := t.TempDir()
		read := func() Counts {
			t.Helper()
			c := client(t, g.serve, func(p *Params) { p.CacheDir = dir })
			if labels, err := c.Labels(t.Context(), town); err != nil || len(labels) != 1 || labels[0] != "a" {
				t.Fatal(labels, err)
			}
			return c.Requests()
		}
		read()
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		good, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := read(); got.NotModified != 1 {
			t.Error("a good file was not used:", got)
		}
		for name, content := range map[string]string{
			"empty": "", "cut": string(good[:len(good)-1]), "no body": string(good[:strings.IndexByte(string(good), '\n')]),
			"another letter":  strings.Replace(string(good), `"name":"a"`, `"name":"b"`, 1),
			"another version": strings.Replace(string(good), `"v":1`, `"v":9`, 1),
			"another address": strings.Replace(string(good), "octo/town", "octo/city", 1),
			"no tag":          strings.Replace(string(good), `"etag":`, `"tag":`, 1),
			"not ours":        "<html>\n</html>",
		} {
			if err := os.WriteFile(found[0], []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := read(); got.NotModified != 0 || got.Sent != 1 {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if err := os.Remove(found[0]); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(found[0], 0o700); err != nil {
			t.Fatal(err)
		}
		read() // it cannot be written either: it is but slower
	})
}

// TestWhatIsNotUnderstoodIsNotKept: an answer that is JSON and nothing more would
// otherwise come back as unchanged for ever.
func TestWhatIsNotUnderstoodIsNotKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		g := &tagged{bodies: map[string]string{"": `[{"name":""}]`}}
		c := client(t, g.serve, func(p *Params) { p.CacheDir = dir })
		_, err := c.Labels(t.Context(), town)
		if f := faultIn(t, err); f.Kind != KindTransient || c.Requests().NotModified != 0 {
			t.Error(f, c.Requests())
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
			t.Error(files, err)
		}
	})
}

// TestTheCacheIsBounded in age and size; what is used does not grow old.
func TestTheCacheIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		c, err := openCache(dir, bubbleClock{})
		if err != nil {
			t.Fatal(err)
		}
		keep := func(key string, body []byte) {
			t.Helper()
			if err := c.store(key, entry{URL: "u", ETag: "e"}, body); err != nil {
				t.Fatal(err)
			}
		}
		keep("old", []byte("x"))
		keep("used", []byte("x"))
		pass(cacheAgeMax - time.Hour)
		keep("new", []byte("x"))
		c.touch("used")
		if err := os.WriteFile(filepath.Join(dir, "new-1"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		if err := os.Chtimes(filepath.Join(dir, "new-1"), now, now); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Hour)
		if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil { // not ours
			t.Fatal(err)
		}
		c.sweep()
		var names []string
		files, err := os.ReadDir(dir)
		for _, f := range files {
			names = append(names, f.Name())
		}
		if got := strings.Join(names, " "); err != nil || got != "new.answer notes.txt used.answer" {
			t.Error(got, err)
		}

		c.bytesMax, c.sweepEvery = 16_000, 1_000
		big := make([]byte, c.sweepEvery)
		for i := range 18 {
			pass(time.Second)
			keep(fmt.Sprintf("big%02d", i), big)
		}
		var sum int64
		files, err = os.ReadDir(dir)
		for _, f := range files {
			if info, err := f.Info(); err == nil {
				sum += info.Size()
			}
		}
		if err != nil || sum > c.bytesMax || sum < c.bytesMax/2 {
			t.Error(sum, err)
		}
		if c.load("big00", "u") != nil || c.load("big17", "u") == nil {
			t.Error("the oldest go first")
		}
	})
}

// TestTheMemoryIsBounded: the answers that were used last stay.
func TestTheMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemo()
	m.put("first", &kept{})
	for i := range memoEntriesMax + 10 {
		m.put(itoa(int64(i)), &kept{})
		if m.get("first") == nil {
			t.Fatal("what is used was dropped")
		}
	}
	if len(m.entries) != memoEntriesMax || m.get("0") != nil {
		t.Error(len(m.entries))
	}
}

// TestLiveReadsAreLive: a pull request and its reviews are never asked for
// conditionally, and show what has changed at once.
func TestLiveReadsAreLive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{}, func(p *Params) { p.CacheDir = t.TempDir() })
		repo := s.Repo("octo/town")
		repo.Push("feature", map[string]string{"a.txt": "one\n"})
		pull := repo.Open(githubtest.Pull{Head: "feature", Base: "main", Author: "ann", Title: "A change"})
		for i := range 3 {
			pull.Retitle(itoa(int64(i)))
			got, err := c.Pull(t.Context(), town, pull.Number)
			if err != nil || got.Title != itoa(int64(i)) || got.Files != 1 {
				t.Fatal(got, err)
			}
			if _, err := c.Reviews(t.Context(), town, pull.Number); err != nil {
				t.Fatal(err)
			}
		}
		if got := c.Requests(); got.NotModified != 0 || got.Sent != 6 {
			t.Error(got)
		}
	})
}

// still is a clock that never moves.
type still struct{}

func (still) Now() time.Time { return epochOfBubble }

func (still) After(time.Duration, func()) func() { return func() {} }

// BenchmarkQuietRepositories is one look at 500 repositories of 100 unchanged pull
// requests each.
func BenchmarkQuietRepositories(b *testing.B) {
	var list strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&list, `,{"number":%d,"state":"open","body":%q,"head":{"sha":"%040d"},"base":{"sha":"%040d","repo":{"id":7,"full_name":"octo/town"}}}`, i, strings.Repeat("text ", 400), i, 7)
	}
	body := "[" + list.String()[1:] + "]"
	c, err := New(Params{
		Token: func() (string, error) { return "x", nil }, Clock: still{}, CacheDir: b.TempDir(),
		Transport: trip(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("If-None-Match") != "" {
				return reply(304, ""), nil
			}
			return reply(200, body, `ETag: "1"`), nil
		}),
	})
	if err != nil {
		b.Fatal(err)
	}
	look := func() {
		for i := range 500 {
			if i%100 == 0 {
				c.limits.minute = newLimits(nil, nil).minute // another minute
			}
			if pulls, _, err := c.OpenPulls(b.Context(), events.RepoName("octo/r"+itoa(int64(i)))); err != nil || len(pulls) != 100 {
				b.Fatal(len(pulls), err)
			}
		}
	}
	look()
	b.ReportAllocs()
	for b.Loop() {
		look()
	}
}
