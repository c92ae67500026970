package jobboardtest

import (
	"fmt"
	"net/http"
)

// applied is the check of section 4.2.
func (c *call) applied() answer { return c.forApplicant(true) }

// application is the lookup of section 4.3.
func (c *call) application() answer { return c.forApplicant(false) }

// forApplicant answers both, row by row of section 7.2.
func (c *call) forApplicant(check bool) answer {
	if a, ok := c.needUser(); !ok {
		return a
	}
	id, known := parseID(c.param)
	var (
		j         *job
		published bool
		have      Application
		applied   bool
		who       Applicant
	)
	c.s.read(func(st *state) {
		j = st.jobs[id]
		published = st.published[id] > 0
		who = st.applicants[c.cred.applicant]
		have, applied = st.applications[appKey{who.ID, id}]
	})
	switch {
	case !known || j == nil || j.Status == Deleted:
		return c.v.coded(http.StatusNotFound, "get_project_error", "Project for jobId "+c.param+" not available")
	case check && otherCompany(j, who):
		return c.v.coded(http.StatusNotFound, "get_project_error", "Project for jobId "+c.param+" not accessible")
	case !published && c.v.NotFount:
		return c.v.plain(http.StatusNotFound, "JobPosting not fount for jobId "+c.param)
	case !published:
		return c.v.plain(http.StatusNotFound, "JobPosting not found for jobId "+c.param)
	case j.Internal && !who.Internal:
		return c.v.plain(http.StatusForbidden, "JobPosting not accessible for jobId "+c.param)
	case j.Status == Inactive:
		return c.v.plain(http.StatusGone, "JobPosting inactive for jobId "+c.param)
	case check:
		return jsonAnswer(applied)
	case !applied:
		return c.v.coded(http.StatusNotFound, "get_application_error", "No application found for jobId "+c.param)
	}
	switch c.v.ApplicationID {
	case ApplicationIDQuoted:
		return jsonAnswer(have.ID)
	case ApplicationIDNewline:
		return textAnswer(http.StatusOK, have.ID+"\n")
	}
	return textAnswer(http.StatusOK, have.ID)
}

// coded is a JSON error of section 7.2, code before message.
func (v Variants) coded(status int, code, message string) answer {
	a := answer{status: status, contentType: typeJSON}
	switch v.CodedErrors {
	case CodedAsWord:
		a.contentType, a.body = typeText, []byte(code)
		return a
	case CodedAsText:
		a.contentType = typeText
	}
	a.body = fmt.Appendf(nil, `{ "code": %s, "message": %s }`, marshal(code), marshal(message))
	return a
}
