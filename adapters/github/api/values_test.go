package api

import (
	"net/http"
	"strings"
	"testing"
)

// TestAnswersOfManyValuesEnd: a list of nothing but "{}" is short, and takes
// hundreds of times its length in memory.
func TestAnswersOfManyValuesEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for name, body := range map[string]string{
			"items":  "[" + strings.Repeat("{},", valuesMax) + "{}]",
			"labels": `[{"name":"a","x":[` + strings.Repeat("0,", valuesMax) + `0]}]`,
		} {
			c := client(t, func(*http.Request) (*http.Response, error) { return reply(200, body), nil })
			_, err := c.Labels(t.Context(), town)
			if f := faultIn(t, err); f.Kind != KindTransient || !strings.Contains(f.Message, "values") {
				t.Errorf("%s: %v", name, f)
			}
		}
	})
}

func TestHoldsMore(t *testing.T) {
	t.Parallel()
	for text, most := range map[string]int{
		`[]`: 2, `[1,2,3]`: 4, `{"a":[{}]}`: 4, `{"a,[{":"\",\\","b":"\\"}`: 3, `"[,{"`: 1,
	} {
		if holdsMore([]byte(text), most) || len(text) >= 2*(most-1) && most > 1 && !holdsMore([]byte(text), most-1) {
			t.Errorf("%s: %d values at most", text, most)
		}
	}
}

// TestLongTagsAreNotKept: they would stay in memory, and be sent with each request.
func TestLongTagsAreNotKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, line := range []string{
			`ETag: "` + strings.Repeat("x", tagBytesMax) + `"`,
			`Link: <https://api.github.com/repos/octo/town/labels?page=2&x=` + strings.Repeat("x", urlBytesMax) + `>; rel="next"`,
		} {
			var asked []string
			c := client(t, func(r *http.Request) (*http.Response, error) {
				asked = append(asked, r.Header.Get("If-None-Match"))
				if r.URL.Query().Get("page") != "" {
					return reply(200, labelsBody("b")), nil
				}
				return reply(200, labelsBody("a"), `ETag: "y"`, line), nil
			}, func(p *Params) { p.CacheDir = t.TempDir() })
			if strings.HasPrefix(line, "ETag") {
				next := c.next
				c.next = trip(func(r *http.Request) (*http.Response, error) {
					resp, err := next.RoundTrip(r)
					resp.Header.Set("ETag", strings.TrimPrefix(line, "ETag: "))
					return resp, err
				})
			}
			for range 2 {
				if _, err := c.Labels(t.Context(), town); err != nil {
					t.Fatal(err)
				}
			}
			if got := strings.Join(asked, ""); got != "" {
				t.Errorf("asked with the tags %.80q", got)
			}
		}
	})
}
