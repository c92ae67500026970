package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

// The program tells search engines of the pages of a site whose jobs are new.
func TestAnnounce(t *testing.T) {
	told := make(chan []string, 100)
	engine := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var sent struct {
			Key     string   `json:"key"`
			URLList []string `json:"urlList"`
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || sent.Key != "0123456789" {
			t.Errorf("%+v, %v", sent, err)
		}
		told <- sent.URLList
	}))
	defer engine.Close()
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	p := start(t, srv, "run", "--db", filepath.Join(t.TempDir(), "jobs.db"), "--channels", srv.Demo.Channel, "--languages", "en", "--rate", "-1",
		"--monitor", "127.0.0.1:0", "--announce", "https://jobs.example", "--announce-page", "/work/{job}", "--announce-key", "0123456789",
		"--announce-to", engine.URL)
	p.said(t, "monitor at ")
	page := regexp.MustCompile(`^https://jobs\.example/work/\d+$`)
	select {
	case pages := <-told:
		for _, address := range pages {
			if !page.MatchString(address) {
				t.Errorf("told of %q", address)
			}
		}
	case <-time.After(time.Minute):
		t.Error("nothing is told")
	}
}

func TestAnnounceIsMistyped(t *testing.T) {
	for why, args := range map[string][]string{
		"--announce-key": {"--announce-key", "0123456789"},
		"Config.Key":     {"--announce", "https://jobs.example", "--announce-key", "short"},
		"Config.URL":     {"--announce", "jobs.example", "--announce-key", "0123456789"},
		"Config.Page":    {"--announce", "https://jobs.example", "--announce-key", "0123456789", "--announce-page", "work"},
	} {
		if r := ran(t, nil, append([]string{"run", "--fake"}, args...)...); r.code != setup.ExitUsage || !strings.Contains(r.err, why) {
			t.Errorf("%s: %v", why, r)
		}
	}
}
