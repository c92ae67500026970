package jobboardtest

import "net/http"

// applied answers the check of section 4.2.
func (c *call) applied() answer {
	seen, refusal := c.jobForApplicant()
	if refusal != nil {
		return *refusal
	}
	return jsonAnswer(seen.applied)
}

// application answers the lookup of section 4.3.
func (c *call) application() answer {
	seen, refusal := c.jobForApplicant()
	switch {
	case refusal != nil:
		return *refusal
	case !seen.applied:
		return c.v.coded(http.StatusNotFound, "get_application_error", "No application found for jobId "+c.param)
	}
	id := seen.application.ID
	switch c.v.ApplicationID {
	case ApplicationIDQuoted:
		return jsonAnswer(id)
	case ApplicationIDNewline:
		return textAnswer(http.StatusOK, id+"\n")
	}
	return textAnswer(http.StatusOK, id)
}

// applicantsJob holds the job that a request names, the applicant who sends it,
// and their application.
type applicantsJob struct {
	*job        // nil: no such job
	published   bool
	who         Applicant
	application Application
	applied     bool
}

// jobForApplicant returns the job that a request names, or how section 7.2
// refuses it, row by row. Only the applied check says that a job belongs to
// another company.
func (c *call) jobForApplicant() (applicantsJob, *answer) {
	var seen applicantsJob
	if a, ok := c.needUser(); !ok {
		return seen, &a
	}
	id, _ := parseID(c.param) // 0 for text that is no number; no job has the identifier 0
	c.s.read(func(st *state) {
		seen.job = st.jobs[id]
		seen.published = st.published[id] > 0
		seen.who = st.applicants[c.cred.applicant]
		seen.application, seen.applied = st.applications[appKey{seen.who.ID, id}]
	})
	var refusal answer
	switch {
	case seen.job == nil || seen.Status == Deleted:
		refusal = c.v.coded(http.StatusNotFound, "get_project_error", "Project for jobId "+c.param+" not available")
	case c.op() == OpApplied && otherCompany(seen.job, seen.who):
		refusal = c.v.coded(http.StatusNotFound, "get_project_error", "Project for jobId "+c.param+" not accessible")
	case !seen.published:
		refusal = c.v.plain(http.StatusNotFound, "JobPosting not "+c.v.found()+" for jobId "+c.param)
	case seen.Internal && !seen.who.Internal:
		refusal = c.v.plain(http.StatusForbidden, "JobPosting not accessible for jobId "+c.param)
	case seen.Status == Inactive:
		refusal = c.v.plain(http.StatusGone, "JobPosting inactive for jobId "+c.param)
	default:
		return seen, nil
	}
	return seen, &refusal
}
