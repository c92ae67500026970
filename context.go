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

// WithKnownPostings returns a context in which Postings and PostingStream, of a Client and of an
// Applicant, leave out the postings for which known returns true. A program that reads a channel
// again and again keeps a hash of each posting's bytes, and so saves most of the decoding.
//
// raw is the JSON of one posting, as the service wrote it. known must not keep or change it. Its
// syntax is not checked yet, so known should return true only for bytes that equal those of a
// posting that was decoded before. The first posting of an answer is always decoded. Calls that run
// at the same time call known at the same time. known replaces the function of an earlier
// WithKnownPostings.
func WithKnownPostings(ctx context.Context, known func(raw []byte) bool) context.Context {
	return context.WithValue(ctx, knownPostings{}, known)
}

type knownPostings struct{} // the key of a func(raw []byte) bool

// knownFunc returns the function of WithKnownPostings; nil: no posting is known.
func knownFunc(ctx context.Context) func(raw []byte) bool {
	known, _ := ctx.Value(knownPostings{}).(func(raw []byte) bool)
	return known
}
