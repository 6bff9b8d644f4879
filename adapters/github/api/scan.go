package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Bounds of lists.
const (
	perPage   = "per_page=100"
	pagesMax  = 100 // 10,000 items
	scanTries = 3
)

// listing is a list of several pages.
type listing[T any] struct {
	request
	decode   func([]byte) ([]T, error)
	id       func(*T) string
	pagesMax int
	shifts   bool // items may come and go while it is read
}

// scanned is a list that was read.
type scanned[T any] struct {
	items    []T
	same     bool // it is as it was returned the last time
	complete bool // there is no page after the last that was read
	moved    bool // it was answered elsewhere
}

type page[T any] struct {
	url   string
	etag  string
	items []T
}

// scan reads a list to its end. A page without an answer ends the scan: a list that
// is cut short must never look like one whose other items are gone. (case G53)
func scan[T any](ctx context.Context, c *Client, l listing[T]) (*scanned[T], error) {
	l.shape = shapeList
	for range scanTries {
		pages, found, err := walk(ctx, c, l)
		if err != nil {
			return nil, err
		}
		tags := tagsOf(pages)
		found.same = tags != "" && c.returned(l.path) == tags
		if !found.same {
			still, err := belongTogether(ctx, c, l, pages)
			if err != nil {
				return nil, err
			}
			if !still { // guard: what slipped to the page before is missing, and counts as closed (case G04)
				continue
			}
		}
		c.willReturn(l.path, tags)
		found.items = merged(l, pages)
		return found, nil
	}
	return nil, &Fault{Kind: KindTransient, Op: l.op, Message: fmt.Sprintf("the list changed while it was read, %d times", scanTries)}
}

// walk follows rel=next until there is none. (case G05)
func walk[T any](ctx context.Context, c *Client, l listing[T]) ([]page[T], *scanned[T], error) {
	found := &scanned[T]{}
	var pages []page[T]
	for r := l.request; ; {
		items, ex, err := fetch(ctx, c, r, l.decode)
		if err != nil {
			return nil, nil, err
		}
		found.moved = found.moved || ex.moved
		pages = append(pages, page[T]{url: ex.url, etag: ex.etag, items: items})
		switch {
		case ex.next == "":
			found.complete = true
			return pages, found, nil
		case len(pages) == l.pagesMax:
			return pages, found, nil
		case slices.ContainsFunc(pages, func(p page[T]) bool { return p.url == ex.next }):
			return nil, nil, &Fault{Kind: KindTransient, Op: l.op, Message: "the pages of the list lead in circles"}
		}
		r.path = ex.next
	}
}

// belongTogether reports whether nothing has slipped from one page to the one before
// while the list was read: what did would be on neither. Where a page's items are
// still the same after the next page was read, nothing did. (case G04)
func belongTogether[T any](ctx context.Context, c *Client, l listing[T], pages []page[T]) (bool, error) {
	if !l.shifts || len(pages) < 2 {
		return true, nil
	}
	for _, p := range pages[:len(pages)-1] {
		r := l.request
		r.path = p.url
		again, _, err := fetch(ctx, c, r, l.decode)
		if err != nil {
			return false, err
		}
		if !slices.EqualFunc(again, p.items, func(a, b T) bool { return l.id(&a) == l.id(&b) }) {
			return false, nil
		}
	}
	return true, nil
}

// tagsOf is the tags of pages in their order, or "" where one has none.
func tagsOf[T any](pages []page[T]) string {
	tags := make([]string, len(pages))
	for i, p := range pages {
		if p.etag == "" {
			return ""
		}
		tags[i] = p.etag
	}
	return strings.Join(tags, " ")
}

// returned is the tags of the pages of a list as they were returned last. A page that
// is unchanged is not enough: the scan that saw it change may have failed.
func (c *Client) returned(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settled[path]
}

func (c *Client) willReturn(path, tags string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.settled) >= movedMax {
		clear(c.settled)
	}
	c.settled[path] = tags
}

// merged joins pages. An item that slipped to the next page is there twice: the
// later one is newer.
func merged[T any](l listing[T], pages []page[T]) []T {
	if len(pages) == 1 {
		return slices.Clone(pages[0].items)
	}
	items := []T{}
	at := map[string]int{}
	for _, p := range pages {
		for _, item := range p.items {
			id := l.id(&item)
			if i, ok := at[id]; ok {
				items[i] = item
				continue
			}
			at[id] = len(items)
			items = append(items, item)
		}
	}
	return items
}

// nextPage is the address after rel="next" in the Link headers, or "".
func nextPage(h http.Header) string {
	for _, line := range h.Values("Link") {
		for {
			from := strings.IndexByte(line, '<')
			to := strings.IndexByte(line, '>')
			if from < 0 || to < from {
				break
			}
			address, rest := line[from+1:to], line[to+1:]
			end := strings.IndexByte(rest, '<')
			if end < 0 {
				end = len(rest)
			}
			if relNext(rest[:end]) {
				return address
			}
			line = rest[end:]
		}
	}
	return ""
}

func relNext(parameters string) bool {
	for _, p := range strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ',' }) {
		name, value, ok := strings.Cut(strings.TrimSpace(p), "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "rel") &&
			slices.Contains(strings.Fields(strings.ToLower(strings.Trim(strings.TrimSpace(value), `"`))), "next") {
			return true
		}
	}
	return false
}
