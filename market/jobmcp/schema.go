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
			if p := s.Properties[name]; p != nil {
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

// wrong returns the error for arguments that no tool takes.
func wrong(format string, args ...any) error { return &wrongArguments{fmt.Errorf(format, args...)} }

type wrongArguments struct{ error }

func (e *wrongArguments) Unwrap() []error { return []error{e.error, jobboard.ErrInvalidInput} }

// unknown returns the error for an argument that the tool does not have, with the one that
// may be meant.
func (a *arguments) unknown(name string) error {
	text := fmt.Sprintf("there is no argument %q", foreign.Line(name, 60))
	if len(a.names) == 0 {
		return wrong("%s, nor any other", text)
	}
	return wrong("%s%s", text, inPlaceOf(name, a.names))
}

// explained says in words what the schema wants in place of the first argument that it does
// not take, nil for what it has no words for.
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

// fits reports whether a value is one of a schema.
func fits(v any, s *jsonschema.Schema) bool {
	valid, err := s.Resolve(nil)
	return err == nil && valid.Validate(v) == nil
}

// wanted says in words which values a schema takes.
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
