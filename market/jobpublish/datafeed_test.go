package jobpublish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// The importers' own view of a feed, typed by their rules.
type importedFeed struct {
	Context       string `json:"@context"`
	Type          string `json:"@type"`
	NumberOfItems *int   `json:"numberOfItems"`
	Elements      []struct {
		Type string         `json:"@type"`
		Item map[string]any `json:"item"`
	} `json:"dataFeedElement"`
}

// imported reads a feed as importers do, and fails for each of their rules that it
// breaks: the count is the length, no job is there twice, identifiers are digits,
// addresses are those of jobs with https, and every required member is there.
func imported(t *testing.T, body []byte) []map[string]any {
	t.Helper()
	var feed importedFeed
	if err := json.Unmarshal(body, &feed); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	if feed.Context != "https://schema.org/" || feed.Type != "DataFeed" || feed.NumberOfItems == nil || *feed.NumberOfItems != len(feed.Elements) {
		t.Errorf("%s %s of %d elements: %.200s", feed.Context, feed.Type, len(feed.Elements), body)
	}
	var items []map[string]any
	seen := map[string]bool{}
	for _, e := range feed.Elements {
		id, _ := e.Item["identifier"].(map[string]any)["value"].(string)
		address, _ := e.Item["url"].(string)
		page, err := url.Parse(address)
		path := regexp.MustCompile(`^/jobs?/([0-9]+)/.`).FindStringSubmatch(page.Path)
		if err != nil || page.Scheme != "https" || len(path) != 2 || path[1] != id || seen[id] || !regexp.MustCompile(`^[0-9]+$`).MatchString(id) {
			t.Errorf("job %q at %s, seen %v", id, address, seen[id])
		}
		seen[id] = true
		for _, required := range []string{"@type", "title", "description", "datePosted", "hiringOrganization", "jobLocation", "url", "identifier"} {
			if e.Item[required] == nil || e.Item[required] == "" {
				t.Errorf("job %s has no %s", id, required)
			}
		}
		items = append(items, e.Item)
	}
	return items
}

func TestDataFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []Job
		for n := range 40 {
			jobs = append(jobs, numbered(n+1))
		}
		jobs[1].Err = jobboard.ErrJobInactive
		jobs[2].URL = "https://jobs.example/stelle/3/x"
		jobs[3].URL = "https://jobs.example/job/99/x"
		jobs[4].URL = "https://jobs.example/job/5"
		jobs[5].Information.Location.GeoCountry = ""
		jobs[6].URL = "https://jobs.example/jobs/7/</script>?a=\"&job/9/"
		jobs[7].Posting.Title = "</script><script>alert(1)</script> \u2028"
		jobs[8].Information.Location.GeoCountry = "Utopia"
		jobs[9].Modified = time.Date(2026, 2, 3, 5, 5, 6, 0, time.FixedZone("", 3600))
		jobs = append(jobs, jobs[0]) // twice
		var refused []string
		feeds := newFeeds(t, list(&jobs))
		feeds.cfg.Refused = func(e *RefusedError) { refused = append(refused, fmt.Sprint(e.Job, e.Reason, e.Missing)) }
		var log bytes.Buffer
		feeds.cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		h := feeds.DataFeed("/jobs.feed.json")
		w := get(h, "/jobs.feed.json")
		if items := imported(t, w.Body.Bytes()); len(items) != 35 || w.Header().Get("Content-Type") != "application/ld+json; charset=utf-8" {
			t.Errorf("%d jobs, %s", len(items), w.Header().Get("Content-Type"))
		}
		want := "[2closed[] 3incomplete[url] 4incomplete[url] 5incomplete[url] 6incomplete[jobLocation.address.addressCountry] 1incomplete[identifier]]"
		if got := fmt.Sprint(refused); got != want {
			t.Errorf("refused %s", got)
		}
		if strings.Contains(strings.ToLower(w.Body.String()), "</script") || !strings.Contains(log.String(), "map[Utopia:1]") {
			t.Errorf("log %s", &log)
		}
		if item := `{"@type":"DataFeedItem","dateModified":"2026-02-03T04:05:06Z","item":{`; strings.Count(w.Body.String(), item) != 1 {
			t.Errorf("no item says when it was changed: %.600s", w.Body)
		}
		if n := strings.Count(w.Body.String(), "@context"); n != 1 {
			t.Errorf("it says %d times in which terms", n)
		}
		if again := get(h, "/jobs.feed.json", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
			t.Errorf("again: %d", again.Code)
		}
		// Two sites with the same jobs serve the same file.
		if other := get(newFeeds(t, list(&jobs)).DataFeed("/x"), "/x"); other.Header().Get("ETag") != w.Header().Get("ETag") {
			t.Error("the same jobs make another file")
		}

		jobs = nil
		if items := imported(t, get(newFeeds(t, list(&jobs)).DataFeed("/x"), "/x").Body.Bytes()); len(items) != 0 {
			t.Errorf("no jobs give %v", items)
		}
		broken := newFeeds(t, func(context.Context) iter.Seq2[Job, error] {
			return func(yield func(Job, error) bool) { _ = yield(numbered(1), nil) && yield(Job{}, errors.New("broken")) }
		})
		if w := get(broken.DataFeed("/x"), "/x"); w.Code != 503 || strings.Contains(w.Body.String(), "DataFeed") {
			t.Errorf("half a feed: %d %s", w.Code, w.Body)
		}
	})
}

// Of many countries that nobody knows a hundred are told, each with the number of its jobs.
func TestUnknownCountriesOfADataFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs []Job
		for n := range 103 {
			jobs = append(jobs, numbered(n+1))
			jobs[n].Information.Location.GeoCountry = fmt.Sprintf("Utopia-%d", n%102)
		}
		feeds := newFeeds(t, list(&jobs))
		var log bytes.Buffer
		feeds.cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		if items := imported(t, get(feeds.DataFeed("/x"), "/x").Body.Bytes()); len(items) != 103 {
			t.Errorf("%d jobs", len(items))
		}
		if n := strings.Count(log.String(), "Utopia"); n != 100 || !strings.Contains(log.String(), "Utopia-0:2 ") || !strings.Contains(log.String(), "Utopia-99:1") {
			t.Errorf("%d countries in %s", n, &log)
		}
	})
}
