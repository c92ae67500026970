package openapitest

import (
	"strings"
	"testing"
)

// TestBrokenDocument breaks the document in one place at a time: the result is no valid
// document, or the mock server or the client no longer keeps to it.
func TestBrokenDocument(t *testing.T) {
	const search, applied = "/api/rest/v2/frontend/jobboards/{channelID}/jobs", "/api/rest/v3/frontend/jobs/{jobDbId}/applied"
	schema := func(t *testing.T, d tree, path ...string) tree {
		t.Helper()
		return at(t, d, append([]string{"components", "schemas"}, path...)...)
	}
	rename := func(o tree, from, to string) {
		o[to] = o[from]
		delete(o, from)
	}
	for _, c := range []struct {
		name string
		harm func(t *testing.T, d tree)
		says string
	}{
		{"a type that is none", func(t *testing.T, d tree) { schema(t, d, "PlainMessage")["type"] = "text" }, "text"},
		{"a reference to nothing", func(t *testing.T, d tree) { delete(schema(t, d), "IdLabel") }, "IdLabel"},
		{"a path parameter that is not declared", func(t *testing.T, d tree) {
			at(t, d, "paths", search, "get")["parameters"] = []any{}
		}, "channelID"},
		{"a posting's field with another name", func(t *testing.T, d tree) {
			rename(schema(t, d, "JobPosting", "properties"), "applyOnlineLink", "applyLink")
		}, "applyOnlineLink"},
		{"a posting's field with another type", func(t *testing.T, d tree) {
			schema(t, d, "JobPosting", "properties")["jobPostingId"] = tree{"type": "string"}
		}, "jobPostingId"},
		{"config values that are no arrays", func(t *testing.T, d tree) {
			schema(t, d, "PostingConfig", "properties")["audience"] = tree{"type": "string"}
		}, "audience"},
		{"a required field that nobody sends", func(t *testing.T, d tree) {
			s := schema(t, d, "JobInformation")
			s["required"] = append(s["required"].([]any), "salary")
		}, "salary"},
		{"answers for every question", func(t *testing.T, d tree) {
			s := schema(t, d, "Question")
			s["required"] = append(s["required"].([]any), "answers")
		}, "answers"},
		{"a timestamp without milliseconds", func(t *testing.T, d tree) {
			schema(t, d)["UTCDateTime"] = tree{"type": "string", "pattern": `^[^.]*$`}
		}, "timestamp"},
		{"an applied check that answers with a string", func(t *testing.T, d tree) {
			at(t, d, "paths", applied, "get", "responses", "200", "content", "application/json")["schema"] = tree{"type": "string"}
		}, "/applied: status 200"},
		{"no 410", func(t *testing.T, d tree) {
			delete(at(t, d, "paths", applied, "get", "responses"), "410")
		}, "status is not supported"},
		{"a plain message as JSON", func(t *testing.T, d tree) {
			delete(at(t, d, "components", "responses", "PostingInactive", "content"), "text/plain")
		}, "text/plain"},
		{"another error code", func(t *testing.T, d tree) {
			schema(t, d, "CodedError", "properties", "code")["enum"] = []any{"get_project_error"}
		}, "get_application_error"},
		{"another lookup code", func(t *testing.T, d tree) {
			schema(t, d, "ErrorCode")["enum"] = []any{"ERROR_JOB_INACTIVE", "ERROR_JOB_UNAVAILABLE"}
		}, "ERROR_POSTING_UNAVAILABLE"},
		{"geoLocation with one colon", func(t *testing.T, d tree) {
			schema(t, d, "GeoLocation")["pattern"] = `^([0-9.]+:[0-9.]+:[0-9.]+)?$`
		}, "does not match pattern"},
		{"a search without its text", func(t *testing.T, d tree) {
			get := at(t, d, "paths", search, "get")
			params := get["parameters"].([]any)
			for i, p := range params {
				if p.(tree)["name"] == "search" {
					get["parameters"] = append(params[:i:i], params[i+1:]...)
					return
				}
			}
			t.Fatal("no parameter search")
		}, "search is not in the document"},
		{"an applied check with Basic", func(t *testing.T, d tree) {
			at(t, d, "paths", applied, "get")["security"] = []any{tree{"clientIdentifier": []any{}}}
		}, "clientIdentifier wants the scheme basic"},
		{"a subscription without body", func(t *testing.T, d tree) {
			delete(at(t, d, "paths", "/jobabo", "post"), "requestBody")
		}, "/jobabo"},
		{"the lookup at the base address", func(t *testing.T, d tree) {
			rename(at(t, d, "paths"), "/jobdb/public/apply/external", "/api/rest/v2/jobs/external")
		}, "/jobdb/public/apply/external"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := load(t)
			c.harm(t, d)
			if said := verdict(t, d); !strings.Contains(said, c.says) {
				t.Errorf("what is said does not speak of %q: %.2000s", c.says, said)
			}
		})
	}
	if said := verdict(t, load(t)); said != "" {
		t.Errorf("the whole document is blamed: %s", said)
	}
}

// verdict is everything that is wrong with a document.
func verdict(t *testing.T, d tree) string {
	t.Helper()
	closeObjects(t, d)
	if _, err := compile(d); err != nil {
		return err.Error()
	}
	if at(t, d, "paths")["/jobdb/public/apply/external"] == nil {
		return "there is no path /jobdb/public/apply/external"
	}
	srv := fake(t)
	j, err := newJudge(d, srv.BaseURL, srv.JobDBURL, srv.Transport())
	if err != nil {
		return err.Error()
	}
	drive(t, srv, j)
	client := clientJudge(t, func(fresh tree) {
		clear(fresh)
		for k, v := range d {
			fresh[k] = v
		}
	})
	return strings.Join(append(j.problems, client.problems...), "\n")
}
