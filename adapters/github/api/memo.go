package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
)

// memoEntriesMax bounds the answers that are kept in memory, decoded.
const memoEntriesMax = 4096

// kept is an answer of before, with what is needed to ask whether it still holds.
type kept struct {
	etag  string
	next  string // the address of the next page
	value any    // decoded; nil = only the body is there
	body  []byte
	used  uint64
}

// memo keeps decoded answers, so that an unchanged list costs neither a file nor the
// reading of it.
type memo struct {
	mu      sync.Mutex
	entries map[string]*kept
	turn    uint64
}

func newMemo() *memo { return &memo{entries: map[string]*kept{}} }

func (m *memo) get(key string) *kept {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.entries[key]
	if k != nil {
		m.turn++
		k.used = m.turn
	}
	return k
}

func (m *memo) put(key string, k *kept) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn++
	k.used = m.turn
	m.entries[key] = k
	if len(m.entries) <= memoEntriesMax {
		return
	}
	oldest := key
	for other, entry := range m.entries {
		if entry.used < m.entries[oldest].used {
			oldest = other
		}
	}
	delete(m.entries, oldest)
}

func (m *memo) drop(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// cacheKey tells answers apart: whose they are, of what, in which form. (case G02)
func cacheKey(identity string, req *http.Request) string {
	sum := sha256.Sum256([]byte(identity + "\n" + req.URL.String() + "\n" + req.Header.Get("Accept")))
	return hex.EncodeToString(sum[:])
}

// condition makes a request a conditional one where an answer of before is kept.
func (c *Client) condition(req *http.Request, ex *exchange, identity string) *kept {
	if !ex.conditional {
		return nil
	}
	ex.key = cacheKey(identity, req)
	k := c.memo.get(ex.key)
	if k == nil && c.cache != nil {
		k = c.cache.load(ex.key, req.URL.String())
	}
	if k != nil {
		req.Header.Set("If-None-Match", k.etag)
	}
	return k
}

// unchanged answers with what is kept.
func (c *Client) unchanged(req *http.Request, resp *http.Response, ex *exchange, k *kept) *http.Response {
	ex.same, ex.etag, ex.next, ex.body, ex.value = true, k.etag, k.next, k.body, k.value
	if c.cache != nil {
		c.cache.touch(ex.key)
	}
	answer := plain(req, resp, k.body)
	answer.StatusCode, answer.Status = http.StatusOK, "200 OK"
	return answer
}

// remember keeps an answer that was understood.
func (c *Client) remember(ex *exchange, value any) {
	if !ex.conditional || ex.etag == "" || ex.value != nil {
		return
	}
	c.memo.put(ex.key, &kept{etag: ex.etag, next: ex.next, value: value})
	if c.cache == nil || ex.same {
		return
	}
	if err := c.cache.store(ex.key, entry{URL: ex.url, ETag: ex.etag, Next: ex.next}, ex.body); err != nil {
		c.log.Warn("cache not written", "error", err) // it is but slower
	}
}

// forget drops an answer that was not understood.
func (c *Client) forget(ex *exchange) {
	if !ex.conditional {
		return
	}
	c.memo.drop(ex.key)
	if c.cache != nil {
		c.cache.drop(ex.key)
	}
}
