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

type skipper struct{}

// Skip returns a context whose searches that hand out postings one by one leave out those
// of whose bytes f reports that it knows them, and do not decode them. The bytes are those
// of one posting if they equal the bytes of one that was decoded before; f keeps none of
// them. A search hands out its first posting whatever f says.
func Skip(ctx context.Context, f func(raw []byte) bool) context.Context {
	return context.WithValue(ctx, skipper{}, f)
}

// Skipped returns the function that Skip was given; nil: nothing is left out.
func Skipped(ctx context.Context) func(raw []byte) bool {
	f, _ := ctx.Value(skipper{}).(func(raw []byte) bool)
	return f
}
