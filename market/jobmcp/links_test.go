package jobmcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// Results link to the site's page of the job, whose address may have an advertiser's words and so is foreign.
func TestLinksToThePagesOfTheSite(t *testing.T) {
	srv := demo(t)
	job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook <b>now</b>"})
	pages := func(id jobboard.JobID, title string) string {
		return fmt.Sprintf("https://site.example/job/%s/%s", id, strings.ToLower(strings.Fields(title)[0]))
	}
	session := connect(t, setting{options: Options{Rate: -1, JobURL: pages}}.server(t, srv))
	page := fmt.Sprintf(`"foreign_page":"https://site.example/job/%d/cook"`, job.ID)
	use(t, session, "search_jobs", `{"text":"cook","limit":50}`).want(t, false, page)
	use(t, session, "job_information", fmt.Sprintf(`{"job":"%d"}`, job.ID)).want(t, false, page)
	open := fmt.Sprintf(`{"job":"%d"}`, srv.Demo.OpenJob)
	use(t, session, "may_i_apply", open).want(t, false, fmt.Sprintf(`"foreign_page":"https://site.example/job/%d/pflegefachkraft"`, srv.Demo.OpenJob))
	// Without pages there are no links, and what is no address is none.
	for _, urls := range []func(jobboard.JobID, string) string{
		nil, func(jobboard.JobID, string) string { return "" },
		func(jobboard.JobID, string) string { return "https://site.example/" + strings.Repeat("x", maxLink) },
	} {
		session := connect(t, setting{options: Options{Rate: -1, JobURL: urls}}.server(t, srv))
		use(t, session, "search_jobs", `{"text":"cook"}`).want(t, false).without(t, "foreign_page")
		for _, tool := range []string{"job_information", "may_i_apply"} {
			use(t, session, tool, open).want(t, false).without(t, "foreign_page")
		}
	}
}

// A search without hits, one around a town that has namesakes, and one in a channel that a copy does not hold say what
// to try next; any other has nothing to say.
func TestNextStepsOfASearch(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{options: Options{Rate: -1}}.server(t, srv))
	for arguments, want := range map[string]string{
		`{"text":"xyzzy"}`:                     `"next":"search for fewer or for more general words"`,
		`{"text":"xyzzy","near":"Berlin"}`:     `"next":"search for fewer or for more general words; set a larger radius_km, or leave near out"`,
		`{"channel":"nope"}`:                   `"next":"leave channel out: the settings' channel is searched then"`,
		`{"near":"Frankfurt"}`:                 `leave near out; if another town of this name is meant, set near to one of near.others"`,
		`{"near":"Frankfurt","radius_km":900}`: `"next":"if another town of this name is meant, set near to one of near.others"`,
		`{"near":"0,0","radius_km":1}`:         `"next":"set a larger radius_km, or leave near out"`,
	} {
		use(t, session, "search_jobs", arguments).want(t, false, want)
	}
	use(t, session, "search_jobs", `{"near":"Frankfurt","limit":1}`).want(t, false,
		`"town":"Frankfurt am Main"`, `{"near":"Frankfurt (Oder), DE","town":"Frankfurt (Oder)","country":"DE"}`)
	for _, arguments := range []string{`{}`, `{"near":"München","limit":1}`, `{"near":"52.52,13.405","limit":1}`, `{"near":"10117","limit":1}`} {
		use(t, session, "search_jobs", arguments).want(t, false).without(t, `"next":`, `"others":`)
	}
	srv.AddChannel(jobboardtest.Channel{ID: "empty"})
	empty := setting{options: Options{Rate: -1, Open: nil}}.server(t, srv)
	empty.board.Channel = "empty"
	use(t, connect(t, empty), "search_jobs", `{}`).want(t, false, `"next":"nothing is published in this channel`)

	srv.Fail(jobboardtest.Fault{Operation: jobboardtest.OpSearch, Status: http.StatusNotFound, Body: "the mirror does not hold this channel"})
	for _, tool := range []string{"search_jobs", "what_changed"} {
		r := use(t, session, tool, `{"channel":"elsewhere"}`).want(t, true, `"next":"leave channel out`)
		if r.tell != "this channel is not known here" {
			t.Errorf("%s: told is %q", tool, r.tell)
		}
	}
}
