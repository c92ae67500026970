package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// copyOf copies a channel of a mock server in German and English, and returns the database.
func copyOf(t *testing.T, srv *jobboardtest.Server, channel string) string {
	t.Helper()
	db := filepath.Join(t.TempDir(), "jobs.db")
	env := map[string]string{"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID}
	if r := ran(t, env, "refresh", "--db", db, "--channels", channel, "--languages", "de,en", "--feed", srv.FeedURL); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	return db
}

// Page after page shows each job once, and what pages of one language show is all there.
func TestSearchShowsAJobOnce(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := copyOf(t, srv, srv.Demo.Channel)
	everything := func(size int, args ...string) (jobs []string) {
		for after := ""; ; {
			r := ran(t, nil, append([]string{"search", "--db", db, "--limit", strconv.Itoa(size), "--after", after, "--fields", "posting"}, args...)...)
			if r.code != setup.ExitOK {
				t.Fatal(r)
			}
			table, more, _ := strings.Cut(r.out, "\nmore with --after ")
			page := strings.Fields(table)[1:]
			jobs = append(jobs, page...)
			if more == "" {
				slices.Sort(jobs)
				return jobs
			}
			if len(page) != size {
				t.Errorf("a page of %d has %d lines", size, len(page))
			}
			after = strings.TrimSpace(more)
		}
	}
	if german, all := everything(100, "--language", "de"), everything(7); len(german) < 30 || !slices.Equal(all, german) {
		t.Errorf("%v, want %v", all, german)
	}
}

// A job is shown in the reader's language if it matches in that, and else in the language that matches best.
func TestSearchInTheReadersLanguage(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := copyOf(t, srv, srv.Demo.Channel)
	for _, c := range []struct {
		env  map[string]string
		text string
		want string
	}{
		{map[string]string{"LANG": "en_US.UTF-8"}, "Pflegefachkraft", "de Pflegefachkraft (m/w/d)"},
		{map[string]string{"LC_ALL": "de_AT.UTF-8", "LANG": "en_US.UTF-8"}, "nurse berlin", "de Pflegefachkraft (m/w/d)"},
		{map[string]string{"JOBBOARD_LANGUAGE": "de,en", "LANG": "en_US.UTF-8"}, "nurse berlin", "de Pflegefachkraft (m/w/d)"},
		{map[string]string{"LANG": "C.UTF-8"}, "nurse berlin", "en Registered Nurse (f/m/x)"}, // its title has the word
		{map[string]string{"LANG": "fr_FR.UTF-8"}, "nurse berlin", "en Registered Nurse (f/m/x)"},
	} {
		r := ran(t, c.env, "search", "--db", db, "--limit", "1", "--csv", "--fields", "language,title", c.text)
		if want := "language,title\n" + strings.Replace(c.want, " ", ",", 1) + "\n"; r.out != want {
			t.Errorf("%v, %q: %s%s", c.env, c.text, r.out, r.err)
		}
	}
}

// A search says which words it corrected or left out, and why it found nothing.
func TestSearchSaysWhy(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := copyOf(t, srv, srv.Demo.Channel)
	for args, want := range map[string]string{
		"Pflgefachkraft":                       `no posting has "pflgefachkraft"; searched for pflegefachkraft as well`,
		"Pflege Stelle":                        `"stelle" was left out: no posting has all the words`,
		"xyzzy":                                "no postings found; none of the ",
		"nurse xyzzy":                          `"xyzzy" was left out: no posting has all the words`,
		"nurse xyzzy yzzyx":                    "no postings found; there are some with fewer of the words",
		"nurse --channel 1_none":               "no postings found; the copy has no channel 1_none",
		"nurse --language fr":                  "no postings found; in the language de there are 2; in the language en there are 2",
		"nurse --near 48.1,11.5 --radius 1":    "no postings found; without near there would be 4",
		"Pflegefachkraft --near 0,0":           "no postings found; without near there would be 2",
		"--near 0,0 --language fr --limit 100": "no postings found",
	} {
		r := ran(t, nil, append([]string{"search", "--db", db}, strings.Fields(args)...)...)
		if r.code != setup.ExitOK || !strings.Contains(r.err, want) {
			t.Errorf("%s: %d\n%s%s", args, r.code, r.out, r.err)
		}
		if strings.Contains(r.err, "no postings found") && r.out != "" {
			t.Errorf("%s: found none, and printed %q", args, r.out)
		}
	}
	if r := ran(t, nil, "search", "--db", db, "--limit", "1"); r.err != "" {
		t.Errorf("a search that found says: %s", r.err)
	}
}

// What only an operator sees is told of where nothing else is found.
func TestSearchTellsOfWhatAVisitorDoesNotSee(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	srv.Publish("1_own", jobboardtest.Job{Title: "Diver"})
	for _, p := range srv.Snapshot().Postings {
		if p.Title == "Diver" {
			p.Config = map[string][]string{"platformvisibility": {"hidden"}}
			srv.AddPosting(p)
		}
	}
	db := copyOf(t, srv, "1_own")
	if r := ran(t, nil, "search", "--db", db, "diver"); !strings.Contains(r.err, "no postings found; there are some that a visitor should not see: --all shows them") {
		t.Errorf("%s%s", r.out, r.err)
	}
	if r := ran(t, nil, "search", "--db", db, "--all", "diver"); !strings.Contains(r.out, "Diver") || r.err != "" {
		t.Errorf("%s%s", r.out, r.err)
	}
}

// The JSON of a page has what a script needs: what was corrected, why nothing was found, what the copy knows of a posting,
// and a mark by which a later search finds only what came since.
func TestSearchAsJSON(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := copyOf(t, srv, srv.Demo.Channel)
	type page struct {
		Postings []struct {
			Posting           struct{ Title string }
			Language, Company string
			TextLanguage      string
			Sources           []string
			Km                *float64
			Seen, FirstSeen   time.Time
			MissingSince      *time.Time
		}
		Why, Mark string
		Corrected []struct {
			Word    string
			Nearest []string
		}
		Facets   *struct{ Total int }
		Building *bool
	}
	search := func(args ...string) (p page) {
		t.Helper()
		r := ran(t, nil, append([]string{"search", "--db", db, "--json"}, args...)...)
		if err := json.Unmarshal([]byte(r.out), &p); err != nil || r.code != setup.ExitOK || p.Building == nil || p.Mark == "" {
			t.Fatalf("%v: %v", err, r)
		}
		return p
	}
	p := search("--near", "Berlin", "--facets", "--limit", "1", "--language", "en", "nurse")
	if len(p.Postings) != 1 || p.Facets == nil || p.Facets.Total < 1 || p.Why != "" || len(p.Corrected) > 0 {
		t.Fatalf("%+v", p)
	}
	if hit := p.Postings[0]; hit.Km == nil || hit.Company == "" || hit.Language != "en" || hit.TextLanguage == "" || len(hit.Sources) == 0 || hit.Seen.IsZero() || hit.MissingSince != nil {
		t.Errorf("%+v", hit)
	}
	if p := search("Pflgefachkraft"); len(p.Corrected) != 1 || p.Corrected[0].Word != "pflgefachkraft" || len(p.Corrected[0].Nearest) == 0 || p.Facets != nil {
		t.Errorf("%+v", p)
	}
	if p := search("nurse", "--language", "fr"); len(p.Postings) != 0 || !strings.Contains(p.Why, "in the language de there are 2; in the language en") {
		t.Errorf("%+v", p)
	}

	srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Diver", Language: "en"})
	env := map[string]string{"JOBBOARD_BASE_URL": srv.BaseURL, "JOBBOARD_JOBDB_URL": srv.JobDBURL, "JOBBOARD_CLIENT_ID": srv.Demo.ClientID}
	if r := ran(t, env, "refresh", "--db", db, "--channels", srv.Demo.Channel, "--languages", "de,en", "--feed", srv.FeedURL); r.code != setup.ExitOK {
		t.Fatal(r)
	}
	if p := search("--changed-after", p.Mark); len(p.Postings) != 1 || p.Postings[0].Posting.Title != "Diver" || p.Postings[0].FirstSeen.IsZero() {
		t.Errorf("since the mark: %+v", p.Postings)
	}
	if p := search("--changed-after", search().Mark); len(p.Postings) != 0 || p.Why != "" {
		t.Errorf("since the last mark: %+v", p)
	}
	if r := ran(t, nil, "search", "--db", db, "--changed-after", "x"); r.code != setup.ExitUsage || !strings.Contains(r.err, "--changed-after: the mark is not of this database\nnext: ") {
		t.Error(r)
	}
}
