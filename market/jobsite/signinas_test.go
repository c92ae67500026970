package jobsite_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// signInAs signs an applicant of the mock server in to a site, and returns the page that
// follows. The browser needs a cookie jar.
func signInAs(t *testing.T, browser *http.Client, site string, applicant int64, next string) string {
	t.Helper()
	board, err := browser.Get(site + "/signin?next=" + url.QueryEscape(next)) // the board's page of applicants
	if err != nil {
		t.Fatal(err)
	}
	board.Body.Close()
	chosen := url.Values{"applicant": {strconv.FormatInt(applicant, 10)}}
	page, err := browser.PostForm(board.Request.URL.String(), chosen) // by the site's callback to next
	if err != nil {
		t.Fatal(err)
	}
	defer page.Body.Close()
	body, err := io.ReadAll(page.Body)
	if err != nil || page.StatusCode != http.StatusOK {
		t.Fatal(page.Status, err)
	}
	return string(body)
}

func TestSignInAs(t *testing.T) {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	site := httptest.NewServer(nil)
	defer site.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		t.Fatal(err)
	}
	signIn, err := jobsite.NewSignIn(jobsite.SignInConfig{
		Client: client, URL: site.URL,
		OAuth2: oauth2.Config{ClientID: fake.Demo.ClientID, Endpoint: oauth2.Endpoint{AuthURL: fake.AuthURL, TokenURL: fake.TokenURL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	site.Config.Handler = signIn.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outcome := signIn.Precheck(r, jobboard.JobID(fake.Demo.AppliedJob), jobsite.English())
		_, _ = io.WriteString(w, string(outcome.Situation))
	}))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	page := signInAs(t, &http.Client{Jar: jar}, site.URL, fake.Demo.Applicant, "/")
	if !strings.Contains(page, string(jobsite.AlreadyApplied)) {
		t.Errorf("the page says %q", page)
	}
}
