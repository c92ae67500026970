package jobboardtest

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// jobInformation answers the lookup of section 4.4, with the codes of section 7.3.
// It needs no credential.
func (c *call) jobInformation() answer {
	id, _ := parseID(c.query.Get("jobid")) // 0: it is none, and no job has that
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
	v := c.v
	data := j.enc.get(v.key(""), func() []byte { return v.encodeJob(&j.Job, company, catalogue) })
	before, after, _ := bytes.Cut(data, timestampMark)
	return answer{
		status: http.StatusOK, contentType: typeJSON,
		parts: [][]byte{before, []byte(v.iso(c.s.Now())), after},
	}
}

// timestampMark stands in the kept form where the time of the answer goes. No
// text can hold it: in JSON a NUL is written as an escape.
var timestampMark = []byte{0}

func (v Variants) encodeJob(j *Job, company Company, catalogue []Choice) []byte {
	link := j.PrivacyURL
	if link == "" {
		link = company.PrivacyURL
	}
	head := wireJobHead{
		JobID: v.id(j.ID), JobTitle: j.Title, JobLanguage: v.text(j.Language), ApplyPossible: !j.ApplyClosed,
		DataSecurityLink: v.text(link), Nationalities: v.idLabels(catalogue), Timestamp: "",
	}
	qs := j.Questions
	if j.AskLocation {
		qs = append(qs[:len(qs):len(qs)], locationQuestion(j))
	}
	if len(qs) == 0 {
		head.Questions = v.missing([]wireQuestion{})
	} else {
		out := make([]wireQuestion, len(qs))
		for i, q := range qs {
			out[i] = wireQuestion{ID: q.ID, Type: q.Type, Label: q.Label}
			switch {
			case len(q.Answers) > 0 || q.Type == YesNo || q.Type == Catalog:
				out[i].Answers = v.idLabels(q.Answers)
			case v.Missing == MissingNull: // section 2.5 has them absent here
				out[i].Answers = jsonNull
			}
		}
		head.Questions = out
	}
	tail := wireJobTail{
		CompanyName: v.text(company.Name), CompanyID: v.text(j.CompanyID), Location: v.location(j.Location),
	}
	if len(j.AdditionalLocations) == 0 {
		tail.AdditionalLocations = v.missing([]wireLocation{})
	} else {
		out := make([]wireLocation, len(j.AdditionalLocations))
		for i, l := range j.AdditionalLocations {
			out[i] = v.location(l)
		}
		tail.AdditionalLocations = out
	}
	// {..., "timestamp":""} and {...} become {..., "timestamp":"\0", ...}.
	a, b := marshal(head), marshal(tail)
	data := append([]byte(nil), a[:len(a)-2]...)
	data = append(data, timestampMark...)
	data = append(data, `",`...)
	return append(data, b[1:]...)
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
	for _, s := range []string{l.Name, l.City, l.Zip, l.Country} {
		if s != "" {
			return s
		}
	}
	return strings.TrimSpace(l.Lat + " " + l.Long)
}

func isGerman(language string) bool {
	primary, _, _ := strings.Cut(strings.ReplaceAll(language, "_", "-"), "-")
	return strings.EqualFold(primary, "de")
}

// catalogue returns the nationality catalogue in a job's language: the one that was
// set, else the built-in one in German or English.
func (st *state) catalogue(language string) []Choice {
	if c, ok := st.catalogues[language]; ok {
		return c
	}
	if isGerman(language) {
		return nationalities().german
	}
	return nationalities().english
}

// SetNationalities replaces the nationality catalogue of a language. The
// built-in ones, in German and in English for any other language, have about
// 200 entries.
func (s *Server) SetNationalities(language string, catalogue []Choice) {
	s.change(func(st *state) {
		st.catalogues[language] = append([]Choice(nil), catalogue...)
		st.forgetJobs()
	})
}
