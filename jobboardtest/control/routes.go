package control

import (
	_ "embed"
	"net/http"
)

// document is the OpenAPI document of these routes.
//
//go:embed openapi.json
var document []byte

func (c *Control) routes() []route {
	return []route{
		{method: "GET", path: "/{$}", f: c.page, free: true},
		{method: "GET", path: "/page.css", f: static("text/css; charset=utf-8", styles), free: true},
		{method: "GET", path: "/page.js", f: static("text/javascript; charset=utf-8", script), free: true},
		{method: "GET", path: "/board", f: c.board, params: []string{"q"}},
		{method: "GET", path: "/places", f: c.findPlaces, params: []string{"q"}},
		{method: "GET", path: "/rows", f: c.findRows, params: []string{"q", "before"}},
		{method: "GET", path: "/rows/{id}", f: find(c.openRow, noRequest), free: true},
		{method: "GET", path: "/news", f: c.tellNews, params: []string{"after", "open", "find", "revision", "q"}},
		{method: "GET", path: "/openapi.json", f: static("application/json", document), free: true},

		{method: "GET", path: "/info", f: get(c.information)},
		{method: "POST", path: "/reset", f: do(c.reset)},
		{method: "GET", path: "/state", f: c.saveState},
		{method: "PUT", path: "/state", f: c.loadState, limit: maxState, streams: true},

		{method: "POST", path: "/channels", f: add(c.srv.AddChannel, checkChannel)},
		{method: "POST", path: "/companies", f: add(c.srv.AddCompany, checkCompany)},
		{method: "POST", path: "/clients", f: add(c.srv.AddClient, checkClient)},
		{method: "POST", path: "/applicants", f: add(c.srv.AddApplicant, checkApplicant)},
		{method: "POST", path: "/jobs", f: add(c.srv.AddJob, checkJob)},
		{method: "POST", path: "/postings", f: add(c.srv.AddPosting, checkPosting)},
		{method: "POST", path: "/publish", f: with(c.publish)},
		{method: "GET", path: "/jobs/{id}", f: find(c.srv.Job, noJob)},
		{method: "PATCH", path: "/jobs/{id}", f: c.changeJob},
		{method: "DELETE", path: "/jobs/{id}", f: change(c.srv.DeleteJob, noJob)},
		{method: "POST", path: "/jobs/{id}/activate", f: change(c.srv.ActivateJob, noJob)},
		{method: "POST", path: "/jobs/{id}/deactivate", f: change(c.srv.DeactivateJob, noJob)},
		{method: "POST", path: "/jobs/{id}/unpublish", f: change(c.srv.UnpublishJob, "there is no posting of a job %d")},
		{method: "DELETE", path: "/postings/{id}", f: change(c.srv.RemovePosting, "there is no posting %d")},
		{method: "POST", path: "/applications", f: with(c.apply)},
		{method: "POST", path: "/applications/withdraw", f: with(c.withdraw)},
		{method: "GET", path: "/subscriptions", f: getList("subscriptions", c.inside.Subscriptions)},

		{method: "POST", path: "/tokens", f: with(c.issueToken)},
		{method: "POST", path: "/tokens/expire", f: onToken(c.srv.ExpireToken)},
		{method: "POST", path: "/tokens/narrow", f: onToken(c.inside.NarrowToken)},
		{method: "POST", path: "/codes", f: with(c.issueCode)},

		{method: "GET", path: "/variants", f: get(c.srv.Variants)},
		{method: "PUT", path: "/variants", f: c.setVariants},
		{method: "PATCH", path: "/variants", f: c.changeVariants},

		{method: "GET", path: "/faults", f: getList("faults", c.planted)},
		{method: "POST", path: "/faults", f: c.fail},
		{method: "DELETE", path: "/faults", f: do(c.srv.LiftFaults)},
		{method: "GET", path: "/unmet", f: getList("unmet", c.unmet)},
		{method: "GET", path: "/faults/{id}", f: find(c.fault, noFault)},
		{method: "DELETE", path: "/faults/{id}", f: change(c.lift, noFault)},

		{method: "GET", path: "/requests", f: c.requests, params: []string{"after", "operation"}},
		{method: "GET", path: "/requests/{id}", f: find(c.entry, noRequest)},
		{method: "GET", path: "/requests.har", f: c.archive},
		{method: "DELETE", path: "/requests", f: do(c.srv.ClearRequests)},
		{method: "GET", path: "/requests/wait", f: c.wait, params: []string{"count", "operation", "timeout"}},
		{method: "GET", path: "/violations", f: getList("violations", c.violations)},

		{method: "GET", path: "/clock", f: get(c.time)},
		{method: "PUT", path: "/clock", f: with(c.setTime)},
		{method: "DELETE", path: "/clock", f: bare(c.realTime)},
		{method: "POST", path: "/clock/advance", f: with(c.advance)},
	}
}

// The texts of 404 answers to unknown identifiers.
const (
	noJob     = "there is no job %d"
	noRequest = "there is no request %d in the journal"
	noFault   = "there is no fault %d; one without hits or time left is gone"
)

func static(contentType string, data []byte) call {
	return get(func() http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Write(data)
		}
	})
}
