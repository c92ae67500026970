package transport

import (
	"context"
	"net/http"
	"net/url"
)

type hearer struct{}

// Hear returns a context for calls that pass f the headers of each of their answers,
// before they read its body, and the address that the call asked first. Several calls
// may do so at the same time.
func Hear(ctx context.Context, f func(*url.URL, http.Header)) context.Context {
	return context.WithValue(ctx, hearer{}, f)
}

// Tell calls the function that Hear put into the context, if any, with an answer's
// headers and the address that was asked first.
func Tell(ctx context.Context, asked *url.URL, header http.Header) {
	if f, ok := ctx.Value(hearer{}).(func(*url.URL, http.Header)); ok {
		f(asked, header)
	}
}

type skipper struct{}

// Skip returns a context in which a streamed search asks f about the bytes of each posting
// but the first, and neither decodes nor hands out those that f knows. The bytes come
// unchecked: that they are one posting is certain only if they equal the bytes of a posting
// that was decoded before. f must not keep them.
func Skip(ctx context.Context, f func(raw []byte) bool) context.Context {
	return context.WithValue(ctx, skipper{}, f)
}

// Skipped returns the function that Skip put into the context; nil: nothing is left out.
func Skipped(ctx context.Context) func(raw []byte) bool {
	f, _ := ctx.Value(skipper{}).(func(raw []byte) bool)
	return f
}
