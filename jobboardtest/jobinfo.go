package jobboardtest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// jobInformation answers the lookup of section 4.4, with the codes of section 7.3.
// It needs no credential.
func (c *call) jobInformation() answer {
	id, _ := parseID(c.query.Get("jobid")) // 0 for text that is no number; no job has the identifier 0
	var (
		j         *job
		published bool
		company   Company
		catalogue []Choice
	)
	c.s.read(func(st *state) {
		if j = st.jobs[id]; j == nil {
			return
		}
		published = st.published[id] > 0
		company = st.companies[j.CompanyID]
		catalogue = st.catalogue(j.Language)
	})
	switch {
	case j == nil || j.Status == Deleted:
		return c.v.errorCode("ERROR_JOB_UNAVAILABLE")
	case j.Status == Inactive:
		return c.v.errorCode("ERROR_JOB_INACTIVE")
	case !published:
		return c.v.errorCode("ERROR_POSTING_UNAVAILABLE")
	}
	info := c.v.job(&j.Job, company, catalogue)
	info.Timestamp = c.v.iso(c.s.clock.now())
	return jsonAnswer(info)
}

// job returns a job in the lookup's JSON shape, without the time of the answer.
func (v Variants) job(j *Job, company Company, catalogue []Choice) wireJob {
	questions := j.Questions
	if j.AskLocation {
		questions = append(slices.Clip(questions), locationQuestion(j))
	}
	return wireJob{
		JobID:               v.id(j.ID),
		JobTitle:            j.Title,
		JobLanguage:         v.text(j.Language),
		ApplyPossible:       !j.ApplyClosed,
		DataSecurityLink:    v.text(cmp.Or(j.PrivacyURL, company.PrivacyURL)),
		Questions:           wireList(v, questions, v.question),
		Nationalities:       v.idLabels(catalogue),
		CompanyName:         v.text(company.Name),
		CompanyID:           v.text(j.CompanyID),
		Location:            v.location(j.Location),
		AdditionalLocations: wireList(v, j.AdditionalLocations, v.location),
	}
}

func (v Variants) question(q Question) wireQuestion {
	out := wireQuestion{ID: q.ID, Type: q.Type, Label: q.Label}
	required := q.Type == YesNo || q.Type == Catalog // section 2.5 gives answers to these two types only
	switch {
	case len(q.Answers) == 0 && v.Missing == MissingNull:
		out.Answers = jsonNull
	case len(q.Answers) > 0 || required:
		out.Answers = Variants{}.idLabels(q.Answers)
	}
	return out
}

// locationQuestion returns the question about the preferred location: its id is
// negative, its answers are the job's locations.
func locationQuestion(j *Job) Question {
	q := Question{ID: "-1", Type: Catalog, Label: "Which location do you prefer?"}
	if isGerman(j.Language) {
		q.Label = "Welchen Standort bevorzugen Sie?"
	}
	for i, l := range append([]Location{j.Location}, j.AdditionalLocations...) {
		if l != (Location{}) {
			q.Answers = append(q.Answers, Choice{ID: strconv.Itoa(i + 1), Label: l.label()})
		}
	}
	return q
}

func (l Location) label() string {
	return cmp.Or(l.Name, l.City, l.Zip, l.Country, strings.TrimSpace(l.Lat+" "+l.Long))
}
