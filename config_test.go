package jobboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
)

// A Config tells logs which credentials are set, one by one.
func TestConfigInLogs(t *testing.T) {
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "secret"})
	for _, c := range []struct {
		cfg             jobboard.Config
		asJSON, asValue string
	}{
		{
			jobboard.Config{BaseURL: "https://jobs.example"},
			`{"base_url":"https://jobs.example","client_id":false,"jobdb_token_source":false,"jobdb_url":"","token_source":false}`,
			"c.base_url=https://jobs.example c.jobdb_url=\"\" c.client_id=false c.token_source=false c.jobdb_token_source=false",
		},
		{
			jobboard.Config{JobDBURL: "https://jobs.example", ClientID: "10"},
			`{"base_url":"","client_id":true,"jobdb_token_source":false,"jobdb_url":"https://jobs.example","token_source":false}`,
			"c.base_url=\"\" c.jobdb_url=https://jobs.example c.client_id=true c.token_source=false c.jobdb_token_source=false",
		},
		{
			jobboard.Config{TokenSource: source},
			`{"base_url":"","client_id":false,"jobdb_token_source":false,"jobdb_url":"","token_source":true}`,
			"c.base_url=\"\" c.jobdb_url=\"\" c.client_id=false c.token_source=true c.jobdb_token_source=false",
		},
		{
			jobboard.Config{JobDBTokenSource: source},
			`{"base_url":"","client_id":false,"jobdb_token_source":true,"jobdb_url":"","token_source":false}`,
			"c.base_url=\"\" c.jobdb_url=\"\" c.client_id=false c.token_source=false c.jobdb_token_source=true",
		},
	} {
		if got, err := json.Marshal(c.cfg); err != nil || string(got) != c.asJSON {
			t.Errorf("%v\n%s\nwant\n%s", err, got, c.asJSON)
		}
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "c", c.cfg)
		if got := strings.TrimSpace(log.String()); !strings.HasSuffix(got, "msg=x "+c.asValue) {
			t.Errorf("%s\nwant\n%s", got, c.asValue)
		}
		for field, is := range map[string]oauth2.TokenSource{"TokenSource": c.cfg.TokenSource, "JobDBTokenSource": c.cfg.JobDBTokenSource} {
			if got := fmt.Sprintf("%+v", c.cfg); strings.Contains(got, " "+field+":<nil>") != (is == nil) {
				t.Errorf("%s is not told: %s", field, got)
			}
		}
	}
}

// A header takes the listed characters and refuses every other.
func TestHeaderCharacters(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	sent := ""
	c := served(t, jobboard.Config{ClientID: "10"}, func(r *http.Request) *http.Response {
		sent = r.Header.Get("Accept-Language")
		return answer(r, 200, noJobs)
	})
	for r := range rune(300) {
		language := "de;" + string(r) + "de"
		_, err := jobboard.NewClient(jobboard.Config{BaseURL: base, Language: language})
		sent = ""
		_, searched := c.Search(t.Context(), "ch", jobboard.Query{Language: language})
		want := !strings.ContainsRune(letters+"-,;=.* ", r)
		if (err != nil) != want || errors.Is(searched, jobboard.ErrInvalidInput) != want || (sent != language) != want {
			t.Errorf("a language may not hold %q: %v, %v, sent as %q", r, err, searched, sent)
		}
		_, err = jobboard.NewClient(jobboard.Config{BaseURL: base, UserAgent: "a" + string(r)})
		if want := r < ' ' || r > '~'; (err != nil) != want {
			t.Errorf("a user agent may not hold %q: %v", r, err)
		}
	}
	for length, want := range map[int]string{200: "", 201: "is longer than 200 bytes"} {
		_, err := jobboard.NewClient(jobboard.Config{BaseURL: base, Language: "de;" + strings.Repeat("x", length-3)})
		var wrong *jobboard.ConfigError
		if errors.As(err, &wrong) != (want != "") || want != "" && wrong.Reason != want {
			t.Errorf("a language of %d bytes: %v", length, err)
		}
	}
}
