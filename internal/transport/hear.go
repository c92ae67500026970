package transport

import (
	"context"
	"net/http"
	"net/url"
)

type hearer struct{}

// Hear returns a context whose calls tell f of the headers of each answer before they
// read it, and of the address that was asked first. Several calls may do so at once.
func Hear(ctx context.Context, f func(*url.URL, http.Header)) context.Context {
	return context.WithValue(ctx, hearer{}, f)
}

// Tell tells who hears what a context's calls are answered.
func Tell(ctx context.Context, asked *url.URL, header http.Header) {
	if f, ok := ctx.Value(hearer{}).(func(*url.URL, http.Header)); ok {
		f(asked, header)
	}
}
