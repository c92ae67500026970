package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// files is a module with one of everything that the listing must tell apart.
var files = map[string]string{
	"go.mod": "module example.com/lib\n\ngo 1.26.0\n",
	"lib.go": `package lib

import (
	"bytes"
	"io"
)

// Limit is a constant.
const Limit = 1 << 4

const hidden = 2

// Err is a variable.
var Err error

// Pair has a type parameter.
type Pair[K comparable] struct {
	Key   K ` + "`json:\"key\"`" + `
	value int
	io.Reader
}

// Mixed embeds one of ours and one of somebody else.
type Mixed struct {
	Open
	*bytes.Buffer
}

// Do is promoted to Mixed.
func (o Open) Do() {}

// Get has a value receiver.
func (p Pair[K]) Get() K { return p.Key }

// Set has a pointer receiver.
//
// Deprecated: use a literal.
func (p *Pair[K]) Set(key K) { p.Key = key; p.value = hidden }

// Open can be built without keys.
type Open struct {
	// A is old.
	//
	// Deprecated: nothing reads it.
	A int
}

// Shape has one method that others cannot have.
type Shape interface {
	io.Closer
	Area(unit string) float64
	sealed()
}

// ID is a number, and Name an alias.
type (
	ID   int64
	Name = string
)

// New is a function.
//
// Deprecated: use [Open].
func New(name string, opts ...func(*Open)) (*Open, error) { return nil, nil }

func unexported() {}
`,
	"lib_test.go":          "package lib\n\nfunc Tested() {}\n",
	"sub/sub.go":           "package sub\n\nfunc F() {}\n",
	"internal/in/in.go":    "package in\n\nfunc Inner() {}\n",
	"cmd/prog/main.go":     "package main\n\nfunc Main() {}\n\nfunc main() {}\n",
	"onlytest/one_test.go": "package onlytest\n\nfunc Tested() {}\n",
}

var want = []string{
	`pkg ., const Limit untyped int = 16`,
	`pkg ., func New(name string, opts ...func(*Open)) (*Open, error) //deprecated`,
	`pkg ., method (*Pair[K comparable]) Set(key K) //deprecated`,
	`pkg ., method (Mixed) Do()`,
	`pkg ., method (Open) Do()`,
	`pkg ., method (Pair[K comparable]) Get() K`,
	`pkg ., type ID int64`,
	`pkg ., type Mixed struct`,
	`pkg ., type Mixed struct, all fields exported`,
	`pkg ., type Mixed struct, embedded *bytes.Buffer`,
	`pkg ., type Mixed struct, embedded Open`,
	`pkg ., type Name = string`,
	`pkg ., type Open struct`,
	`pkg ., type Open struct, A int //deprecated`,
	`pkg ., type Open struct, all fields exported`,
	`pkg ., type Pair[K comparable] struct`,
	"pkg ., type Pair[K comparable] struct, Key K `json:\"key\"`",
	`pkg ., type Pair[K comparable] struct, embedded io.Reader`,
	`pkg ., type Shape interface`,
	`pkg ., type Shape interface, Area(unit string) float64`,
	`pkg ., type Shape interface, embedded io.Closer`,
	`pkg ., type Shape interface, unexported methods`,
	`pkg ., var Err error`,
	`pkg ./sub, func F()`,
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := list(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			t.Errorf("missing: %s", l)
		}
	}
	for _, l := range got {
		if !slices.Contains(want, l) {
			t.Errorf("too much: %s", l)
		}
	}
	if !slices.IsSorted(got) {
		t.Error("not sorted")
	}
}

// A nested module is listed under the place it has in the first one.
func TestListNested(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/lib\n",
		"lib.go":        "package lib\n\ntype T int\n",
		"nested/go.mod": "module example.com/lib/nested\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../\n",
		"nested/n.go":   "package nested\n\nimport \"example.com/lib\"\n\nfunc F() lib.T { return 0 }\n",
		"other/go.mod":  "module example.com/other\n",
		"other/o.go":    "package other\n\nfunc G() {}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := list(dir, filepath.Join(dir, "nested"))
	if want := []string{"pkg ., type T int", "pkg ./nested, func F() example.com/lib.T"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := list(dir, filepath.Join(dir, "other")); err == nil {
		t.Errorf("a module that is not nested in the first was listed: %q", got)
	}
}

func TestListBroken(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/broken\n",
		"lib.go": "package broken\n\nvar X int = \"text\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := list(dir); err == nil {
		t.Errorf("a package that does not compile was listed: %q", got)
	}
}
