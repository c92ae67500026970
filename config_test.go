package jobboard_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
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
			`{"base_url":"https://jobs.example","client_id":false,"jobdb_token_source":false,"jobdb_url":"","tls":false,"token_source":false}`,
			"c.base_url=https://jobs.example c.jobdb_url=\"\" c.client_id=false c.token_source=false c.jobdb_token_source=false c.tls=false",
		},
		{
			jobboard.Config{JobDBURL: "https://jobs.example", ClientID: "10"},
			`{"base_url":"","client_id":true,"jobdb_token_source":false,"jobdb_url":"https://jobs.example","tls":false,"token_source":false}`,
			"c.base_url=\"\" c.jobdb_url=https://jobs.example c.client_id=true c.token_source=false c.jobdb_token_source=false c.tls=false",
		},
		{
			jobboard.Config{TokenSource: source},
			`{"base_url":"","client_id":false,"jobdb_token_source":false,"jobdb_url":"","tls":false,"token_source":true}`,
			"c.base_url=\"\" c.jobdb_url=\"\" c.client_id=false c.token_source=true c.jobdb_token_source=false c.tls=false",
		},
		{
			jobboard.Config{JobDBTokenSource: source},
			`{"base_url":"","client_id":false,"jobdb_token_source":true,"jobdb_url":"","tls":false,"token_source":false}`,
			"c.base_url=\"\" c.jobdb_url=\"\" c.client_id=false c.token_source=false c.jobdb_token_source=true c.tls=false",
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

// An HTTPClient with settings that the client would not heed is refused with what to do instead.
func TestRefusedHTTPClient(t *testing.T) {
	for what, h := range map[string]*http.Client{
		"has a Jar":           {Jar: noCookies{}},
		"has a CheckRedirect": {CheckRedirect: func(*http.Request, []*http.Request) error { return nil }},
	} {
		_, err := jobboard.NewClient(jobboard.Config{BaseURL: base, HTTPClient: h})
		for _, want := range []string{
			"Config.HTTPClient " + what, "set only its Transport and Timeout", "No cookies are sent", "within the origin, at most three",
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
	if _, err := jobboard.NewClient(jobboard.Config{BaseURL: base, HTTPClient: &http.Client{Timeout: time.Second}}); err != nil {
		t.Error(err)
	}
}

// The settings of TLS are those of the client's own transport from NewClient on, which speaks
// HTTP/1.1 to a server that offers HTTP/2, with each of its addresses.
func TestTLS(t *testing.T) {
	var protocols []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols = append(protocols, r.Proto)
		if strings.Contains(r.URL.Path, "/jobdb/") {
			_, _ = io.WriteString(w, `{"jobId":1,"jobTitle":"x","applyPossible":true}`)
			return
		}
		_, _ = io.WriteString(w, noJobs)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused handshakes
	server.StartTLS()
	defer server.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	call := func(settings *tls.Config, insecure bool) error {
		c, err := jobboard.NewClient(jobboard.Config{
			BaseURL: server.URL, JobDBURL: server.URL, ClientID: "10", TLS: settings, AllowInsecure: insecure,
		})
		if err != nil {
			return err
		}
		if settings != nil {
			settings.RootCAs, settings.InsecureSkipVerify = nil, false // the client has its own
		}
		_, err = c.Search(t.Context(), "ch", jobboard.Query{})
		_, err2 := c.JobInformation(t.Context(), 1)
		return errors.Join(err, err2)
	}
	if err := call(&tls.Config{RootCAs: trusted}, false); err != nil {
		t.Error(err)
	}
	if err := call(&tls.Config{RootCAs: trusted, NextProtos: []string{"http/1.1"}}, false); err != nil {
		t.Error(err)
	}
	if err := call(&tls.Config{InsecureSkipVerify: true}, true); err != nil {
		t.Error(err)
	}
	if slices.Contains(protocols, "HTTP/2.0") || len(protocols) != 6 {
		t.Errorf("the server was asked by %q", protocols)
	}
	for _, settings := range []*tls.Config{nil, {}} {
		var unknown x509.UnknownAuthorityError
		if err := call(settings, false); !errors.As(err, &unknown) {
			t.Errorf("an unknown authority: %v", err)
		}
	}
}

// Of the settings of TLS, which hold keys, a Config shows whether they are set.
func TestTLSIsNotShown(t *testing.T) {
	key := []byte("canary-of-the-key")
	for _, set := range []bool{false, true} {
		cfg := jobboard.Config{BaseURL: base}
		if set {
			cfg.TLS = &tls.Config{ServerName: string(key), Certificates: []tls.Certificate{{PrivateKey: key, Certificate: [][]byte{key}}}}
		}
		asJSON, err := json.Marshal(cfg)
		if err != nil || !strings.Contains(string(asJSON), fmt.Sprintf(`"tls":%v`, set)) {
			t.Errorf("%s, %v", asJSON, err)
		}
		if value := cfg.LogValue().String(); !strings.Contains(value, fmt.Sprintf("tls=%v", set)) {
			t.Error(value)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			shown := fmt.Sprintf(verb, cfg) + fmt.Sprintf(verb, &cfg)
			for _, secret := range []string{string(key), fmt.Sprintf("%x", key), fmt.Sprint(key), "canary"} {
				if strings.Contains(shown, secret) {
					t.Errorf("%s shows %s", verb, shown)
				}
			}
			if verb == "%+v" && strings.Contains(shown, " TLS:<nil>") == set {
				t.Errorf("%s does not say whether TLS is set: %s", verb, shown)
			}
		}
	}
}

// A base address is sent as it is written, with what no path may hold escaped, by search and
// lookup.
func TestPathOfABaseAddress(t *testing.T) {
	for written, want := range map[string]string{
		"/a%2Fb/é":          "/a%2Fb/%C3%A9",
		"/a%2fb/c d":        "/a%2fb/c%20d",
		"/é/a%2Fb/api/rest": "/%C3%A9/a%2Fb",
		"/a%2Fb/%C3%A9":     "/a%2Fb/%C3%A9",
		"/é":                "/%C3%A9",
		"/a%2Fb":            "/a%2Fb",
		"/a|b/%41;c=1":      "/a%7Cb/%41;c=1",
	} {
		var sent []string
		transport := rig.RoundTripper(func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.URL.RequestURI())
			return answer(r, 200, noJobs), nil
		})
		c, err := jobboard.NewClient(jobboard.Config{
			BaseURL: "https://jobs.example" + written, JobDBURL: "https://jobs.example" + strings.TrimSuffix(written, "/api/rest"),
			ClientID: "10", HTTPClient: &http.Client{Transport: transport},
		})
		if err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		if _, err := c.Search(t.Context(), "ch", jobboard.Query{}); err != nil {
			t.Error(err)
		}
		_, _ = c.JobInformation(t.Context(), 1) // noJobs is no job information
		wants := []string{want + "/api/rest/v2/frontend/jobboards/ch/jobs", want + "/jobdb/public/apply/external?jobid=1"}
		if !slices.Equal(sent, wants) {
			t.Errorf("%s: sent to %q, want %q", written, sent, wants)
		}
	}
}
