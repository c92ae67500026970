package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

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
