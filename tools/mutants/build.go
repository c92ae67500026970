package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A mutant of a function is a broken copy of it, to which the function hands
// its arguments if the environment says that the mutant is on.

// switchFile is what each package gets that has mutants in functions. MUTANTS
// lists those that are on, or is "notes": then it is written down which places a
// program comes by. mutantOn is small, so that the compiler puts it where it is
// called: some are called for each byte.
const switchFile = `package %[1]s

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

var (
	mutantsOn   [%[2]d]bool
	mutantsSeen [%[2]d]atomic.Bool
	mutantNotes = os.Getenv("MUTANTS") == "notes"
)

func init() {
	for on := range strings.FieldsSeq(os.Getenv("MUTANTS")) {
		if id, err := strconv.Atoi(on); err == nil {
			mutantsOn[id] = true
		}
	}
}

func mutantOn(id int) bool { return mutantsOn[id] || mutantNotes && mutantSeen(id) }

func mutantSeen(id int) bool {
	if !mutantsSeen[id].Load() && mutantsSeen[id].CompareAndSwap(false, true) {
		f, err := os.OpenFile(os.Getenv("MUTANT_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = f.WriteString(strconv.Itoa(id) + "\n")
			_ = f.Close()
		}
	}
	return false
}
`

// edit is a change of a file: text takes the place of the bytes from begin to
// end.
type edit struct {
	begin, end int
	text       string
}

// edited returns the part of src from begin to end with edits made, which do not
// overlap.
func edited(src []byte, begin, end int, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.begin - b.begin })
	var b strings.Builder
	for _, e := range edits {
		b.Write(src[begin:e.begin])
		b.WriteString(e.text)
		begin = e.end
	}
	b.Write(src[begin:end])
	return b.String()
}

// build writes the files that hold the mutants, and returns those that compile.
func (r *run) build(ctx context.Context, candidates []*mutant) ([]*mutant, error) {
	for i, m := range candidates {
		m.id = i + 1
	}
	for {
		lines, err := r.write(candidates)
		if err != nil {
			return nil, err
		}
		args := []string{"build", "-gcflags=-e", "-overlay", r.overlay()}
		for _, m := range candidates {
			if !slices.Contains(args, m.pkg) {
				args = append(args, m.pkg)
			}
		}
		out, err := r.command(ctx, "go", args...).CombinedOutput()
		if err == nil || ctx.Err() != nil {
			break
		}
		broken := blamed(out, lines)
		if len(broken) == 0 {
			return nil, fmt.Errorf("the mutants do not build, and no one of them is the cause: %w\n%s", err, out)
		}
		candidates = slices.DeleteFunc(candidates, func(m *mutant) bool { return broken[m.id] })
	}
	return candidates, ctx.Err()
}

// blamed returns the mutants whose copies the compiler complains of.
func blamed(complaints []byte, copies map[string][]lines) map[int]bool {
	broken := map[int]bool{}
	for line := range strings.Lines(string(complaints)) {
		fields := strings.SplitN(line, ":", 3)
		if len(fields) < 3 {
			continue
		}
		// The go command shortens the directory in its own way: /tmp/mutants1/2.go
		// becomes ..ants1/2.go beside /tmp/mut.
		name := filepath.Base(fields[0])
		n, _ := strconv.Atoi(fields[1])
		for _, l := range copies[name] {
			if l.first <= n && n <= l.last {
				broken[l.id] = true
			}
		}
	}
	return broken
}

// lines are those of a mutant's copy in its file.
type lines struct{ id, first, last int }

// write writes the files that hold the mutants. It returns, by the names that
// the compiler reads, where their copies are.
func (r *run) write(all []*mutant) (map[string][]lines, error) {
	byFile := map[string][]*mutant{}
	r.files = map[string]string{}
	for _, m := range all {
		if m.in != nil {
			byFile[m.file] = append(byFile[m.file], m)
		}
	}
	where := map[string][]lines{}
	for file, mutants := range byFile {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var hooks []edit
		var copies []string
		for _, m := range mutants {
			f := function{m: m, src: src}
			f.read()
			hooks = append(hooks, f.hooks()...)
			copies = append(copies, f.copy())
		}
		text := edited(src, 0, len(src), unique(hooks))
		if err := r.give(file, text+"\n"+strings.Join(copies, "\n\n")+"\n"); err != nil {
			return nil, err
		}
		name := filepath.Base(r.files[file])
		first := strings.Count(text, "\n") + 2
		for i, m := range mutants {
			last := first + strings.Count(copies[i], "\n")
			where[name] = append(where[name], lines{m.id, first, last})
			first = last + 2
		}
		text = fmt.Sprintf(switchFile, mutants[0].pkgName, all[len(all)-1].id+1)
		err = r.give(filepath.Join(filepath.Dir(file), "mutants_on.go"), text)
		if err != nil {
			return nil, err
		}
	}
	return where, nil
}

// unique drops the names that several mutants of one function give to the same
// parameter.
func unique(edits []edit) []edit {
	var kept []edit
	for _, e := range edits {
		if !slices.Contains(kept, e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// give makes the go command read text in the place of a file.
func (r *run) give(file, text string) error {
	instead := filepath.Join(r.tmp, fmt.Sprintf("%d.go", len(r.files)))
	if kept, ok := r.files[file]; ok {
		instead = kept
	}
	r.files[file] = instead
	return os.WriteFile(instead, []byte(text), 0o600)
}

// overlay writes the description of the files that the go command takes.
func (r *run) overlay() string { return overlay(r.tmp, r.files) }

func overlay(dir string, files map[string]string) string {
	b, err := json.Marshal(map[string]map[string]string{"Replace": files})
	file := filepath.Join(dir, "overlay.json")
	if err != nil || os.WriteFile(file, b, 0o600) != nil {
		panic("the overlay cannot be written") // of names in a directory that was just made
	}
	return file
}

// function is the function that a mutant is in.
type function struct {
	m     *mutant
	src   []byte
	names []edit   // of what has no name
	args  []string // that the function hands on
	self  string   // the receiver with a dot, or nothing
}

func (f *function) at(n ast.Node) int { return int(n.Pos()) - f.m.base }

// read finds the names of the receiver and the parameters, and gives one to what
// has none.
func (f *function) read() {
	decl := f.m.in
	if decl.Recv != nil {
		f.self = f.fields(decl.Recv, "mutantSelf")[0] + "."
	}
	f.args = f.fields(decl.Type.Params, "mutantArg")
}

func (f *function) fields(list *ast.FieldList, name string) (names []string) {
	for i, field := range list.List {
		dots := ""
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			dots = "..."
		}
		if len(field.Names) == 0 {
			own := name + strconv.Itoa(i)
			at := f.at(field.Type)
			f.names = append(f.names, edit{at, at, own + " "})
			names = append(names, own+dots)
		}
		for j, id := range field.Names {
			own := id.Name
			if own == "_" {
				own = fmt.Sprint(name, i, "_", j)
				at := f.at(id)
				f.names = append(f.names, edit{at, at + 1, own})
			}
			names = append(names, own+dots)
		}
	}
	return names
}

func (f *function) copyName() string { return fmt.Sprintf("%s_mutant%d", f.m.in.Name.Name, f.m.id) }

// hooks returns what the function itself gets.
func (f *function) hooks() []edit {
	decl := f.m.in
	types := ""
	if list := decl.Type.TypeParams; list != nil {
		var names []string
		for _, field := range list.List {
			for _, id := range field.Names {
				names = append(names, id.Name)
			}
		}
		types = "[" + strings.Join(names, ", ") + "]"
	}
	call := f.self + f.copyName() + types + "(" + strings.Join(f.args, ", ") + ")"
	if decl.Type.Results != nil {
		call = "return " + call
	} else {
		call += "; return"
	}
	at := int(decl.Body.Lbrace) - f.m.base + 1
	return append(f.names, edit{at, at, fmt.Sprintf(" if mutantOn(%d) { %s }; ", f.m.id, call)})
}

// copy returns the broken copy of the function.
func (f *function) copy() string {
	name := f.at(f.m.in.Name)
	edits := append(slices.Clone(f.names),
		edit{name, name + len(f.m.in.Name.Name), f.copyName()}, edit{f.m.begin, f.m.end, f.m.text})
	end := int(f.m.in.End()) - f.m.base
	return edited(f.src, int(f.m.in.Type.Func)-f.m.base, end, edits)
}
