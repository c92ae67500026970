package jobpublish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// now is before the time that bubbles of synctest begin at.
var now = time.Date(1999, 12, 10, 12, 0, 0, 0, time.UTC)

const page = "https://jobs.example/job/17"

// openJob is a job with everything, for tests to take something away.
func openJob() Job {
	return Job{
		URL: page,
		Posting: &jobboard.JobPosting{
			JobPostingID: 600100, Title: " Nurse\n(f/m/x) ",
			JobStartDate:            millis(now.Add(60 * day)),
			PostingVersionStartDate: millis(now.Add(-3 * day)),
			PostingVersionEndDate:   millis(now.Add(30 * day)),
			Config: jobboard.NewPostingConfig(map[string][]string{
				jobboard.KeyAdText:           {`<h2>Tasks</h2><script>alert(1)</script><p>Care`},
				jobboard.KeyListingStartDate: {strconv.FormatInt(int64(millis(now.Add(-9*day))), 10)},
				jobboard.KeyVisibility:       {"visible"},
				jobboard.KeyCompanyName:      {"Lindenhof Kliniken GmbH"},
			}),
		},
		Information: &jobboard.JobInformation{
			JobID: 17, JobTitle: "Nurse", ApplyPossible: true, CompanyName: "Lindenhof Gruppe",
			Location: jobboard.Location{
				GeoLat: "53.55", GeoLong: "9.99", GeoCountry: "Germany", GeoState: "Hamburg", GeoCity: "Hamburg", GeoZip: "20095", GeoStreet: "Alsterweg 7",
			},
		},
		Answered: now.Add(-47 * time.Hour),
	}
}

func millis(t time.Time) jobboard.Millis { return jobboard.Millis(t.UnixMilli()) }

// change changes keys of the posting's config; nil takes one away.
func change(j *Job, key string, values ...string) {
	m := map[string][]string{}
	for k, v := range j.Posting.Config.All() {
		m[k] = v
	}
	if m[key] = values; values == nil {
		delete(m, key)
	}
	j.Posting.Config = jobboard.NewPostingConfig(m)
}

func TestCheck(t *testing.T) {
	if id := (Job{}).ID(); id != 0 {
		t.Errorf("a job of which nothing is known has the identifier %d", id)
	}
	for _, test := range []struct {
		name string
		edit func(*Job)
		want Reason
	}{
		{"open", func(*Job) {}, ""},
		{"never answered", func(j *Job) { j.Information = nil }, ReasonUnknown},
		{"answered some time", func(j *Job) { j.Answered = time.Time{} }, ReasonUnknown},
		{"answered 48 hours ago", func(j *Job) { j.Answered = now.Add(-MaxAge) }, ""},
		{"answered longer ago", func(j *Job) { j.Answered = now.Add(-MaxAge - 1) }, ReasonStale},
		{"answered in a minute", func(j *Job) { j.Answered = now.Add(skew) }, ""},
		{"answered later", func(j *Job) { j.Answered = now.Add(skew + 1) }, ReasonStale},
		{"no applications", func(j *Job) { j.Information.ApplyPossible = false }, ReasonClosed},
		{"inactive", func(j *Job) { j.Err = jobboard.ErrJobInactive }, ReasonClosed},
		{"posting inactive", func(j *Job) { j.Err = fmt.Errorf("x: %w", jobboard.ErrPostingInactive) }, ReasonClosed},
		{"unavailable", func(j *Job) { j.Err = jobboard.ErrJobUnavailable }, ReasonGone},
		{"posting not found, and an older answer", func(j *Job) { j.Err = jobboard.ErrPostingUnavailable }, ""},
		{"posting not found, and no answer", func(j *Job) { j.Err, j.Information = jobboard.ErrPostingUnavailable, nil }, ReasonUnknown},
		{"not for everybody", func(j *Job) { j.Err = jobboard.ErrPostingNotAccessible }, ReasonNotVisible},
		{"time-out, and an older answer", func(j *Job) { j.Err = jobboard.ErrTimeout }, ""},
		{"time-out, and no answer", func(j *Job) { j.Err, j.Information = jobboard.ErrTimeout, nil }, ReasonUnknown},
		{"ends now", func(j *Job) { j.Posting.PostingVersionEndDate = millis(now) }, ReasonExpired},
		{"ends in a moment", func(j *Job) { j.Posting.PostingVersionEndDate = millis(now) + 1 }, ""},
		{"has no end", func(j *Job) { j.Posting.PostingVersionEndDate = 0 }, ""},
		{"ended before 1970", func(j *Job) { j.Posting.PostingVersionEndDate = -1 }, ReasonExpired},
		{"listed tomorrow", func(j *Job) { change(j, jobboard.KeyListingStartDate, fmt.Sprint(now.Add(day).UnixMilli())) }, ReasonNotYet},
		{"hidden", func(j *Job) { change(j, jobboard.KeyVisibility, "hidden") }, ReasonNotVisible},
		{"visibility that is none", func(j *Job) { change(j, jobboard.KeyVisibility, "a b") }, ReasonNotVisible},
		{"visibility not told", func(j *Job) { change(j, jobboard.KeyVisibility) }, ""},
		{"empty visibility", func(j *Job) { change(j, jobboard.KeyVisibility, "") }, ""},
		{"hidden from another product", func(j *Job) {
			change(j, jobboard.KeyVisibility)
			change(j, "othervisibility", "hidden")
		}, ReasonNotVisible},
		{"no posting", func(j *Job) { j.Posting = nil }, ReasonIncomplete},
		{"no title", func(j *Job) { j.Posting.Title, j.Information.JobTitle = "\u202e ", "\n" }, ReasonIncomplete},
		{"the job's title", func(j *Job) { j.Posting.Title = "" }, ""},
		{"no address", func(j *Job) { j.URL = "/job/17" }, ReasonIncomplete},
		{"address of 2 047 characters", func(j *Job) { j.URL += "?" + strings.Repeat("x", 2046-len(j.URL)) }, ""},
		{"address of 2 048 characters", func(j *Job) { j.URL += "?" + strings.Repeat("x", 2047-len(j.URL)) }, ReasonIncomplete},
		{"address of a script", func(j *Job) { j.URL = "javascript:alert(1)" }, ReasonIncomplete},
		{"address with a user", func(j *Job) { j.URL = "https://a@jobs.example/" }, ReasonIncomplete},
		{"no applications, ended, no address", func(j *Job) {
			j.Information.ApplyPossible, j.Posting.PostingVersionEndDate, j.URL = false, -1, ""
		}, ReasonClosed},
		{"ended, no address", func(j *Job) { j.Posting.PostingVersionEndDate, j.URL = -1, "" }, ReasonExpired},
	} {
		j := openJob()
		test.edit(&j)
		err := j.Check(now)
		refused, ok := errors.AsType[*RefusedError](err)
		if ok != (test.want != "") || ok && refused.Reason != test.want {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
			continue
		}
		if _, second := j.StructuredData(now); (second == nil) != (err == nil) || second != nil && second.Error() != err.Error() {
			t.Errorf("%s: Check says %v, StructuredData %v", test.name, err, second)
		}
		if j.Err != nil && ok && !errors.Is(err, j.Err) {
			t.Errorf("%s: %v does not hold what the service said", test.name, err)
		}
	}
}

func TestStructuredData(t *testing.T) {
	j := openJob()
	j.DirectApply = true
	d, err := j.StructuredData(now)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
		"@context": "https://schema.org/", "@type": "JobPosting", "title": "Nurse (f/m/x)", "url": "https://jobs.example/job/17",
		"description": "<h2>Tasks</h2><p>Care</p>", "datePosted": "1999-12-01T12:00:00Z", "validThrough": "2000-01-09T12:00:00Z",
		"directApply": true, "hiringOrganization": {"@type": "Organization", "name": "Lindenhof Kliniken GmbH"},
		"identifier": {"@type": "PropertyValue", "name": "Lindenhof Kliniken GmbH", "value": "17"},
		"jobLocation": {"@type": "Place",
			"address": {"@type": "PostalAddress", "streetAddress": "Alsterweg 7", "postalCode": "20095", "addressLocality": "Hamburg",
				"addressRegion": "Hamburg", "addressCountry": "DE"},
			"geo": {"@type": "GeoCoordinates", "latitude": 53.55, "longitude": 9.99}}}`
	if got := asJSON(t, d); !reflect.DeepEqual(got, parsed(t, want)) {
		t.Errorf("got %v", got)
	}
	if m := d.Missing(); !slices.Equal(m, []string{"applicantLocationRequirements", "baseSalary", "employmentType", "jobLocationType"}) {
		t.Errorf("missing: %q", m)
	}
}

// What is not known is left out or told, and never made up.
func TestStructuredDataMissing(t *testing.T) {
	for _, test := range []struct {
		name    string
		edit    func(*Job)
		missing string // told in the error
		path    string // in the data, with its value
		want    any
	}{
		{"no end", func(j *Job) { j.Posting.PostingVersionEndDate = 0 }, "", "validThrough", nil},
		{"no end that a calendar has", func(j *Job) { j.Posting.PostingVersionEndDate = 1 << 62 }, "", "validThrough", nil},
		{"direct application not promised", func(*Job) {}, "", "directApply", nil},
		{"never listed", func(j *Job) { change(j, jobboard.KeyListingStartDate) }, "", "datePosted", "1999-12-07T12:00:00Z"},
		{"listed at 0", func(j *Job) { change(j, jobboard.KeyListingStartDate, "0") }, "", "datePosted", "1999-12-07T12:00:00Z"},
		{"no date but the work's", func(j *Job) {
			change(j, jobboard.KeyListingStartDate)
			j.Posting.PostingVersionStartDate = 0
		}, "datePosted", "", nil},
		{"a date that no calendar has", func(j *Job) {
			change(j, jobboard.KeyListingStartDate)
			j.Posting.PostingVersionStartDate = -99_999_999_999_999
		}, "datePosted", "", nil},
		{"no ad", func(j *Job) { change(j, jobboard.KeyAdText) }, "description", "", nil},
		{"no words in the ad", func(j *Job) { change(j, jobboard.KeyAdText, "<p>&nbsp;<script>x</script><img src=x>") }, "description", "", nil},
		{"the job's company", func(j *Job) { change(j, jobboard.KeyCompanyName, "") }, "", "hiringOrganization.name", "Lindenhof Gruppe"},
		{"no company", func(j *Job) {
			change(j, jobboard.KeyCompanyName, "")
			j.Information.CompanyName = ""
		}, "hiringOrganization", "", nil},
		{"no country", func(j *Job) { j.Information.Location.GeoCountry = "" }, "jobLocation.address.addressCountry", "", nil},
		{"a country elsewhere", func(j *Job) {
			j.Information.Location.GeoCountry = ""
			j.Information.AdditionalLocations = []jobboard.Location{{GeoCountry: "Austria", GeoLat: "x"}}
		}, "", "jobLocation.address.addressCountry", "AT"},
		{"no coordinates", func(j *Job) { j.Information.Location.GeoLat = "" }, "", "jobLocation.geo", nil},
		{"coordinates off the globe", func(j *Job) { j.Information.Location.GeoLat = "91" }, "", "jobLocation.geo", nil},
		{"near the equator", func(j *Job) { j.Information.Location.GeoLat = "0.0000001" }, "", "jobLocation.geo.latitude", 1e-7},
		{"no identifier", func(j *Job) { j.Information.JobID = 0 }, "", "identifier", nil},
		{"at its place", func(*Job) {}, "", "jobLocationType", nil},
		{"remote", func(j *Job) { change(j, jobboard.KeyRemoteStatus, "FULLY_REMOTE") }, "", "applicantLocationRequirements.name", "DE"},
		{"remote in the site's words", func(j *Job) {
			change(j, jobboard.KeyRemoteStatus, "FULLY_REMOTE")
			j.ApplicantCountries = []string{"Austria"}
		}, "", "applicantLocationRequirements.name", "AT"},
		{"remote without a place", func(j *Job) {
			change(j, jobboard.KeyRemoteStatus, "FULLY_REMOTE")
			j.Information.Location = jobboard.Location{}
			j.ApplicantCountries = []string{"Austria"}
		}, "", "jobLocationType", "TELECOMMUTE"},
		{"remote from nowhere", func(j *Job) {
			change(j, jobboard.KeyRemoteStatus, "FULLY_REMOTE")
			j.Information.Location = jobboard.Location{}
		}, "applicantLocationRequirements", "", nil},
		{"remote in part", func(j *Job) { change(j, jobboard.KeyRemoteStatus, "HYBRID") }, "", "jobLocationType", nil},
		{"no remote status", func(j *Job) { change(j, jobboard.KeyRemoteStatus) }, "", "jobLocationType", nil},
		{"a remote status that is no word", func(j *Job) { change(j, jobboard.KeyRemoteStatus, "FULLY_REMOTE!") }, "", "jobLocationType", nil},
		{"two remote statuses", func(j *Job) { change(j, jobboard.KeyRemoteStatus, "FULLY_REMOTE", "HYBRID") }, "", "jobLocationType", nil},
		{"a broken remote status without a country", func(j *Job) {
			change(j, jobboard.KeyRemoteStatus, "FULLY_REMOTE!")
			j.Information.Location.GeoCountry = ""
		}, "jobLocation.address.addressCountry", "", nil},
	} {
		j := openJob()
		test.edit(&j)
		d, err := j.StructuredData(now)
		if test.missing != "" {
			refused, ok := errors.AsType[*RefusedError](err)
			if !ok || refused.Reason != ReasonIncomplete || !slices.Equal(refused.Missing, []string{test.missing}) || refused.Job != 17 {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got any = asJSON(t, d)
		for name := range strings.SplitSeq(test.path, ".") {
			got = got.(map[string]any)[name]
		}
		if got != test.want {
			t.Errorf("%s: %s is %v, want %v", test.name, test.path, got, test.want)
		}
	}
	j := openJob()
	j.Information.AdditionalLocations = []jobboard.Location{{GeoCountry: "Germany", GeoCity: "Bremen"}, {GeoCity: "nowhere"}, {GeoCountry: "Austria"}}
	change(&j, jobboard.KeyRemoteStatus, "FULLY_REMOTE")
	d, err := j.StructuredData(now)
	if err != nil || len(d["jobLocation"].([]any)) != 3 || len(d["applicantLocationRequirements"].([]any)) != 2 {
		t.Errorf("several places: %v, %v", d, err)
	}
}

// A country without a name counts as missing.
func TestApplicantCountries(t *testing.T) {
	j := openJob()
	change(&j, jobboard.KeyRemoteStatus, "FULLY_REMOTE")
	j.ApplicantCountries = []string{"", "Austria", " \u202e"}
	d, err := j.StructuredData(now)
	if err != nil || !reflect.DeepEqual(d["applicantLocationRequirements"], map[string]any{"@type": "Country", "name": "AT"}) {
		t.Errorf("%v, %v", d["applicantLocationRequirements"], err)
	}
	j.ApplicantCountries = []string{" "}
	if d, err := j.StructuredData(now); err == nil {
		t.Errorf("no country gives %v", d)
	}
}

// Whatever the texts are, the data does not end the element that it stands in.
func TestStructuredDataInScript(t *testing.T) {
	const evil = "</script><script>alert(1)</script><!--<script>]]>&\u2028\u2029\xff\x00"
	j := openJob()
	j.URL = "https://jobs.example/</script>"
	j.Posting.Title = evil
	j.Information.Location = jobboard.Location{GeoCountry: evil, GeoCity: evil, GeoStreet: evil}
	change(&j, jobboard.KeyAdText, "&lt;/script>"+evil)
	change(&j, jobboard.KeyCompanyName, evil)
	d, err := j.StructuredData(now)
	if err != nil {
		t.Fatal(err)
	}
	d["employmentType"] = evil
	var unescaped strings.Builder
	encoder := json.NewEncoder(&unescaped)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	script := template.Must(template.New("").Parse(`<script type="application/ld+json">{{.}}</script>`))
	if err := script.Execute(&page, d); err != nil {
		t.Fatal(err)
	}
	written, _ := strings.CutPrefix(page.String(), `<script type="application/ld+json">`)
	written, _ = strings.CutSuffix(written, `</script>`)
	if got := parsed(t, written); !reflect.DeepEqual(got, asJSON(t, d)) {
		t.Errorf("html/template writes %s", written)
	}
	for _, s := range []string{string(b), unescaped.String(), written} {
		if strings.ContainsAny(s, "<>&\u2028\u2029") {
			t.Errorf("not safe: %s", s)
		}
	}
	if got := asJSON(t, d)["title"]; got != "< /script>< script>alert(1)< /script>< !--< script>]]>& \uFFFD" {
		t.Errorf("the title is %q", got)
	}
	// encoding/json/v2 takes every escape away that JSON does not need.
	var bare strings.Builder
	encoder = json.NewEncoder(&bare)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(asJSON(t, d)); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"</script", "<script", "<!--"} {
		if strings.Contains(strings.ToLower(bare.String()), end) {
			t.Errorf("%s in %s", end, bare.String())
		}
	}
}

// A page's address is one for XML and for browsers.
func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://jobs.example/job/1?a=b&c=%C3%A4#x":        "https://jobs.example/job/1?a=b&c=%C3%A4#x",
		"https://jobs.example/Köln?q=ä \"<b>\\^`{|}":       "https://jobs.example/K%C3%B6ln?q=%C3%A4%20%22%3Cb%3E%5C%5E%60%7B%7C%7D",
		"https://jobs.example/" + strings.Repeat("ä", 300): "https://jobs.example/" + strings.Repeat("%C3%A4", 300),
	} {
		if got := (Job{URL: address}).address(); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func asJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(b))
}

func parsed(t *testing.T, s string) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// list makes jobs of a list.
func list(jobs *[]Job) func(context.Context) iter.Seq2[Job, error] {
	return func(context.Context) iter.Seq2[Job, error] {
		return func(yield func(Job, error) bool) {
			for _, j := range *jobs {
				if !yield(j, nil) {
					return
				}
			}
		}
	}
}

// A page says with its status why a job is not shown.
func TestStatuses(t *testing.T) {
	for _, test := range []struct {
		refused RefusedError
		want    int
	}{
		{RefusedError{Reason: ReasonClosed, Err: jobboard.ErrJobInactive}, 410},
		{RefusedError{Reason: ReasonClosed}, 410}, // applying is not possible
		{RefusedError{Reason: ReasonExpired}, 410},
		{RefusedError{Reason: ReasonGone, Err: jobboard.ErrJobUnavailable}, 404},
		{RefusedError{Reason: ReasonNotVisible, Err: jobboard.ErrPostingNotAccessible}, 404},
		{RefusedError{Reason: ReasonNotVisible}, 404},
		{RefusedError{Reason: ReasonNotYet}, 404},
		{RefusedError{Reason: ReasonIncomplete}, 404},
		{RefusedError{Reason: ReasonUnknown, Err: jobboard.ErrTimeout}, 503},
		{RefusedError{Reason: ReasonStale}, 503},
	} {
		if got := test.refused.HTTPStatus(); got != test.want {
			t.Errorf("%v: %d, want %d", &test.refused, got, test.want)
		}
	}
}

// Countries have codes where they are known, and the service's word where not.
func TestCountries(t *testing.T) {
	j := openJob()
	for _, country := range []string{"Deutschland", "Österreich", "SCHWEIZ", "de", "Utopia", " Utopia\n", "Bayern"} {
		j.Information.AdditionalLocations = append(j.Information.AdditionalLocations, jobboard.Location{GeoCountry: country})
	}
	change(&j, jobboard.KeyRemoteStatus, "FULLY_REMOTE")
	d, err := j.StructuredData(now)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, location := range all(d["jobLocation"]) {
		codes = append(codes, location["address"].(map[string]any)["addressCountry"].(string))
	}
	if !slices.Equal(codes, []string{"DE", "DE", "AT", "CH", "DE", "Utopia", "Utopia", "Bayern"}) {
		t.Errorf("codes %q", codes)
	}
	if from := all(d["applicantLocationRequirements"]); len(from) != 5 {
		t.Errorf("one may work from %v", from)
	}
	if unknown := d.UnknownCountries(); !slices.Equal(unknown, []string{"Utopia", "Bayern"}) {
		t.Errorf("unknown are %q", unknown)
	}
	if unknown := (StructuredData{}).UnknownCountries(); unknown != nil {
		t.Errorf("of nothing %q are unknown", unknown)
	}
}

// What the site knows of the company stands beside its name, if it is an address.
func TestOrganization(t *testing.T) {
	j := openJob()
	j.Organization = Organization{Logo: "https://cdn.example/logo.png", SameAs: "javascript:alert(1)"}
	d, err := j.StructuredData(now)
	want := map[string]any{"@type": "Organization", "name": "Lindenhof Kliniken GmbH", "logo": "https://cdn.example/logo.png"}
	if err != nil || !reflect.DeepEqual(d["hiringOrganization"], want) {
		t.Errorf("%v, %v", d["hiringOrganization"], err)
	}
}

// A posting without an end gets validThrough only if the site sets ValidFor, and
// each answer of the lookup moves it.
func TestValidFor(t *testing.T) {
	j := openJob()
	j.Posting.PostingVersionEndDate = 0
	for _, test := range []struct {
		validFor time.Duration
		answered time.Time
		want     any
	}{
		{0, now, nil},
		{30 * day, now, "2000-01-10T00:00:00Z"},
		{30 * day, now.Add(time.Hour), "2000-01-10T00:00:00Z"},
		{30 * day, now.Add(-day), "2000-01-09T00:00:00Z"},
		{1, now, "1999-12-13T00:00:00Z"},
		{time.Minute, now, "1999-12-13T00:00:00Z"}, // only when the answer itself is too old
	} {
		j.ValidFor, j.Answered = test.validFor, test.answered
		d, err := j.StructuredData(now.Add(time.Hour))
		if got := d["validThrough"]; err != nil || got != test.want {
			t.Errorf("for %v after %v: %v, %v, want %v", test.validFor, test.answered, got, err, test.want)
		}
	}
	j.Posting.PostingVersionEndDate = millis(now.Add(3 * day))
	if d, err := j.StructuredData(now.Add(time.Hour)); err != nil || d["validThrough"] != "1999-12-13T12:00:00Z" {
		t.Errorf("the posting's own end counts: %v, %v", d["validThrough"], err)
	}
}
