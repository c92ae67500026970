package control

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

type schema struct {
	Ref        string             `json:"$ref"`
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	Enum       []any              `json:"enum"`
	Required   []string           `json:"required"`
}

type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct{ Name, In string }
	Body       *struct{}                  `json:"requestBody"`
	Responses  map[string]json.RawMessage `json:"responses"`
}

var spec struct {
	OpenAPI    string                          `json:"openapi"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

func readDocument(t *testing.T) {
	t.Helper()
	if err := json.Unmarshal(document, &spec); err != nil {
		t.Fatal(err)
	}
}

// The document has every call, and no other.
func TestDocumentHasTheRoutes(t *testing.T) {
	readDocument(t)
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	var have, want []string
	for _, r := range New(srv).routes() {
		have = append(have, r.method+" "+strings.TrimSuffix(r.path, "{$}"))
	}
	ids := map[string]bool{}
	for path, ops := range spec.Paths {
		for method, op := range ops {
			want = append(want, strings.ToUpper(method)+" "+path)
			if ids[op.ID] || op.ID == "" {
				t.Errorf("%s %s: the operationId %q is not its own", method, path, op.ID)
			}
			ids[op.ID] = true
			if op.Body != nil != (method == "put" || method == "patch" || method == "post" && !slices.Contains([]string{"reset", "activateJob", "deactivateJob", "unpublishJob"}, op.ID)) {
				t.Errorf("%s %s: a body is documented: %v", method, path, op.Body != nil)
			}
			if _, ok := op.Responses["default"]; !ok {
				t.Errorf("%s %s: no errors are documented", method, path)
			}
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("the document has\n%s\nand there are\n%s", strings.Join(want, "\n"), strings.Join(have, "\n"))
	}
	if !strings.HasPrefix(spec.OpenAPI, "3.1.") {
		t.Errorf("it is OpenAPI %s", spec.OpenAPI)
	}
	for _, ref := range strings.Split(string(document), `"$ref": "`)[1:] {
		ref, _, _ = strings.Cut(ref, `"`)
		name, ok := strings.CutPrefix(ref, "#/components/schemas/")
		if _, there := spec.Components.Schemas[name]; ref != "#/components/responses/Error" && (!ok || !there) {
			t.Errorf("%s leads nowhere", ref)
		}
	}
}

// The document's schemas have the members of the types that are read and
// written, with their kinds.
func TestDocumentHasTheMembers(t *testing.T) {
	readDocument(t)
	for name, v := range map[string]any{
		"State": jobboardtest.State{}, "Channel": jobboardtest.Channel{}, "Company": jobboardtest.Company{}, "Location": jobboardtest.Location{},
		"Choice": jobboardtest.Choice{}, "Question": jobboardtest.Question{}, "Job": jobboardtest.Job{}, "Translation": jobboardtest.Translation{},
		"Posting": jobboardtest.Posting{}, "Client": jobboardtest.ClientApp{}, "Applicant": jobboardtest.Applicant{}, "Application": jobboardtest.Application{},
		"Token": jobboardtest.Token{}, "Code": jobboardtest.Code{}, "Subscription": jobboardtest.Subscription{}, "Variants": jobboardtest.Variants{},
		"Demo": jobboardtest.DemoInfo{}, "Request": jobboardtest.Request{}, "Info": information{}, "Error": failure{}, "Clock": clockState{},
		"ActiveFault": planted{}, "UnmetFault": unmetFault{}, "Pair": pair{}, "Fault": jobboardtest.Fault{},
	} {
		s := spec.Components.Schemas[name]
		if s == nil {
			t.Errorf("there is no schema %s", name)
			continue
		}
		want := map[string]string{}
		members(reflect.TypeOf(v), want)
		if name == "Fault" { // written by hand
			for _, d := range []string{"for", "delay", "jitter", "drip_every", "skew", "body_base64"} {
				want[d] = "string"
			}
		}
		got := map[string]string{}
		for k, p := range s.Properties {
			switch {
			case p.Ref != "":
				got[k] = "object"
			default:
				got[k] = p.Type
			}
		}
		if !maps.Equal(got, want) {
			for k := range want {
				if got[k] != want[k] {
					t.Errorf("%s.%s is a %q in the document, and a %s", name, k, got[k], want[k])
				}
			}
			for k := range got {
				if want[k] == "" {
					t.Errorf("%s.%s is in the document alone", name, k)
				}
			}
		}
		for _, r := range s.Required {
			if want[r] == "" {
				t.Errorf("%s requires %s, which it does not have", name, r)
			}
		}
	}
}

func members(t reflect.Type, out map[string]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			members(f.Type, out)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		kind := f.Type.Kind()
		if kind == reflect.Pointer {
			kind = f.Type.Elem().Kind()
		}
		switch kind {
		case reflect.Bool:
			out[name] = "boolean"
		case reflect.String:
			out[name] = "string"
		case reflect.Float64:
			out[name] = "number"
		case reflect.Slice:
			out[name] = "array"
		case reflect.Map, reflect.Struct:
			out[name] = "object"
			if f.Type.Name() == "Time" {
				out[name] = "string"
			}
		default:
			out[name] = "integer"
		}
	}
}

// The document lists exactly the words that the server accepts.
func TestDocumentHasTheWords(t *testing.T) {
	readDocument(t)
	var ops []any
	for _, op := range jobboardtest.Operations() {
		ops = append(ops, string(op))
	}
	if got := spec.Components.Schemas["Request"].Properties["operation"].Enum; !reflect.DeepEqual(got, ops) {
		t.Errorf("operations: %v, want %v", got, ops)
	}
	for name, p := range spec.Components.Schemas["Variants"].Properties {
		if p.Type != "string" || name == "error_field" {
			continue
		}
		checkWords(t, name, p.Enum)
	}
	for _, name := range []string{"operation", "break", "encoding"} {
		for _, word := range spec.Components.Schemas["Fault"].Properties[name].Enum {
			var f jobboardtest.Fault
			if err := json.Unmarshal(fmt.Appendf(nil, `{%q:%q}`, name, word), &f); err != nil {
				t.Errorf("fault: %v", err)
			}
		}
	}
}

// checkWords holds a list of words against the one in the error about a word
// that is not known.
func checkWords(t *testing.T, name string, words []any) {
	t.Helper()
	var v jobboardtest.Variants
	if err := json.Unmarshal(fmt.Appendf(nil, `{%q:"no such word"}`, name), &v); err != nil {
		t.Fatal(err)
	}
	if err := v.Check(); err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("only %q", words)) {
		t.Errorf("%s: the words %q are not those of: %v", name, words, err)
	}
}

// The page has every switch, with every word.
func TestPageHasTheSwitches(t *testing.T) {
	want := map[string]string{}
	members(reflect.TypeFor[jobboardtest.Variants](), want)
	for _, s := range switches(jobboardtest.Variants{}) {
		kind := map[string]string{"yes": "boolean", "number": "integer", "text": "string", "": "string"}[s.Kind]
		if want[s.Name] != kind {
			t.Errorf("the switch %s is a %s on the page, and a %s", s.Name, kind, want[s.Name])
		}
		delete(want, s.Name)
		if s.Kind == "" {
			var words []any
			for _, w := range s.Words {
				words = append(words, w.Value)
			}
			checkWords(t, s.Name, words)
		}
	}
	if len(want) > 0 {
		t.Errorf("the page lacks %v", want)
	}
	for _, p := range presets {
		var f jobboardtest.Fault
		if err := json.Unmarshal([]byte(p.Fault), &f); err != nil || f.String() == "nothing" {
			t.Errorf("the button %s does %s: %v", p.Label, f, err)
		}
	}
}

// Every documented parameter is taken, and none besides.
func TestDocumentHasTheParameters(t *testing.T) {
	readDocument(t)
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	Mount(srv)
	values := map[string]string{"after": "0", "q": "x", "revision": "0", "open": "1,2", "find": "x", "before": "9", "operation": "search", "count": "0", "timeout": "1ms"}
	for path, ops := range spec.Paths {
		op, ok := ops["get"]
		if !ok {
			continue
		}
		q := "?"
		for _, p := range op.Parameters {
			if p.In == "query" {
				q += p.Name + "=" + values[p.Name] + "&"
			}
		}
		req, _ := http.NewRequestWithContext(t.Context(), "GET", srv.BaseURL+Path+strings.ReplaceAll(path, "{id}", "1")+q, nil)
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 200 && !(strings.Contains(path, "{id}") && res.StatusCode == 404) {
			t.Errorf("GET %s%s: %d", path, q, res.StatusCode)
		}
	}
}
