package jobmcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/spelling"
	"github.com/jobboard-sdk/jobboard-go/jobmcp/internal/foreign"
)

// schemaOf returns the schema of a type, with what the tags of its fields say; see
// bound. Nothing in it is null: what is not there is left out.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // one of the types below is at fault
	}
	refine(s, reflect.TypeFor[T]())
	return s
}

func refine(s *jsonschema.Schema, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		s.Type, s.Types = "object", nil
		refine(s, t.Elem())
	case reflect.Slice:
		s.Type, s.Types = "array", nil
		refine(s.Items, t.Elem())
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if p := s.Properties[name]; p != nil && !f.Anonymous {
				refine(p, f.Type)
				bound(p, f.Tag)
			}
		}
	}
}

// bound sets what the tags of a field say: min and max of a number; max of a text's
// characters or of a list's or object's entries, and each for the characters of
// those; pattern, default and enum.
func bound(s *jsonschema.Schema, tag reflect.StructTag) {
	number := func(key string) (n *float64) {
		if text, ok := tag.Lookup(key); ok {
			if err := json.Unmarshal([]byte(text), &n); err != nil {
				panic(err)
			}
		}
		return n
	}
	s.Minimum = number("min")
	if most := number("max"); most != nil {
		size := int(*most)
		switch s.Type {
		case "string":
			s.MaxLength = &size
		case "array":
			s.MaxItems = &size
		case "object":
			s.MaxProperties = &size
		default:
			s.Maximum = most
		}
	}
	if most := number("each"); most != nil {
		size := int(*most)
		cmp.Or(s.Items, s.AdditionalProperties).MaxLength = &size
	}
	s.Pattern = tag.Get("pattern")
	if text, ok := tag.Lookup("default"); ok {
		s.Default = json.RawMessage(text)
	}
	if text, ok := tag.Lookup("enum"); ok {
		for word := range strings.SplitSeq(text, "|") {
			s.Enum = append(s.Enum, word)
		}
	}
}

// arguments reads the arguments of a tool.
type arguments struct {
	schema *jsonschema.Schema
	valid  *jsonschema.Resolved
	names  []string // of the schema's properties
}

func newArguments(schema *jsonschema.Schema) *arguments {
	valid, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		panic(err) // one of the types of the tools is at fault
	}
	return &arguments{schema, valid, slices.Sorted(maps.Keys(schema.Properties))}
}

// read reads the arguments of a call, with the defaults of the schema for what is not given.
func (a *arguments) read(body json.RawMessage, into any) error {
	given := map[string]any{}
	if len(body) > 0 && string(body) != "null" {
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		if err := dec.Decode(&given); err != nil {
			return wrong("the arguments are not a JSON object")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p := a.schema.Properties[name]
		if p == nil {
			return a.unknown(name)
		}
		v, err := plain(given[name], p)
		if err != nil {
			return wrong("%s: %w", name, err)
		}
		given[name] = v
	}
	if err := a.valid.ApplyDefaults(&given); err != nil {
		return wrong("%s", foreign.Line(err.Error(), maxDetails))
	}
	if err := a.valid.Validate(given); err != nil {
		return cmp.Or(a.explained(given), wrong("%s", foreign.Line(err.Error(), maxDetails)))
	}
	whole, err := json.Marshal(given)
	if err != nil {
		return wrong("%s", foreign.Line(err.Error(), maxDetails))
	}
	if err := json.Unmarshal(whole, into); err != nil {
		return wrong("%s", foreign.Line(err.Error(), maxDetails))
	}
	return nil
}

// plain returns a value as the validator and the types of the tools take it: a number as a
// float64, but as its digits where a text of digits is wanted, as for a job.
func plain(v any, p *jsonschema.Schema) (any, error) {
	n, ok := v.(json.Number)
	if !ok {
		return v, nil
	}
	if p.Type == "string" && p.Pattern != "" {
		return n.String(), nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, errors.New("the number is too large")
	}
	return f, nil
}

// wrong returns the error for arguments that no tool takes.
func wrong(format string, args ...any) error { return &wrongArguments{fmt.Errorf(format, args...)} }

type wrongArguments struct{ error }

func (e *wrongArguments) Unwrap() []error { return []error{e.error, jobboard.ErrInvalidInput} }

// unknown returns the error for an argument that there is none of, with the one that may be
// meant.
func (a *arguments) unknown(name string) error {
	text := fmt.Sprintf("there is no argument %q", foreign.Line(name, 60))
	switch meant := spelling.Closest(name, a.names); {
	case meant != "":
		text += "; is it " + meant + "?"
	case len(a.names) == 0:
		text += ", nor any other"
	default:
		text += "; there are " + strings.Join(a.names, ", ")
	}
	return wrong("%s", text)
}

// explained says in words what the schema has against the arguments, nil for what it has no
// words for.
func (a *arguments) explained(given map[string]any) error {
	for _, name := range a.schema.Required {
		if _, ok := given[name]; !ok {
			return wrong("%s must be given", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if why := against(given[name], a.schema.Properties[name]); why != "" {
			return wrong("%s %s", name, why)
		}
	}
	return nil
}

// kinds of values, in words.
var typeNames = map[string]string{
	"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
	"array": "a list", "object": "an object",
}

// against says in words what a schema has against a value, and "" for nothing.
func against(v any, p *jsonschema.Schema) string {
	mistyped := "is not " + typeNames[p.Type]
	switch v := v.(type) {
	case string:
		return againstText(v, p, mistyped)
	case float64:
		switch {
		case p.Type != "number" && (p.Type != "integer" || v != float64(int64(v))):
			return mistyped
		case p.Minimum != nil && v < *p.Minimum:
			return fmt.Sprintf("is less than %g", *p.Minimum)
		case p.Maximum != nil && v > *p.Maximum:
			return fmt.Sprintf("is more than %g, the maximum", *p.Maximum)
		}
	case bool:
		if p.Type != "boolean" {
			return mistyped
		}
	case []any:
		return againstList(v, p, mistyped)
	case map[string]any:
		return againstMembers(v, p, mistyped)
	default:
		return mistyped
	}
	return ""
}

func againstText(v string, p *jsonschema.Schema, mistyped string) string {
	switch {
	case p.Type != "string":
		return mistyped
	case p.MaxLength != nil && utf8.RuneCountInString(v) > *p.MaxLength:
		return fmt.Sprintf("is longer than %d characters", *p.MaxLength)
	case p.Pattern != "" && !regexp.MustCompile(p.Pattern).MatchString(v):
		return "is not an identifier: it has digits alone, at most 19"
	}
	return ""
}

func againstList(v []any, p *jsonschema.Schema, mistyped string) string {
	switch {
	case p.Type != "array":
		return mistyped
	case p.MaxItems != nil && len(v) > *p.MaxItems:
		return fmt.Sprintf("has more than %d entries", *p.MaxItems)
	}
	for _, x := range v {
		if why := against(x, p.Items); why != "" {
			return "has an entry that " + why
		}
	}
	return ""
}

func againstMembers(v map[string]any, p *jsonschema.Schema, mistyped string) string {
	switch {
	case p.Type != "object":
		return mistyped
	case p.MaxProperties != nil && len(v) > *p.MaxProperties:
		return fmt.Sprintf("has more than %d members", *p.MaxProperties)
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if why := against(v[name], p.AdditionalProperties); why != "" {
			return fmt.Sprintf("has a member %q that %s", foreign.Line(name, 60), why)
		}
	}
	return ""
}
