package jobboard

import (
	"context"
	"net/http"
	"net/url"
)

// WithHeaderFunc returns a context whose calls give f the header of every answer, also of a failed
// attempt, before they read its body. requested is the address of the attempt's request, before
// redirects; in a bulk call it tells which job was asked for. The header may hold fields that a
// proxy added, such as the Age of a cached answer. Config.Observer gets the headers of all calls of
// a client, but only after the body was read.
//
// Calls that run at the same time call f at the same time. f must not change its arguments, nor
// print them: both may hold a secret. f replaces the function of an earlier WithHeaderFunc.
func WithHeaderFunc(ctx context.Context, f func(requested *url.URL, header http.Header)) context.Context {
	return context.WithValue(ctx, headerFunc{}, f)
}

type headerFunc struct{} // the key of a func(*url.URL, http.Header)

// tellHeader calls the function of WithHeaderFunc, if there is one.
func tellHeader(ctx context.Context, requested *url.URL, header http.Header) {
	if f, ok := ctx.Value(headerFunc{}).(func(*url.URL, http.Header)); ok && f != nil {
		f(requested, header)
	}
}
