package boardcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// object is a JSON object; its numbers are json.Number.
type object = map[string]any

// parse reads one JSON value.
func parse(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the JSON value is followed by further bytes")
	}
	return v, nil
}

// The forms of values. No other text of an answer gets into a profile.
const (
	formNull     = "null"
	formBoolean  = "boolean"
	formNumber   = "number"
	formFraction = "number with a fraction"
	formMillis   = "milliseconds"
	formZero     = "0"
	formQuoted   = "quoted number"
	formEmpty    = "empty text"
	formText     = "text"
	formUUID     = "UUID"
	formAddress  = "address"
	formJobLink  = "address of a job"
	formVersion  = "address of a job and a version"
	formRelative = "relative address"
	formOffset   = "date with " // and the offset
	formISOZ     = formOffset + "Z"
	formISOColon = formOffset + "+00:00"
	formISOPlain = formOffset + "+0000"
	formDate     = "date"
	formHTML     = "HTML"
	formObject   = "object"
	formArray    = "array"
	formNoItems  = "empty array"
	formNoMember = "empty object"
	formOther    = "a word that the interface does not name"
	formDeep     = "deeper than is looked"
)

var (
	digits     = regexp.MustCompile(`^-?[0-9]{1,19}$`)
	decimals   = regexp.MustCompile(`^-?[0-9]{1,9}\.[0-9]{1,18}$`)
	uuidForm   = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	isoForm    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$`)
	offsetForm = regexp.MustCompile(`T.*?([+-](0[0-9]|1[0-4]):?(00|15|30|45))$`)
	tagForm    = regexp.MustCompile(`<[a-zA-Z/!][^>]*>`)
	jobInLink  = regexp.MustCompile(`/job/([0-9]{1,18})(/|$)`)
)

// formOf returns the form of a value. at describes the member by the interface; nil means
// an unnamed member.
func formOf(v any, at *named) string {
	switch v := v.(type) {
	case nil:
		return formNull
	case bool:
		return formBoolean
	case json.Number:
		return formOfNumber(v.String(), at)
	case string:
		return formOfText(v, at)
	case []any:
		if len(v) == 0 {
			return formNoItems
		}
		return formArray
	case object:
		if len(v) == 0 {
			return formNoMember
		}
	}
	return formObject
}

func formOfNumber(s string, at *named) string {
	switch {
	case strings.ContainsAny(s, ".eE"):
		return formFraction
	case at == nil || at.kind != aDate:
		return formNumber
	case s == "0":
		return formZero
	case len(strings.TrimPrefix(s, "-")) > 11:
		return formMillis
	}
	return formNumber
}

func formOfText(s string, at *named) string {
	switch {
	case s == "":
		return formEmpty
	case at == nil:
		return freeForm(s)
	}
	switch at.kind {
	case aWord:
		if slices.Contains(at.words, s) {
			return s
		}
		return formOther
	case aText:
		return formText
	case aLink:
		return linkForm(s)
	}
	return freeForm(s)
}

// freeForm returns the form of a text in a member that the interface does not
// name.
func freeForm(s string) string {
	switch {
	case s == "":
		return formEmpty
	case digits.MatchString(s), decimals.MatchString(s):
		return formQuoted
	case uuidForm.MatchString(s):
		return formUUID
	case isoForm.MatchString(s):
		return isoOffset(s)
	case tagForm.MatchString(s):
		return formHTML
	}
	if form := linkForm(s); form != formText {
		return formAddress
	}
	return formText
}

func isoOffset(s string) string {
	m := offsetForm.FindStringSubmatch(s)
	switch {
	case strings.HasSuffix(s, "Z"):
		return formISOZ
	case m == nil:
		return formDate
	}
	return formOffset + m[1]
}

func linkForm(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || strings.ContainsAny(s, " \n\t"):
		return formText
	case u.Host == "" && strings.HasPrefix(s, "..") || strings.HasPrefix(s, "/"):
		return formRelative
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return formText
	case !jobInLink.MatchString(u.Path):
		return formAddress
	case u.Query().Get("jobDbPVId") != "":
		return formVersion
	}
	return formJobLink
}

// Bounds of the members recorded from an answer.
const (
	maxDepth   = 24
	maxMembers = 3000
)

// A profile keeps a member's name only if it looks like a name: it begins with a
// letter, and contains no address and no long number, which might identify a person or
// a record.
var nameForm = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$.:-]{0,47}$`)

var longNumber = regexp.MustCompile(`[0-9]{4}|[0-9a-fA-F]{12}`)

// otherName replaces a name that might be a value.
const otherName = "{name}"

func memberName(name string) string {
	if !nameForm.MatchString(name) || longNumber.MatchString(name) {
		return otherName
	}
	return name
}

// Shape collects the members of JSON values: for each path the number of times it was
// seen, and the forms of its values. It stores no values. The zero value is empty.
type Shape struct {
	members map[string]*Member
	tables  []table
}

// Member counts the values at one path, by their forms. A path names members from the
// outside in, such as "results[].config.location[]".
type Member struct {
	Seen  int            `json:"seen"`
	Of    int            `json:"of"` // number of objects that could have the member
	Forms map[string]int `json:"forms"`
}

// NewShape returns a shape of answers of an operation: "search" or "lookup". For every
// other operation no member is known.
func NewShape(operation string) *Shape {
	return &Shape{members: map[string]*Member{}, tables: tablesOf[operation]}
}

// Add adds a value at a path; "" is the whole answer.
func (s *Shape) Add(path string, v any) { s.walk(path, v, 0) }

// AddJSON adds JSON text at a path. Text that is no JSON adds nothing.
func (s *Shape) AddJSON(path string, text []byte) {
	if v, err := parse(text); err == nil {
		s.Add(path, v)
	}
}

func (s *Shape) walk(path string, v any, depth int) {
	s.count(path, formOf(v, s.named(path)))
	if depth == maxDepth {
		s.count(path, formDeep)
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.walk(path+"[]", e, depth+1)
		}
	case object:
		seen := map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			kept := memberName(name)
			if kept == otherName && seen[kept] {
				continue // count a path once per object
			}
			seen[kept] = true
			s.walk(below(path, kept), v[name], depth+1)
		}
	}
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (s *Shape) count(path, form string) {
	m := s.members[path]
	if m == nil {
		if len(s.members) >= maxMembers {
			return
		}
		m = &Member{Forms: map[string]int{}}
		s.members[path] = m
	}
	m.Seen++
	m.Forms[form]++
}

// objects returns the number of objects seen at a path.
func (m *Member) objects() int {
	if m == nil {
		return 0
	}
	return m.Forms[formObject] + m.Forms[formNoMember]
}

// parent returns the path of the object with a member. ok is false for an array's item and
// for the whole answer.
func parent(path string) (string, bool) {
	if path == "" || strings.HasSuffix(path, "[]") {
		return "", false
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[:i], true
		}
	}
	return "", true
}

// Unknown returns the sorted paths of members that the interface does not name, without
// the members inside them. It leaves out the keys of a posting's config, because these are
// open (section 2.3).
func (s *Shape) Unknown() []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(s.members)) {
		if s.beyond(path) {
			out = append(out, path)
		}
	}
	return out
}

// beyond reports whether a member is unnamed by the interface, while the member around it
// is named.
func (s *Shape) beyond(path string) bool {
	up, ok := parent(path)
	return ok && s.named(path) == nil && !openKeys(path) && (up == "" || s.named(up) != nil)
}
