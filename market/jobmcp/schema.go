package jobmcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp/internal/foreign"
)

// schemaOf returns the JSON schema of a type, with the limits in the tags of its
// fields; see bound. The schema allows null nowhere: a missing value is left out.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // a mistake in T, which tests find
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
			if p := s.Properties[name]; p != nil {
				refine(p, f.Type)
				bound(p, f.Tag)
			}
		}
	}
}

// bound sets a schema's limits from the tags of a field: min and max of a number;
// max as the characters of a text or the entries of a list or object; each as the
// characters of an entry; and pattern, default and enum.
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

// arguments checks and decodes the arguments of a tool.
type arguments struct {
	schema *jsonschema.Schema
	valid  *jsonschema.Resolved
	names  []string // names of the schema's properties
}

func newArguments(schema *jsonschema.Schema) *arguments {
	valid, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		panic(err) // a mistake in a tool's type, which tests find
	}
	return &arguments{schema, valid, slices.Sorted(maps.Keys(schema.Properties))}
}

// read decodes the arguments of a call, and sets missing arguments to the schema's defaults.
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

// plain converts a decoded value for the validator and the tools: a number becomes a
// float64, or its digits if the schema wants a text of digits, such as a job's identifier.
func plain(v any, p *jsonschema.Schema) (any, error) {
	within := cmp.Or(p.Items, p.AdditionalProperties, &jsonschema.Schema{})
	var err error
	switch v := v.(type) {
	case []any:
		for i := range v {
			if v[i], err = plain(v[i], within); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = plain(v[key], within); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if p.Type == "string" && p.Pattern != "" {
			return v.String(), nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, errors.New("the number is too large")
		}
		return f, nil
	}
	return v, nil
}

// wrong returns the error for wrong arguments, which wraps
// jobboard.ErrInvalidInput.
func wrong(format string, args ...any) error { return &wrongArguments{fmt.Errorf(format, args...)} }

type wrongArguments struct{ error }

func (e *wrongArguments) Unwrap() []error { return []error{e.error, jobboard.ErrInvalidInput} }

// unknown returns the error for an unknown argument, and suggests a similar name.
func (a *arguments) unknown(name string) error {
	text := fmt.Sprintf("there is no argument %q", foreign.Line(name, 60))
	if len(a.names) == 0 {
		return wrong("%s, nor any other", text)
	}
	return wrong("%s%s", text, inPlaceOf(name, a.names))
}

// explained returns an error in plain words for the first argument that breaks the schema,
// or nil if it has no words for the mistake.
func (a *arguments) explained(given map[string]any) error {
	for _, name := range a.schema.Required {
		if _, ok := given[name]; !ok {
			return wrong("%s must be given", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p := a.schema.Properties[name]
		if fits(given[name], p) {
			continue
		}
		if members, ok := given[name].(map[string]any); ok && p.AdditionalProperties != nil {
			for _, key := range slices.Sorted(maps.Keys(members)) {
				if !fits(members[key], p.AdditionalProperties) {
					return wrong("%s has a member %q, which must be %s", name, foreign.Line(key, 60), wanted(p.AdditionalProperties))
				}
			}
		}
		return wrong("%s must be %s", name, wanted(p))
	}
	return nil
}

// fits reports whether a value is valid by a schema.
func fits(v any, s *jsonschema.Schema) bool {
	valid, err := s.Resolve(nil)
	return err == nil && valid.Validate(v) == nil
}

// wanted describes in words the values that a schema allows.
func wanted(s *jsonschema.Schema) string {
	decimal := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch {
	case s.Pattern != "":
		return "an identifier: digits alone, at most 19"
	case s.Type == "string":
		return fmt.Sprintf("a text of at most %d characters", *s.MaxLength)
	case s.Type == "integer":
		return fmt.Sprintf("a whole number from %s to %s", decimal(*s.Minimum), decimal(*s.Maximum))
	case s.Type == "number":
		return fmt.Sprintf("a number from %s to %s", decimal(*s.Minimum), decimal(*s.Maximum))
	case s.Type == "array":
		return fmt.Sprintf("a list of at most %d entries, each %s", *s.MaxItems, wanted(s.Items))
	case s.Type == "object":
		return fmt.Sprintf("an object of at most %d members, each %s", *s.MaxProperties, wanted(s.AdditionalProperties))
	}
	return "true or false"
}
