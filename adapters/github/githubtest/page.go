package githubtest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// GitHub's sizes of pages; more is silently made less. (case G05)
const (
	perPageDefault = 30
	perPageMax     = 100
)

// page cuts a list as the query says and writes the Link header: absolute, with all
// query parameters. A page beyond the end is empty.
func page[T any](c *call, all []T, show func(T) any) *answer {
	query := c.r.URL.Query()
	size := number(query.Get("per_page"), perPageDefault)
	size = min(size, perPageMax)
	at := number(query.Get("page"), 1)
	last := max((len(all)+size-1)/size, 1)
	list := []any{}
	for i := (at - 1) * size; i < min(at*size, len(all)); i++ {
		list = append(list, show(all[i]))
	}
	a := newAnswer(http.StatusOK, list)
	var links []string
	link := func(rel string, to int) {
		q := c.r.URL.Query()
		q.Set("page", strconv.Itoa(to))
		links = append(links, fmt.Sprintf("<%s%s?%s>; rel=%q", c.origin.api, c.linkPath(), q.Encode(), rel))
	}
	if at > 1 {
		link("prev", min(at-1, last))
	}
	if at < last {
		link("next", at+1)
		link("last", last)
	}
	if at > 1 {
		link("first", 1)
	}
	if len(links) > 0 {
		a.header.Set("Link", strings.Join(links, ", "))
	}
	return a
}

// linkPath names the repository by its number, as GitHub's links do.
func (c *call) linkPath() string {
	parts := strings.SplitN(c.path, "/", 5) // "" repos OWNER REPO REST
	if c.repo == nil || len(parts) < 5 {
		return c.path
	}
	return fmt.Sprintf("/repositories/%d/%s", c.repo.ID, parts[4])
}

// number reads a positive number, or takes another one.
func number(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}
