package jobsite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// searchEngine is the transport to search engines: it keeps what it is told.
type searchEngine struct {
	mu     sync.Mutex
	told   []string
	refuse bool
}

func (e *searchEngine) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent struct {
		URLList []string `json:"urlList"`
	}
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	status := http.StatusOK
	if e.refuse {
		status = http.StatusForbidden
	} else {
		e.told = append(e.told, sent.URLList...)
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// take returns what was told since the last call.
func (e *searchEngine) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.told
	e.told = nil
	slices.Sort(out)
	return slices.Compact(out)
}

// read waits until the reader that announces has read the whole log.
func (c *copied) read(name string) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		behind, err := c.mirror.Behind(c.t.Context(), name)
		if err == nil && behind == 0 {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("the reader %s is %s behind: %v", name, behind, err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// New, changed and closed pages are announced, by one of two processes, and no page of a job that
// visitors must not see, unless they saw it before.
func TestAnnounce(t *testing.T) {
	c := newCopied(t)
	c.copy()
	engine := &searchEngine{}
	announcer, err := jobpublish.NewAnnouncer(jobpublish.AnnouncerConfig{
		URL: "https://jobs.example", Key: "01234567", Store: c.mirror.Announced(), Again: time.Millisecond, HTTPClient: &http.Client{Transport: engine},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		go func() { ended <- c.site.Announce(ctx, announcer) }()
	}
	c.read("announce")
	told := func(what string, want ...string) {
		t.Helper()
		c.copy()
		c.read("announce")
		if got := engine.take(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: told of %q, not %q", what, got, want)
		}
	}
	told("before anything has changed")

	cook, posting := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{Title: "Koch für Süßes", Language: "de"})
	page := fmt.Sprintf("https://jobs.example/job/%d/koch-fuer-suesses", cook.ID)
	told("a new job", page)
	hidden, _ := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{Title: "Geheimer Agent", Language: "de", Internal: true})
	told("an internal job")

	posting.Title, posting.VersionID = "Köchin", posting.VersionID+1000
	c.fake.AddPosting(posting)
	told("another title", fmt.Sprintf("https://jobs.example/job/%d/koechin", cook.ID))

	posting.Title, posting.VersionID = "Vertraulich", posting.VersionID+1000
	posting.Config = map[string][]string{"platformvisibility": {"hidden"}}
	c.fake.AddPosting(posting)
	told("a posting that is hidden", fmt.Sprintf("https://jobs.example/job/%d/koechin", cook.ID))

	waiter, _ := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{Title: "Kellner", Language: "de"})
	page = fmt.Sprintf("https://jobs.example/job/%d/kellner", waiter.ID)
	told("another job", page)
	c.fake.DeactivateJob(waiter.ID)
	told("a job that is closed", page)
	gardener, posting := c.fake.Publish(c.fake.Demo.Channel, jobboardtest.Job{Title: "Gärtner", Language: "de"})
	posting.Config = map[string][]string{"platformvisibility": {""}}
	c.fake.AddPosting(posting)
	page = fmt.Sprintf("https://jobs.example/job/%d/gaertner", gardener.ID)
	told("a posting that says nothing of who may see it", page)
	c.fake.DeactivateJob(gardener.ID)
	told("such a posting that is closed", page)
	c.fake.DeleteJob(hidden.ID)
	told("an internal job that is gone")

	stop()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	reader, err := jobmirror.Open(t.Context(), c.file, jobmirror.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	site, err := jobsite.New(reader, jobsite.Config{URL: "https://jobs.example", Languages: []string{"de"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := site.Announce(t.Context(), announcer); !errors.Is(err, jobmirror.ErrReadOnly) {
		t.Errorf("a process that only reads: %v", err)
	}
}
