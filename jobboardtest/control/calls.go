package control

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// call handles a request and returns the value to send as JSON. nil stands for
// status 204, created for 201, and an http.HandlerFunc writes the answer
// itself.
type call = func(*http.Request) (any, error)

// created is an answer with status 201.
type created struct{ v any }

// route is one method and path, with its function and limits.
type route struct {
	method, path string
	f            call
	params       []string // allowed query parameters
	free         bool     // allows any query
	limit        int64    // largest body in bytes; 0: maxBody
	streams      bool     // reads the body and locks writing itself
}

// maxBody bounds a request's body in bytes, maxState the body of a whole state, and
// bodyTimeout the time for a body to arrive.
const (
	maxBody     = 4 << 20
	maxState    = 64 << 20
	bodyTimeout = 30 * time.Second
)

func (c *Control) handler(r route) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		v, err := c.call(r, w, req)
		if err != nil {
			writeFailure(w, err)
			return
		}
		switch v := v.(type) {
		case nil:
			w.WriteHeader(http.StatusNoContent)
		case http.HandlerFunc:
			v(w, req)
		case created:
			answer(w, http.StatusCreated, v.v)
		default:
			answer(w, http.StatusOK, v)
		}
	}
}

func (c *Control) call(r route, w http.ResponseWriter, req *http.Request) (any, error) {
	if !r.free {
		if err := checkQuery(req, r.params...); err != nil {
			return nil, err
		}
	}
	if r.method == http.MethodGet {
		return r.f(req)
	}
	req.Body = http.MaxBytesReader(w, req.Body, cmp.Or(r.limit, maxBody))
	if r.streams {
		return r.f(req)
	}
	data, err := io.ReadAll(req.Body) // before taking the lock: a slow body must not block other calls
	if err != nil {
		return nil, unread(err)
	}
	req.Body = io.NopCloser(bytes.NewReader(data))
	c.writing.Lock()
	defer c.writing.Unlock()
	return r.f(req)
}

// unread returns the answer to a body that could not be read to its end.
func unread(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refuse(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, "the body did not come whole within %v", bodyTimeout)
	}
	return bad("", "the body cannot be read: %v", err)
}

// with returns a call that decodes the body and passes it to f.
func with[T any](f func(T) (any, error)) call {
	return func(r *http.Request) (any, error) {
		var v T
		if err := decode(r, &v); err != nil {
			return nil, err
		}
		return f(v)
	}
}

// bare returns a call that refuses a body.
func bare(f call) call {
	return func(r *http.Request) (any, error) {
		data, _ := io.ReadAll(r.Body)       // read before, by Control.call
		if len(bytes.TrimSpace(data)) > 0 { // an empty object is allowed: some clients always send one
			if err := unmarshal(data, &struct{}{}); err != nil {
				return nil, err
			}
		}
		return f(r)
	}
}

// do returns a call that runs f and answers 204.
func do(f func()) call {
	return bare(func(*http.Request) (any, error) {
		f()
		return nil, nil //nolint:nilnil // 204
	})
}

// get returns a call that answers with the value of f.
func get[T any](f func() T) call {
	return func(*http.Request) (any, error) { return f(), nil }
}

// getList returns a call that answers with an object whose only member is the
// list of f.
func getList[T any](name string, f func() []T) call {
	return func(*http.Request) (any, error) { return list(name, f()), nil }
}

// of returns a call that passes the identifier in the path to f.
func of(f func(id int64) (any, error)) call {
	return func(r *http.Request) (any, error) {
		id, err := number("id", r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return f(id)
	}
}

// find returns a call that answers with the record of the identifier in the path.
// none is the format of the text that goes with status 404.
func find[T any](f func(id int64) (T, bool), none string) call {
	return of(func(id int64) (any, error) {
		v, ok := f(id)
		if !ok {
			return nil, notFound(none, id)
		}
		return v, nil
	})
}

// change returns a call that changes the record of the identifier in the path by f,
// or answers 404 if f reports false.
func change(f func(id int64) bool, none string) call {
	return bare(of(func(id int64) (any, error) {
		if !f(id) {
			return nil, notFound(none, id)
		}
		return nil, nil //nolint:nilnil // 204
	}))
}

// list returns an object whose only member is a list, never null.
func list[T any](name string, v []T) map[string]any {
	if v == nil {
		v = []T{}
	}
	return map[string]any{name: v}
}
