package githubtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// rendered is an answer that is given again until its repository changes, so that
// a quiet repository costs a simulation nothing.
type rendered struct {
	version int64
	answer  *answer
	etag    string
}

// keptMax bounds the kept answers.
const keptMax = 4096

// kept carries out the call, or takes the answer that it had before.
func (c *call) kept() *answer {
	if !c.route.kept || len(c.shown) > 0 {
		return c.route.do(c)
	}
	key := c.cacheKey()
	if r := c.s.cache[key]; r != nil && r.version == c.repo.version {
		return &answer{status: r.answer.status, header: r.answer.header.Clone(), body: r.answer.body}
	}
	a := c.route.do(c)
	if a.status == http.StatusOK && len(c.s.cache) < keptMax {
		copied := &answer{status: a.status, header: a.header.Clone(), body: a.body}
		c.s.cache[key] = &rendered{version: c.repo.version, answer: copied, etag: c.etag(a.body)}
	}
	return a
}

func (c *call) cacheKey() string {
	text := ""
	if c.token != nil {
		text = c.token.text
	}
	if c.repo != nil { // the name may be another repository's by now
		text += " " + strconv.FormatInt(c.repo.ID, 10)
	}
	return text + " " + c.origin.api + " " + c.origin.git + " " + c.r.Header.Get("Accept") + " " + c.r.Method + " " + c.r.URL.RequestURI()
}

// etag is weak and hangs on the token, the whole URL and the body, so that neither
// another token nor another page is ever answered 304. (case G02)
func (c *call) etag(body []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00", presented(c.r.Header), c.origin.api+c.r.URL.RequestURI(), c.r.Header.Get("Accept"))
	h.Write(body)
	return `W/"` + hex.EncodeToString(h.Sum(nil)) + `"`
}

// finish puts on what every answer has: the headers, the ETag, and the charge.
func (c *call) finish(a *answer) {
	if c.r.Method == http.MethodGet && a.status == http.StatusOK {
		var tag string
		if r := c.s.cache[c.cacheKey()]; r != nil && c.route.kept && len(c.shown) == 0 {
			tag = r.etag
		} else {
			tag = c.etag(a.body)
		}
		a.header.Set("ETag", tag)
		a.header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
		a.header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With")
		if matches(c.r.Header.Get("If-None-Match"), tag) {
			a.status, a.body = http.StatusNotModified, nil
			a.header.Del("Content-Type")
			a.header.Del("Link")
		}
	}
	c.general(a)
	c.charge(a)
}

// matches compares weakly, with each tag of the list.
func matches(header, tag string) bool {
	if header == "*" {
		return true
	}
	for one := range strings.SplitSeq(header, ",") {
		if strings.TrimPrefix(strings.TrimSpace(one), "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// general sets the headers that every answer has, of a fault too.
func (c *call) general(a *answer) {
	a.header.Set("Date", c.now.Format(http.TimeFormat))
	a.header.Set("Server", "github.com")
	a.header.Set("X-Github-Request-Id", fmt.Sprintf("%04X:%06X", c.entry.N%0x10000, c.entry.N))
	a.header.Set("X-Github-Media-Type", "github.v3; format=json")
	a.header.Set("X-Github-Api-Version-Selected", "2022-11-28")
	if c.token != nil && c.token.Permissions == nil {
		a.header.Set("X-Oauth-Scopes", strings.Join(c.token.Scopes, ", "))
		a.header.Set("X-Accepted-Oauth-Scopes", "")
	}
	if c.token != nil && c.token.Permissions != nil && c.route != nil {
		a.header.Set("X-Accepted-Github-Permissions", accepted(c.route.needs))
	}
	if c.token != nil && !c.token.Expires.IsZero() {
		a.header.Set("Github-Authentication-Token-Expiration", c.token.Expires.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
}

func accepted(needs []Permission) string {
	if len(needs) == 0 {
		return "metadata=read"
	}
	var list []string
	for _, p := range needs {
		list = append(list, strings.Replace(string(p), ":", "=", 1))
	}
	return strings.Join(list, "; ")
}
