package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// listPulls is GET …/pulls.
func (c *call) listPulls() *answer {
	raw := map[*Repo]json.RawMessage{}
	return page(c, c.byQuery(), func(p *PullRequest) any { return c.pullShape(p, c.state(p), raw) })
}

// getPull is GET …/pulls/N. Whether it can be merged is not known at the first look
// after a push. (case G55)
func (c *call) getPull() *answer {
	st := c.state(c.pull)
	v := c.whole(c.pull, st)
	st.looked = true
	return newAnswer(http.StatusOK, v)
}

// listFiles is GET …/pulls/N/files: at most 3,000. (case G06)
func (c *call) listFiles() *answer {
	st := c.state(c.pull)
	list := c.pull.changes(st.head)
	list = list[:min(len(list), c.s.params.Diff.Files)]
	return page(c, list, func(ch change) any {
		path := url.PathEscape(ch.path)
		web := c.origin.web + "/" + c.repo.full()
		v := map[string]any{
			"sha": ch.blob, "filename": ch.path, "status": ch.status, "additions": ch.additions, "deletions": ch.deletions,
			"changes":  ch.additions + ch.deletions,
			"blob_url": fmt.Sprintf("%s/blob/%s/%s", web, st.head, path), "raw_url": fmt.Sprintf("%s/raw/%s/%s", web, st.head, path),
			"contents_url": fmt.Sprintf("%s/contents/%s?ref=%s", c.repo.apiURL(c.origin), path, st.head),
		}
		if ch.patch != "" {
			v["patch"] = ch.patch
		}
		if ch.previous != "" {
			v["previous_filename"] = ch.previous
		}
		return v
	})
}
