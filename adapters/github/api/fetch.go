package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/go-github/v66/github"
)

// Reads are repeated; writes never are.
const (
	readTriesMax  = 3
	readRetryWait = time.Second // then four times as long
)

// request is what is asked for.
type request struct {
	op          string
	method      string // "" = GET
	path        string // below the API's root, or a whole address of it
	body        any
	traffic     traffic
	conditional bool
	shape       shape // 0 = an object
}

func (r request) exchange() *exchange {
	ex := &exchange{op: r.op, traffic: r.traffic, conditional: r.conditional, shape: r.shape}
	if ex.shape == 0 {
		ex.shape = shapeObject
	}
	return ex
}

// fetch reads, and reads again a few times where that may help.
func fetch[T any](ctx context.Context, c *Client, r request, decode func([]byte) (T, error)) (T, *exchange, error) {
	for try := 1; ; try++ {
		value, ex, fault := fetchOnce(ctx, c, r, decode)
		if fault == nil {
			return value, ex, nil
		}
		if try == readTriesMax || ctx.Err() != nil || !repeatable(fault, try) {
			return value, ex, fault
		}
		if fault.Limited() { // what was met is waited for, or refused, like every limit
			continue
		}
		wait := readRetryWait << (2 * (try - 1))
		at := c.clock.Now().Add(wait + time.Duration(c.jitter()*float64(wait)/2))
		if outlasts(ctx, at) || sleep(ctx, c.clock, at) != nil {
			return value, ex, fault
		}
	}
}

// repeatable reports whether the same read may succeed soon. A token that was
// refused may have been replaced meanwhile. (case G54)
func repeatable(f *Fault, try int) bool {
	switch {
	case f.Kind == KindTransient, f.Kind == KindNotReady:
		return true
	case f.Status == 0: // GitHub was not asked
		return false
	}
	return f.Limited() || f.Kind == KindAuth && try == 1
}

func fetchOnce[T any](ctx context.Context, c *Client, r request, decode func([]byte) (T, error)) (T, *exchange, *Fault) {
	var none T
	ex := r.exchange()
	if fault := c.do(ctx, c.read, r, ex); fault != nil {
		return none, ex, fault
	}
	if value, ok := ex.value.(T); ok {
		return value, ex, nil
	}
	value, err := decode(ex.body)
	if err != nil {
		c.forget(ex)
		return none, ex, &Fault{Kind: KindTransient, Op: r.op, Status: http.StatusOK, Message: oneLine(err.Error())}
	}
	c.remember(ex, value)
	return value, ex, nil
}

// change writes, once.
func change[T any](ctx context.Context, c *Client, r request, decode func([]byte) (T, error)) (T, error) {
	var none T
	ex := r.exchange()
	if fault := c.do(ctx, c.write, r, ex); fault != nil {
		return none, fault
	}
	value, err := decode(ex.body)
	if err != nil {
		return none, &Fault{Kind: KindTransient, Op: r.op, Status: http.StatusOK, Message: oneLine(err.Error()), Unknown: true}
	}
	return value, nil
}

// do sends a request, and says how it ended.
func (c *Client) do(ctx context.Context, g *github.Client, r request, ex *exchange) *Fault {
	fault := c.through(ctx, g, r, ex)
	c.heard(fault)
	return fault
}

// through sends a request through go-github. What matters of the answer is in ex:
// go-github drops our fault where the context has ended as well.
func (c *Client) through(ctx context.Context, g *github.Client, r request, ex *exchange) *Fault {
	method := r.method
	if method == "" {
		method = http.MethodGet
	}
	req, err := g.NewRequest(method, r.path, r.body)
	if err != nil {
		return &Fault{Kind: KindUnexpected, Op: r.op, Message: oneLine("make the request: " + err.Error())}
	}
	resp, err := g.BareDo(context.WithValue(ctx, exchangeKey{}, ex), req)
	if resp != nil && resp.Response != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	switch {
	case err == nil:
		return nil
	case ex.fault != nil:
		return ex.fault
	case ctx.Err() != nil:
		f := stopped(ctx.Err())
		f.Op, f.Unknown = r.op, ex.sent && r.traffic.writes()
		return f
	}
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	return &Fault{Kind: KindUnexpected, Op: r.op, Message: oneLine(err.Error()), Unknown: ex.sent && r.traffic.writes()}
}

// decodeInto reads a body with go-github's struct and makes ours of it.
func decodeInto[G, T any](make func(*G) (T, error)) func([]byte) (T, error) {
	return func(body []byte) (T, error) {
		theirs := new(G)
		if err := json.Unmarshal(body, theirs); err != nil {
			var none T
			return none, fmt.Errorf("read the answer: %w", err)
		}
		return make(theirs)
	}
}

// decodeList is decodeInto for each item of a list.
func decodeList[G, T any](make func(*G) (T, error)) func([]byte) ([]T, error) {
	return decodeInto(func(list *[]*G) ([]T, error) {
		items := []T{}
		for i, theirs := range *list {
			if theirs == nil {
				return nil, fmt.Errorf("item %d of the list is null", i)
			}
			item, err := make(theirs)
			if err != nil {
				return nil, fmt.Errorf("item %d of the list: %w", i, err)
			}
			items = append(items, item)
		}
		return items, nil
	})
}
