package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// suite is a test suite in a language that knows nothing but HTTP.
type suite struct {
	t   *testing.T
	srv *jobboardtest.Server
}

func newSuite(t *testing.T, opts ...jobboardtest.Option) *suite {
	t.Helper()
	srv := jobboardtest.NewServer(append([]jobboardtest.Option{jobboardtest.WithoutSockets(), jobboardtest.WithDemo()}, opts...)...)
	t.Cleanup(srv.Close)
	if got, want := Mount(srv), srv.BaseURL+"/_fake/"; got != want {
		t.Fatalf("mounted at %s, want %s", got, want)
	}
	return &suite{t, srv}
}

func (s *suite) send(req *http.Request) (int, string) {
	s.t.Helper()
	res, err := s.srv.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(data))
}

func (s *suite) request(method, path, body string) *http.Request {
	s.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.srv.BaseURL+"/_fake"+path, r)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// do is one call of the control interface.
func (s *suite) do(method, path, body string) (int, string) {
	s.t.Helper()
	return s.send(s.request(method, path, body))
}

// must is a call that succeeds; it gives the answer's members.
func (s *suite) must(method, path, body string) map[string]any {
	s.t.Helper()
	status, text := s.do(method, path, body)
	if status >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	var m map[string]any
	if text != "" {
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			s.t.Fatalf("%s %s: %v: %s", method, path, err, text)
		}
	}
	return m
}

// ask is a call of the interface itself.
func (s *suite) ask(path, token string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "GET", s.srv.BaseURL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return s.send(req)
}

func applied(job any) string { return fmt.Sprintf("/api/rest/v3/frontend/jobs/%v/applied", job) }

// TestWhatIsMade uses an application's identifier, an authorization code and a saved
// state, each of which is another in each run.
func TestWhatIsMade(t *testing.T) {
	s := newSuite(t)
	d := s.srv.Demo
	id := s.must("POST", "/applications", fmt.Sprintf(`{"applicant_id":%d,"job_id":%d}`, d.Applicant, d.OpenJob))["id"]
	_, got := s.ask(strings.Replace(applied(d.OpenJob), "/applied", "/application", 1), d.ApplicantToken)
	if got != id {
		t.Errorf("the application is %s, want %s", got, id)
	}
	s.must("POST", "/clients", `{"id":"77","secret":"s"}`)
	code := s.must("POST", "/codes", fmt.Sprintf(`{"client_id":"77","applicant_id":%d}`, d.Applicant))["code"].(string)
	form := strings.NewReader("grant_type=authorization_code&client_id=77&client_secret=s&code=" + code)
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.srv.TokenURL, form)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if status, body := s.send(req); status != 200 || !strings.Contains(body, "access_token") {
		t.Errorf("the code is worth %d %s", status, body)
	}
	_, saved := s.do("GET", "/state", "")
	s.must("POST", "/reset", "")
	if status, body := s.ask(applied(d.OpenJob), d.ApplicantToken); status != 200 || body != "false" {
		t.Errorf("after a reset: %d %s", status, body)
	}
	s.must("PUT", "/state", saved)
	if _, again := s.do("GET", "/state", ""); again != saved {
		t.Error("a state that was saved and loaded is another one")
	}
}

// A member in a list is named with its place from Go 1.27 on, where encoding/json
// counts, and without it before.
func TestRefusalsInLists(t *testing.T) {
	s := newSuite(t)
	for body, want := range map[string]string{
		`{"jobs":[7]}`: `{"error":"jobs cannot be a number, it is an object","field":"jobs"}`,
		`{"jobs":[{"id":1,"title":"a"},{"id":"2"}]}`: `{"error":"jobs.id cannot be a string, it is a whole number","field":"jobs.id"}`,
	} {
		status, text := s.do("PUT", "/state", body)
		if text = strings.NewReplacer("jobs.0", "jobs", "jobs.1", "jobs").Replace(text); status != 400 || text != want {
			t.Errorf("%s: %d %s, want %s", body, status, text, want)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	s := newSuite(t)
	for size, want := range map[int]int{4 << 20: 201, 4<<20 + 1: 413} {
		begin, end := `{"id":"`, `"}`
		status, text := s.do("POST", "/channels", begin+strings.Repeat("x", size-len(begin+end))+end)
		if status != want || want == 413 && !strings.Contains(text, "larger than 4194304 bytes") {
			t.Errorf("%d bytes: %d %.200s", size, status, text)
		}
	}
	if status, text := s.do("PUT", "/state", `{"channels":[{"id":"`+strings.Repeat("x", 5<<20)+`"}]}`); status != 204 {
		t.Errorf("a whole state may be larger: %d %.200s", status, text)
	}
	// What came from outside is not echoed at length.
	if _, text := s.do("POST", "/channels", `{"`+strings.Repeat("y", 1<<20)+`":1}`); len(text) > 2000 {
		t.Errorf("an error of %d bytes", len(text))
	}
}

// A state is read as it arrives: errors are reported at once, and
// no more than 64 MiB are kept.
func TestStatesAreStreamed(t *testing.T) {
	s := newSuite(t)
	before := s.srv.Snapshot()
	for _, c := range []struct {
		name, head, unit, tail string
		status                 int
		says                   string
		read                   int64 // at most so much of it
	}{
		{"zeros", "", "\x00", "", 400, "not JSON", 1 << 20},
		{"a wrong record", `{"jobs":[{"titel":"x"}`, `,{"title":"x"}`, "]}", 400, `unknown member \"titel\"`, 1 << 20},
		{"a wrong member", `{"tokens":[{"narrow":"no"}`, `,{}`, "]}", 400, `tokens.narrow cannot be a string`, 1 << 20},
		{"white space", "{", " ", "}", 400, "white space", 1 << 20},
		{"too much of one record", `{"jobs":[{"title":"`, "long ", `"}]}`, 413, "larger than 67108864 bytes", 1 << 30},
		{"records without end", `{"channels":[{}`, ",{}", "]}", 400, "more than 1000000 records", 4 << 20},
	} {
		sent := &counted{r: io.MultiReader(strings.NewReader(c.head), repeated(c.unit, 70<<20), strings.NewReader(c.tail))}
		req := s.request("PUT", "/state", "x")
		req.Body, req.ContentLength = io.NopCloser(sent), -1
		var begun, ended runtime.MemStats
		runtime.ReadMemStats(&begun)
		status, text := s.send(req)
		runtime.ReadMemStats(&ended)
		if status != c.status || !strings.Contains(text, c.says) || sent.n.Load() > c.read {
			t.Errorf("%s: %d %s, after %d bytes", c.name, status, text, sent.n.Load())
		}
		if grown := int64(ended.HeapSys) - int64(begun.HeapSys); grown > 300<<20 {
			t.Errorf("%s takes %d MiB", c.name, grown>>20)
		}
	}
	if !reflect.DeepEqual(s.srv.Snapshot(), before) {
		t.Error("the state changed")
	}
	if status, text := s.do("PUT", "/state", string(marshal(before))); status != 204 || !reflect.DeepEqual(s.srv.Snapshot(), before) {
		t.Errorf("the same state again: %d %s", status, text)
	}
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func repeated(unit string, size int) io.Reader {
	block := strings.Repeat(unit, 64<<10/len(unit))
	var all []io.Reader
	for range size / len(block) {
		all = append(all, strings.NewReader(block))
	}
	return io.MultiReader(all...)
}

// A body that never comes whole ends its call after 30 s, and holds up no other.
func TestSlowBodies(t *testing.T) {
	for _, call := range []string{"POST /jobs", "PUT /state"} {
		synctest.Test(t, func(t *testing.T) {
			s := newSuite(t)
			method, path, _ := strings.Cut(call, " ")
			begin, end := io.Pipe()
			req := s.request(method, path, "x")
			req.Body, req.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(`{"jobs":[`), begin)), -1
			began := time.Now()
			ended := make(chan string)
			go func() {
				status, text := s.send(req)
				ended <- fmt.Sprint(status, text, time.Since(began))
			}()
			synctest.Wait()
			s.must("POST", "/channels", `{"id":"meanwhile"}`)
			if got := <-ended; !strings.HasPrefix(got, "408") || !strings.Contains(got, "within 30s") || !strings.HasSuffix(got, "}30s") {
				t.Errorf("%s: %s", call, got)
			}
			end.Close()
			<-time.After(time.Second) // net/http closes the connection half a second later
		})
	}
}

// Waiting ends with the call it waits for, and no other.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSuite(t)
		got := make(chan string, 1)
		go func() {
			status, text := s.do("GET", "/requests/wait?count=1&operation=applied", "")
			got <- fmt.Sprint(status, " ", text, " after ", time.Since(s.srv.Requests()[0].Time))
		}()
		synctest.Wait()
		s.ask("/nonsense", "")
		time.Sleep(9 * time.Second)
		s.ask(applied(s.srv.Demo.OpenJob), s.srv.Demo.ApplicantToken)
		if text := <-got; text != `200 {"count":1} after 9s` {
			t.Errorf("the wait ended with %s", text)
		}
	})
}

// Pages of other sites cannot drive the mock server through a browser.
func TestOtherSites(t *testing.T) {
	s := newSuite(t)
	host := strings.TrimPrefix(strings.TrimSuffix(s.srv.BaseURL, "/board"), "http://")
	public := func(host string) string {
		return `403 {"error":"the host \"` + host + `\" is a public name, and not one that the control interface was told ` +
			`to answer to: use an address such as 127.0.0.1 (the program's flag -control-host adds a name)"}`
	}
	label := func(typ string) string {
		return `415 {"error":"a body must come with Content-Type: application/json, not \"` + typ + `\""}`
	}
	const notOurs = `403 {"error":"a page of another site may not change the mock server: `
	Mount(s.srv, "fake.example.com")
	for _, c := range []struct{ name, header, want string }{
		{"no browser", "Accept: */*", "201 "},
		{"its own page", "Sec-Fetch-Site: same-origin", "201 "},
		{"its own page in an old browser", "Origin: http://" + host, "201 "},
		{"another site", "Sec-Fetch-Site: cross-site", notOurs},
		{"another port", "Sec-Fetch-Site: same-site", notOurs},
		{"another site in an old browser", "Origin: http://evil.example", notOurs},
		{"a sandboxed frame", "Origin: null", notOurs},
		{"a form", "Content-Type: text/plain", label("text/plain")},
		{"no label", "Content-Type: ", label("")},
		{"a label that is none", "Content-Type: a/b/c", label("a/b/c")},
		{"a label with a charset", "Content-Type: application/json; charset=utf-8", "201 "},
		{"a public name that points here", "Host: evil.example:80", public("evil.example:80")},
		{"a name of the local network, which anybody in it can take", "Host: printer.local", public("printer.local")},
		{"a public name that begins like one of this machine", "Host: localhost.example", public("localhost.example")},
		{"a public name that ends like one that is allowed", "Host: a.fake.example.com", public("a.fake.example.com")},
		{"a public name, allowed", "Host: fake.example.com", "201 "},
		{"a public name, allowed, in capitals", "Host: FAKE.Example.com:81", "201 "},
		{"localhost", "Host: localhost:8080", "201 "},
		{"a name of this machine, in capitals", "Host: A.LOCALHOST:81", "201 "},
		{"a container", "Host: jobboard-fake:8080", "201 "},
		{"a container's host", "Host: host.docker.internal", "201 "},
		{"a name for tests", "Host: fake.test", "201 "},
		{"IPv6", "Host: [::1]:8080", "201 "},
		{"IPv6 without a port", "Host: [::1]", "201 "},
		{"an address", "Host: 192.0.2.1", "201 "},
	} {
		req := s.request("POST", "/channels", `{"id":"x"}`)
		name, value, _ := strings.Cut(c.header, ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
		if status, text := s.send(req); !strings.HasPrefix(fmt.Sprint(status, " ", text), c.want) {
			t.Errorf("%s: %d %s, want %s", c.name, status, text, c.want)
		}
	}
	for _, method := range []string{"GET", "HEAD"} { // a form may be read with, not through a public name
		req := s.request(method, "/channels/x", `{"id":"x"}`)
		req.Header.Set("Content-Type", "text/plain")
		if status, text := s.send(req); status != 404 {
			t.Errorf("%s with a form: %d %s", method, status, text)
		}
		req = s.request(method, "/channels", "")
		req.Host = "evil.example"
		if status, text := s.send(req); status != 403 {
			t.Errorf("%s through a public name: %d %s", method, status, text)
		}
	}
	// Every call that is no GET is guarded, whatever it is.
	req := s.request("POST", "/reset", "")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	if status, _ := s.send(req); status != 403 {
		t.Errorf("a reset from another site: %d", status)
	}
}

// A body that breaks off is told, to whoever still hears it.
func TestBodyBreaksOff(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1/channels", iotest.ErrReader(errors.New("broken")))
	r.Header.Set("Content-Type", "application/json")
	New(jobboardtest.New(t, jobboardtest.WithoutSockets())).ServeHTTP(w, r)
	if want := `{"error":"the body cannot be read: broken"}` + "\n"; w.Code != 400 || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A reset leaves a clock that was not set over HTTP, and no address is made up.
func TestResetLeavesAnOwnClock(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := newSuite(t, jobboardtest.WithClock(func() time.Time { return at }))
	s.must("POST", "/reset", "")
	if now := s.srv.Now(); !now.Equal(at) {
		t.Errorf("it is %v", now)
	}
	s.must("PUT", "/clock", `{"now":"2031-01-01T00:00:00Z"}`)
	s.must("POST", "/reset", "")
	at = time.Date(10001, 1, 2, 3, 4, 5, 0, time.UTC)
	s.srv.SetClock(func() time.Time { return at })
	s.must("POST", "/reset", "")
	if now := s.srv.Now(); !now.Equal(at) {
		t.Errorf("after one that was set over HTTP it is %v", now)
	}
	if status, body := s.do("GET", "/clock", ""); status != 500 || !strings.Contains(body, `{"error":"json: error calling MarshalJSON`) {
		t.Errorf("a time that JSON has no form for: %d %s", status, body)
	}
	if url := New(s.srv).information().ControlURL; url != "" {
		t.Errorf("served at %s, it says", url)
	}
}

// Each address serves its content, with the headers that keep the page to itself.
func TestPage(t *testing.T) {
	s := newSuite(t)
	s.ask(applied(s.srv.Demo.AppliedJob), s.srv.Demo.ApplicantToken)
	res, err := s.srv.Client().Do(s.request("GET", "", "")) // redirected to the slash
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	page := string(data)
	if res.Request.URL.Path != "/board/_fake/" || res.StatusCode != 200 {
		t.Fatalf("%s: %d", res.Request.URL, res.StatusCode)
	}
	res.Header.Del("Date")
	if got, want := fmt.Sprint(res.Header), "map[Cache-Control:[no-store] Content-Security-Policy:[default-src 'none'; script-src 'self'; "+
		"style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'] "+
		"Content-Type:[text/html; charset=utf-8] Cross-Origin-Resource-Policy:[same-origin] Referrer-Policy:[no-referrer] "+
		"X-Content-Type-Options:[nosniff] X-Frame-Options:[DENY]]"; got != want {
		t.Errorf("headers: %s", got)
	}
	for _, no := range []string{"<style", " style=", "onclick", "ZgotmplZ", "src=\"http"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %s", no)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for path, typ := range map[string]string{"/page.js": "text/javascript; charset=utf-8", "/page.css": "text/css; charset=utf-8", "/openapi.json": "application/json", "/board?q=berlin": "text/html; charset=utf-8"} {
		res, err := s.srv.Client().Do(s.request("GET", path, ""))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != typ || len(data) < 1000 {
			t.Errorf("%s: %d %s, %d bytes", path, res.StatusCode, res.Header.Get("Content-Type"), len(data))
		}
		if policy := res.Header.Get("Content-Security-Policy"); (policy != "") != strings.HasPrefix(typ, "text/html") {
			t.Errorf("%s: the policy %q", path, policy)
		}
	}
}

// Texts of the state and of requests stay texts, in the page and in its data.
func TestEscaping(t *testing.T) {
	s := newSuite(t)
	const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`
	job, _ := s.srv.Publish(evil, jobboardtest.Job{Title: evil, Location: jobboardtest.Location{Lat: "1", Long: "2", City: evil, Name: evil}, Questions: []jobboardtest.Question{{ID: evil, Type: evil, Label: evil}}})
	s.srv.AddPosting(jobboardtest.Posting{Title: evil, Channels: []string{evil}, Language: evil, ApplyURL: "javascript:alert(1)"})
	if _, err := s.srv.Apply(s.srv.AddApplicant(jobboardtest.Applicant{Name: evil}).ID, job.ID); err != nil {
		t.Fatal(err)
	}
	s.srv.Fail(jobboardtest.Fault{Name: evil, Path: evil})
	s.srv.SetVariants(jobboardtest.Variants{ErrorField: evil})
	s.ask("/"+strings.NewReplacer(" ", "%20", `"`, "%22", "<", "%3C", ">", "%3E").Replace(evil)+"?q=%3Cscript%3E", "")
	_, page := s.do("GET", "/", "")
	_, board := s.do("GET", "/board?q=%3Cscript%3E", "")
	for name, text := range map[string]string{"page": page, "board": board} {
		for _, no := range []string{"<script>", "<img", "javascript:", "alert(1)>\""} {
			if strings.Contains(text, no) {
				t.Errorf("the %s has %s", name, no)
			}
		}
		if strings.Count(text, "&lt;script&gt;alert(1)") < 5 {
			t.Errorf("the %s does not show the texts", name)
		}
	}
	status, told := s.do("GET", "/news", "")
	if status != 200 || !strings.Contains(told, "script") || strings.Contains(told, "<script") || strings.Contains(told, `\u003cscript`) || strings.Contains(told, `\u003cimg`) {
		t.Errorf("the news have markup of a text: %d %s", status, told)
	}
}

// A call that waits does not keep the server from ending, and is told.
func TestEndOfAWait(t *testing.T) {
	for _, how := range []string{"shutdown", "close"} {
		s := newSuite(t)
		waited := make(chan string, 1)
		asked := make(chan struct{})
		c := http.StripPrefix(Path, New(s.srv))
		reach(s.srv).Mount(Path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(asked)
			c.ServeHTTP(w, r)
		}))
		waiting := s.request("GET", "/requests/wait?count=1&timeout=60s", "")
		go func() {
			res, err := s.srv.Client().Do(waiting)
			if err != nil {
				waited <- err.Error()
				return
			}
			defer res.Body.Close()
			data, _ := io.ReadAll(res.Body)
			waited <- fmt.Sprint(res.StatusCode, " ", string(data))
		}()
		<-asked
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if how == "close" {
			s.srv.Close()
		} else if err := s.srv.Shutdown(ctx); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		cancel()
		if got := <-waited; how == "shutdown" && !strings.Contains(got, "shuts down") {
			t.Errorf("%s: the wait ended with %s", how, got)
		}
	}
}
