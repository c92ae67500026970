package control

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

//go:embed page.css
var styles []byte

//go:embed page.js
var script []byte

//go:embed page.html
var pageSource string

var pages = template.Must(template.New("page").Funcs(template.FuncMap{
	"short": func(s string) string {
		if r := []rune(s); len(r) > 10 {
			return string(r[:8]) + "…"
		}
		return s
	},
	"clock": clockTime,
	"day":   func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	"ms":    func(d time.Duration) string { return d.Round(100 * time.Microsecond).String() },
	"kind":  statusKind,
}).Parse(pageSource))

// policy allows the page only files of this handler: no inline script, and no
// other site may put it into a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// maxRows bounds the rows of the journal on the page.
const maxRows = 200

type pageView struct {
	Info       information
	Board      boardView
	Rows       []rowView
	Kept       int // number of requests in the journal
	Faults     []planted
	Presets    []preset
	Operations []jobboardtest.Operation
	Switches   []variantSwitch
	Clock      clockState
	Instance   string
}

type rowView struct {
	jobboardtest.Request
	Question string // the path and the query
}

// text returns the text of a row that the page's filter searches, in lower case.
func (v rowView) text() string {
	words := []string{
		v.Method, v.Question, strconv.Itoa(v.Number), clockTime(v.Time), string(v.Operation),
		v.Credential, v.Note,
	}
	if v.Fault != "" {
		words = append(words, "fault: "+v.Fault)
	}
	return strings.ToLower(strings.Join(append(words, v.Violations...), " "))
}

func clockTime(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// detailView holds the details of an opened row.
type detailView struct {
	rowView
	BelowPrefix string // the path in the form of Fault.Path
	Answer      string // body of the answer, indented
	Cut         bool   // Answer is only the beginning
	Curl        string
}

func row(r jobboardtest.Request) rowView {
	v := rowView{Request: r, Question: r.Path}
	if len(r.Query) > 0 {
		// Unescaped for reading; the call requests returns the exact query.
		v.Question += "?" + strings.ReplaceAll(r.Query.Encode(), "%3A%3A", "::")
	}
	return v
}

func statusKind(status int) string {
	switch {
	case status == 0:
		return "none"
	case status < 300:
		return "good"
	case status < 500:
		return "warn"
	}
	return "bad"
}

func (c *Control) page(*http.Request) (any, error) {
	v := pageView{
		Info: c.information(), Board: c.boardView(""), Presets: presets, Operations: jobboardtest.Operations(),
		Switches: switches(c.srv.Variants()), Clock: c.time(), Faults: c.planted(),
		Instance: c.instance,
	}
	rs := c.srv.Requests()
	v.Kept = len(rs)
	for _, r := range slices.Backward(rs[max(0, len(rs)-maxRows):]) {
		v.Rows = append(v.Rows, row(r))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Frame-Options", "DENY")
		html("page", v)(w, r)
	}), nil
}

// board answers with the page's HTML of the state.
func (c *Control) board(r *http.Request) (any, error) {
	return html("board", c.boardView(r.URL.Query().Get("q"))), nil
}

// html answers with a template of the page.
func html(name string, v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, fragment(name, v))
	}
}

func fragment(name string, v any) string {
	var buf bytes.Buffer
	_ = pages.ExecuteTemplate(&buf, name, v) // cannot fail for these types
	return buf.String()
}
