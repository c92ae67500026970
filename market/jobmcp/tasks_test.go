package jobmcp

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tasks are what a person may ask of an assistant, with the calls that somebody made of them who
// had read the instructions and the descriptions of the tools and nothing else. What stands in
// ‹angle brackets› is taken from an earlier result of the task.
var tasks = []struct {
	task  string
	calls []string // a tool and its arguments
	want  string   // in the last result
	tell  string   // what the person is told with it
}{
	{
		"Which nursing jobs are there within 30 km of Berlin?",
		[]string{`search_jobs {"text":"Pflege","near":"Berlin","radius_km":30}`},
		`"foreign_title":"Pflegefachkraft (m/w/d)"`, "within 30 km of Berlin",
	},
	{
		"Show me the next ten.",
		[]string{`search_jobs {}`, `search_jobs {"offset":‹next_offset›}`},
		`"next_offset":20`, "42 postings, 10 listed here; there are more",
	},
	{
		"Read me the whole advertisement of the first one.",
		[]string{`search_jobs {"text":"Pflegefachkraft"}`, `search_jobs {"text":"Pflegefachkraft","posting":"‹posting›","advertisement_characters":20000}`},
		`"foreign_advertisement":"Lindenhof Kliniken GmbH in Berlin`, "listed here",
	},
	{
		"What will they ask me if I apply for it?",
		[]string{`search_jobs {"text":"Pflegefachkraft"}`, `job_information {"job":"‹job›"}`},
		`"foreign_label":"Haben Sie einen Führerschein der Klasse B?"`, "asks 5 questions",
	},
	{
		"May I apply for the nursing job in Berlin?",
		[]string{`search_jobs {"text":"Pflegefachkraft","near":"Berlin"}`, `may_i_apply {"job":"‹job›"}`},
		`"decision":"may apply"`, "the applicant may apply",
	},
	{
		"I applied for job 2797249 and withdrew it. Can I apply again?",
		[]string{`may_i_apply {"job":"2797249"}`},
		`"decision":"already applied"`, "a withdrawn one counts",
	},
	{
		"I have a licence, want 50000, and start now. Is that enough?",
		[]string{`job_information {"job":"2797227"}`, `check_answers {"job":"2797227","answers":{"8":"yes","9":"50000","10":"now"}}`},
		`"ok":false`, "2 answers to correct or to give",
	},
	{
		"I am German. Which identifier has my nationality?",
		[]string{`job_information {"job":"2797227","nationality":"deutsch"}`},
		`{"id":"2800168","foreign_label":"deutsch"}`, "may ask for a nationality",
	},
	{
		"Has anything changed since I looked first?",
		[]string{`what_changed {}`, `what_changed {}`},
		`"changes":[]`, "nothing changed; 42 postings now",
	},
	{
		"It does not work. Why?",
		[]string{`doctor {}`},
		`"ok":true`, "the set-up works",
	},
}

// Somebody who has nothing but the instructions and the descriptions of the tools does ten tasks.
func TestTenTasks(t *testing.T) {
	for _, c := range tasks {
		session := connect(t, setting{options: Options{Rate: -1}}.server(t, demo(t)))
		var r called
		for _, one := range c.calls {
			tool, arguments, _ := strings.Cut(one, " ")
			if before, rest, ok := strings.Cut(arguments, "‹"); ok {
				name, after, _ := strings.Cut(rest, "›")
				_, value, found := strings.Cut(r.text, `"`+name+`":`)
				if !found {
					t.Fatalf("%s: no %s in %s", c.task, name, r.text)
				}
				arguments = before + strings.Trim(value[:strings.IndexAny(value, ",}")], `"`) + after
			}
			r = use(t, session, tool, arguments)
		}
		if r.want(t, false, c.want); !strings.Contains(r.tell, c.tell) {
			t.Errorf("%s: told is %q", c.task, r.tell)
		}
	}
}

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
