package conformance_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

// With good credentials alone nobody is refused because of one.
func TestGoodCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, target := fake(t)
		target.GoodCredentials = true
		results, err := conformance.Check(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range srv.Requests() {
			if r.Status == http.StatusUnauthorized || strings.Contains(r.Credential, "none") && r.Address == "base_url" &&
				r.Method == http.MethodGet {
				t.Errorf("%s %s with %s: %d", r.Method, r.Path, r.Credential, r.Status)
			}
		}
		skipped := 0
		for _, r := range results {
			if r.Refused != (r.Skipped != "") || r.Failed() {
				t.Error(r)
			}
			if r.Refused {
				skipped++
			} else if len(r.Requests) == 0 {
				t.Errorf("%s is judged by no request", r.Name)
			}
		}
		if skipped == 0 {
			t.Error("no rule sends a credential that is refused")
		}
	})
}
