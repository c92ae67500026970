// Package rig holds what the suites under internal/suite share: a network in
// memory that can fail, a server that misbehaves on purpose, every operation of
// the client as one table, and canaries: secrets that are looked for in
// whatever is printed.
package rig

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// Client returns a client for a configuration that is right.
func Client(tb testing.TB, cfg jobboard.Config) *jobboard.Client {
	tb.Helper()
	c, err := jobboard.NewClient(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// RoundTripper is a transport of one function.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Must returns v and panics with err.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Respond returns the answer to a request.
func Respond(r *http.Request, status int, header http.Header, body io.Reader) (*http.Response, error) {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), Request: r}, nil
}

// Renewing returns a source that renews, and always gives the same token.
func Renewing(token string) oauth2.TokenSource {
	return jobboard.RenewingToken(func(context.Context) (*oauth2.Token, error) {
		return &oauth2.Token{AccessToken: token}, nil
	})
}

// Log is a slog.Handler that keeps the values of a log as they are, before a
// handler quotes them.
type Log struct {
	mu    sync.Mutex
	lines []string
}

// Enabled returns true: all of it is kept.
func (l *Log) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs returns l; the library gives a logger no attributes of its own.
func (l *Log) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup returns l, as WithAttrs does.
func (l *Log) WithGroup(string) slog.Handler { return l }

// Handle keeps a line.
func (l *Log) Handle(_ context.Context, record slog.Record) error {
	line := record.Message
	record.Attrs(func(a slog.Attr) bool {
		if a = WithoutChannel(nil, a); a.Key == "" {
			return true
		}
		line += " " + a.Key + "=" + fmt.Sprintf("%+v", a.Value.Resolve().Any())
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return nil
}

// WithoutChannel is a ReplaceAttr that leaves out the channel of a search, which a record may name by
// that key and in no other place.
func WithoutChannel(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "channel" {
		return slog.Attr{}
	}
	return a
}

// Lines returns what was logged.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

var files sync.Map

// Data returns a file of the module's testdata.
func Data(name string) []byte {
	if b, ok := files.Load(name); ok {
		return b.([]byte)
	}
	dir := Must(os.Getwd())
	for filepath.Dir(dir) != dir {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	b := Must(os.ReadFile(filepath.Join(dir, "testdata", name)))
	files.Store(name, b)
	return b
}

// Zip compresses with gzip.
func Zip(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(b)
	_ = w.Close()
	return z.Bytes()
}

// Allocated returns how many bytes f allocates, all in all.
func Allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Unprintable finds text that must not be in a log line: control characters, line and paragraph
// separators, marks that change the writing direction, and invalid UTF-8.
func Unprintable(s string) (rune, bool) {
	for _, r := range s {
		if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return r, true
		}
	}
	return unicode.ReplacementChar, !utf8.ValidString(s)
}
