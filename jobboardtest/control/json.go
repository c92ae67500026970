package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// failure is an error answer. Field names the wrong member of the body or the
// wrong parameter.
type failure struct {
	status  int
	Message string `json:"error"`
	Field   string `json:"field,omitempty"`
	Code    string `json:"code,omitempty"` // for programs that tell conditions apart
	ID      string `json:"application_id,omitempty"`
}

func (f *failure) Error() string { return f.Message }

func bad(field, format string, args ...any) error {
	return &failure{status: http.StatusBadRequest, Field: clip(field), Message: fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error { return refuse(http.StatusNotFound, format, args...) }

func refuse(status int, format string, args ...any) error {
	return &failure{status: status, Message: fmt.Sprintf(format, args...)}
}

func writeFailure(w http.ResponseWriter, err error) {
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{status: http.StatusInternalServerError, Message: err.Error()}
	}
	answer(w, f.status, f)
}

func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil { // the mock server's clock is beyond the year 9999
		writeFailure(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(data, '\n'))
}

// marshal writes values as JSON that encoding/json always can: texts, numbers
// and structs of them.
func marshal(v any) []byte {
	data, _ := json.Marshal(v)
	return data
}

// decode reads the body, a JSON object. Unknown members are an error.
func decode(r *http.Request, into any) error {
	data, _ := io.ReadAll(r.Body) // read before, by Control.call
	return unmarshal(data, into)
}

// patch returns v changed by the members of a body: it merges objects member by
// member, replaces lists, and sets a member with null to its zero value.
func patch[T any](r *http.Request, v T) (T, error) {
	data, _ := io.ReadAll(r.Body) // read before, by Control.call
	empty(reflect.ValueOf(&v).Elem(), data)
	err := unmarshal(data, &v)
	return v, err
}

// empty zeroes those struct fields for which object has a list or null:
// encoding/json would write over the old list's elements, and ignore null.
func empty(fields reflect.Value, object []byte) {
	var has map[string]json.RawMessage
	if json.Unmarshal(object, &has) != nil {
		return // unmarshal reports the mistake
	}
	for i := range fields.NumField() {
		field := fields.Field(i)
		value, ok := has[memberName(fields.Type().Field(i))]
		switch {
		case !ok:
		case field.Kind() == reflect.Slice || string(value) == "null":
			field.SetZero()
		case field.Kind() == reflect.Struct:
			empty(field, value)
		}
	}
}

func unmarshal(data []byte, into any) error {
	if s := bytes.TrimSpace(data); len(s) == 0 || s[0] != '{' {
		return bad("", "the body must be a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return wrongJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return bad("", "something follows the JSON object")
	}
	return nil
}

var (
	unknownMember = regexp.MustCompile(`json: unknown field "(.*)"$`)
	faultMember   = regexp.MustCompile(`^jobboardtest: fault: (\w+): `)
)

// wrongJSON turns an error of encoding/json into a failure that names the
// member.
func wrongJSON(err error) error {
	var typ *json.UnmarshalTypeError
	var syn *json.SyntaxError
	text := err.Error()
	switch {
	case err == io.EOF, errors.As(err, &typ) && typ.Field == "":
		return bad("", "the body must be a JSON object")
	case errors.As(err, &typ):
		field := strings.ReplaceAll(typ.Field, "plainFault.", "") // the name of an embedded type in the JSON form of a Fault
		return bad(field, "%s cannot be a %s, it is %s", field, typ.Value, jsonType(typ.Type))
	case errors.As(err, &syn):
		return bad("", "the body is not JSON: %v, at byte %d", syn, syn.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return bad("", "the body is not JSON: it ends in the middle")
	}
	if m := unknownMember.FindStringSubmatch(text); m != nil {
		return bad(m[1], "unknown member %q", clip(m[1]))
	}
	if m := faultMember.FindStringSubmatch(text); m != nil {
		return bad(m[1], "%s", plain(err))
	}
	return bad("", "%s", plain(err))
}

// plain returns an error's text without the package's name.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "jobboardtest: ") }

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number of at least 0"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	}
	if t.Name() == "Time" {
		return "an RFC 3339 time"
	}
	return "an object"
}

// culprit returns the name of the wrong member: without this member the check
// passes.
func culprit[T any](v T, check func(T) error) string {
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		n := v
		reflect.ValueOf(&n).Elem().Field(i).SetZero()
		if check(n) == nil {
			return memberName(t.Field(i))
		}
	}
	return ""
}

// memberName returns the name of a field in JSON.
func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		name = snake(f.Name)
	}
	return name
}

// snake returns the name of a member for a Go name: drip_every for DripEvery.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// checkQuery refuses unknown parameters, repeated parameters, and a query that
// cannot be parsed.
func checkQuery(r *http.Request, known ...string) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // url.Values leaves such a parameter out silently
		return refuse(http.StatusBadRequest, "the query of the address cannot be read: %v", err)
	}
	for k, vs := range query {
		switch {
		case len(known) == 0:
			return bad(clip(k), "this call has no parameters, and %s came", quote(k))
		case !slices.Contains(known, k):
			return bad(clip(k), "unknown parameter %s; there are %s", quote(k), strings.Join(known, ", "))
		case len(vs) > 1:
			return bad(k, "the parameter %s came %d times", k, len(vs))
		}
	}
	return nil
}

// number parses a path segment or parameter as a whole number of at least 0.
func number(name, s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || s[0] == '+' {
		return 0, bad(name, "%s must be a whole number of at least 0, not %s", name, quote(s))
	}
	return n, nil
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}

func quote(s string) string { return strconv.Quote(clip(s)) }
