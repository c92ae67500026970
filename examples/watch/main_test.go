package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestWatch(t *testing.T) {
	board.ClearEnv(t)
	var b board.Board
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var out strings.Builder
	if err := run(&out, &b, ""); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "42 postings") || !strings.HasPrefix(lines[1], "- 600100 ") || !strings.Contains(lines[2], "Gardener") {
		t.Errorf("%q", lines)
	}

	// A partial page says nothing about postings that it lacks.
	state := filepath.Join(t.TempDir(), "channel.json")
	out.Reset()
	if err := run(&out, &b, state); err != nil {
		t.Fatal(err)
	}
	v := b.Fake.Variants()
	v.PageSize = 5
	b.Fake.SetVariants(v)
	out.Reset()
	if err := run(&out, &b, state); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "\n- ") || !strings.Contains(out.String(), "did not hold every posting") {
		t.Error(out.String())
	}
	b.Fake.SetVariants(jobboardtest.Variants{})
	out.Reset()
	if err := run(&out, &b, state); err != nil || out.String() != "nothing changed\n" {
		t.Error(out.String(), err)
	}
}
