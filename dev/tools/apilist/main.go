// Apilist writes every exported name of the public packages of a module, one a
// line, in a stable order. These names are the API that users of the module
// depend on.
//
//	apilist DIR [NESTED...] > exported.txt
//
// DIR holds the module, and each NESTED a module nested in it. apilist leaves
// out programs, internal packages and packages with only tests.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("apilist: ")
	lines, err := list(os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(lines, "\n"))
}

// list returns the sorted lines for the modules in dirs. The first directory
// contains the others.
func list(dirs ...string) ([]string, error) {
	if len(dirs) == 0 {
		return nil, errors.New("usage: apilist DIR [NESTED...]")
	}
	var lines []string
	module := "" // module path in the first directory
	for _, dir := range dirs {
		pkgs, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedModule | packages.NeedFiles | packages.NeedSyntax |
				packages.NeedTypes | packages.NeedImports | packages.NeedDeps,
			Dir: dir,
		}, "./...")
		if err != nil {
			return nil, err
		}
		for _, p := range pkgs {
			if len(p.Errors) > 0 {
				return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
			}
			module = cmp.Or(module, p.Module.Path)
			inside, ok := strings.CutPrefix(p.PkgPath, module)
			if !ok {
				return nil, fmt.Errorf("%s is not nested in %s", p.PkgPath, module)
			}
			if p.Name != "main" && !slices.Contains(strings.Split(inside, "/"), "internal") && len(p.GoFiles) > 0 {
				lines = append(lines, linesOf(p, module, inside)...)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}

// linesOf returns the lines of a package; inside is its path within the module.
func linesOf(p *packages.Package, module, inside string) []string {
	w := writer{pkg: p, module: module, prefix: "pkg ." + inside + ", ", deprecated: deprecations(p)}
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			w.object(obj)
		}
	}
	return w.lines
}

// place is a line of a file.
type place struct {
	file string
	line int
}

func placeOf(p *packages.Package, pos token.Pos) place {
	at := p.Fset.Position(pos)
	return place{at.Filename, at.Line}
}

// deprecations returns the lines directly below a comment with "Deprecated: ".
func deprecations(p *packages.Package) map[place]bool {
	found := map[place]bool{}
	for _, file := range p.Syntax {
		for _, c := range file.Comments {
			if strings.Contains("\n\n"+c.Text(), "\n\nDeprecated: ") {
				below := placeOf(p, c.End())
				below.line++
				found[below] = true
			}
		}
		// The comment of a group applies to every declaration in the group.
		for _, decl := range file.Decls {
			if group, ok := decl.(*ast.GenDecl); ok && found[placeOf(p, group.Pos())] {
				for _, spec := range group.Specs {
					found[placeOf(p, spec.Pos())] = true
				}
			}
		}
	}
	return found
}

// A writer collects the lines of one package.
type writer struct {
	pkg        *packages.Package
	module     string // path of the listed module
	prefix     string
	deprecated map[place]bool
	lines      []string
}

// add appends a line about an object.
func (w *writer) add(obj types.Object, format string, args ...any) {
	line := w.prefix + fmt.Sprintf(format, args...)
	if w.deprecated[placeOf(w.pkg, obj.Pos())] {
		line += " //deprecated"
	}
	w.lines = append(w.lines, line)
}

// text returns a type as code. Names of other packages have the package's path.
func (w *writer) text(t types.Type) string { return types.TypeString(t, types.RelativeTo(w.pkg.Types)) }

// signature returns a function's type without the word func.
func (w *writer) signature(t types.Type) string { return strings.TrimPrefix(w.text(t), "func") }

func (w *writer) object(obj types.Object) {
	switch name := obj.Name(); obj := obj.(type) {
	case *types.Const:
		w.add(obj, "const %s %s = %s", name, w.text(obj.Type()), obj.Val().ExactString())
	case *types.Var:
		w.add(obj, "var %s %s", name, w.text(obj.Type()))
	case *types.Func:
		w.add(obj, "func %s%s", name, w.signature(obj.Type()))
	case *types.TypeName:
		switch t := obj.Type().(type) {
		case *types.Alias:
			w.add(obj, "type %s = %s", name, w.text(t.Rhs()))
		case *types.Named:
			w.named(obj, t)
		}
	}
}

func (w *writer) named(obj *types.TypeName, named *types.Named) {
	head := w.text(named) // with type parameters, if any
	switch t := named.Underlying().(type) {
	case *types.Interface:
		w.add(obj, "type %s interface", head)
		w.members(head, t)
		return
	case *types.Struct:
		w.add(obj, "type %s struct", head)
		w.fields(obj, head, t)
	default:
		w.add(obj, "type %s %s", head, w.text(t))
	}
	// List the methods that a user can call, without the methods of embedded
	// types of other modules: a release of the other module may change these methods,
	// and the line of the embedded field already names their type.
	for _, sel := range typeutil.IntuitiveMethodSet(named, nil) {
		m := sel.Obj()
		if !m.Exported() || len(sel.Index()) > 1 && !strings.HasPrefix(m.Pkg().Path()+"/", w.module+"/") {
			continue
		}
		receiver := head
		if _, ok := sel.Recv().(*types.Pointer); ok {
			receiver = "*" + head
		}
		w.add(m, "method (%s) %s%s", receiver, m.Name(), w.signature(sel.Type()))
	}
}

func (w *writer) fields(obj types.Object, head string, s *types.Struct) {
	hidden := s.NumFields() == 0
	for i := range s.NumFields() {
		f := s.Field(i)
		if !f.Exported() {
			hidden = true
			continue
		}
		name, tag := f.Name(), ""
		if f.Embedded() {
			name = "embedded"
		}
		if s.Tag(i) != "" {
			tag = " `" + s.Tag(i) + "`"
		}
		w.add(f, "type %s struct, %s %s%s", head, name, w.text(f.Type()), tag)
	}
	if !hidden { // users can write a literal without keys
		w.add(obj, "type %s struct, all fields exported", head)
	}
}

func (w *writer) members(head string, t *types.Interface) {
	for m := range t.ExplicitMethods() {
		if m.Exported() {
			w.add(m, "type %s interface, %s%s", head, m.Name(), w.signature(m.Type()))
		} else {
			w.add(m, "type %s interface, unexported methods", head)
		}
	}
	for e := range t.EmbeddedTypes() {
		w.lines = append(w.lines, w.prefix+fmt.Sprintf("type %s interface, embedded %s", head, w.text(e)))
	}
}
