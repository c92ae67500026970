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
		{method: "POST", path: "/reset", act: c.reset},
		{method: "GET", path: "/state", raw: c.saveState},
		{method: "PUT", path: "/state", f: c.loadState, limit: maxState},

		{method: "POST", path: "/channels", f: add(c.srv.AddChannel, checkChannel)},
		{method: "POST", path: "/companies", f: add(c.srv.AddCompany, nil)},
		{method: "POST", path: "/clients", f: add(c.srv.AddClient, checkClient)},
		{method: "POST", path: "/applicants", f: add(c.srv.AddApplicant, checkApplicant)},
		{method: "POST", path: "/jobs", f: add(c.srv.AddJob, checkJob)},
		{method: "POST", path: "/postings", f: add(c.srv.AddPosting, checkPosting)},
		{method: "POST", path: "/publish", f: c.publish},
		{method: "GET", path: "/jobs/{id}", f: c.getJob},
		{method: "PATCH", path: "/jobs/{id}", f: c.changeJob},
		{method: "DELETE", path: "/jobs/{id}", act: c.onJob(c.srv.DeleteJob, "no job")},
		{method: "POST", path: "/jobs/{id}/activate", act: c.onJob(c.srv.ActivateJob, "no job")},
		{method: "POST", path: "/jobs/{id}/deactivate", act: c.onJob(c.srv.DeactivateJob, "no job")},
		{method: "POST", path: "/jobs/{id}/unpublish", act: c.onJob(c.srv.UnpublishJob, "no posting of a job")},
		{method: "DELETE", path: "/postings/{id}", act: c.onJob(c.srv.RemovePosting, "no posting")},
		{method: "POST", path: "/applications", f: c.apply},
		{method: "POST", path: "/applications/withdraw", f: c.withdraw},
		{method: "GET", path: "/subscriptions", f: c.subscriptions},

		{method: "POST", path: "/tokens", f: c.issueToken},
		{method: "POST", path: "/tokens/expire", f: c.onToken(c.srv.ExpireToken)},
		{method: "POST", path: "/tokens/narrow", f: c.onToken(c.srv.NarrowToken)},
		{method: "POST", path: "/codes", f: c.issueCode},

		{method: "GET", path: "/variants", f: c.variants},
		{method: "PUT", path: "/variants", f: c.setVariants},
		{method: "PATCH", path: "/variants", f: c.changeVariants},

		{method: "GET", path: "/faults", f: c.faults},
		{method: "POST", path: "/faults", f: c.fail, reads: true},
		{method: "DELETE", path: "/faults", act: c.liftAll, reads: true},
		{method: "GET", path: "/faults/{id}", f: c.fault},
		{method: "DELETE", path: "/faults/{id}", act: c.lift, reads: true},

		{method: "GET", path: "/requests", f: c.requests, params: []string{"after", "operation"}},
		{method: "GET", path: "/requests/{id}", f: c.request},
		{method: "DELETE", path: "/requests", act: c.clear, reads: true},
		{method: "GET", path: "/requests/wait", f: c.wait, params: []string{"count", "operation", "timeout"}},
		{method: "GET", path: "/violations", f: c.violations},

		{method: "GET", path: "/clock", f: c.clock},
		{method: "PUT", path: "/clock", f: c.setTime},
		{method: "DELETE", path: "/clock", f: c.realTime, empty: true},
		{method: "POST", path: "/clock/advance", f: c.advance},
	}
}

func static(contentType string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write(data)
	}
}
