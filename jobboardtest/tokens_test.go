package jobboardtest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func token(t *testing.T, srv *jobboardtest.Server, id, secret string, form url.Values) (int, map[string]any) {
	t.Helper()
	if id == "" {
		return tokenBasic(t, srv, "", form)
	}
	return tokenBasic(t, srv, id+":"+secret, form)
}

// tokenBasic asks for a token with a Basic credential as it is, "" for none.
func tokenBasic(t *testing.T, srv *jobboardtest.Server, credential string, form url.Values) (int, map[string]any) {
	t.Helper()
	header := http.Header{}
	if credential != "" {
		header = basicHeader(credential)
	}
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, body := send(t, srv, http.MethodPost, srv.BaseURL+"/api/rest/oauth/frontend/token", header, form.Encode())
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	asks := ""
	if res.StatusCode == http.StatusUnauthorized {
		asks = `Basic realm="token"`
	}
	if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("WWW-Authenticate") != asks {
		t.Errorf("the token endpoint answers with %v", res.Header)
	}
	return res.StatusCode, m
}

func TestTokenEndpoint(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "hush-hush"})
	srv.AddClient(jobboardtest.ClientApp{ID: "12", Secret: "other"})
	srv.AddClient(jobboardtest.ClientApp{ID: "14", Secret: "a+b%2Fc"})
	who := srv.AddApplicant(jobboardtest.Applicant{Username: "jana", Password: "pass word"})
	srv.AddApplicant(jobboardtest.Applicant{}) // has no name and no password
	if srv.Inside().HasClient("1") || !srv.Inside().HasClient("11") || srv.Inside().HasApplicant(3) || !srv.Inside().HasApplicant(2) {
		t.Error("a client or an applicant is not found, or one that is not there")
	}
	code := srv.Inside().AuthorizationCode("11", who.ID)
	foreign, old := srv.Inside().AuthorizationCode("12", who.ID), srv.Inside().AuthorizationCode("11", who.ID)
	publish(srv)

	for _, c := range []struct {
		name, id, secret string
		form             url.Values
		status           int
		fault            string
		use              int // status of an applied check with the token
	}{
		{"client credentials", "11", "hush-hush", url.Values{"grant_type": {"client_credentials"}}, 200, "", 401},
		{"in the form", "", "", url.Values{"grant_type": {"client_credentials"}, "client_id": {"11"}, "client_secret": {"hush-hush"}}, 200, "", 401},
		{"secret as it is", "14", "a+b%2Fc", url.Values{"grant_type": {"client_credentials"}}, 200, "", 401},
		{"secret encoded", "14", "a%2Bb%252Fc", url.Values{"grant_type": {"client_credentials"}}, 200, "", 401},
		{"wrong secret", "11", "hush", url.Values{"grant_type": {"client_credentials"}}, 401, "invalid_client", 0},
		{"unknown client", "13", "", url.Values{"grant_type": {"client_credentials"}}, 401, "invalid_client", 0},
		{"public client", "10", "", url.Values{"grant_type": {"client_credentials"}}, 400, "unauthorized_client", 0},
		{"password", "11", "hush-hush", url.Values{"grant_type": {"password"}, "username": {"jana"}, "password": {"pass word"}}, 200, "", 200},
		{"wrong password", "11", "hush-hush", url.Values{"grant_type": {"password"}, "username": {"jana"}, "password": {""}}, 400, "invalid_grant", 0},
		{"nobody's name", "11", "hush-hush", url.Values{"grant_type": {"password"}}, 400, "invalid_grant", 0},
		{"code", "11", "hush-hush", url.Values{"grant_type": {"authorization_code"}, "code": {code}}, 200, "", 200},
		{"code, used", "11", "hush-hush", url.Values{"grant_type": {"authorization_code"}, "code": {code}}, 400, "invalid_grant", 0},
		{"code of another client", "11", "hush-hush", url.Values{"grant_type": {"authorization_code"}, "code": {foreign}}, 400, "invalid_grant", 0},
		{"no grant", "11", "hush-hush", url.Values{}, 400, "invalid_request", 0},
		{"another grant", "11", "hush-hush", url.Values{"grant_type": {"refresh_token"}}, 400, "unsupported_grant_type", 0},
	} {
		status, m := token(t, srv, c.id, c.secret, c.form)
		if status != c.status {
			t.Errorf("%s: %d %v", c.name, status, m)
			continue
		}
		if c.fault != "" {
			if m["error"] != c.fault {
				t.Errorf("%s: %v, want %s", c.name, m, c.fault)
			}
			continue
		}
		value, _ := m["access_token"].(string)
		if value == "" || m["token_type"] != "Bearer" || m["expires_in"] != 3600.0 || m["refresh_token"] != nil || len(m) != 3 {
			t.Errorf("%s: %v", c.name, m)
		}
		if res, body := get(t, srv, srv.BaseURL+"/api/rest/v3/frontend/jobs/4711/applied", value); res.StatusCode != c.use {
			t.Errorf("%s: using it: %d %s", c.name, res.StatusCode, body)
		}
	}

	srv.Advance(11 * time.Minute)
	if status, m := token(t, srv, "11", "hush-hush", url.Values{"grant_type": {"authorization_code"}, "code": {old}}); m["error"] != "invalid_grant" {
		t.Errorf("an old code: %d %v", status, m)
	}
}

func TestExpiry(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "11", Secret: "hush-hush"})
	user := srv.UserToken(srv.AddApplicant(jobboardtest.Applicant{}).ID)
	client := srv.ClientToken("11")
	status := func(token string) int {
		res, _ := get(t, srv, srv.BaseURL+searchPath, token)
		return res.StatusCode
	}
	// A user's hour counts from the last use, a client's from the issue.
	for range 2 {
		srv.Advance(59 * time.Minute)
		if got := status(user); got != 200 {
			t.Errorf("user token, used in time: %d", got)
		}
	}
	if got := status(client); got != 401 {
		t.Errorf("client token after two hours: %d", got)
	}
	srv.Advance(time.Hour)
	if got := status(user); got != 401 {
		t.Errorf("user token after an hour unused: %d", got)
	}
	if got := status(user); got != 401 {
		t.Errorf("a refused use made it live again: %d", got)
	}
	// However far the clock goes, also beyond what a Duration holds.
	for _, year := range []int{2100, 2400, 2500, 3000, 9999} {
		srv.SetClock(nil)
		old := srv.UserToken(1)
		srv.SetClock(func() time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) })
		if got := status(old); got != 401 {
			t.Errorf("a token of today in the year %d: %d", year, got)
		}
	}
	now := time.Now().Truncate(time.Second)
	srv.SetClock(func() time.Time { return now })
	srv.SetVariants(jobboardtest.Variants{TokenSeconds: 5})
	short := srv.UserToken(1)
	srv.Advance(5*time.Second - time.Microsecond)
	if got := status(short); got != 200 {
		t.Errorf("just before 5 s: %d", got)
	}
	srv.Advance(5 * time.Second)
	if got := status(short); got != 401 {
		t.Errorf("after 5 more: %d", got)
	}
}
