package control

import (
	_ "embed"
	"net/http"
)

// document describes all of this to other languages.
//
//go:embed openapi.json
var document []byte

func (c *Control) routes() []route {
	return []route{
		{method: "GET", path: "/{$}", raw: c.page},
		{method: "GET", path: "/page.css", raw: static("text/css; charset=utf-8", styles)},
		{method: "GET", path: "/page.js", raw: static("text/javascript; charset=utf-8", script)},
		{method: "GET", path: "/board", raw: c.board},
		{method: "GET", path: "/rows/{id}", raw: c.openRow},
		{method: "GET", path: "/events", raw: c.events},
		{method: "GET", path: "/openapi.json", raw: static("application/json", document)},

		{method: "GET", path: "/info", f: c.info},
		{method: "POST", path: "/reset", f: c.reset, empty: true},
		{method: "GET", path: "/state", raw: c.saveState},
		{method: "PUT", path: "/state", f: with(c.loadState), limit: maxState},

		{method: "POST", path: "/channels", f: add(c.srv.AddChannel, checkChannel)},
		{method: "POST", path: "/companies", f: add(c.srv.AddCompany, nil)},
		{method: "POST", path: "/clients", f: add(c.srv.AddClient, checkClient)},
		{method: "POST", path: "/applicants", f: add(c.srv.AddApplicant, checkApplicant)},
		{method: "POST", path: "/jobs", f: add(c.srv.AddJob, checkJob)},
		{method: "POST", path: "/postings", f: add(c.srv.AddPosting, checkPosting)},
		{method: "POST", path: "/publish", f: with(c.publish)},
		{method: "GET", path: "/jobs/{id}", f: of(c.getJob)},
		{method: "PATCH", path: "/jobs/{id}", f: c.changeJob},
		{method: "DELETE", path: "/jobs/{id}", f: onJob(c.srv.DeleteJob, "no job"), empty: true},
		{method: "POST", path: "/jobs/{id}/activate", f: onJob(c.srv.ActivateJob, "no job"), empty: true},
		{method: "POST", path: "/jobs/{id}/deactivate", f: onJob(c.srv.DeactivateJob, "no job"), empty: true},
		{method: "POST", path: "/jobs/{id}/unpublish", f: onJob(c.srv.UnpublishJob, "no posting of a job"), empty: true},
		{method: "DELETE", path: "/postings/{id}", f: onJob(c.srv.RemovePosting, "no posting"), empty: true},
		{method: "POST", path: "/applications", f: with(c.apply)},
		{method: "POST", path: "/applications/withdraw", f: with(c.withdraw)},
		{method: "GET", path: "/subscriptions", f: c.subscriptions},

		{method: "POST", path: "/tokens", f: with(c.issueToken)},
		{method: "POST", path: "/tokens/expire", f: onToken(c.srv.ExpireToken)},
		{method: "POST", path: "/tokens/narrow", f: onToken(c.srv.NarrowToken)},
		{method: "POST", path: "/codes", f: with(c.issueCode)},

		{method: "GET", path: "/variants", f: c.variants},
		{method: "PUT", path: "/variants", f: c.setVariants},
		{method: "PATCH", path: "/variants", f: c.changeVariants},

		{method: "GET", path: "/faults", f: c.faults},
		{method: "POST", path: "/faults", f: c.fail, reads: true},
		{method: "DELETE", path: "/faults", f: c.liftAll, empty: true, reads: true},
		{method: "GET", path: "/faults/{id}", f: of(c.fault)},
		{method: "DELETE", path: "/faults/{id}", f: of(c.lift), empty: true, reads: true},

		{method: "GET", path: "/requests", f: c.requests, params: []string{"after", "operation"}},
		{method: "GET", path: "/requests/{id}", f: of(c.request)},
		{method: "DELETE", path: "/requests", f: c.clear, empty: true, reads: true},
		{method: "GET", path: "/requests/wait", f: c.wait, params: []string{"count", "operation", "timeout"}},
		{method: "GET", path: "/violations", f: c.violations},

		{method: "GET", path: "/clock", f: c.clock},
		{method: "PUT", path: "/clock", f: with(c.setTime)},
		{method: "DELETE", path: "/clock", f: c.realTime, empty: true},
		{method: "POST", path: "/clock/advance", f: with(c.advance)},
	}
}

func static(contentType string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write(data)
	}
}
