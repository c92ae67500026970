package control

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func operations(s string) ([]jobboardtest.Operation, error) {
	if s == "" {
		return nil, nil
	}
	var ops []jobboardtest.Operation
	for name := range strings.SplitSeq(s, ",") {
		op := jobboardtest.Operation(name)
		if !slices.Contains(jobboardtest.Operations(), op) {
			return nil, bad("operation", "there is no operation %s, only %v", quote(name), jobboardtest.Operations())
		}
		ops = append(ops, op)
	}
	return ops, nil
}

func (c *Control) requests(r *http.Request) (any, error) {
	q := r.URL.Query()
	ops, err := operations(q.Get("operation"))
	if err != nil {
		return nil, err
	}
	var after int64
	if s := q.Get("after"); s != "" {
		if after, err = number("after", s); err != nil {
			return nil, err
		}
	}
	rs := slices.DeleteFunc(c.inside.RequestsAfter(int(after)), func(r jobboardtest.Request) bool {
		return len(ops) > 0 && !slices.Contains(ops, r.Operation)
	})
	out := list("requests", rs)
	out["count"] = c.srv.Count(ops...)
	return out, nil
}

// entry returns a request of the journal.
func (c *Control) entry(n int64) (jobboardtest.Request, bool) { return c.inside.Request(int(n)) }

// violations returns a sentence for each way in which a request of the journal
// breaks the interface.
func (c *Control) violations() (all []string) {
	for _, r := range c.srv.Requests() {
		all = append(all, r.Violations...)
	}
	return all
}

// maxWait bounds a wait; many proxies close connections after a minute.
const maxWait = 60 * time.Second

func (c *Control) wait(r *http.Request) (any, error) {
	q := r.URL.Query()
	ops, err := operations(q.Get("operation"))
	if err != nil {
		return nil, err
	}
	if err := needed("count", q.Get("count")); err != nil {
		return nil, err
	}
	n, err := number("count", q.Get("count"))
	if err != nil {
		return nil, err
	}
	timeout := 10 * time.Second
	if s := q.Get("timeout"); s != "" {
		if timeout, err = time.ParseDuration(s); err != nil || timeout < 0 || timeout > maxWait {
			return nil, bad("timeout", "timeout is %s, and not a duration such as 5s, %v at most", quote(s), maxWait)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	defer context.AfterFunc(c.ending, cancel)()
	if err := c.srv.Wait(ctx, int(n), ops...); err != nil {
		text := fmt.Sprintf("%d of %d requests came in within %v", c.srv.Count(ops...), n, timeout)
		if c.ending.Err() != nil {
			text = "the server shuts down"
		}
		return nil, &failure{status: http.StatusConflict, Code: "too_few_requests", Message: text}
	}
	return map[string]int{"count": c.srv.Count(ops...)}, nil
}
