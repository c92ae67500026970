package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A request is repeated as whoever sent it, and is a new row of the journal.
func TestRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSuite(t)
		d := s.srv.Demo
		narrowed := s.srv.UserToken(d.Applicant)
		s.srv.Inside().NarrowToken(narrowed)
		tokens := len(s.srv.Snapshot().Tokens)
		search := "/api/rest/v2/frontend/jobboards/27828_extern/jobs?search=nurse&geoLocation=52.5::13.4::50"
		for _, c := range []struct {
			path, credential string
			status           int
		}{
			{applied(d.AppliedJob), "Bearer " + d.ApplicantToken, 200},
			{applied(d.AppliedJob), "Bearer " + d.ExpiredToken, 401},
			{applied(d.AppliedJob), "Bearer " + narrowed, 403},
			{applied(d.AppliedJob), "Bearer made-up-token", 401},
			{applied(d.AppliedJob), "", 401},
			{search, "Bearer " + d.ClientToken, 200},
			{search, "Basic MTA6", 200},
		} {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.srv.BaseURL+c.path, http.NoBody)
			req.Header.Set("Accept-Language", "de")
			if c.credential != "" {
				req.Header.Set("Authorization", c.credential)
			}
			if status, text := s.send(req); status != c.status {
				t.Fatalf("%s: %d %s", c.path, status, text)
			}
			was := last(s.srv)
			if status, text := s.do("POST", fmt.Sprintf("/requests/%d/repeat", was.Number), ""); status != 201 ||
				text != fmt.Sprintf(`{"number":%d,"status":%d}`, was.Number+1, c.status) {
				t.Errorf("%s again: %d %s", was, status, text)
			}
			is := last(s.srv)
			if strings.TrimPrefix(is.String(), fmt.Sprint(is.Number)) != strings.TrimPrefix(was.String(), fmt.Sprint(was.Number)) ||
				is.Header.Get("Accept-Language") != "de" || is.Number != was.Number+1 {
				t.Errorf("%s became %s", was, is)
			}
		}
		if n := len(s.srv.Snapshot().Tokens); n != tokens {
			t.Errorf("%d tokens are left over", n-tokens)
		}

		// A change of the state is made again; a fault hits a repeat too, and ends in time.
		s.request("POST", "", "")
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.srv.BaseURL+"/jobabo?channel=27828_extern&types=rss", strings.NewReader(`{"a":["b"]}`))
		s.send(req)
		n := last(s.srv).Number
		s.must("POST", fmt.Sprintf("/requests/%d/repeat", n), "")
		if subs := s.srv.Snapshot().Subscriptions; len(subs) != 2 || subs[1].Categories["a"][0] != "b" {
			t.Errorf("subscriptions: %+v", subs)
		}
		s.srv.Fail(jobboardtest.Fault{Break: jobboardtest.StallBefore})
		began := time.Now()
		if got := s.must("POST", fmt.Sprintf("/requests/%d/repeat", n), ""); got["status"] != 0.0 || time.Since(began) != 10*time.Second {
			t.Errorf("a repeat that stalls ends after %v with %v", time.Since(began), got)
		}
		s.srv.LiftFaults()

		// What is not kept cannot be repeated.
		post, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.srv.TokenURL, strings.NewReader("grant_type=client_credentials"))
		post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		masked, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.srv.BaseURL+search+"&token="+d.ClientToken, http.NoBody)
		for _, req := range []*http.Request{post, masked} {
			s.send(req)
			if status, text := s.do("POST", fmt.Sprintf("/requests/%d/repeat", last(s.srv).Number), ""); status != 409 || !strings.Contains(text, "not kept all") {
				t.Errorf("%s again: %d %s", last(s.srv), status, text)
			}
		}
		if status, _ := s.do("POST", "/requests/4711/repeat", ""); status != 404 {
			t.Errorf("a request that never came: %d", status)
		}
	})
}

func last(srv *jobboardtest.Server) jobboardtest.Request {
	all := srv.Requests()
	return all[len(all)-1]
}

// The archive has what HAR 1.2 requires, and no credential.
func TestArchive(t *testing.T) {
	s := newSuite(t)
	s.ask(applied(s.srv.Demo.AppliedJob)+"?über=a&b=1", s.srv.Demo.ApplicantToken)
	s.srv.Fail(jobboardtest.Fault{Status: 302, Header: http.Header{"Location": {"/elsewhere"}}, Times: 1})
	post, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.srv.BaseURL+"/jobabo?channel=27828_extern&types=rss", strings.NewReader(`{"a":["b"]}`))
	post.Header.Set("Content-Type", "application/json")
	if res, err := s.srv.Client().Transport.RoundTrip(post); err != nil || res.Body.Close() != nil {
		t.Fatal(err)
	}
	status, text := s.do("GET", "/requests.har", "")
	var har struct {
		Log struct {
			Version string
			Creator struct{ Name, Version string }
			Entries []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &har); err != nil || status != 200 || har.Log.Version != "1.2" || har.Log.Creator.Name == "" || len(har.Log.Entries) != 2 {
		t.Fatalf("%v: %d %s", err, status, text)
	}
	if strings.Contains(text, s.srv.Demo.ApplicantToken) {
		t.Error("a credential is in the archive")
	}
	for i, e := range har.Log.Entries {
		for path, want := range map[string]any{
			"startedDateTime": nil, "time": nil, "cache": nil, "timings.send": 0.0, "timings.wait": nil, "timings.receive": 0.0,
			"request.url":    []any{s.srv.BaseURL + applied(s.srv.Demo.AppliedJob) + "?b=1&%C3%BCber=a", s.srv.BaseURL + "/jobabo?channel=27828_extern&types=rss"}[i],
			"request.method": []any{"GET", "POST"}[i], "request.httpVersion": "HTTP/1.1", "request.cookies": nil, "request.headers": nil,
			"request.queryString": nil, "request.headersSize": -1.0, "request.bodySize": []any{0.0, 11.0}[i],
			"response.status": []any{200.0, 302.0}[i], "response.statusText": []any{"OK", "Found"}[i], "response.redirectURL": []any{"", "/elsewhere"}[i],
			"response.content.mimeType": []any{"application/json", "x-unknown"}[i], "response.content.size": []any{4.0, 0.0}[i], "response.bodySize": nil,
			"response.cookies": nil, "response.headers": nil, "response.headersSize": -1.0, "response.httpVersion": "HTTP/1.1",
		} {
			var at any = e
			for part := range strings.SplitSeq(path, ".") {
				at = at.(map[string]any)[part]
			}
			if at == nil || want != nil && at != want {
				t.Errorf("entry %d: %s is %v, want %v", i, path, at, want)
			}
		}
	}
	if data := fmt.Sprint(har.Log.Entries[1]["request"].(map[string]any)["postData"]); data != "map[mimeType:application/json text:{\"a\":[\"b\"]}]" {
		t.Errorf("the body is %s", data)
	}
}

// A request that got no answer stands in the archive with an answer of no size.
func TestArchiveOfALostRequest(t *testing.T) {
	s := newSuite(t)
	s.srv.Fail(jobboardtest.Fault{Break: jobboardtest.ResetBefore, Times: 1})
	lost, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.srv.BaseURL+"/jobabo", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := s.srv.Client().Do(lost); err == nil {
		_ = res.Body.Close()
		t.Fatal("the request has an answer")
	}
	_, text := s.do("GET", "/requests.har", "")
	var har struct {
		Log struct {
			Entries []struct {
				Response struct {
					Status  int
					Content struct{ Size *int64 }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &har); err != nil || len(har.Log.Entries) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	if got := har.Log.Entries[0].Response; got.Status != 0 || got.Content.Size == nil || *got.Content.Size != 0 {
		t.Errorf("%s", text)
	}
}

// Places are found by parts of their names: the board's own first, with their streets.
func TestPlacesAreFound(t *testing.T) {
	s := newSuite(t)
	find := func(q string) (found []foundPlace) {
		t.Helper()
		var out struct{ Places []foundPlace }
		status, text := s.do("GET", "/places?q="+q, "")
		if err := json.Unmarshal([]byte(text), &out); err != nil || status != 200 || out.Places == nil {
			t.Fatalf("%s: %d %s", q, status, text)
		}
		return out.Places
	}
	if got := find("ber"); len(got) != maxFound || got[0].Name != "Berlin" || got[0].Location.Street == "" || got[1].Name != "Berlin, DE" {
		t.Errorf("%+v", got)
	}
	got := find("%D0%9C%D0%BE%D1%81%D0%BA%D0%B2%D0%B0") // Москва
	if len(got) == 0 || got[0].Location.Country != "RU" || checkLocation(got[0].Location, "") != nil {
		t.Errorf("%+v", got)
	}
	if got := append(find(""), find("xxxxxx")...); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
