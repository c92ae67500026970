package boardcheck

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"
)

// Run checks a board in a test, for at most ten minutes. Each change since the profile in the file fails the
// test, and is then part of the file: commit it, or restore it. The test also fails if the board
// cannot be asked, and where nothing can be judged; that text begins "no judgement". If the file does
// not exist, Run writes it and fails, so that a nightly job that loses its file does not stay green.
func Run(tb testing.TB, file string, b Board) {
	tb.Helper()
	known, err := Load(file)
	first := errors.Is(err, fs.ErrNotExist)
	switch {
	case first:
		known = &Profile{}
	case err != nil:
		tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), 10*time.Minute)
	defer cancel()
	r, err := Check(ctx, b)
	if err != nil {
		tb.Fatal(err)
	}
	r.Since(known)
	if r.Answered {
		if err := known.Save(file); err != nil {
			tb.Fatal(err)
		}
	}
	for _, x := range r.Notes {
		tb.Log(x)
	}
	for _, x := range r.Changes {
		tb.Errorf("the board changed: %s", x)
	}
	for _, x := range r.Unjudged {
		tb.Errorf("no judgement: %s", x)
	}
	switch {
	case !r.Answered:
		tb.Error("no call was answered")
	case first:
		tb.Errorf("%s is new: commit it: it describes the board from now on", file)
	}
	tb.Log(r.Summary())
}
