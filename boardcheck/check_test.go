package boardcheck_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/boardcheck"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// boardOf is what a partner knows of a mock server: both addresses, a channel, a public client, an applicant's
// token and the feed.
func boardOf(srv *jobboardtest.Server) boardcheck.Board {
	return boardcheck.Board{
		Config: jobboard.Config{
			BaseURL: srv.BaseURL, JobDBURL: srv.JobDBURL, ClientID: "10",
			HTTPClient: &http.Client{Transport: srv.Client().Transport},
		},
		Channels: []jobboard.ChannelID{"27828_extern"}, Languages: []string{"en", "de"}, FeedURL: srv.FeedURL,
		Applicant: jobboard.StaticToken(srv.Demo.ApplicantToken),
	}
}

// through puts a transport between a board and the check.
func through(b boardcheck.Board, next http.RoundTripper) boardcheck.Board {
	b.Config.HTTPClient = &http.Client{Transport: next}
	return b
}

func edited(b boardcheck.Board, e edit) boardcheck.Board {
	e.next = b.Config.HTTPClient.Transport
	return through(b, e)
}

func check(t *testing.T, b boardcheck.Board) *boardcheck.Report {
	t.Helper()
	r, err := boardcheck.Check(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines returns findings, one a line.
func lines(all []boardcheck.Finding) string {
	var b strings.Builder
	for _, x := range all {
		b.WriteString(x.String() + "\n")
	}
	return b.String()
}

// written returns a profile as its file.
func written(t *testing.T, p *boardcheck.Profile) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "board.json")
	if err := p.Save(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Quiet nights tell nothing, whatever switches the board has and whichever jobs it has that night.
func TestQuietNights(t *testing.T) {
	for name, v := range map[string]jobboardtest.Variants{
		"plain":  {},
		"others": {Missing: "null", QuotedIDs: true, Dates: "iso-plain", ErrorStatus: 200, CodedErrors: "code-word", PlainErrors: "as-json"},
		"absent": {Missing: "absent", PageSize: 25},
		"zipped": {Compress: true, UnknownChannel: 404, Links: "opaque"},
	} {
		t.Run(name, func(t *testing.T) {
			known := &boardcheck.Profile{}
			for seed := range uint64(51) {
				if !testenv.Night() && (name == "plain" && seed > 12 || name != "plain" && seed > 5) {
					break
				}
				synctest.Test(t, func(t *testing.T) {
					r := check(t, boardOf(anyDay(t, seed, v)))
					r.Since(known)
					if len(r.Changes) > 0 || len(r.Unjudged) > 0 || r.Requests > boardcheck.MaxRequests {
						t.Errorf("night %d: %s\n%s%s", seed, r.Summary(), lines(r.Changes), lines(r.Unjudged))
					}
					t.Logf("night %d: %s\n%s", seed, r.Summary(), lines(r.Notes))
				})
			}
			if testing.Verbose() {
				t.Log(written(t, known))
			}
		})
	}
}
