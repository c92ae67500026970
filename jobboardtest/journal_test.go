package jobboardtest_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestJournal(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	d := srv.Demo
	jobs := srv.BaseURL + "/api/rest/v3/frontend/jobs/"
	for i, c := range []struct {
		url, credential string
		op              jobboardtest.Operation
		template, kind  string
		status          int
	}{
		{srv.BaseURL + "/api/rest/v2/frontend/jobboards/27828_extern/jobs?search=nurse", "10:", jobboardtest.OpSearch, "/api/rest/v2/frontend/jobboards/{channelID}/jobs", "basic client 10", 200},
		{srv.BaseURL + "/api/rest/v2/frontend/jobboards/27828_extern/jobs", d.ClientToken, jobboardtest.OpSearch, "/api/rest/v2/frontend/jobboards/{channelID}/jobs", "client token", 200},
		{jobs + "2797227/applied", d.ApplicantToken, jobboardtest.OpApplied, "/api/rest/v3/frontend/jobs/{jobDbId}/applied", "user token of applicant 7", 200},
		{jobs + "2797227/application", d.ExpiredToken, jobboardtest.OpApplication, "/api/rest/v3/frontend/jobs/{jobDbId}/application", "expired user token of applicant 7", 401},
		{jobs + "2797227/applied", "made-up-token", jobboardtest.OpApplied, "/api/rest/v3/frontend/jobs/{jobDbId}/applied", "unknown credential", 401},
		{jobs + "2797227/applied", "secretive-name:", jobboardtest.OpApplied, "/api/rest/v3/frontend/jobs/{jobDbId}/applied", "bad basic (unknown client)", 401},
		{srv.JobDBURL + "/jobdb/public/apply/external?jobid=2797227", "", jobboardtest.OpJobInformation, "/jobdb/public/apply/external", "none", 200},
		{srv.JobDBURL + "/nowhere", "", jobboardtest.OpUnknown, "", "none", 404},
		{srv.JobDBURL + "/nowhere", srv.LookupToken(), jobboardtest.OpUnknown, "", "lookup token", 404},
		{srv.BaseURL + "/nowhere", d.NarrowToken, jobboardtest.OpUnknown, "", "narrow user token of applicant 7", 404},
	} {
		get(t, srv, c.url, c.credential)
		u, _ := url.Parse(c.url)
		at := "base_url"
		if strings.HasPrefix(c.url, srv.JobDBURL) {
			at = "jobdb_url"
		}
		all := srv.Requests()
		r := all[len(all)-1]
		if len(all) != i+1 || r.Number != i+1 || r.Operation != c.op || r.Template != c.template || r.Credential != c.kind || r.Status != c.status ||
			r.Method != "GET" || r.Address != at || r.Path != u.Path || r.Query.Encode() != u.RawQuery || r.Time.IsZero() {
			t.Errorf("%+v, want %+v", r, c)
		}
	}
	_, body := get(t, srv, srv.BaseURL+searchPath, d.ClientToken)
	if r, ok := srv.Inside().Request(11); !ok || !reflect.DeepEqual(*r.Response, jobboardtest.Response{
		Header: http.Header{"Content-Type": {"application/json"}}, Size: int64(len(body)), Body: string(body[:2<<10]),
	}) {
		t.Errorf("of the answer\n%s\nis kept\n%+v", body, r.Response)
	}
	srv.Fail(jobboardtest.Fault{Break: jobboardtest.ResetBefore, Times: 1})
	if f := fetch(t.Context(), srv.Transport(), srv.BaseURL+"/nowhere", ""); f.err == nil {
		t.Errorf("%+v", f)
	}
	if r, ok := srv.Inside().Request(12); !ok || r.Status != 0 || r.Response != nil {
		t.Errorf("of no answer is kept %+v", r.Response)
	}
	if r, ok := srv.Inside().Request(5); !ok || !reflect.DeepEqual(*r.Response, jobboardtest.Response{
		Header: http.Header{"Www-Authenticate": {`Bearer error="invalid_token", error_description="token expired or otherwise invalid"`}},
	}) {
		t.Errorf("of a refusal is kept %+v", r.Response)
	}
	if r, ok := srv.Inside().Request(13); ok {
		t.Errorf("a request that did not come is %v", r)
	}
	if n := srv.Count(); n != 12 {
		t.Errorf("Count() = %d", n)
	}
	if n := srv.Count(jobboardtest.OpApplied); n != 3 || len(srv.Requests(jobboardtest.OpApplied)) != 3 {
		t.Errorf("Count(applied) = %d", n)
	}
	if n := srv.Count(jobboardtest.OpApplied, jobboardtest.OpSearch); n != 6 {
		t.Errorf("Count(applied, search) = %d", n)
	}
	if after := srv.Inside().RequestsAfter(6); len(after) != 6 || after[0].Number != 7 {
		t.Errorf("RequestsAfter(6) = %v", after)
	}
	srv.ClearRequests()
	if srv.Count() != 0 || len(srv.Requests()) != 0 {
		t.Error("the journal is not empty")
	}
	get(t, srv, srv.JobDBURL+"/nowhere", "")
	if r := srv.Requests(); len(r) != 1 || r[0].Number != 13 {
		t.Errorf("after clearing: %v", r)
	}
}

// Wherever the machine stands, the journal, the state and the faults tell UTC: what two
// machines record of one test is the same text.
func TestTimesAreUTC(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithClock(func() time.Time {
		return time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("", 5*3600+45*60))
	}))
	srv.Inside().AuthorizationCode(srv.Demo.ConfidentialClient, srv.Demo.Applicant)
	srv.UserToken(srv.Demo.Applicant)
	if _, err := srv.Apply(srv.Demo.Applicant, srv.Demo.OpenJob); err != nil {
		t.Error(err)
	}
	send(t, srv, "POST", srv.BaseURL+"/jobabo?channel="+srv.Demo.Channel+"&types=rss", http.Header{}, "{}")
	var written strings.Builder
	if err := srv.Snapshot().Write(&written); err != nil {
		t.Fatal(err)
	}
	journal, err := json.Marshal(srv.Requests())
	if err != nil || !strings.Contains(string(journal), `"time":"2030-01-01T21:19:05Z"`) {
		t.Errorf("the journal tells %s (%v)", journal, err)
	}
	state := written.String()
	if n := strings.Count(state, `"2030-01-01T21:19:05Z"`); n != 3 || strings.Contains(state, "+05:45") {
		t.Errorf("%d times of application, subscription and token are UTC, not 3: %s", n, state)
	}
}

// Whatever place a credential comes in, its value is nowhere in the journal.
func TestJournalHoldsNoCredential(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	d := srv.Demo
	code := srv.Inside().AuthorizationCode(d.ConfidentialClient, d.Applicant)
	basic := base64.StdEncoding.EncodeToString([]byte("10:hidden-password"))
	secrets := []string{d.ClientToken, d.ApplicantToken, d.ConfidentialSecret, d.Password, code, "made-up-token", basic, "hidden-password", "chocolate"}

	ask := func(method, url string, header http.Header, body string) {
		t.Helper()
		send(t, srv, method, url, header, body)
	}
	search := srv.BaseURL + "/api/rest/v2/frontend/jobboards/27828_extern/jobs"
	for _, v := range []string{d.ClientToken, d.ApplicantToken, "made-up-token"} {
		h := http.Header{"Authorization": {"Bearer " + v}, "X-Copy": {"the token is " + v}}
		ask("GET", search+"?search="+v, h, "")
		ask("GET", srv.BaseURL+"/api/rest/v2/frontend/jobboards/"+v+"/jobs?access_token="+v, h, "")
		ask("GET", srv.BaseURL+"/nowhere/"+v+"?"+v+"=1", h, "")
		ask("PUT", srv.BaseURL+"/jobabo/"+v, h, `{"`+v+`":"`+v+`"}`)
		ask("GET", srv.JobDBURL+"/jobdb/public/apply/external?jobid="+v, h, "")
	}
	ask("GET", search+"?search="+d.ClientToken, http.Header{}, "") // known, but not presented
	ask("GET", search, http.Header{"Authorization": {"Basic " + basic}, "X-Copy": {"hidden-password " + basic}}, "")
	ask("GET", search, http.Header{"Authorization": {"made-up-token"}, "Cookie": {"a=chocolate"}, "Proxy-Authorization": {"Basic chocolate"}}, "")
	ask("POST", srv.BaseURL+"/api/rest/oauth/frontend/token?code="+code, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		url.Values{"client_id": {d.ConfidentialClient}, "client_secret": {d.ConfidentialSecret}, "grant_type": {"password"}, "username": {d.Username}, "password": {d.Password}}.Encode())
	ask("POST", srv.BaseURL+"/api/rest/oauth/frontend/token?x="+code+"&y="+d.ConfidentialSecret+"&z="+d.Password, http.Header{}, "")

	asJSON, err := json.Marshal(srv.Requests())
	if err != nil {
		t.Fatal(err)
	}
	all := string(asJSON) + fmt.Sprintf("%v %+v %#v %s %q", srv.Requests(), srv.Requests(), srv.Requests(), srv.Requests(), violations(srv))
	for _, s := range secrets {
		if i := strings.Index(all, s); i >= 0 {
			t.Errorf("%s shows in the journal: ...%s...", s, all[max(0, i-200):min(len(all), i+100)])
		}
	}
	for _, want := range []string{"[client token]", "[user token of applicant 7]", "[masked]"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in the journal", want)
		}
	}
	state := srv.Snapshot()
	state.Demo = jobboardtest.DemoInfo{}
	state.Applicants[0].ID = 4711
	if s := fmt.Sprintf("%v %+v %#v", state, state, state); !strings.Contains(s, "[applicant 4711 ") || strings.Contains(s, d.ClientToken) || strings.Contains(s, code) || strings.Contains(s, d.ConfidentialSecret) || strings.Contains(s, d.Password) {
		t.Errorf("a credential prints itself: %s", s)
	}

	// Nor do answers show them, even after a state without them was loaded.
	_, granted := token(t, srv, d.ConfidentialClient, d.ConfidentialSecret, url.Values{"grant_type": {"client_credentials"}})
	secrets = append(secrets, fmt.Sprint(granted["access_token"]))
	if err := srv.Restore(jobboardtest.State{}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= srv.Count(); n++ {
		r, _ := srv.Inside().Request(n)
		answer := fmt.Sprint(*r.Response)
		if i := slices.IndexFunc(secrets, func(s string) bool { return strings.Contains(answer, s) }); i >= 0 {
			t.Errorf("%s shows in the answer of %s: %s", secrets[i], r, answer)
		}
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := jobboardtest.New(t, jobboardtest.WithoutSockets(), jobboardtest.WithDemo())
		reached := make(chan error, 1)
		go func() { reached <- srv.Wait(t.Context(), 2, jobboardtest.OpJobInformation) }()
		lookup := fmt.Sprintf("%s/jobdb/public/apply/external?jobid=%d", srv.JobDBURL, srv.Demo.OpenJob)
		get(t, srv, lookup, "")
		get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/27828_extern/jobs", "10:")
		synctest.Wait()
		select {
		case err := <-reached:
			t.Fatalf("one call is enough: %v", err)
		default:
		}
		get(t, srv, lookup, "")
		if err := <-reached; err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := srv.Wait(ctx, 4); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "3 of 4") {
			t.Errorf("waiting in vain: %v", err)
		}
		go func() { reached <- srv.Wait(context.Background(), 99) }()
		synctest.Wait()
		srv.Close()
		if err := <-reached; err == nil {
			t.Error("waiting goes on at a closed server")
		}
	})
}

// The beginning of a long text is kept, without the part in which a credential may be cut off;
// of a text that may be a secret only words of four letters stay.
func TestWhatIsKeptOfTexts(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.AddClient(jobboardtest.ClientApp{ID: "20", Secret: "abcd"})
	srv.AddClient(jobboardtest.ClientApp{ID: "21", Secret: "xyz"})
	x := func(n int) string { return strings.Repeat("x", n) }
	long := strings.Repeat("credential", 800)
	for _, c := range []struct{ authorization, text, want string }{
		{"", x(8192), x(8192)},
		{"", x(8193), x(8192-1024) + "... (8193 bytes)"},
		{"Bearer " + long[:1024], x(8193), x(8192-1024) + "... (8193 bytes)"},
		{"Bearer " + long[:1025], x(8193), x(8192-1025) + "... (8193 bytes)"},
		{"Bearer " + long, long + x(1000), "... (9000 bytes)"},
		{"", "abcd xyz abc", "[secret] xyz abc"},
		{"Bearer here", "there or her", "t[unknown credential] or her"},
		{"Bearer  here", "there or her", "t[unknown credential] or her"},
		{"Bearer her", "there or her", "there or her"},
		{strings.Replace(basicHeader("20:here").Get("Authorization"), "Basic", "Bearer", 1), "there or her", "there or her"},
		{basicHeader("20:here").Get("Authorization"), "there or her", "t[bad basic (confidential client 20, which must use tokens)] or her"},
		{basicHeader("20:her").Get("Authorization"), "there or her", "there or her"},
	} {
		header := http.Header{"X-Copy": {c.text}}
		if c.authorization != "" {
			header.Set("Authorization", c.authorization)
		}
		send(t, srv, "PUT", srv.BaseURL+"/jobabo/1", header, "")
		if got := lastRequest(srv).Header.Get("X-Copy"); got != c.want {
			t.Errorf("of %.40s with %.40s is kept %.100s...%s", c.text, c.authorization, got, got[max(0, len(got)-30):])
		}
	}
	srv.Fail(jobboardtest.Fault{Status: 405})
	send(t, srv, "PUT", srv.BaseURL+"/jobabo/1?a=1", http.Header{}, "")
	if got := lastRequest(srv).String(); got != "13 PUT /board/jobabo/1?a=1 [none] 405 fault: status 405" {
		t.Errorf("%s", got)
	}
	send(t, srv, "PUT", srv.BaseURL+"/jobabo/1", http.Header{}, "")
	if got := lastRequest(srv).String(); got != "14 PUT /board/jobabo/1 [none] 405 fault: status 405" {
		t.Errorf("%s", got)
	}
}

// Names without values count, too, and values without text.
func TestJournalBoundsNames(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	names, values := http.Header{}, http.Header{"X-A": make([]string, 10_000), "X-B": {"behind"}}
	for k := range 5000 {
		names.Set(fmt.Sprintf("X-%04d", k), "v") // 39 bytes of 64 KiB
	}
	for i, header := range []http.Header{names, values} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.BaseURL+searchPath, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		res, err := srv.Transport().RoundTrip(req) // a connection takes fewer headers than that
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		kept := srv.Requests()[i].Header
		if want := []int{1682, 2}[i]; kept["..."] == nil || len(kept) != want || kept["X-B"] != nil {
			t.Errorf("%d of %d headers are kept", len(kept), len(header))
		}
	}
}

// However large the requests are, the journal's memory is bounded; it keeps the
// newest, and the counts.
func TestJournalIsBoundedInBytes(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	transport := srv.Transport()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const requests, size = 2000, 500_000
	one := strings.Repeat("x", size)
	for i := range requests {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.BaseURL+searchPath, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			req.Header.Set("X-Large", one)
		} else {
			for k := range 1000 {
				req.Header.Set(fmt.Sprintf("X-Many-%d", k), one[:500])
			}
		}
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if n := runtime.NumGoroutine(); i%500 == 0 && n > 100 {
			t.Fatalf("%d goroutines", n)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("figure: %d requests of %d bytes leave %d MiB", requests, size, grown>>20)
	if grown > 100<<20 {
		t.Errorf("%d MiB for %d requests", grown>>20, requests)
	}
	kept := srv.Requests()
	if srv.Count() != requests || len(kept) < 100 || len(kept) > requests*3/4 || kept[len(kept)-1].Number != requests {
		t.Errorf("%d counted, %d kept", srv.Count(), len(kept))
	}
	last, _ := srv.Inside().Request(requests - 1)
	if got := last.Header.Get("X-Large"); len(got) > 9000 || !strings.HasSuffix(got, "... (500000 bytes)") {
		t.Errorf("%d bytes of a long value: %.100s", len(got), got)
	}
}

// The newest 10 000 requests are always there.
func TestJournalKeepsTheNewest(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	h := srv.Handler()
	for n := 1; n <= 20_001; n++ {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/board/nowhere", http.NoBody))
		if n%5000 > 1 {
			continue
		}
		kept := srv.Requests()
		if len(kept) < min(n, 10_000) || len(kept) > 20_000 || kept[len(kept)-1].Number != n {
			t.Errorf("%d of %d are kept", len(kept), n)
		}
	}
}

// Of long addresses the journal keeps the beginning, and the server nothing else.
func TestLongAddressesAreNotKept(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer srv.Close()
	spaces := strings.Repeat("+", 900_000)
	for n := range 60 {
		if f := fetch(t.Context(), srv.Client().Transport, fmt.Sprintf("%s?n=%d&search=nurse%s", searchURL(srv), n, spaces[n:]), srv.Demo.ClientToken); f.status != 200 {
			t.Fatalf("%+v", f)
		}
	}
	runtime.GC()
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > 45<<20 {
		t.Errorf("%d MiB after 60 requests with 900 kB of address", m.HeapAlloc>>20)
	}
}

// A broken body is reported as broken.
func TestBrokenBodies(t *testing.T) {
	srv := jobboardtest.NewServer()
	defer srv.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(strings.TrimSuffix(srv.BaseURL, "/board"), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /board/jobabo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 400 || !strings.Contains(string(body), "chunk") {
		t.Errorf("%s: %s", res.Status, body)
	}
	for size, want := range map[int]int{1 << 20: 200, 1<<20 + 1: 413} {
		if res, body := do(t, srv, "POST", srv.BaseURL+"/jobabo", "", strings.Repeat(" ", size)); res.StatusCode != want {
			t.Errorf("a body of %d bytes: %s %s", size, res.Status, body)
		}
	}
}

// A body that never comes whole ends its request after 30 s.
func TestSlowBodiesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // net/http waits half of one before it hangs up on a refused body
		srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
		defer srv.Close()
		body, drip := io.Pipe()
		var dripping sync.WaitGroup
		defer dripping.Wait()
		dripping.Go(func() {
			for {
				if _, err := drip.Write([]byte("a")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.BaseURL+"/jobabo", body)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		res, err := srv.Client().Do(req)
		if err == nil {
			defer res.Body.Close()
			if res.StatusCode != http.StatusRequestTimeout {
				t.Errorf("%s", res.Status)
			}
		}
		drip.Close()
		if d := time.Since(began); d < 30*time.Second || d > 31*time.Second {
			t.Errorf("open for %v", d)
		}
	})
}
