package jobmcp

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The instructions name each tool that they speak of as it is called, and every argument that
// takes a job says that a posting's identifier is another.
func TestInstructionsSpeakOfTheTools(t *testing.T) {
	session := connect(t, setting{}.server(t, demo(t)))
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		known[tool.Name] = tool
	}
	for _, word := range strings.FieldsFunc(instructions, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.Contains(word, "_") && !strings.HasPrefix(word, "foreign_") && known[word] == nil {
			t.Errorf("the instructions speak of %s, which is no tool", word)
		}
	}
	for _, name := range []string{"search_jobs", "job_information", "may_i_apply", "check_answers", "doctor"} {
		if !strings.Contains(instructions, name) {
			t.Errorf("the instructions do not speak of %s", name)
		}
	}
	for name, tool := range known {
		properties, _ := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		if job, ok := properties["job"].(map[string]any); ok && !strings.Contains(job["description"].(string), "not that of a posting") {
			t.Errorf("%s: job is %v", name, job)
		}
	}
}

// Every failure has a line for the person, and so has a result that needs one more sentence.
func TestTellsThePerson(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	for call, want := range map[string]string{
		`search_jobs {"channel":"nope"}`:                                    "no posting matches",
		`search_jobs {"near":"80331","radius_km":5,"text":"xyzzy"}`:         "no posting matches within 5 km",
		`search_jobs {"near":"10117 München","radius_km":5,"text":"xyzzy"}`: "of 10117 (the postal code 10117 does not lie in München (DE): the place is that of the code)",
		`search_jobs {"offset":60}`:                                         "of 42 postings none is left to list",
		`search_jobs {"limt":1}`:                                            "nothing was asked yet",
		`job_information {"job":"9999999"}`:                                 "the job board knows no such job",
		`job_information {"job":"2797337"}`:                                 "that does not mean that it is closed",
		`job_information {"job":"2797348"}`:                                 "the job takes no applications",
		`check_answers {"job":"2797348","answers":{}}`:                      "but the job takes no applications",
		`check_answers {"job":"2797227","answers":{"Führerschein":"yes"}}`:  "6 answers to correct or to give",
		`may_i_apply {"job":"2797304"}`:                                     "not visible: the job is not for this applicant",
		`what_changed {"text":"nurse"}`:                                     "a later call tells what changed",
	} {
		tool, arguments, _ := strings.Cut(call, " ")
		if r := use(t, session, tool, arguments); !strings.Contains(r.tell, want) {
			t.Errorf("%s: told is %q", call, r.tell)
		}
	}
	use(t, session, "check_answers", `{"job":"2797227","answers":{"Führerschein":"yes"}}`).want(t, false,
		`"text":"This job does not ask this question. Keys are the identifiers or the labels of its questions: 8, 9, 10, 11, -1.","foreign_key":"Führerschein"`)
}
