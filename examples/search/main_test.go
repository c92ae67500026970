package main

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
)

func TestSearch(t *testing.T) {
	board.ClearEnv(t)
	var b board.Board
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, test := range []struct {
		query jobboard.Query
		near  string
		want  []string
		not   string
	}{
		{jobboard.Query{}, "", []string{"POSTING", "Pflegefachkraft (m/w/d)", "42 of 42 postings"}, ""},
		{jobboard.Query{Language: "en"}, "52.52,13.405", []string{"Registered Nurse (f/m/x)", "Berlin"}, "Zürich"},
		{jobboard.Query{Language: "en"}, "Berlin", []string{"Registered Nurse (f/m/x)", "Berlin"}, "Zürich"},
		{jobboard.Query{Language: "en"}, "10117", []string{"Registered Nurse (f/m/x)", "Berlin"}, "Zürich"},
		{jobboard.Query{Text: "Nurse"}, "53.55, 9.99", []string{"Registered Nurse", "1 of 1 postings"}, "Berlin"},
	} {
		var out strings.Builder
		if err := run(&out, &b, test.query, test.near, 30); err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%+v: no %q in\n%s", test.query, want, &out)
			}
		}
		if test.not != "" && strings.Contains(out.String(), test.not) {
			t.Errorf("%+v: %q in\n%s", test.query, test.not, &out)
		}
	}
	for near, want := range map[string]string{"Berlni": "is it Berlin?", "8010": "is it A-8010 or CH-8010?", "Xyzzyqq": `latitude "Xyzzyqq" is not a decimal number`} {
		if err := run(&strings.Builder{}, &b, jobboard.Query{}, near, 30); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", near, err)
		}
	}
}

func TestPrintable(t *testing.T) {
	if got := printable("a\x1b[2J\nb\u202ec"); got != "a [2J b c" {
		t.Errorf("%q", got)
	}
}
