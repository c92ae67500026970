package jobmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/snapshot"
)

// the tools, as market/docs/assistant.md has them too.
var toolNames = []string{"check_answers", "doctor", "job_information", "may_i_apply", "search_jobs", "what_changed"}

// toolCalls are calls of every tool, with what is in the answer of the demo.
var toolCalls = []struct {
	tool, arguments string
	failed          bool
	want            []string
}{
	{"search_jobs", `{}`, false, []string{`"total":42`, `"next_offset":10`, `"posting":"600100"`, `"job":"2797227"`}},
	{"search_jobs", `{"near":"Berlin","limit":1}`, false, []string{
		`"town":"Berlin"`, `"radius_km":50`, `"source":"Places: geonames.org, CC BY 4.0"`, `"total":11`, `"next_offset":1`,
	}},
	{"search_jobs", `{"near":"52.52,13.405","text":"data"}`, false, []string{`"total":1`, `"foreign_title":"Data Analyst (f/m/x)"`, `"remote":true`}},
	{"search_jobs", `{"posting":"600100","advertisement_characters":20000}`, false, []string{`"foreign_advertisement":"Lindenhof Kliniken GmbH in Berlin sucht`}},
	{"search_jobs", `{"channel":"nope"}`, false, []string{`"total":0`, `"postings":[]`, `a channel that does not exist`}},
	{"search_jobs", `{"offset":40}`, false, []string{`"total":42`}},
	{"search_jobs", `{"near":"Berlni"}`, true, []string{`no place is known by the name`, `is it Berlin (DE)`, `"next":"give near as a town's name`}},
	{"search_jobs", `{"limit":51}`, true, []string{`limit must be a whole number from 1 to 50`, `ErrInvalidInput`, `nothing was sent`}},
	{"search_jobs", `{"base_url":"https://other.example"}`, true, []string{`there is no argument \"base_url\"; there are advertisement_characters, category, channel`, `ErrInvalidInput`}},
	{"job_information", `{"job":"2797227","nationality":"deut"}`, false, []string{
		`"apply_possible":true`, `"foreign_label":"Haben Sie einen Führerschein der Klasse B?"`, `"id":"2900101"`, `"kind":"yes or no"`,
		`"nationalities_total":202`, `{"id":"2800168","foreign_label":"deutsch"}`, `"foreign_privacy_statement":"https://www.lindenhof.example/datenschutz"`,
	}},
	{"job_information", `{"job":2797227}`, false, []string{`"job":"2797227"`}},
	{"search_jobs", `{"limt":3}`, true, []string{`there is no argument \"limt\"; is it limit?`}},
	{"search_jobs", `{"posting":600100,"near":7}`, true, []string{`near must be a text of at most 200 characters`}},
	{"search_jobs", `{"posting":600100}`, false, []string{`"total":42`, `"posting":"600100"`}},
	{"job_information", `{"job":2797227.5}`, true, []string{`job must be an identifier: digits alone, at most 19`}},
	{"job_information", `{}`, true, []string{`job must be given`}},
	{"check_answers", `{"job":"2797227","answers":{"8":true}}`, true, []string{`answers has a member \"8\", which must be a text of at most 20000 characters`}},
	{"check_answers", `{"job":"2797227","answers":{"8":7}}`, true, []string{`answers has a member \"8\", which must be a text`}},
	{"check_answers", `{"job":"2797227","answers":[]}`, true, []string{`answers must be an object of at most 200 members, each a text of at most 20000 characters`}},
	{"check_answers", `{"job":"2797227","answers":{},"optional_questions":["8",9]}`, true, []string{`optional_questions must be a list of at most 200 entries, each a text of at most 64 characters`}},
	{"check_answers", `{"job":"2797227","answers":{},"require_nationality":1}`, true, []string{`require_nationality must be true or false`}},
	{"check_answers", `{"job":"2797227","answers":{},"max_text":1e300}`, true, []string{`max_text must be a whole number from 0 to 100000`}},
	{"search_jobs", `{"radius_km":0.5}`, true, []string{`radius_km must be a number from 1 to 20000`}},
	{"search_jobs", `{"limit":null}`, true, []string{`limit must be a whole number`}},
	{"search_jobs", `{"limit":2.5}`, true, []string{`limit must be a whole number`}},
	{"job_information", `{"job":"9999999"}`, true, []string{`"conditions":["ErrJobUnavailable","ErrNotFound"]`, `"foreign_details":`}},
	{"job_information", `{"job":"x"}`, true, []string{`job must be an identifier: digits alone, at most 19`}},
	{"job_information", `{"job":"9999999999999999999"}`, true, []string{`"conditions":["ErrInvalidInput"]`, `is not a positive number`}},
	{"may_i_apply", `{"job":"9999999999999999999"}`, true, []string{`"conditions":["ErrInvalidInput"]`, `is not a positive number`}},
	{"may_i_apply", `{"job":"2797227"}`, false, []string{`"decision":"may apply"`, `"questions":5`}},
	{"may_i_apply", `{"job":"2797238"}`, false, []string{`"decision":"already applied"`, `one application per job`}},
	{"may_i_apply", `{"job":"2797282"}`, false, []string{`"decision":"closed"`}},
	{"may_i_apply", `{"job":"2797304"}`, false, []string{`"decision":"not visible"`}},
	{"may_i_apply", `{"job":"9999999"}`, false, []string{`"decision":"not found"`}},
	{"job_information", `{"job":"600100"}`, true, []string{`"error":"600100 is a posting, not a job; its job is 2797227","next":"call the tool again with job 2797227"}`}},
	{"job_information", `{"job":"910200"}`, true, []string{`910200 is a posting, not a job; its job is 2797227`}},
	{"may_i_apply", `{"job":"600100"}`, true, []string{`600100 is a posting, not a job; its job is 2797227`}},
	{"check_answers", `{"job":"600100","answers":{}}`, true, []string{`600100 is a posting, not a job; its job is 2797227`}},
	{"check_answers", `{"job":"2797227","answers":{"8":"yes"}}`, false, []string{
		`"ok":false`, `{"question":"9","reason":"missing","text":"Please answer this question.","foreign_label":"Welches Jahresgehalt wünschen Sie sich?"}`,
	}},
	{"check_answers", `{"job":"2797227","nationality":"2800168","require_nationality":true,
		"answers":{"8":"No","9":"50000","10":"Because","11":"1c7a7b63-9a1f-4b4c-8e68-2d3f4a5b6c71","-1":"1"}}`, false, []string{
		`"ok":true`, `{"question":"8","answer":"2900100","foreign_label":"Haben Sie einen Führerschein der Klasse B?","foreign_answer":"Nein"}`,
		`"nationality":"2800168"`,
	}},
	{"check_answers", `{"job":"2797227","answers":{"9":"50000"},"max_text":3,"optional_questions":["8","10","11","-1"]}`, false, []string{
		`"reason":"too long"`, `at most 3 characters. These are 5.`,
	}},
	{"what_changed", `{}`, false, []string{`"postings":42`, `this is the first look`, `"complete":true`}},
	{"what_changed", `{}`, false, []string{`"before":`, `"changes":[]`}},
	{"doctor", `{}`, false, []string{`"ok":true`, `"check":"search"`}},
}

func TestUsesEveryTool(t *testing.T) {
	session := connect(t, setting{}.server(t, demo(t)))
	for _, test := range toolCalls {
		t.Run(test.tool+test.arguments, func(t *testing.T) {
			use(t, session, test.tool, test.arguments).want(t, test.failed, test.want...)
		})
	}
}

// For an unknown tool the error suggests a similar name.
func TestUnknownTools(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{}.server(t, srv))
	const all = "search_jobs, job_information, may_i_apply, check_answers, what_changed, doctor"
	for name, want := range map[string]string{
		"serch_jobs": `unknown tool "serch_jobs"; is it search_jobs?`, "MayIApply": `unknown tool "MayIApply"; is it may_i_apply?`,
		"apply": `unknown tool "apply"; there are ` + all, "": `unknown tool ""; there are ` + all,
		strings.Repeat("x", 61): `unknown tool "` + strings.Repeat("x", 59) + `…"; there are ` + all,
	} {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams || e.Message != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	if n := srv.Count(); n != 0 {
		t.Errorf("the board got %d requests", n)
	}
	// Over HTTP nothing remembers.
	body := strings.TrimSpace(call(1, "what_chnged", `{}`))
	w := post(setting{}.server(t, srv).Handler(), "localhost", "", body)
	if got := w.Body.String(); !strings.Contains(got, `unknown tool \"what_chnged\"; there are `) || strings.Contains(got, "what_changed") {
		t.Errorf("%d %s", w.Code, got)
	}
}

// The tools with their schemas, descriptions and annotations are a promise.
func TestSchemas(t *testing.T) {
	session := connect(t, setting{}.server(t, demo(t)))
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if a := tool.Annotations; a == nil || !a.ReadOnlyHint || a.DestructiveHint == nil || *a.DestructiveHint {
			t.Errorf("%s is not announced as reading only", tool.Name)
		}
		for kind, schema := range map[string]any{"input": tool.InputSchema, "output": tool.OutputSchema} {
			checkSchema(t, tool.Name+" "+kind, schema, kind == "input")
		}
	}
	if !slices.Equal(names, toolNames) {
		t.Errorf("the tools are %q", names)
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(tools.Tools); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/tools.json", got.String()) // if another is intended: go test -run Schemas -update .
}

// checkSchema wants objects without further members, bounded texts and lists in
// what comes in, and no word that names a credential.
func checkSchema(t *testing.T, where string, schema any, in bool) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s has no schema: %v", where, schema)
		return
	}
	switch s["type"] {
	case "object":
		more, isMap := s["additionalProperties"].(map[string]any)
		if !isMap && s["additionalProperties"] != false || isMap && len(more) == 0 {
			t.Errorf("%s takes any member", where)
		}
		if isMap {
			checkSchema(t, where+".*", more, in)
		}
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			for _, word := range []string{"token", "secret", "password", "client", "credential", "url", "file"} {
				if in && strings.Contains(name, word) {
					t.Errorf("%s.%s: an argument that could be a credential, an address or a file", where, name)
				}
			}
			checkSchema(t, where+"."+name, p, in)
		}
	case "array":
		checkSchema(t, where+"[]", s["items"], in)
		if in && s["maxItems"] == nil {
			t.Errorf("%s is a list without a bound", where)
		}
	case "string":
		if in && s["maxLength"] == nil && s["pattern"] == nil {
			t.Errorf("%s is a text without a bound", where)
		}
	case "integer", "number":
		if in && (s["minimum"] == nil || s["maximum"] == nil) {
			t.Errorf("%s is a number without a bound", where)
		}
	case "boolean":
	default:
		t.Errorf("%s has the type %v", where, s["type"])
	}
}

func TestSeesChanges(t *testing.T) {
	srv := demo(t)
	var kept *snapshot.Snapshot
	server := setting{options: Options{Kept: func() (*snapshot.Snapshot, error) { return kept, nil }}}.server(t, srv)
	session := connect(t, server)
	use(t, session, "what_changed", `{}`).want(t, false, "this is the first look")
	before, err := snapshot.Take(t.Context(), server.board.Client, server.o.Channel, jobboard.Query{})
	if err != nil {
		t.Fatal(err)
	}
	job, posting := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Gardener"})
	srv.DeactivateJob(srv.Demo.OpenJob)
	for range 2 { // the point of comparison stays
		use(t, session, "what_changed", `{}`).want(t, false,
			fmt.Sprintf(`{"change":"added","posting":"%d","foreign_title":"Gardener"}`, posting.ID),
			`{"change":"gone","posting":"600100","foreign_title":"Pflegefachkraft (m/w/d)"}`)
	}
	use(t, session, "what_changed", `{"text":"gardener"}`).want(t, false, "this is the first look", `"postings":1`)
	use(t, session, "what_changed", `{"from_now_on":true}`).want(t, false, `"change":"added"`)
	srv.DeactivateJob(job.ID)
	r := use(t, session, "what_changed", `{}`).want(t, false, `"foreign_title":"Gardener"`)
	if strings.Contains(r.text, "Pflegefachkraft") {
		t.Errorf("an old change is told again: %s", r.text)
	}

	// Another server compares with what is kept elsewhere.
	kept = before
	second := connect(t, setting{options: Options{Kept: func() (*snapshot.Snapshot, error) { return kept, nil }}}.server(t, srv))
	use(t, second, "what_changed", `{}`).want(t, false, `{"change":"gone","posting":"600100","foreign_title":"Pflegefachkraft (m/w/d)"}`)
	use(t, second, "what_changed", `{"near":"Berlin"}`).want(t, false, "the state file is of another search")
}

// An advertisement too large for one result is cut, and its further pages continue behind the
// cut.
func TestCutsWhatDoesNotFit(t *testing.T) {
	srv := demo(t)
	for i := range 2 {
		title := fmt.Sprintf("Zirkusdirektor %d", i)
		job := srv.AddJob(jobboardtest.Job{Title: title})
		srv.AddPosting(jobboardtest.Posting{
			JobID: job.ID, Channels: []string{srv.Demo.Channel}, Title: title,
			Config: map[string][]string{"platform_internalAdText": {strings.Repeat("\U00020000", 20_000)}},
		})
	}
	session := connect(t, setting{}.server(t, srv))
	for offset, next := range []any{1.0, nil} {
		found := use(t, session, "search_jobs", fmt.Sprintf(`{"text":"Zirkusdirektor","advertisement_characters":20000,"offset":%d}`, offset))
		title := fmt.Sprintf(`"foreign_title":"Zirkusdirektor %d"`, offset)
		found.want(t, false, title, `"advertisement_cut":true`, `"total":2`)
		if found.fields["next_offset"] != next {
			t.Errorf("offset %d: next %v", offset, found.fields["next_offset"])
		}
	}
}

// Where there is no board to ask, every tool that would ask it says why.
func TestWithoutABoard(t *testing.T) {
	srv := demo(t)
	open := func(context.Context, Need) (Board, error) { return Board{}, errors.New("the vault is sealed") }
	session := connect(t, setting{options: Options{Open: open}}.server(t, srv))
	for tool, arguments := range map[string]string{
		"search_jobs": `{}`, "what_changed": `{}`, "job_information": `{"job":"2797227"}`, "may_i_apply": `{"job":"2797227"}`,
		"check_answers": `{"job":"2797227","answers":{}}`,
	} {
		use(t, session, tool, arguments).want(t, true, "the vault is sealed")
	}
	if asked := srv.Count(); asked != 0 {
		t.Errorf("%d requests were sent", asked)
	}
}

// What stands in a result is not written in a longer way than JSON asks for.
func TestResultsAreShort(t *testing.T) {
	srv := demo(t)
	srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Koch & Kellner"})
	use(t, connect(t, setting{}.server(t, srv)), "search_jobs", `{"text":"Kellner"}`).want(t, false, `"foreign_title":"Koch & Kellner"`)
}

func TestWithoutAnApplicant(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{anonymous: true, options: Options{SignIn: "ask for the front desk"}}.server(t, srv))
	use(t, session, "may_i_apply", `{"job":"2797227"}`).want(t, false, `"decision":"unknown"`, `"next":"ask for the front desk"`)
	use(t, session, "may_i_apply", fmt.Sprintf(`{"job":"%d"}`, srv.Demo.InactiveJob)).want(t, false, `"decision":"closed"`)
	use(t, session, "may_i_apply", fmt.Sprintf(`{"job":"%d"}`, srv.Demo.ClosedJob)).want(t, false, `"decision":"closed"`)
	use(t, session, "may_i_apply", fmt.Sprintf(`{"job":"%d"}`, srv.Demo.UnknownJob)).want(t, false, `"decision":"not found"`)
}

// An unchecked question is named, unless its identifier could be read as several.
func TestNamesWhatIsNotChecked(t *testing.T) {
	srv := demo(t)
	srv.UpdateJob(srv.Demo.OpenJob, func(j *jobboardtest.Job) {
		j.Questions = []jobboardtest.Question{{ID: "do this", Type: "X", Label: "a"}, {ID: "77", Type: "X", Label: "b"}}
	})
	session := connect(t, setting{}.server(t, srv))
	use(t, session, "check_answers", fmt.Sprintf(`{"job":"%d","answers":{"-1":"1"}}`, srv.Demo.OpenJob)).want(t, false, `"not_checked":["77"]`)
}
