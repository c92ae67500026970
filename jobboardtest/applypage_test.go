package jobboardtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The links of postings lead to pages of the server, which say what becomes of an application, and
// which are no requests of the interface.
func TestApplyPages(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	d := srv.Demo
	loose := srv.AddPosting(jobboardtest.Posting{Title: "<b>Chef</b>", Channels: []string{"c"}, Language: "fr"})
	stray := srv.AddPosting(jobboardtest.Posting{Title: "Stray", JobID: 99, Channels: []string{"c"}})
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		fmt.Sprintf("/job/%d/anything", d.OpenJob):             {200, "Here the board's form begins."},
		fmt.Sprintf("/job/%d/anything?jobDbPVId=1", d.OpenJob): {200, "Here the board's form begins."},
		fmt.Sprintf("/job/%d/anything", d.InactiveJob):         {200, "takes no applications any more"},
		fmt.Sprintf("/job/%d/anything", d.ClosedJob):           {200, "takes no applications any more"},
		fmt.Sprintf("/job/%d/anything", d.DeletedJob):          {404, "The job of this address is not there."},
		fmt.Sprintf("/job/%d/anything", d.UnknownJob):          {404, "The job of this address is not there."},
		"/job/x/anything":                  {404, "No such job"},
		fmt.Sprintf("/apply/%d", loose.ID): {200, "<h1>&lt;b&gt;Chef&lt;/b&gt;</h1>"},
		fmt.Sprintf("/apply/%d", stray.ID): {404, "The job of this address is not there."},
		"/apply/1":                         {404, "No such job"},
	} {
		res, body := get(t, srv, srv.BaseURL+path, "")
		if text := string(body); res.StatusCode != want.status || !strings.Contains(text, want.text) || !strings.Contains(text, `<link rel="icon" href="data:`) ||
			res.Header.Get("Content-Type") != "text/html;charset=UTF-8" {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, res.Header, body)
		}
	}
	if res, _ := do(t, srv, "POST", srv.BaseURL+"/job/1/x", "", ""); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d", res.StatusCode)
	}
	if n := srv.Count(); n != 0 {
		t.Errorf("%d requests are in the journal: %v", n, srv.Requests())
	}
	sign := srv.AuthURL + "?client_id=" + d.ClientID
	if _, body := get(t, srv, sign+"&redirect_uri=http://127.0.0.1/&response_type=code&state=x&code_challenge=y&code_challenge_method=S256", ""); !strings.Contains(string(body), `<link rel="icon" href="data:`) {
		t.Errorf("a browser would ask for the icon of the page on which an applicant signs in: %s", body)
	}
}
