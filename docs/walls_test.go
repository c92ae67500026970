package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modulePath is the path of the root module; those of the nested modules begin with it.
const modulePath = "github.com/jobboard-sdk/jobboard-go"

// wall says what a part of the repository must not reach, through whatever other
// packages of the repository.
type wall struct {
	part   string   // the folder; . is all of the repository
	but    []string // folders in it that the rule does not cover
	beyond []string // import paths, each with what is below; those of the repository without its own path, . is its root package
}

var walls = []wall{
	{part: ".", but: []string{"internal/suite", "dev/bench", "dev/e2e"}, beyond: []string{"internal/suite"}},
	{part: "boardcheck", beyond: []string{"jobboardtest"}},
	{part: "market/cmd", but: []string{"market/cmd/internal/clitest"}, beyond: []string{"market/cmd/internal/clitest"}},
	{part: "market/jobpublish", beyond: []string{"github.com/jackc/pgx", "modernc.org/sqlite", "market/jobmirror", "market/jobsite"}},
	{part: "market/jobmirror/internal/store", beyond: []string{".", "jobfeed", "market/jobmirror/internal/words", "market/jobmirror/internal/pace"}},
	{part: "market/jobmirror/internal/pace", beyond: []string{"jobfeed", "market/jobmirror", "github.com/jackc/pgx", "modernc.org/sqlite"}},
	{part: "market/jobmirror/internal/words", beyond: []string{".", "jobfeed", "market/jobmirror", "database/sql", "github.com/jackc/pgx", "modernc.org/sqlite"}},
	{part: "market/jobmirror/internal/grid", beyond: []string{"jobfeed", "market/jobmirror", "database/sql"}},
	{part: "market/jobmirror/internal/textindex", beyond: []string{"jobfeed", "market/jobmirror/internal/pace", "market/jobmirror/internal/grid"}},
	{part: "market/jobmirror/internal/search", beyond: []string{"jobfeed", "market/jobmirror/internal/pace", "market/jobmirror/internal/evidence"}},
	{part: "market/jobmirror/internal/evidence", beyond: []string{".", "jobfeed", "market/jobmirror/internal/store", "database/sql", "github.com/jackc/pgx", "modernc.org/sqlite"}},
	{part: "market/jobmirror/internal/changelog", beyond: []string{".", "jobfeed", "market/jobmirror/internal/pace", "market/jobmirror/internal/evidence", "market/jobmirror/internal/search"}},
	{part: "market/jobmirror/internal/lookups", beyond: []string{".", "jobfeed", "market/jobmirror/internal/pace", "market/jobmirror/internal/search", "market/jobmirror/internal/listings"}},
	{part: "market/jobmirror/internal/sources", beyond: []string{
		".", "jobfeed", "market/jobmirror/internal/pace", "market/jobmirror/internal/search", "market/jobmirror/internal/evidence",
		"market/jobmirror/internal/changelog", "market/jobmirror/internal/lookups", "market/jobmirror/internal/listings",
	}},
	{part: "market/jobmirror/internal/listings", beyond: []string{".", "jobfeed", "market/jobmirror/internal/pace", "market/jobmirror/internal/search"}},
	{part: "market/jobmcp", beyond: []string{"market/jobmirror", "market/jobpublish", "market/jobsite", "market/cmd"}},
	{part: "market/cmd", but: []string{"market/cmd/jobboard-mirror"}, beyond: []string{"github.com/jackc/pgx", "modernc.org/sqlite", "market/jobmirror"}},
}

// No part of the repository imports what stands behind one of its walls. Tests may.
func TestWalls(t *testing.T) {
	imports := importsOf(t, "..", false)
	for _, w := range walls {
		seen := 0
		for dir := range imports {
			if !below(dir, w.part) || slices.ContainsFunc(w.but, func(but string) bool { return below(dir, but) }) {
				continue
			}
			seen++
			if way := w.breach(imports, dir); way != nil {
				t.Errorf("%s reaches what it must not: %s", dir, strings.Join(way, " imports "))
			}
		}
		if seen == 0 {
			t.Errorf("there is no code in %s", w.part)
		}
	}
}

// A wall is found broken behind other packages, and not by a name that is like
// another.
func TestBreach(t *testing.T) {
	imports := map[string][]string{
		"a":         {"net/http", "a/inner", "suites"},
		"a/inner":   {"b", "a"},
		"b":         {"suite/rig", "example.com/database/v5"},
		"suite/rig": {"."},
		"c":         {"suites", "example.com/databases"},
	}
	for _, c := range []struct{ dir, beyond, want string }{
		{"a", "suite", "a a/inner b suite/rig"},
		{"b", "suite", "b suite/rig"},
		{"a", "example.com/database", "a a/inner b example.com/database/v5"},
		{"c", "suite", ""},
		{"c", "example.com/database", ""},
		{"a", "c", ""},
		{"b", ".", "b suite/rig ."},
		{"c", ".", ""},
	} {
		w := wall{beyond: []string{c.beyond}}
		if got := strings.Join(w.breach(imports, c.dir), " "); got != c.want {
			t.Errorf("from %s to %s: %q, want %q", c.dir, c.beyond, got, c.want)
		}
	}
}

// breach returns the way from a package to what it must not reach, or nil.
func (w wall) breach(imports map[string][]string, from string) []string {
	came := map[string]string{from: ""}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		at := next[0]
		if at != from && slices.ContainsFunc(w.beyond, func(part string) bool { return at == part || part != "." && below(at, part) }) {
			var way []string
			for ; at != ""; at = came[at] {
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		for _, to := range imports[at] {
			if _, known := came[to]; !known {
				came[to] = at
				next = append(next, to)
			}
		}
	}
	return nil
}

// below reports whether a folder or an import path is part itself or below it.
func below(name, part string) bool {
	return part == "." || name == part || strings.HasPrefix(name, part+"/")
}

// importsOf returns what the packages below a folder import, or only their tests.
// Packages of the repository are named by their folders.
func importsOf(t *testing.T, root string, tests bool) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") != tests:
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if imported == modulePath {
				imported = "."
			}
			all[dir] = append(all[dir], strings.TrimPrefix(imported, modulePath+"/"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
