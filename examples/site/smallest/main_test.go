package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

func TestService(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	config := jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID}
	handler, err := newService(t.Context(), config, filepath.Join(t.TempDir(), "jobs.db"), jobmirror.Options{
		Config: config, Limit: -1,
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel), Languages: []string{"de"}}},
		Feeds:    []jobmirror.Feed{{Address: fake.FeedURL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	get := func(path, token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	job, inactive := fmt.Sprintf("/jobs/%d", fake.Demo.OpenJob), fmt.Sprintf("/jobs/%d", fake.Demo.InactiveJob)
	filled := func() bool {
		_, list := get("/?near=Berlin&text=pflegefachkraft", "")
		lookedUp := 0
		for _, path := range []string{job, fmt.Sprintf("/jobs/%d", fake.Demo.AppliedJob), inactive} {
			if status, _ := get(path, ""); status == 200 || status == 410 {
				lookedUp++
			}
		}
		return strings.Contains(list, `"Km"`) && lookedUp == 3
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 600 { // the copy fills itself
		if filled() {
			break
		}
		<-tick.C
	}
	for _, c := range []struct {
		path, token string
		status      int
		text        string
	}{
		{"/?near=Berlin&text=pflegefachkraft", "", 200, "Pflegefachkraft (m/w/d)"},
		{"/?near=Atlantis", "", 400, "bad request"},
		{"/?after=x", "", 400, "bad request"},
		{job, "", 200, `"applyPossible":true`},
		{job, fake.Demo.ApplicantToken, 200, `"decision":"may apply"`},
		{job, "none", 401, "unauthorized"},
		{fmt.Sprintf("/jobs/%d", fake.Demo.AppliedJob), fake.Demo.ApplicantToken, 200, `"decision":"already applied"`},
		{inactive, "", 410, "gone"},
		{"/jobs/99999999", "", 404, "no such job"},
		{"/jobs/x", "", 400, "bad request"},
	} {
		if status, body := get(c.path, c.token); status != c.status || !strings.Contains(body, c.text) {
			t.Errorf("%s: %d %s, want %d %s", c.path, status, body, c.status, c.text)
		}
	}
}
