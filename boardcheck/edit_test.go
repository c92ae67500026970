package boardcheck_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// edit is a transport that changes the JSON of answers.
type edit struct {
	next http.RoundTripper
	json func(path string, status int, v any) any
	raw  func(path string, resp *http.Response, body []byte) []byte
}

func (e edit) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := e.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	if e.json != nil {
		d := json.NewDecoder(bytes.NewReader(body))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			if body, err = json.Marshal(e.json(r.URL.Path, resp.StatusCode, v)); err != nil {
				return nil, err
			}
		}
	}
	if e.raw != nil {
		body = e.raw(r.URL.Path, resp, body)
	}
	resp.Header.Del("Content-Length")
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

type object = map[string]any

// each changes the objects of a list in every answer that has it.
func each(list string, f func(i int, o object)) func(string, int, any) any {
	return func(_ string, _ int, v any) any {
		if o, ok := v.(object); ok {
			items, _ := o[list].([]any)
			for i, x := range items {
				if item, ok := x.(object); ok {
					f(i, item)
				}
			}
		}
		return v
	}
}

// info changes the answers of the lookup that tell of a job.
func info(f func(o object)) func(string, int, any) any {
	return func(_ string, _ int, v any) any {
		if o, ok := v.(object); ok && o["jobTitle"] != nil {
			f(o)
		}
		return v
	}
}

func replaced(from, to string) func(string, *http.Response, []byte) []byte {
	return func(_ string, _ *http.Response, body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(from), []byte(to))
	}
}
