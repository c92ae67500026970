package boardcheck_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

// A credential that has ended, such as an applicant's token in the night, is no change of the board
// and breaks no rule: it is told, and sent a few times at most. The rules that need none, or
// another, are judged.
func TestCredentialHasEnded(t *testing.T) {
	for name, c := range map[string]struct {
		end     func(b *boardcheck.Board, srv *jobboardtest.Server)
		trouble string
		kept    []string
	}{
		"the applicant's token": {
			func(b *boardcheck.Board, srv *jobboardtest.Server) { b.Target.ApplicantToken = srv.Demo.ExpiredToken },
			"the board refuses the applicant's token",
			[]string{"search/answers", "search/text", "lookup/fields", "lookup/unknown"},
		},
		"the client identifier": {
			func(b *boardcheck.Board, _ *jobboardtest.Server) { b.Target.ClientID = "4711" },
			"the board refuses the client identifier",
			[]string{"applied/answers", "application/none", "lookup/unknown"},
		},
		"the client's token": {
			func(b *boardcheck.Board, srv *jobboardtest.Server) {
				b.Target.ClientID, b.Target.ClientToken = "", srv.Demo.ExpiredToken
			},
			"the board refuses the client's token",
			[]string{"applied/answers", "lookup/unknown"},
		},
		"the client's secret": {
			func(b *boardcheck.Board, srv *jobboardtest.Server) {
				b.Target.ClientID, b.ClientSecret = srv.Demo.ConfidentialClient, "changed"
			},
			"POST {token_url}: the answer is status 401: the board refuses the client's secret",
			[]string{"applied/answers", "lookup/unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, b := demoBoard(t)
				known := knownDemo(t)
				c.end(&b, srv)
				r := check(t, b)
				r.Since(known)
				if got := changesOf(r); got != "" || r.Broken() > 0 {
					t.Errorf("%d rules are broken, told as changes:\n%s", r.Broken(), got)
				}
				if got := strings.Join(r.Troubles, "\n"); !strings.Contains(got, c.trouble) {
					t.Errorf("troubles: %s", got)
				}
				for _, rule := range c.kept {
					if x := stateOf(r, rule); x.State != boardcheck.Kept {
						t.Errorf("%s is %s: %s", rule, x.State, x.Why)
					}
				}
				refused := 0
				for _, q := range srv.Requests() {
					if q.Status == http.StatusUnauthorized {
						refused++
					}
				}
				if refused > 10 {
					t.Errorf("it was refused %d times", refused)
				}
			})
		})
	}
}
