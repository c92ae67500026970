package jobpublish_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"iter"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

func ExampleClean() {
	ad := `<h2 onclick="steal()">Nurse</h2><script>steal()</script>` +
		`<p>Call <a href="tel:+4940123">us</a><ul><li>care<li><a href="javascript:steal()">records</a>`
	fmt.Println(jobpublish.Clean(ad))
	// Output:
	// <h2>Nurse</h2><p>Call <a href="tel:+4940123" rel="nofollow noreferrer">us</a></p><ul><li>care</li><li>records</li></ul>
}

// A job's page has headings of its own, and the ad's links are relative to another
// page.
func ExampleCleaner() {
	posting := &jobboard.JobPosting{ApplyOnlineLink: "https://firma.example/job/17/nurse"}
	ad := `<h1>Nurse</h1><h4>Tasks</h4><a href="/benefits">What we offer</a>`
	// begin
	cleaner := jobpublish.Cleaner{Base: posting.ApplyOnlineLink, Headings: 2}
	ad = cleaner.Clean(ad)
	// end
	fmt.Println(ad)
	// Output:
	// <h2>Nurse</h2><h3>Tasks</h3><a href="https://firma.example/benefits" rel="nofollow noreferrer">What we offer</a>
}

func ExampleText() {
	fmt.Println(jobpublish.Text(`<h2>Your tasks</h2><ul><li>You care for patients<li>You keep the records</ul>Tom &amp; team`))
	// Output:
	// Your tasks
	//
	// • You care for patients
	// • You keep the records
	//
	// Tom & team
}

func ExampleExcerpt() {
	fmt.Println(jobpublish.Excerpt(`<p>You care for patients on the ward, and you keep the records.</p>`, 40))
	// Output:
	// You care for patients on the ward, and…
}

// A job's page: the advertisement cleaned, with headings that follow the page's own,
// the data for search engines where it is complete, and the status that says why a
// job is not shown.
func Example_page() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	stored := findPosting(client)
	find := func(*http.Request) (*jobboard.JobPosting, jobboard.JobID) { return stored, 2797227 }
	// begin
	page := template.Must(template.New("").Parse(`<!DOCTYPE html><title>{{.Title}}</title><h1>{{.Title}}</h1>` +
		`{{with .Data}}<script type="application/ld+json">{{.}}</script>{{end}}<article>{{.Ad}}</article>`))

	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posting, id := find(r) // from your own store; nil where it has none
		job := jobpublish.Job{URL: "https://jobs.example/job/" + id.String(), Posting: posting}
		info, err := client.JobInformation(r.Context(), id)
		job.SetLookup(info, err, time.Now())

		data, err := job.StructuredData(time.Now())
		var refused *jobpublish.RefusedError
		if errors.As(err, &refused) && (posting == nil || refused.Reason != jobpublish.ReasonIncomplete) {
			http.Error(w, string(refused.Reason), refused.HTTPStatus()) // such as 410 for closed
			return
		}
		ad := posting.Config.AdText()
		cleaner := jobpublish.Cleaner{Base: posting.ApplyOnlineLink, Headings: 2}
		err = page.Execute(w, map[string]any{
			"Title": posting.Title, "Data": data, "Ad": template.HTML(cleaner.Clean(ad)),
		})
		if err != nil {
			log.Println(err)
		}
	})
	// end
	show := func(what string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/job/2797227", nil))
		fmt.Println(what, w.Code, strings.Contains(w.Body.String(), `"@type":"JobPosting"`), strings.Contains(w.Body.String(), "<h2>Ihre Aufgaben</h2>"))
	}
	show("open")
	fake.UpdateJob(2797227, func(j *jobboardtest.Job) { j.ApplyClosed = true })
	show("applying is not possible")
	fake.DeactivateJob(2797227)
	show("deactivated")
	stored = nil
	show("without a posting")
	// Output:
	// open 200 true true
	// applying is not possible 410 false false
	// deactivated 410 false false
	// without a posting 410 false false
}

func findPosting(client *jobboard.Client) *jobboard.JobPosting {
	result, err := client.Search(context.Background(), "27828_extern", jobboard.Query{Language: "de"})
	if err != nil {
		log.Fatal(err)
	}
	return &result.Results[0]
}

// A sitemap and two feeds of all jobs of a site.
func ExampleNewFeeds() {
	// begin
	feeds, err := jobpublish.NewFeeds(jobpublish.Config{
		URL:      "https://jobs.example/",
		Title:    "Jobs at the lake",
		Language: "en",
		Jobs:     storedJobs, // func(context.Context) iter.Seq2[jobpublish.Job, error]
		Refused:  func(refused *jobpublish.RefusedError) { log.Println(refused) },
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/sitemap.xml", feeds.Sitemap("/sitemap.xml"))
	mux.Handle("/jobs.rss", feeds.RSS("/jobs.rss"))
	mux.Handle("/jobs.atom", feeds.Atom("/jobs.atom"))
	// end
	for _, path := range []string{"/sitemap.xml", "/jobs.rss", "/jobs.atom"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Header().Get("Content-Type"), strings.Count(w.Body.String(), "https://jobs.example/job/17"))
	}
	// Output:
	// 200 application/xml; charset=utf-8 1
	// 200 application/rss+xml; charset=utf-8 1
	// 200 application/atom+xml; charset=utf-8 1
}

// storedJobs yields one open job.
func storedJobs(context.Context) iter.Seq2[jobpublish.Job, error] {
	return func(yield func(jobpublish.Job, error) bool) {
		yield(jobpublish.Job{
			URL: "https://jobs.example/job/17/nurse",
			Posting: &jobboard.JobPosting{
				JobPostingID: 1, Title: "Nurse", PostingVersionStartDate: 1767600000000,
				Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyAdText: {"<p>You care for patients."}}),
			},
			Information: &jobboard.JobInformation{
				JobID: 17, ApplyPossible: true, CompanyName: "Lindenhof Kliniken GmbH", Location: jobboard.Location{GeoCountry: "Germany"},
			},
			Answered: time.Now().Add(-time.Hour),
		}, nil)
	}
}

// Telling a search engine which pages are new, changed or gone.
func Example_searchEngine() {
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(string(body))
		w.WriteHeader(http.StatusAccepted)
	}))
	defer engine.Close()
	told := map[string]jobboard.PostingVersionID{"https://jobs.example/job/16/cook": 5} // the last time
	for range 2 {
		if err := tell(context.Background(), storedJobs, engine.Client(), engine.URL, "a-key-of-mine", told); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(len(told))
	// Output:
	// {"host":"jobs.example","key":"a-key-of-mine","urlList":["https://jobs.example/job/17/nurse","https://jobs.example/job/16/cook"]}
	// 1
}

// tell tells a search engine which pages changed since the last call, by the protocol IndexNow. told holds which version
// of a posting each page had, and is updated once the search engine has taken all.
func tell(ctx context.Context, jobs func(context.Context) iter.Seq2[jobpublish.Job, error],
	client *http.Client, engine, key string, told map[string]jobboard.PostingVersionID,
) error {
	now := map[string]jobboard.PostingVersionID{}
	var changed []string
	for job, err := range jobs(ctx) {
		if err != nil {
			return err // the jobs that are missing would look gone
		}
		if job.Check(time.Now()) != nil {
			continue // not to be published
		}
		now[job.URL] = job.Posting.PostingVersionID
		if last, ok := told[job.URL]; !ok || last != job.Posting.PostingVersionID {
			changed = append(changed, job.URL)
		}
	}
	for page := range told {
		if _, ok := now[page]; !ok {
			changed = append(changed, page)
		}
	}
	for pages := range slices.Chunk(changed, 10_000) { // the most that a message may have
		body, err := json.Marshal(map[string]any{"host": "jobs.example", "key": key, "urlList": pages})
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, engine, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusAccepted {
			return fmt.Errorf("the search engine answers %s", resp.Status)
		}
	}
	clear(told)
	maps.Copy(told, now)
	return nil
}

func ExampleJob_StructuredData() {
	job := jobpublish.Job{
		URL: "https://jobs.example/job/17",
		Posting: &jobboard.JobPosting{
			JobPostingID: 1, Title: "Nurse", PostingVersionStartDate: 1767600000000,
			Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyAdText: {"<p>You care for patients."}}),
		},
		Information: &jobboard.JobInformation{
			JobID: 17, ApplyPossible: true, CompanyName: "Lindenhof Kliniken GmbH", Location: jobboard.Location{GeoCity: "Hamburg"},
		},
		Answered: time.Now(),
	}
	_, err := job.StructuredData(time.Now())
	fmt.Println(err)

	job.Information.Location.GeoCountry = "DE" // that the site knows
	data, err := job.StructuredData(time.Now())
	if err != nil {
		log.Fatal(err)
	}
	data["employmentType"] = "PART_TIME"
	b, err := json.Marshal(data["jobLocation"])
	fmt.Println(string(b), err)
	fmt.Println(data.Missing())
	// Output:
	// jobpublish: job 17 is not published: incomplete, without jobLocation.address.addressCountry
	// {"@type":"Place","address":{"@type":"PostalAddress","addressCountry":"DE","addressLocality":"Hamburg"}} <nil>
	// [applicantLocationRequirements baseSalary directApply jobLocationType validThrough]
}

// A posting without an end, on a site that confirms its jobs by the lookup.
func ExampleJob_validFor() {
	job := jobpublish.Job{
		URL: "https://jobs.example/job/17/nurse",
		Posting: &jobboard.JobPosting{
			JobPostingID: 1, Title: "Nurse", PostingVersionStartDate: 1767600000000,
			Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyAdText: {"<p>You care for patients."}}),
		},
		Information: &jobboard.JobInformation{
			JobID: 17, ApplyPossible: true, CompanyName: "Lindenhof Kliniken GmbH", Location: jobboard.Location{GeoCountry: "Germany"},
		},
		Answered: time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC),
	}
	// begin
	job.ValidFor = 30 * 24 * time.Hour
	// end
	data, err := job.StructuredData(job.Answered.Add(time.Hour))
	fmt.Println(data["validThrough"], err)
	// Output:
	// 2026-02-10T00:00:00Z <nil>
}
