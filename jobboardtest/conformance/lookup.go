package conformance

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var lookupRules = []rule{
	says("lookup/answers", "4.4, 9", "the lookup of an active job answers with 200 and a JSON object", lookupAnswers),
	says("lookup/fields", "2.5", "JobInformation has its fields, with their types", ofJobs(lookupFields)),
	says("lookup/job-id", "2.5, 4.4", "the information is about the job that was asked for", ofJobs(lookupJobID)),
	says("lookup/apply-possible", "2.5",
		"applyPossible says whether the job can still be applied to", ofJobs(lookupApplyPossible)),
	says("lookup/questions", "2.5", "a question has id, type and label; answers come with YESNO and CATALOG, and not with TEXT and TEXTAREA", ofQuestions(lookupQuestions)),
	says("lookup/answers-of-questions", "2.5", "an answer has an id and a label, both strings; the ids of a CATALOG are UUIDs or numeric", ofQuestions(lookupChoices)),
	says("lookup/preferred-location", "2.5", "the question about the preferred location, with a negative id, lists the job's locations", ofJobs(lookupPreferred)),
	says("lookup/nationalities", "2.5, 4.4", "the nationality catalog has ids and labels, in the job's language", ofJobs(lookupNationalities)),
	says("lookup/timestamp", "2.5",
		"timestamp is an ISO 8601 date-time in UTC with milliseconds", ofJobs(lookupTimestamp)),
	says("lookup/locations", "2.5", "all values of a location are strings; latitude and longitude are decimal text", ofJobs(lookupLocations)),
	says("lookup/inactive", "7.3", "a deactivated job: ERROR_JOB_INACTIVE",
		lookupCodes("InactiveJob", "ERROR_JOB_INACTIVE")),
	says("lookup/deleted", "7.3", "a deleted job: ERROR_JOB_UNAVAILABLE",
		lookupCodes("DeletedJob", "ERROR_JOB_UNAVAILABLE")),
	// The interface does not say which of the two codes an unknown identifier gets. A client
	// takes only the first as an answer about the job.
	says("lookup/unknown", "7.3", "an identifier without job: ERROR_JOB_UNAVAILABLE or ERROR_POSTING_UNAVAILABLE",
		lookupCodes("UnknownJob", "ERROR_JOB_UNAVAILABLE", "ERROR_POSTING_UNAVAILABLE")),
	says("lookup/unpublished", "7.3", "a job whose posting cannot be found: ERROR_POSTING_UNAVAILABLE",
		lookupCodes("UnpublishedJob", "ERROR_POSTING_UNAVAILABLE")),
}

// information is the lookup's answer about an active job.
type information struct {
	name   string // the target's field
	job    int64
	fields object
	bad    string // why fields is nil
}

const lookupLine = "GET {jobdb_url}/jobdb/public/apply/external?jobid"

func (p *probe) lookupRequest(job int64) request {
	rq := request{url: p.JobDBURL + "/jobdb/public/apply/external?jobid=" + strconv.FormatInt(job, 10), line: lookupLine}
	if p.LookupToken != "" {
		rq.auth = bearer(p.LookupToken)
	}
	return rq
}

// informations looks up the target's active jobs, once per session. It is empty if
// the target lacks JobDBURL or jobs.
func (p *probe) informations() []information {
	if p.lacks("JobDBURL") {
		return nil
	}
	if p.infos == nil {
		for _, field := range []string{"OpenJob", "AppliedJob", "WithdrawnJob", "ClosedJob"} {
			if job := p.job(field); job != 0 {
				p.infos = append(p.infos, p.information(field, job))
			}
		}
	}
	if !p.without(len(p.infos) == 0, "OpenJob") {
		p.uses(lookupLine)
	}
	return p.infos
}

func (p *probe) information(field string, job int64) information {
	i := information{name: field, job: job}
	rs, err := p.try(p.lookupRequest(job))
	if err != nil {
		i.bad = err.Error()
		return i
	}
	v, _ := parse(rs.body)
	o, ok := v.(object)
	codes := errorCodes(rs.body)
	switch {
	case rs.status != http.StatusOK:
		i.bad = fmt.Sprintf("it is answered with %s, not 200", rs)
	case !ok:
		i.bad = fmt.Sprintf("the body is no JSON object: %s", rs)
	case len(codes) > 0 && o["jobId"] == nil:
		i.bad = "it is answered with " + codes[0]
	}
	i.fields = o
	return i
}

func lookupAnswers(p *probe) {
	for _, i := range p.informations() {
		if i.bad != "" {
			p.errorf("for the target's %s: %s", i.name, i.bad)
		}
	}
}

// ofJobs returns a check of the good answers about the target's jobs.
func ofJobs(check func(*probe, []information)) func(*probe) {
	return func(p *probe) {
		all := p.informations()
		good := slices.DeleteFunc(slices.Clone(all), func(i information) bool { return i.bad != "" })
		switch {
		case len(good) > 0:
			check(p, good)
		case len(all) > 0:
			p.unless("lookup/answers")
		}
	}
}

// ofQuestions returns a check of the questions of the target's jobs.
func ofQuestions(check func(*probe, []object)) func(*probe) {
	return ofJobs(func(p *probe, infos []information) {
		if qs := gather(infos, "questions"); len(qs) > 0 {
			check(p, qs)
		} else {
			p.skip("no job of the target has questions")
		}
	})
}

// gather returns the objects in one list member of all jobs.
func gather(infos []information, member string) []object {
	var out []object
	for _, i := range infos {
		out = append(out, list(i.fields[member])...)
	}
	return out
}

func lookupFields(p *probe, infos []information) {
	var all []object
	for _, i := range infos {
		all = append(all, i.fields)
	}
	p.fields("JobInformation", all, []field{
		{"jobId", integer},
		{"jobTitle", text},
		{"jobLanguage", formed(languageForm, "a language code")},
		{"applyPossible", boolean},
		{"dataSecurityLink", link},
		{"questions", objects},
		{"nationalities", objects},
		{"timestamp", present},
		{"companyName", text},
		{"companyId", formed(uuidForm, "a UUID")},
		{"location", anObject},
		{"additionalLocations", objects},
	})
}

func lookupJobID(p *probe, infos []information) {
	for _, i := range infos {
		if id, ok := number(i.fields["jobId"]); ok && id != i.job {
			p.errorf("the information for job %d is about job %d", i.job, id)
		}
	}
}

func lookupApplyPossible(p *probe, infos []information) {
	for _, i := range infos {
		if i.name != "OpenJob" && i.name != "ClosedJob" {
			continue
		}
		want := i.name == "OpenJob"
		if got := fmt.Sprint(i.fields["applyPossible"]); got == strconv.FormatBool(!want) {
			p.errorf("for the target's %s it is %s, not %t", i.name, got, want)
		}
	}
}

func lookupQuestions(p *probe, qs []object) {
	p.fields("Question", qs, []field{
		{"id", formed(numericForm, "numeric text")},
		{"type", text},
		{"label", text},
	})
	for _, q := range qs {
		answers, there := q["answers"]
		switch q["type"] {
		case "YESNO", "CATALOG":
			if !there {
				p.errorf("the question %s of type %s has no answers", describe(q["id"]), q["type"])
			}
		case "TEXT", "TEXTAREA":
			if there {
				p.errorf("the question %s of type %s has the member answers", describe(q["id"]), q["type"])
			}
		}
		if there && q["type"] != "TEXT" && q["type"] != "TEXTAREA" {
			if wrong := objects(answers); wrong != "" {
				p.errorf("the answers of the question %s: the member answers %s", describe(q["id"]), wrong)
			}
		}
	}
}

func lookupChoices(p *probe, qs []object) {
	judged := false
	for _, q := range qs {
		answers := list(q["answers"])
		judged = judged || len(answers) > 0
		for _, a := range answers {
			p.idLabel(fmt.Sprintf("an answer of the question %s", describe(q["id"])), a)
			id, ok := a["id"].(string)
			if ok && q["type"] == "CATALOG" && !uuidForm.MatchString(id) && !numericForm.MatchString(id) {
				p.errorf("the id %q of an answer of the question %s is neither a UUID nor numeric", id, describe(q["id"]))
			}
		}
	}
	if !judged {
		p.skip("no question of the target's jobs has answers")
	}
}

func (p *probe) idLabel(what string, o object) {
	for _, name := range []string{"id", "label"} {
		v, ok := o[name]
		if !ok {
			p.errorf("%s has no %s: %s", what, name, describe(o))
		} else if wrong := text(v); wrong != "" {
			p.errorf("the %s of %s %s", name, what, wrong)
		}
	}
}

func lookupPreferred(p *probe, infos []information) {
	judged := false
	for _, i := range infos {
		for _, q := range list(i.fields["questions"]) {
			if id, _ := number(q["id"]); id >= 0 {
				continue
			}
			judged = true
			places := 0
			for _, l := range i.locations() {
				for _, v := range l {
					if s, _ := v.(string); s != "" {
						places++
						break
					}
				}
			}
			if n := len(list(q["answers"])); n != places {
				p.errorf("the job %d has %d locations, and its question %s has %d answers", i.job, places, describe(q["id"]), n)
			}
		}
	}
	if !judged {
		p.skip("no job of the target asks for the preferred location")
	}
}

func lookupNationalities(p *probe, infos []information) {
	byLanguage := map[string]information{}
	judged := false
	for _, i := range infos {
		catalog := list(i.fields["nationalities"])
		judged = judged || len(catalog) > 0
		for _, n := range catalog {
			p.idLabel("a nationality", n)
		}
		language, _ := i.fields["jobLanguage"].(string)
		language, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(language), "_", "-"), "-")
		if language == "" || len(catalog) == 0 {
			continue
		}
		for _, l := range slices.Sorted(maps.Keys(byLanguage)) {
			other := byLanguage[l]
			if l != language && reflect.DeepEqual(labels(list(other.fields["nationalities"])), labels(catalog)) {
				p.errorf("the jobs %d and %d have the same nationality labels, and the languages %s and %s", other.job, i.job, l, language)
			}
		}
		if _, ok := byLanguage[language]; !ok {
			byLanguage[language] = i
		}
	}
	if !judged {
		p.skip("no job of the target has a nationality catalog")
	}
}

func labels(catalog []object) []any {
	var out []any
	for _, o := range catalog {
		out = append(out, o["label"])
	}
	return out
}

func lookupTimestamp(p *probe, infos []information) {
	for _, i := range infos {
		v, there := i.fields["timestamp"]
		if s, _ := v.(string); there && !isoForm.MatchString(s) {
			p.errorf("it is %s for job %d, not like 2026-01-05T08:00:00.000Z", describe(v), i.job)
		}
	}
}

// locations returns the main location of a job and the additional ones.
func (i information) locations() []object {
	return append(list([]any{i.fields["location"]}), list(i.fields["additionalLocations"])...)
}

func lookupLocations(p *probe, infos []information) {
	var all []object
	for _, i := range infos {
		all = append(all, i.locations()...)
	}
	if len(all) == 0 {
		p.skip("no job of the target has a location")
		return
	}
	p.fields("Location", all, []field{
		{"geoLat", decimal(90)},
		{"geoLong", decimal(180)},
		{"geoName", text},
		{"geoCountry", text},
		{"geoState", text},
		{"geoCity", text},
		{"geoZip", text},
		{"geoStreet", text},
	})
}

// decimal returns the kind of decimal numbers as text between -bound and bound; the text may
// be empty.
func decimal(bound float64) kind {
	return func(v any) string {
		s, ok := v.(string)
		if !ok {
			return text(v)
		}
		if s == "" {
			return ""
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.Trim(s, "+-.0123456789") != "" || max(f, -f) > bound {
			return fmt.Sprintf("is %s, not a decimal number between -%g and %g", strconv.Quote(s), bound, bound)
		}
		return ""
	}
}

// errorCodes returns all codes of section 7.3 in a body.
func errorCodes(body []byte) []string {
	var out []string
	add := func(s string) {
		for _, c := range lookupCode.FindAllString(s, -1) {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	v, err := parse(body)
	if err != nil {
		add(string(body))
		return out
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			add(v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case object:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	slices.Sort(out)
	return out
}

// lookupCodes returns a check that the lookup of a job answers with one of the
// codes.
func lookupCodes(job string, want ...string) func(*probe) {
	return func(p *probe) {
		if p.lacks("JobDBURL", job) {
			return
		}
		rs, ok := p.send(p.lookupRequest(p.job(job)))
		if !ok {
			return
		}
		switch got := errorCodes(rs.body); {
		case len(got) == 0:
			p.errorf("it is answered without a code of section 7.3: %s", rs)
		case len(got) > 1:
			p.errorf("the answer has more than one code: %s", strings.Join(got, ", "))
		case !slices.Contains(want, got[0]):
			p.errorf("it is answered with %s, not %s", got[0], strings.Join(want, " or "))
		}
	}
}
