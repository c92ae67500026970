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

// call returns what is answered as JSON. nil answers 204, created 201, and an
// http.HandlerFunc answers by itself.
type call = func(*http.Request) (any, error)

// created is an answer with status 201.
type created struct{ v any }

// route is one method and path, with what it takes.
type route struct {
	method, path string
	f            call
	params       []string // of the query; any other is refused
	free         bool     // takes any query
	reads        bool     // changes nothing although it is no GET, or everything but the state
	limit        int64    // of the body; 0: maxBody
	streams      bool     // reads the body itself, and takes the lock where it needs it
}

// maxBody bounds a request's body, maxState that of a whole state, and bodyTimeout how
// long either may take to come.
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
	data, err := io.ReadAll(req.Body) // before others have to wait
	if err != nil {
		return nil, unread(err)
	}
	req.Body = io.NopCloser(bytes.NewReader(data))
	c.writing.Lock()
	defer c.writing.Unlock()
	v, err := r.f(req)
	if err == nil && !r.reads {
		c.revision.Add(1)
	}
	return v, err
}

// unread returns what is said of a body that did not come whole.
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

// with returns the call of a function that takes the body.
func with[T any](f func(T) (any, error)) call {
	return func(r *http.Request) (any, error) {
		var v T
		if err := decode(r, &v); err != nil {
			return nil, err
		}
		return f(v)
	}
}

// bare returns the call of a function that takes no body.
func bare(f call) call {
	return func(r *http.Request) (any, error) {
		data, _ := io.ReadAll(r.Body)       // read before, by Control.call
		if len(bytes.TrimSpace(data)) > 0 { // an empty object is what some clients cannot do without
			if err := unmarshal(data, &struct{}{}); err != nil {
				return nil, err
			}
		}
		return f(r)
	}
}

// do returns the call of a function that takes nothing and cannot fail.
func do(f func()) call {
	return bare(func(*http.Request) (any, error) {
		f()
		return nil, nil //nolint:nilnil // 204
	})
}

// get returns the call that answers with a value.
func get[T any](f func() T) call {
	return func(*http.Request) (any, error) { return f(), nil }
}

// getList returns the call that answers with an object with one list.
func getList[T any](name string, f func() []T) call {
	return func(*http.Request) (any, error) { return list(name, f()), nil }
}

// of returns the call of a function that takes the identifier in the path.
func of(f func(id int64) (any, error)) call {
	return func(r *http.Request) (any, error) {
		id, err := number("id", r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return f(id)
	}
}

// find returns the call that answers with the thing of an identifier; none says, with
// its number, that there is none.
func find[T any](f func(id int64) (T, bool), none string) call {
	return of(func(id int64) (any, error) {
		v, ok := f(id)
		if !ok {
			return nil, notFound(none, id)
		}
		return v, nil
	})
}

// change returns the call of a function that changes the thing of an identifier, and
// reports whether it was there.
func change(f func(id int64) bool, none string) call {
	return bare(of(func(id int64) (any, error) {
		if !f(id) {
			return nil, notFound(none, id)
		}
		return nil, nil //nolint:nilnil // 204
	}))
}

// list returns an object with one list, never null.
func list[T any](name string, v []T) map[string]any {
	if v == nil {
		v = []T{}
	}
	return map[string]any{name: v}
}
