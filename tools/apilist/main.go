// Apilist writes every exported name of the public packages of a module, one
// a line, in a stable order: what a user of the module can depend on.
//
//	apilist DIR [NESTED...] > exported.txt
//
// The module is the one in DIR, and those nested in it are in the others.
// Packages that are a program, internal or made only of tests are left out.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/types"
	"log"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("apilist: ")
	if len(os.Args) < 2 {
		log.Fatal("usage: apilist DIR [NESTED...]")
	}
	lines, err := list(os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(os.Stdout)
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
}

// list gives the sorted lines for the modules in dirs, of which the first holds
// the others.
func list(dirs ...string) ([]string, error) {
	var lines []string
	module := "" // of the first
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
			if p.Module == nil {
				return nil, fmt.Errorf("%s is in no module", p.PkgPath)
			}
			if module == "" {
				module = p.Module.Path
			}
			if p.Name == "main" || isInternal(p.PkgPath) || p.Types == nil || len(p.GoFiles) == 0 {
				continue
			}
			inside, ok := strings.CutPrefix(p.PkgPath, module)
			if !ok {
				return nil, fmt.Errorf("%s is not nested in %s", p.PkgPath, module)
			}
			w := writer{pkg: p.Types, module: module, prefix: "pkg ." + inside + ", ", deprecated: deprecated(p.Syntax)}
			w.scope()
			lines = append(lines, w.lines...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}

func isInternal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// A writer collects the lines of one package.
type writer struct {
	pkg        *types.Package
	module     string // the path of the module that is listed
	prefix     string
	deprecated map[string]bool // "Name", "Type.Method" or "Type.Field"
	lines      []string
}

// add appends a line about the name, which is the key into deprecated.
func (w *writer) add(name, format string, args ...any) {
	l := w.prefix + fmt.Sprintf(format, args...)
	if w.deprecated[name] {
		l += " //deprecated"
	}
	w.lines = append(w.lines, l)
}

// qualify leaves the package's own names bare and gives others their path.
func (w *writer) qualify(p *types.Package) string {
	if p == w.pkg {
		return ""
	}
	return p.Path()
}

func (w *writer) text(t types.Type) string { return types.TypeString(t, w.qualify) }

// signature is a function's type without the word func.
func (w *writer) signature(t types.Type) string {
	return strings.TrimPrefix(w.text(t), "func")
}

func (w *writer) scope() {
	scope := w.pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			w.add(name, "const %s %s = %s", name, w.text(obj.Type()), obj.Val().ExactString())
		case *types.Var:
			w.add(name, "var %s %s", name, w.text(obj.Type()))
		case *types.Func:
			w.add(name, "func %s%s", name, w.signature(obj.Type()))
		case *types.TypeName:
			w.typeName(obj)
		}
	}
}

func (w *writer) typeName(obj *types.TypeName) {
	name := obj.Name()
	if obj.IsAlias() {
		target := obj.Type()
		if a, ok := target.(*types.Alias); ok {
			target = a.Rhs()
		}
		w.add(name, "type %s = %s", name, w.text(target))
		return
	}
	named, ok := obj.Type().(*types.Named)
	if !ok {
		return
	}
	head := w.text(named) // with type parameters, if any
	switch u := named.Underlying().(type) {
	case *types.Struct:
		w.add(name, "type %s struct", head)
		w.fields(name, head, u)
	case *types.Interface:
		w.add(name, "type %s interface", head)
		w.iface(name, head, u)
	default:
		w.add(name, "type %s %s", head, w.text(u))
	}
	if types.IsInterface(named) {
		return
	}
	// The methods a user can call. Those of an embedded type of somebody else
	// are his, and change with his releases; the line of the field stands for
	// them.
	value := types.NewMethodSet(named)
	all := types.NewMethodSet(types.NewPointer(named))
	for sel := range all.Methods() {
		m := sel.Obj()
		if !m.Exported() || len(sel.Index()) > 1 && !w.ours(m.Pkg()) {
			continue
		}
		receiver := "*" + head
		if value.Lookup(m.Pkg(), m.Name()) != nil {
			receiver = head
		}
		w.add(name+"."+m.Name(), "method (%s) %s%s", receiver, m.Name(), w.signature(sel.Type()))
	}
}

func (w *writer) fields(name, head string, s *types.Struct) {
	hidden := false
	for i := range s.NumFields() {
		f := s.Field(i)
		if !f.Exported() {
			hidden = true
			continue
		}
		kind := f.Name() + " "
		if f.Embedded() {
			kind = "embedded "
		}
		line := fmt.Sprintf("type %s struct, %s%s", head, kind, w.text(f.Type()))
		if tag := s.Tag(i); tag != "" {
			line += " `" + tag + "`"
		}
		w.add(name+"."+f.Name(), "%s", line)
	}
	if hidden || s.NumFields() == 0 {
		return
	}
	// Without unexported fields a literal without keys compiles, and a field
	// more breaks it.
	w.add(name, "type %s struct, all fields exported", head)
}

func (w *writer) iface(name, head string, t *types.Interface) {
	for m := range t.ExplicitMethods() {
		if m.Exported() {
			w.add(name+"."+m.Name(), "type %s interface, %s%s", head, m.Name(), w.signature(m.Type()))
		} else {
			w.add(name, "type %s interface, unexported methods", head)
		}
	}
	for e := range t.EmbeddedTypes() {
		w.add(name, "type %s interface, embedded %s", head, w.text(e))
	}
}

// ours tells whether a package is of the module that is listed.
func (w *writer) ours(p *types.Package) bool {
	return p != nil && (p.Path() == w.module || strings.HasPrefix(p.Path(), w.module+"/"))
}

// deprecated finds the names whose comment has a paragraph that begins with
// "Deprecated: ".
func deprecated(files []*ast.File) map[string]bool {
	found := map[string]bool{}
	mark := func(name string, docs ...*ast.CommentGroup) {
		for _, d := range docs {
			for p := range strings.SplitSeq(d.Text(), "\n\n") {
				if strings.HasPrefix(p, "Deprecated: ") {
					found[name] = true
				}
			}
		}
	}
	members := func(owner string, list *ast.FieldList) {
		for _, f := range list.List {
			for _, n := range f.Names {
				mark(owner+"."+n.Name, f.Doc)
			}
		}
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil && len(d.Recv.List) == 1 {
					name = receiver(d.Recv.List[0].Type) + "." + name
				}
				mark(name, d.Doc)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						for _, n := range s.Names {
							mark(n.Name, d.Doc, s.Doc)
						}
					case *ast.TypeSpec:
						mark(s.Name.Name, d.Doc, s.Doc)
						switch t := s.Type.(type) {
						case *ast.StructType:
							members(s.Name.Name, t.Fields)
						case *ast.InterfaceType:
							members(s.Name.Name, t.Methods)
						}
					}
				}
			}
		}
	}
	return found
}

// receiver is the bare name of a receiver's type.
func receiver(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}
