package jobsite_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite/jobsitetest"
)

// The page in place of a job says why, and leads on to open jobs of its category nearby, and to
// nothing where category or place are unknown. Hidden jobs show no title and no neighbours.
func TestInstead(t *testing.T) {
	var site *jobsitetest.Site
	site = jobsitetest.Open(t, func(s *jobsite.Settings) {
		s.Site.Failed = func(w http.ResponseWriter, r *http.Request, status int) {
			instead := site.Site.Instead(w, r, status)
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(instead)
		}
	})
	addPages(site.Marketplace)
	berlin := jobboardtest.Location{Lat: "52.52", Long: "13.40", City: "Berlin"}
	potsdam := jobboardtest.Location{Lat: "52.39", Long: "13.06", City: "Potsdam"}
	leipzig := jobboardtest.Location{Lat: "51.34", Long: "12.37", City: "Leipzig"}
	publish := func(title string, at jobboardtest.Location, config map[string][]string, closed bool) int64 {
		job := site.Board.AddJob(jobboardtest.Job{Title: title, Language: "en", Location: at, ApplyClosed: closed})
		site.Board.AddPosting(jobboardtest.Posting{
			JobID: job.ID, Channels: []string{site.Board.Demo.Channel}, Title: title, Language: "en", Config: config,
		})
		return job.ID
	}
	refresh := func() {
		t.Helper()
		if err := site.Mirror.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stoking := map[string][]string{"jobcategory": {"stoking"}}
	closed := publish("Closed stoker", berlin, stoking, true)
	nowhere := publish("Stoker somewhere", jobboardtest.Location{}, stoking, true)
	plain := publish("Closed jobs of no category", berlin, nil, true)
	hidden := publish("Secret stoker", berlin, map[string][]string{"jobcategory": {"stoking"}, "platformvisibility": {"hidden"}}, false)
	first := time.Now().Add(24 * time.Hour).UnixMilli()
	coming := publish("Coming stoker", berlin, map[string][]string{"jobcategory": {"stoking"}, "listingStartDate": {fmt.Sprint(first)}}, false)
	refresh()
	// One after the other, so that the copy knows them in this order.
	var newest int64
	for _, title := range []string{"Stoker 1", "Stoker 2", "Stoker 3", "Stoker 4"} {
		newest = publish(title, potsdam, stoking, false)
		refresh()
	}
	site.Board.AddPosting(jobboardtest.Posting{ // a job with two postings is listed once
		JobID: newest, Channels: []string{site.Board.Demo.Channel}, Title: "Stoker 4", Language: "en", Config: stoking,
	})
	publish("Stoker far away", leipzig, stoking, false)
	publish("Baker", berlin, map[string][]string{"jobcategory": {"baking"}}, false)
	publish("Another closed stoker", berlin, stoking, true)
	refresh()
	for _, c := range []struct {
		name, path         string
		status             int
		text, title, cards string
	}{
		{"closed", fmt.Sprintf("/job/%d/", closed), 410, "This job takes no more applications.", "Closed stoker", "Stoker 4 Stoker 3 Stoker 2"},
		{"no place", fmt.Sprintf("/job/%d/", nowhere), 410, "This job takes no more applications.", "Stoker somewhere", ""},
		{"no category", fmt.Sprintf("/job/%d/", plain), 410, "This job takes no more applications.", "Closed jobs of no category", ""},
		{"hidden", fmt.Sprintf("/job/%d/", hidden), 404, "There is no such page.", "", ""},
		{"not begun", fmt.Sprintf("/job/%d/", coming), 404, "There is no such page.", "", ""},
		{"deleted", fmt.Sprintf("/job/%d/", site.Board.Demo.DeletedJob), 404, "", "", ""},
		{"unknown", "/job/99999999/", 404, "There is no such page.", "", ""},
		{"no number", "/job/x/", 404, "There is no such page.", "", ""},
		{"no page", "/nothing", 404, "There is no such page.", "", ""},
	} {
		status, _, body := fetch(t, jobsitetest.Visitor(t), "GET", site.URL+c.path+"?lang=en&text=nurse&near=Berlin&utm_source=x")
		var got jobsite.Instead
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%s: %v %s", c.name, err, body)
		}
		var titles []string
		for _, card := range got.Similar {
			titles = append(titles, card.Title)
			if !strings.HasPrefix(card.Path, "/job/") || card.Distance == "" {
				t.Errorf("%s: %+v", c.name, card)
			}
		}
		if status != c.status || c.text != "" && got.Text != c.text || got.Title != c.title || strings.Join(titles, " ") != c.cards {
			t.Errorf("%s: %d %q %q %q, want %d %q %q %q", c.name, status, got.Text, got.Title, titles, c.status, c.text, c.title, c.cards)
		}
		if got.Search != "?lang=en&near=Berlin&text=nurse" {
			t.Errorf("%s leads back to %s", c.name, got.Search)
		}
	}
}

// Before the first copy the page says when to try again.
func TestInsteadWaits(t *testing.T) {
	texts := jobsite.English()
	site := jobsitetest.Open(t, nil)
	for after, want := range map[string]string{
		"":      texts.Status(503),
		"60":    "We have no current answer of the job board to show here. Please try again in a minute.",
		"61":    "We have no current answer of the job board to show here. Please try again in 2 minutes.",
		"never": texts.Status(503),
	} {
		w := httptest.NewRecorder()
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		if got := site.Site.Instead(w, httptest.NewRequest("GET", "/?lang=en", nil), 503); got.Text != want {
			t.Errorf("after %q: %q, want %q", after, got.Text, want)
		}
	}
}

// The page of a job leads on after its last posting has left the copy, too, for as long as the copy keeps
// the job. What was hidden stays so.
func TestInsteadWithoutPostings(t *testing.T) {
	var site *jobsitetest.Site
	site = jobsitetest.Open(t, func(s *jobsite.Settings) {
		s.Site.Failed = func(w http.ResponseWriter, r *http.Request, status int) {
			instead := site.Site.Instead(w, r, status)
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(instead)
		}
	})
	addPages(site.Marketplace)
	berlin := jobboardtest.Location{Lat: "52.52", Long: "13.40", City: "Berlin"}
	publish := func(title string, config map[string][]string) (job, posting int64) {
		j := site.Board.AddJob(jobboardtest.Job{Title: title + " (the job's)", Language: "en", Location: berlin})
		p := site.Board.AddPosting(jobboardtest.Posting{
			JobID: j.ID, Channels: []string{site.Board.Demo.Channel}, Title: title, Language: "en", Config: config,
		})
		return j.ID, p.ID
	}
	refresh := func() {
		t.Helper()
		if err := site.Mirror.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	publish("Open stoker", map[string][]string{"jobcategory": {"stoking"}})
	closed, posting := publish("Closed stoker", map[string][]string{"jobcategory": {"stoking"}})
	hidden, secret := publish("Secret stoker", map[string][]string{"jobcategory": {"stoking"}, "platformvisibility": {"hidden"}})
	refresh()
	for job, posting := range map[int64]int64{closed: posting, hidden: secret} {
		site.Board.RemovePosting(posting)
		site.Board.DeactivateJob(job)
	}
	refresh()
	if postings, err := site.Mirror.Postings(t.Context(), jobboard.JobID(closed)); err != nil || len(postings) > 0 {
		t.Fatalf("the copy still has %d postings, %v", len(postings), err)
	}
	for job, want := range map[int64]string{closed: "Closed stoker: Open stoker", hidden: ": "} {
		_, _, body := fetch(t, jobsitetest.Visitor(t), "GET", fmt.Sprintf("%s/job/%d/?lang=en", site.URL, job))
		var got jobsite.Instead
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v %s", err, body)
		}
		var titles []string
		for _, card := range got.Similar {
			titles = append(titles, card.Title)
		}
		if told := got.Title + ": " + strings.Join(titles, ", "); told != want {
			t.Errorf("job %d: %q, want %q", job, told, want)
		}
	}
}

// A similar job whose answer says that it is closed is left out at once, before the index has it.
func TestSimilarJobsAreOpen(t *testing.T) {
	database := filepath.Join(t.TempDir(), "jobs.db")
	var site *jobsitetest.Site
	site = jobsitetest.Open(t, func(s *jobsite.Settings) {
		s.Database = database
		s.Site.Failed = func(w http.ResponseWriter, r *http.Request, status int) {
			w.WriteHeader(status)
			for _, card := range site.Site.Instead(w, r, status).Similar {
				fmt.Fprintln(w, card.Title)
			}
		}
	})
	addPages(site.Marketplace)
	berlin := jobboardtest.Location{Lat: "52.52", Long: "13.40", City: "Berlin"}
	var jobs []int64
	for i, title := range []string{"Closed stoker", "Open stoker", "Stoker who closes"} {
		job := site.Board.AddJob(jobboardtest.Job{Title: title, Language: "en", Location: berlin, ApplyClosed: i == 0})
		site.Board.AddPosting(jobboardtest.Posting{
			JobID: job.ID, Channels: []string{site.Board.Demo.Channel}, Title: title, Language: "en",
			Config: map[string][]string{"jobcategory": {"stoking"}},
		})
		jobs = append(jobs, job.ID)
	}
	if err := site.Mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	similar := func() string {
		_, _, body := fetch(t, jobsitetest.Visitor(t), "GET", fmt.Sprintf("%s/job/%d/?lang=en", site.URL, jobs[0]))
		return body
	}
	if got := similar(); got != "Stoker who closes\nOpen stoker\n" {
		t.Fatalf("similar are %q", got)
	}
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const saved = `UPDATE jobs SET state = 'closed', record = replace(replace(record, '"open"', '"closed"'), '"applyPossible":true', '"applyPossible":false') WHERE job = ?`
	if _, err := db.ExecContext(t.Context(), saved, jobs[2]); err != nil {
		t.Fatal(err)
	}
	if got := similar(); got != "Open stoker\n" {
		t.Errorf("with a closed one not indexed yet, similar are %q", got)
	}
}
