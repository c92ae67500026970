package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strconv"
)

// object is a JSON object; its numbers are json.Number.
type object = map[string]any

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

// kind returns a description of what is wrong with a value, or "".
type kind func(v any) string

// describe returns a value as JSON in one line, cut after 120 bytes.
func describe(v any) string {
	b, _ := json.Marshal(v) // cannot fail: v was decoded from JSON
	head, rest := clip(string(b))
	return head + rest
}

// unlike returns "" if ok, or else a description of the value and of the
// expected value.
func unlike(ok bool, v any, what string) string {
	if ok {
		return ""
	}
	return "is " + describe(v) + ", not " + what
}

func integer(v any) string {
	_, quoted := v.(string)
	_, ok := number(v)
	return unlike(ok && !quoted, v, "an integer")
}

// number reads an integer, quoted or not.
func number(v any) (int64, bool) {
	var s string
	switch v := v.(type) {
	case json.Number:
		s = v.String()
	case string:
		s = v
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

func text(v any) string {
	_, ok := v.(string)
	return unlike(ok, v, "a string")
}

func boolean(v any) string {
	_, ok := v.(bool)
	return unlike(ok, v, "a boolean")
}

func anObject(v any) string {
	_, ok := v.(object)
	return unlike(ok, v, "an object")
}

func link(v any) string {
	s, ok := v.(string)
	if !ok || s == "" {
		return text(v)
	}
	u, err := url.Parse(s)
	return unlike(err == nil && u.Scheme != "" && u.Host != "", v, "a whole URL")
}

func objects(v any) string {
	list, ok := v.([]any)
	for _, e := range list {
		if anObject(e) != "" {
			return "holds " + describe(e) + ", which is not an object"
		}
	}
	return unlike(ok, v, "an array")
}

var (
	uuidForm     = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	numericForm  = regexp.MustCompile(`^-?[0-9]+$`)
	languageForm = regexp.MustCompile(`^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$`)
	isoForm      = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)\.[0-9]{3}(Z|[+-]00:?00)$`)
	codeForm     = regexp.MustCompile(`^[a-z]+(_[a-z]+)*_error$`)
	lookupCode   = regexp.MustCompile(`\bERROR_[A-Z_]+\b`)
)

// formed returns the kind of strings that match a pattern or are empty.
func formed(form *regexp.Regexp, name string) kind {
	return func(v any) string {
		s, ok := v.(string)
		if !ok {
			return text(v)
		}
		return unlike(s == "" || form.MatchString(s), v, name)
	}
}

// field is a row of a table of section 2.
type field struct {
	name string
	kind kind
}

// fields checks items against a table: at least one item has each field, and every value is right.
// The interface does not say which fields may be absent, and null is a value of none of its types.
func (p *probe) fields(item string, items []object, table []field) {
	for _, f := range table {
		seen := false
		for _, o := range items {
			v, ok := o[f.name]
			if !ok {
				continue
			}
			seen = true
			if wrong := f.kind(v); wrong != "" {
				p.errorf("%s: %s %s", item, f.name, wrong)
			}
		}
		if !seen {
			p.errorf("%s: the field %s is missing", item, f.name)
		}
	}
}

// list returns the objects of an array, without other elements: the array's own
// kind judges those.
func list(v any) []object {
	var out []object
	elements, _ := v.([]any)
	for _, e := range elements {
		if o, ok := e.(object); ok {
			out = append(out, o)
		}
	}
	return out
}
