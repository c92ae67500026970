package jobmcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Arguments are taken up to their bounds, and what is wrong with others is said in words.
func TestArgumentsUpToTheirBounds(t *testing.T) {
	type taken struct {
		Text   string            `json:"text,omitempty" max:"3"`
		Job    string            `json:"job,omitempty" pattern:"^[0-9]{1,3}$"`
		Number float64           `json:"number,omitempty" min:"-2" max:"5"`
		Whole  int               `json:"whole,omitempty" min:"0" max:"9" default:"4"`
		List   []string          `json:"list,omitempty" max:"2" each:"1"`
		Map    map[string]string `json:"map,omitempty" max:"2" each:"1"`
		Yes    bool              `json:"yes,omitempty"`
	}
	a := newArguments(schemaOf[taken]())
	const (
		text    = "text must be a text of at most 3 characters"
		number  = "number must be a number from -2 to 5"
		list    = "list must be a list of at most 2 entries, each a text of at most 1 characters"
		members = "map must be an object of at most 2 members, each a text of at most 1 characters"
	)
	for _, test := range []struct{ body, wrong string }{
		{``, ""},
		{`null`, ""},
		{`{}`, ""},
		{`[]`, "the arguments are not a JSON object"},
		{`{"text":"äöü"}`, ""},
		{`{"text":"äöüx"}`, text},
		{`{"text":1}`, text},
		{`{"text":null}`, text},
		{`{"text":[]}`, text},
		{`{"text":{"a":"b"}}`, text},
		{`{"job":"123"}`, ""},
		{`{"job":123}`, ""},
		{`{"job":"1234"}`, "job must be an identifier: digits alone, at most 19"},
		{`{"number":-2}`, ""},
		{`{"number":-2.1}`, number},
		{`{"number":5}`, ""},
		{`{"number":5.1}`, number},
		{`{"number":"1"}`, number},
		{`{"number":1e999}`, "number: the number is too large"},
		{`{"whole":9.0}`, ""},
		{`{"whole":1.5}`, "whole must be a whole number from 0 to 9"},
		{`{"whole":10}`, "whole must be a whole number from 0 to 9"},
		{`{"list":["a","b"]}`, ""},
		{`{"list":["a","b","c"]}`, list},
		{`{"list":["ab"]}`, list},
		{`{"list":"a"}`, list},
		{`{"map":{"a":"1","b":"2"}}`, ""},
		{`{"map":{"a":"1","b":"2","c":"3"}}`, members},
		{`{"map":{"a":"12"}}`, `map has a member "a", which must be a text of at most 1 characters`},
		{`{"map":[]}`, members},
		{`{"yes":true}`, ""},
		{`{"yes":"true"}`, "yes must be true or false"},
		// An argument at its bound is not blamed for another argument.
		{`{"text":"äöü","number":5,"list":["a","b"],"map":{"a":"1","b":"2"},"whole":9,"yes":1}`, "yes must be true or false"},
		{`{"number":-2,"whole":0,"yes":1}`, "yes must be true or false"},
		{`{"` + strings.Repeat("x", 60) + `":1}`, `there is no argument "` + strings.Repeat("x", 60) + `"; there are job, list, map, number, text, whole, yes`},
		{`{"` + strings.Repeat("x", 61) + `":1}`, `there is no argument "` + strings.Repeat("x", 59) + `…"; there are job, list, map, number, text, whole, yes`},
		{`{"txt":"a"}`, `there is no argument "txt"; is it text?`},
		{`{"other":1}`, `there is no argument "other"; there are job, list, map, number, text, whole, yes`},
	} {
		var got taken
		err := a.read(json.RawMessage(test.body), &got)
		if (err == nil) != (test.wrong == "") || err != nil && err.Error() != test.wrong {
			t.Errorf("%s: %v, want %q", test.body, err, test.wrong)
		}
		if test.body == `{}` && got.Whole != 4 || test.body == `{"job":123}` && got.Job != "123" {
			t.Errorf("%s is read as %+v", test.body, got)
		}
	}
	none := newArguments(&jsonschema.Schema{Type: "object"})
	if err := none.read(json.RawMessage(`{"a":1}`), &struct{}{}); err == nil || err.Error() != `there is no argument "a", nor any other` {
		t.Error(err)
	}
}

// A schema has the bounds of what lists hold and of what pointers lead to, and nothing in it
// may be null.
func TestSchemaOfNestedTypes(t *testing.T) {
	type inner struct {
		Text string `json:"text" max:"3"`
	}
	type outer struct {
		One  *inner  `json:"one"`
		Many []inner `json:"many" max:"2"`
	}
	s := schemaOf[outer]()
	one, many := s.Properties["one"], s.Properties["many"]
	if one.Type != "object" || one.Types != nil || many.Type != "array" || many.Types != nil || *many.MaxItems != 2 {
		t.Errorf("%+v, %+v", one, many)
	}
	for what, text := range map[string]*jsonschema.Schema{"one": one.Properties["text"], "many": many.Items.Properties["text"]} {
		if text.MaxLength == nil || *text.MaxLength != 3 {
			t.Errorf("%s: the text is not bounded: %+v", what, text)
		}
	}
}
