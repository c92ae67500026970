package jobmirror_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// endlessBoard answers for any number of jobs without holding them: a feed of
// them, a channel with a posting for each twentieth, and lookups.
func endlessBoard(jobs int) http.Handler {
	var nationalities []string
	for i := range 200 {
		nationalities = append(nationalities, fmt.Sprintf(`{"id":"%d","label":"Nationality %d"}`, 2800000+i, i))
	}
	ad := strings.Repeat("<p>Wir suchen eine Pflegekraft für unser Krankenhaus in der Stadt.</p>", 30)
	const first = 10_000_000
	mux := http.NewServeMux()
	mux.HandleFunc("GET /feed.xml", func(w http.ResponseWriter, _ *http.Request) {
		out := feedtest.NewWriter(w, nil)
		for i := range jobs {
			if out.Write(&jobfeed.Entry{JobID: jobboard.JobID(first + i), Title: "Nurse " + strconv.Itoa(i), Company: "Example"}) != nil {
				return
			}
		}
		_ = out.Close()
	})
	mux.HandleFunc("GET /board/api/rest/v2/frontend/jobboards/1_all/jobs", func(w http.ResponseWriter, _ *http.Request) {
		out := bufio.NewWriter(w)
		n := jobs / 20
		fmt.Fprintf(out, `{"totalNumberOfJobs":%d,"numPages":1,"results":[`, n)
		for i := range n {
			if i > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(out, `{"jobPostingId":%d,"postingVersionId":%d,"title":"Nurse %d","applyOnlineLink":"https://jobs.example/job/%d/x",`+
				`"config":{"jobcategory":["%d"],"platform_internalAdText":[%q]}}`, i+1, i+1, i, first+i, i%7, ad)
		}
		out.WriteString("]}")
		_ = out.Flush()
	})
	mux.HandleFunc("GET /jobdb/public/apply/external", func(w http.ResponseWriter, r *http.Request) {
		job, _ := strconv.Atoi(r.URL.Query().Get("jobid"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jobId":%d,"jobTitle":"Nurse %d","jobLanguage":"de","applyPossible":true,"dataSecurityLink":"https://jobs.example/privacy",`+
			`"questions":[{"id":"8","type":"YESNO","label":"Haben Sie einen Führerschein?","answers":[{"id":"1","label":"Ja"},{"id":"2","label":"Nein"}]}],`+
			`"nationalities":[%s],"timestamp":"2026-01-01T00:00:00.000Z","companyName":"Example","companyId":"x",`+
			`"location":{"geoLat":"%.4f","geoLong":"%.4f","geoCity":"Berlin"},"additionalLocations":[]}`,
			job, job-first, strings.Join(nationalities, ","), 47+float64(job%800)/100, 6+float64(job%900)/100)
	})
	return mux
}

// measuredChild copies a board, copies it again, and reads the copy in every way there is. It
// prints the largest amount of memory in use.
func measuredChild(o childOptions) error {
	ctx := context.Background()
	opts := o.options()
	opts.LookupEvery, opts.Concurrency = 0, 32
	opts.Channels[0].Languages = []string{"de"}
	opts.Config.MaxBodyBytes = 4 << 30
	m, err := jobmirror.Open(ctx, o.Database, opts)
	if err != nil {
		return err
	}
	defer m.Close()
	step := func(what string, f func() error) {
		if err == nil {
			err = f()
			fmt.Printf("%s\t%d\n", what, resident())
		}
	}
	refresh := func() error {
		err := m.Refresh(ctx)
		return err
	}
	step("first fill", refresh)
	step("again", refresh)
	step("search", func() error {
		_, err := m.Search(ctx, jobmirror.Query{Text: "Pflegekraft", Near: jobboard.Near(50, 10, 2000), Facets: true})
		return err
	})
	step("4.1", func() error {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/rest/v2/frontend/jobboards/1_all/jobs", http.NoBody)
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		m.Handler().ServeHTTP(discard{http.Header{}}, r)
		return nil
	})
	step("changes", func() error {
		for _, err := range m.Changes(ctx, "") {
			if err != nil {
				return err
			}
		}
		return nil
	})
	step("status", func() error {
		status, err := m.Status(ctx)
		if err == nil {
			fmt.Printf("jobs\t%d\npostings\t%d\n", status.Jobs[jobmirror.StateOpen], status.Postings)
		}
		return err
	})
	return err
}

// discard is an answer that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// resident returns the most kilobytes of memory that this process ever had in
// use; 0 where the system does not tell.
func resident() int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(text, []byte("VmHWM:"))
	kb, _, _ := bytes.Cut(after, []byte("kB"))
	n, _ := strconv.Atoi(string(bytes.TrimSpace(kb)))
	return n
}

// memoryOf copies a board of so many jobs in a process of its own, and returns
// how many MB that had in use at the most.
func memoryOf(t *testing.T, jobs int) int {
	t.Helper()
	board := httptest.NewServer(endlessBoard(jobs))
	defer board.Close()
	o := childOptions{
		Database: filepath.Join(t.TempDir(), "jobs.db"), BaseURL: board.URL + "/board", JobDBURL: board.URL,
		Channel: "1_all", Feed: board.URL + "/feed.xml", Limit: -1, Measure: true,
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Minute)
	defer cancel()
	out, err := childCommand(ctx, t, o).Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for line := range strings.Lines(string(out)) {
		what, value, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if found[what], err = strconv.Atoi(value); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	if found["jobs"] != jobs || found["postings"] != jobs/20 {
		t.Fatalf("the copy has %d jobs and %d postings:\n%s", found["jobs"], found["postings"], out)
	}
	peak := found["status"] >> 10
	t.Logf("figure: %d jobs: %d MB in use at the most\n%s", jobs, peak, out)
	return peak
}

// A process needs no more memory for more jobs: at most 100 MB with a million.
func TestMemoryDoesNotGrowWithJobs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how much memory a process had in use at the most")
	}
	if long() {
		if mb := memoryOf(t, 1_000_000); mb > 110 {
			t.Errorf("a process with a million jobs has %d MB in use, more than 110", mb)
		}
		return
	}
	if !testenv.Whole() {
		if mb := memoryOf(t, 6000); mb > 100 {
			t.Errorf("%d MB with 6 000 jobs, more than 100", mb)
		}
		return
	}
	few, many := memoryOf(t, 4000), memoryOf(t, 16_000)
	if many-few > 16 || many > 100 {
		t.Errorf("%d MB with 4 000 jobs, %d MB with 16 000", few, many)
	}
}
