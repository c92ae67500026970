package jobmirror_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// pipes is a network without buffers: what a client does not read, a server
// cannot write.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return local{conn}, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// local is a connection from this machine.
type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// ask sends a request, reads the head of the answer, and no more.
func (p *pipes) ask(t *testing.T, target string) *http.Response {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { client.Close() })
	p.conns <- server
	if _, err := io.WriteString(client, "GET "+target+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	rs, err := http.ReadResponse(bufio.NewReaderSize(client, 16), nil)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// Clients that ask for everything and read nothing are given up. Meanwhile the
// copy is searched and refreshed, and others follow its changes.
func TestClientsThatDoNotReadHoldUpNobody(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, func(t *testing.T, srv *jobboardtest.Server, path string) {
		m := open(t, path, optionsOf(srv))
		refresh(t, m)
		network := &pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: m.Handler()}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(network)
		}()
		t.Cleanup(func() {
			server.Close()
			<-served
		})
		const (
			channel = "/api/rest/v2/frontend/jobboards/27828_extern/jobs"
			changes = "/mirror/changes"
		)
		works := func(when string) {
			t.Helper()
			began := time.Now()
			if page, err := m.Search(t.Context(), jobmirror.Query{Text: "nurse", All: true}); err != nil || len(page.Postings) == 0 {
				t.Errorf("%s: a search finds %+v, %v", when, page, err)
			}
			refresh(t, m)
			if d := time.Since(began); d > time.Second {
				t.Errorf("%s: a search and a refresh take %s", when, d)
			}
		}
		for range 10 { // more than the database has connections
			if rs := network.ask(t, channel); rs.StatusCode != http.StatusOK {
				t.Errorf("a channel that is not read: %s", rs.Status)
			}
		}
		works("channels that are not read")
		for i := range 4 {
			if rs := network.ask(t, changes); rs.StatusCode != http.StatusOK {
				t.Errorf("stream %d of all rows that is not read: %s", i, rs.Status)
			}
		}
		works("streams that are not read")
		status, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rs := network.ask(t, changes+"?since="+string(status.Newest))
		began := time.Now()
		beat, err := bufio.NewReader(rs.Body).ReadString('\n')
		if d := time.Since(began); rs.StatusCode != http.StatusOK || err != nil || beat != ":\n" || d < 14*time.Second || d > 16*time.Second {
			t.Errorf("a stream of changes beside them: %s, %q after %s, %v", rs.Status, beat, d, err)
		}
		time.Sleep(31 * time.Second)
		rs = network.ask(t, changes)
		lines := bufio.NewScanner(rs.Body)
		lines.Buffer(nil, 1<<20)
		n := 0
		for lines.Scan() && lines.Text() != "event: rows" {
			n++
		}
		if rs.StatusCode != http.StatusOK || n < 100 || lines.Err() != nil {
			t.Errorf("when they were given up: %s, %d lines, %v", rs.Status, n, lines.Err())
		}
	})
}

// Requests that are no good are told so, and cost little.
func TestHostileRequests(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		long := strings.Repeat("ä ö ", 1<<16)
		channel := "/api/rest/v2/frontend/jobboards/27828_extern/jobs"
		lookup := "/jobdb/public/apply/external?jobid="
		for target, want := range map[string]int{
			channel + "?search=" + url.QueryEscape(long):                                  http.StatusBadRequest,
			channel + "?search=" + url.QueryEscape(long[:900]):                            http.StatusOK,
			channel + "?search=" + url.QueryEscape("\" OR * NEAR( ) ' ; -- \x00 \xff _p"): http.StatusOK,
			channel + "?search=nurse;night":                                               http.StatusBadRequest,
			channel + "?search=nurse%3Bnight":                                             http.StatusOK,
			channel + "?search=100%":                                                      http.StatusBadRequest,
			channel + "?geoLocation=52::13::5;":                                           http.StatusBadRequest,
			channel + "?geoLocation=" + url.QueryEscape(long):                             http.StatusBadRequest,
			channel + "?geoLocation=NaN::NaN::1":                                          http.StatusBadRequest,
			channel + "?geoLocation=1e309::0::5":                                          http.StatusBadRequest,
			channel + "?geoLocation=::::":                                                 http.StatusBadRequest,
			channel + "?geoLocation=90::180::1e300":                                       http.StatusOK,
			channel + "?geoLocation=-90::-180::20000":                                     http.StatusOK,
			"/api/rest/v2/frontend/jobboards/%00/jobs":                                    http.StatusNotFound,
			"/api/rest/v2/frontend/jobboards/%ff%27/jobs":                                 http.StatusNotFound,
			lookup:                                 http.StatusBadRequest,
			lookup + url.QueryEscape(long):         http.StatusBadRequest,
			lookup + "-1":                          http.StatusBadRequest,
			lookup + "99999999999999999999999":     http.StatusBadRequest,
			lookup + "9223372036854775807":         http.StatusNotFound,
			"/mirror/changes?since=%00":            http.StatusGone,
			"/mirror/changes?since=" + long[:900]:  http.StatusGone,
			"/mirror/changes?since=-1":             http.StatusGone,
			"/mirror/changes?since=1;2":            http.StatusBadRequest,
			"/api/rest/v3/frontend/jobs/1/applied": http.StatusNotImplemented,
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			path, query, _ := strings.Cut(target, "?")
			r.URL = &url.URL{RawQuery: query}
			r.URL.Path, _ = url.PathUnescape(path)
			r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
			r.Header.Set("Accept-Language", strings.Repeat("de-", 1<<14)+","+strings.Repeat("x", 1<<16))
			w := httptest.NewRecorder()
			began := time.Now()
			m.Handler().ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%.100s: %d, not %d: %.200s", target, w.Code, want, w.Body)
			}
			if w.Code != http.StatusOK && w.Body.Len() > 1000 {
				t.Errorf("%.100s: an error of %d bytes", target, w.Body.Len())
			}
			if d := time.Since(began); d > 30*time.Second { // under a second where nothing else runs
				t.Errorf("%.100s takes %s", target, d)
			}
		}
		for _, q := range []jobmirror.Query{
			{Text: long},
			{Near: jobboard.GeoLocation{Latitude: 91, RadiusKm: 1}},
			{After: "x"},
			{After: jobmirror.PageCursor(long)},
			{After: "MS4tMQ"}, // 1.-1
		} {
			if page, err := m.Search(t.Context(), q); !errors.Is(err, jobboard.ErrInvalidInput) && !errors.Is(err, jobmirror.ErrPageCursor) {
				t.Errorf("%.60v: %+v, %v", q, page, err)
			}
		}
		if page, err := m.Search(t.Context(), jobmirror.Query{Channel: "\x00\xff", Category: "\x00", Place: "\xff"}); err != nil || len(page.Postings) > 0 {
			t.Errorf("a channel that is no text: %+v, %v", page, err)
		}
		// A text without a word finds nothing, and says so as every other.
		page, err := m.Search(t.Context(), jobmirror.Query{Text: `"'(* `, Facets: true})
		if err != nil || len(page.Postings) > 0 || page.Facets == nil || page.Facets.Total != 0 || page.Age < 0 {
			t.Errorf("a text without a word: %+v, %v", page, err)
		}
	})
}

// hostileTexts returns texts of at most 1000 bytes that nobody types who looks for a job.
func hostileTexts() []string {
	fill := func(text string) string { return strings.Repeat(text, 1000/len(text)) }
	return []string{
		`"`, `""`, `"""`, fill(`"`), fill(`" `), fill(`""`), fill(`"a`), fill(`"pflege" `), `pfl"ege`, `pfl"eg"e`, `"pfl"ege"`, "„“", fill("„“"),
		"-", "--", fill("-"), fill("- "), fill("-pflege "), fill("--pfl"), `-"pflege"`, fill(`-"nicht so" `), `"-pflege"`, "-OR", `-""`,
		"OR", fill("OR "), "OR OR", "pflege OR", fill("a OR "), fill("pflege OR koch "), fill("(pflege OR (koch OR "), fill("-pflege OR "), `"OR"`,
		"\x00", fill("\x00"), "pfl\x00ege", fill("pfl\x00ege "), "\xff", fill("\xff"), fill("a\xff "), "\xed\xa0\x80",
		"\u202epflege\u202c", fill("\u202e"), fill("\u200f\u202d "), "מורה للعمل", fill("מורה "), fill("مُدَرِّس "),
		"😀", fill("😀"), fill("👩\u200d⚕️ "), fill("🇩🇪"), "pfl😀ege",
		"e" + fill("\u0301")[:900], fill("e\u0301"), fill("\u0301"), fill("\u0301 "), "Z" + fill("\u0489")[:900], fill("ﷺ"), fill("ﬃ"), fill("ß"), fill("İ"), fill("ǅ "),
		fill("a"), fill("ä"), fill("pflege"), fill("看"), fill("看 護 "), fill("พยาบาล"), fill("a b "), fill("1 "), fill("a-b_c/d "),
		fill("* "), fill("NEAR( "), fill("NOT "), fill("words : "), fill(":* & ! | <-> "), fill("' "), fill(`\ `), fill("%"), fill("_p _n _tkoch "),
		fill("(m/w/d) "), fill("Pfleger:in "), fill("m/w/d/x/"), fill("ae oe ue "), fill("aeoeue"), fill("groesse "), fill("innenerinnen"),
	}
}

// No text that somebody types is a mistake, of a search or where suggestions are asked for,
// unless it is too long; and each page's cursor is good for the next.
func TestAnyTextIsSearched(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		for _, text := range hostileTexts() {
			for _, order := range []jobmirror.Order{jobmirror.Relevance, jobmirror.Oldest}[:size(1, 2)] {
				q := jobmirror.Query{Text: text, Order: order, Limit: 5, Facets: true, Snippets: true, Near: jobboard.Near(52, 13, 800)}
				for range 2 {
					page, err := m.Search(t.Context(), q)
					if err != nil {
						t.Fatalf("%.60q: %v", text, err)
					}
					if q.After = page.Next; q.After == "" {
						break
					}
				}
			}
			if _, err := m.Suggest(t.Context(), jobmirror.Query{Text: text}); err != nil {
				t.Errorf("%.60q: suggestions: %v", text, err)
			}
			if _, err := m.Suggest(t.Context(), jobmirror.Query{Text: text + " pf"}); err != nil && len(text)+3 <= 1000 {
				t.Errorf("%.60q and more: suggestions: %v", text, err)
			}
			long := jobmirror.Query{Text: strings.Repeat(text, 1<<20/len(text))}
			if _, err := m.Search(t.Context(), long); !errors.Is(err, jobboard.ErrInvalidInput) {
				t.Errorf("%.60q many times: %v", text, err)
			}
			if _, err := m.Suggest(t.Context(), long); !errors.Is(err, jobboard.ErrInvalidInput) {
				t.Errorf("%.60q many times: suggestions: %v", text, err)
			}
		}
	})
}

// A board may send any character: nothing of it stops the copy.
func TestAnyCharacterIsCopied(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		const title = "Zero\x00byte \u202e\U0001F600 '\"\\ \uFFFF {}"
		job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{
			Title: title, Language: "en", Location: jobboardtest.Location{City: title, Name: title},
		})
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		page, err := m.Search(t.Context(), jobmirror.Query{Text: "zero byte", Language: "en", Facets: true})
		if err != nil || len(page.Postings) != 1 || page.Postings[0].Posting.Title != title || !page.Postings[0].Confirmed {
			t.Fatalf("%+v, %v", page, err)
		}
		info, err := m.JobInformation(t.Context(), jobboard.JobID(job.ID))
		if err != nil || info.JobTitle != title || info.Location.GeoCity != title {
			t.Errorf("%+v, %v", info, err)
		}
		checkReplay(t, m)
	})
}
