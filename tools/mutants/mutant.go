package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mutant is one place of a file and the text that breaks it.
type mutant struct {
	pkg, file  string
	pkgName    string
	base       int    // what a position of in has more than its byte of the file
	shown      string // the file's name below the module's directory
	line       int
	begin, end int // bytes of the file
	old, text  string
	before     string        // the line where the place begins
	after      string        // what that line becomes
	in         *ast.FuncDecl // nil: the place is outside of functions
	id         int           // of the sample, from 1
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d: %s becomes %s", m.shown, m.line, short(m.old), short(m.text))
}

func short(s string) string {
	if len(s) > 60 {
		s = s[:57] + "..."
	}
	return strconv.Quote(s)
}

// swaps is what an operator, or a word, becomes.
var swaps = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
	token.INC: token.DEC, token.DEC: token.INC,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.OR_ASSIGN: token.AND_ASSIGN, token.AND_ASSIGN: token.OR_ASSIGN,
	token.BREAK: token.CONTINUE, token.CONTINUE: token.BREAK,
}

// mutantsOf returns the mutants of a file. Some do not compile.
func mutantsOf(pkg, file string) ([]*mutant, error) {
	fset := token.NewFileSet()
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	if ast.IsGenerated(tree) {
		return nil, nil
	}
	f := finder{pkg: pkg, file: file, src: src, fset: fset, pkgName: tree.Name.Name, base: int(tree.FileStart)}
	for _, decl := range tree.Decls {
		var where ast.Node = decl
		if f.in, _ = decl.(*ast.FuncDecl); f.in != nil && f.in.Body != nil {
			where = f.in.Body // what calls it would not build with another signature
		}
		ast.Inspect(where, func(n ast.Node) bool {
			if n != nil && n == f.room {
				return false
			}
			f.node(n)
			return true
		})
	}
	return f.found, nil
}

// finder collects the mutants of one file.
type finder struct {
	pkg, file string
	pkgName   string
	base      int
	src       []byte
	fset      *token.FileSet
	in        *ast.FuncDecl
	room      ast.Node // the capacity of a slice that is made: nobody sees another
	found     []*mutant
}

func (f *finder) node(n ast.Node) {
	switch n := n.(type) {
	case ast.Expr:
		f.expression(n)
	case ast.Stmt:
		f.statement(n)
	}
}

func (f *finder) expression(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		f.swap(e.OpPos, e.Op)
	case *ast.UnaryExpr:
		if e.Op == token.NOT || e.Op == token.SUB {
			f.replace(e.OpPos, e.OpPos+1, "")
		}
	case *ast.BasicLit:
		if e.Kind == token.INT {
			f.replace(e.Pos(), e.End(), "("+e.Value+" + 1)")
		}
	case *ast.Ident:
		f.word(e)
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok && name.Name == "make" && len(e.Args) == 3 {
			f.room = e.Args[2]
		}
	}
}

func (f *finder) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.IncDecStmt:
		f.swap(s.TokPos, s.Tok)
	case *ast.BranchStmt:
		f.swap(s.TokPos, s.Tok)
	case *ast.IfStmt:
		f.replace(s.Cond.Pos(), s.Cond.Pos(), "false && ")
		f.replace(s.Cond.Pos(), s.Cond.Pos(), "true || ")
	case *ast.ExprStmt:
		f.replace(s.Pos(), s.End(), "")
	case *ast.AssignStmt:
		f.swap(s.TokPos, s.Tok)
		if s.Tok != token.DEFINE {
			f.replace(s.Pos(), s.End(), "")
		}
	case *ast.ReturnStmt:
		if last := len(s.Results) - 1; last >= 0 && isError(s.Results[last]) {
			f.replace(s.Results[last].Pos(), s.Results[last].End(), "nil")
		}
	}
}

// isError reports whether an expression looks like an error that is returned.
func isError(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "err"
}

func (f *finder) word(n *ast.Ident) {
	switch n.Name {
	case "true":
		f.replace(n.Pos(), n.End(), "false")
	case "false":
		f.replace(n.Pos(), n.End(), "true")
	}
}

func (f *finder) swap(pos token.Pos, old token.Token) {
	if to, ok := swaps[old]; ok {
		f.replace(pos, pos+token.Pos(len(old.String())), to.String())
	}
}

func (f *finder) replace(from, to token.Pos, text string) {
	line := f.fset.Position(from).Line
	begin, end := f.fset.Position(from).Offset, f.fset.Position(to).Offset
	lineBegin := bytes.LastIndexByte(f.src[:begin], '\n') + 1
	before, _, _ := strings.Cut(string(f.src[lineBegin:]), "\n")
	rest, _, _ := strings.Cut(string(f.src[end:]), "\n")
	f.found = append(f.found, &mutant{
		pkg: f.pkg, file: f.file, line: line, begin: begin, end: end,
		old: string(f.src[begin:end]), text: text, in: f.in, pkgName: f.pkgName, base: f.base,
		before: strings.TrimSpace(before), after: strings.TrimSpace(string(f.src[lineBegin:begin]) + text + rest),
	})
}
