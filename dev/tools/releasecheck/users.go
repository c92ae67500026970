package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Bounds of a stripped program that makes one search, beside one that does the
// same with net/http and encoding/json.
const (
	maxTimes = 1.20
	maxMore  = 1200 << 10 // bytes
)

// ours and bare make one search at the address in their first argument, and print
// what was found.
const (
	ours = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jobboard-sdk/jobboard-go"
)

func main() {
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: os.Args[1], ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	page, err := client.Search(context.Background(), "27828_extern", jobboard.Query{Text: "nurse"})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range page.Results {
		fmt.Println(p.JobPostingID, p.Title)
	}
}
`
	bare = `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	req, err := http.NewRequest("GET", os.Args[1]+"/api/rest/v2/frontend/jobboards/27828_extern/jobs?search=nurse", nil)
	if err != nil {
		log.Fatal(err)
	}
	req.SetBasicAuth("10", "")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var page struct {
		Results []struct {
			JobPostingID int64
			Title        string
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		log.Fatal(err)
	}
	for _, p := range page.Results {
		fmt.Println(p.JobPostingID, p.Title)
	}
}
`
)

// client builds a user's program, compares its size with one that does without
// the library, and looks at what both ask for.
func (t trial) client(version string) error {
	theirs, err := t.program("bare", bare)
	if err != nil {
		return err
	}
	binary, err := t.program("ours", ours, modulePath+"@"+version)
	if err != nil {
		return err
	}
	var agent atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent.Store(r.UserAgent())
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"totalNumberOfJobs":1,"actualPage":1,"numPages":1,"itemsPerPage":10,`+
			`"results":[{"jobPostingId":5,"title":"Nurse"}]}`)
	}))
	defer srv.Close()
	for _, b := range []string{theirs, binary} {
		if out, err := t.run(b, srv.URL); err != nil || out != "5 Nurse\n" {
			return fmt.Errorf("%s found %q: %w", filepath.Base(b), out, err)
		}
	}
	sent, _ := agent.Load().(string)
	fmt.Fprintf(t.out, "      it calls itself %s\n", sent)
	if want := "jobboard-go/" + version; sent != want {
		return fmt.Errorf("the program calls itself %q, want %q", sent, want)
	}
	a, err := os.Stat(binary)
	if err != nil {
		return err
	}
	b, err := os.Stat(theirs)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out,
		"      a program that makes one search: %d KB; with net/http alone: %d KB; %d KB more, %.2f times\n",
		a.Size()>>10, b.Size()>>10, (a.Size()-b.Size())>>10, float64(a.Size())/float64(b.Size()))
	return sizes(a.Size(), b.Size())
}

func sizes(ours, bare int64) error {
	if times := float64(ours) / float64(bare); times > maxTimes {
		return fmt.Errorf("%.2f times as large, the bound is %.2f", times, maxTimes)
	}
	if more := ours - bare; more > maxMore {
		return fmt.Errorf("%d KB more, the bound is %d", more>>10, maxMore>>10)
	}
	return nil
}
