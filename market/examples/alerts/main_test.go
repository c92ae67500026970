package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// TestMain runs the program in place of the tests in a process that TestKilledAtRandom starts.
func TestMain(m *testing.M) {
	if folder := os.Getenv("ALERTS_TEST_FOLDER"); folder != "" {
		s := settings{addr: "127.0.0.1:0", folder: folder, every: 10 * time.Millisecond, refreshEvery: 30 * time.Millisecond, limit: -1}
		s.name, s.maxAge, s.mails = "Jobs", time.Hour, postbox{os.Getenv("ALERTS_TEST_SMTP"), "jobs@site.example"}
		fmt.Fprintln(os.Stderr, run(context.Background(), s))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// mailServer takes mails by SMTP.
type mailServer struct {
	address string
	mu      sync.Mutex
	down    bool
	refuses string // an address
	mails   []*mail.Message
}

func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &mailServer{address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.take(conn)
		}
	}()
	return s
}

func (s *mailServer) take(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	say("220 mail")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		s.mu.Lock()
		down := s.down || s.refuses != "" && strings.Contains(line, "RCPT TO:<"+s.refuses+">")
		s.mu.Unlock()
		switch word := strings.ToUpper(strings.Fields(line + " ?")[0]); {
		case down:
			say("451 not now")
		case word == "QUIT":
			say("221 bye")
			return
		case word == "DATA":
			say("354 go on")
			var text strings.Builder
			for line, err = in.ReadString('\n'); err == nil && line != ".\r\n"; line, err = in.ReadString('\n') {
				text.WriteString(strings.TrimPrefix(line, "."))
			}
			if m, bad := mail.ReadMessage(strings.NewReader(text.String())); err == nil && bad == nil {
				s.mu.Lock()
				s.mails = append(s.mails, m)
				s.mu.Unlock()
			}
			say("250 taken")
		default:
			say("250 fine")
		}
	}
}

// next returns the next mail, if there is one.
func (s *mailServer) next(t *testing.T) (m *mail.Message, text string, ok bool) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mails) == 0 {
		return nil, "", false
	}
	m, s.mails = s.mails[0], s.mails[1:]
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m, strings.ReplaceAll(string(body), "\r\n", "\n"), true
}

func (s *mailServer) set(down bool, refuses string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down, s.refuses = down, refuses
}

// site is a site with alerts over a copy of the mock server.
type site struct {
	*testing.T
	*alerts
	fake   *jobboardtest.Server
	copied string // the database of the copy
	box    *mailServer
}

const channel = "27828_extern"

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, fake: jobboardtest.New(t), copied: filepath.Join(t.TempDir(), "jobs.db"), box: newMailServer(t)}
	s.fake.AddClient(jobboardtest.ClientApp{ID: "10"})
	s.fake.AddCompany(jobboardtest.Company{ID: "adler", Name: "Hotel Adler"})
	m, err := jobmirror.Open(t.Context(), s.copied, jobmirror.Options{
		Config:   jobboard.Config{BaseURL: s.fake.BaseURL, JobDBURL: s.fake.JobDBURL, ClientID: "10"},
		Channels: []jobmirror.Channel{{ID: channel, Languages: []string{"de"}}}, Limit: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	s.alerts, err = openAlerts(t.Context(), filepath.Join(t.TempDir(), "alerts.db"), alerts{
		mirror: m, name: "Jobs in Bonn", origin: "https://site.example", maxAge: time.Hour, mails: postbox{s.box.address, "jobs@site.example"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	return s
}

// serve answers a request without a cookie.
func (s *site) serve(method, address, contentType, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, address, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	return w
}

func (s *site) post(address string, form url.Values) int {
	return s.serve(http.MethodPost, address, "application/x-www-form-urlencoded", form.Encode()).Code
}

// exec runs a statement in a database of the site.
func (s *site) exec(path, statement string, args ...any) {
	s.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	if err == nil {
		_, err = db.ExecContext(s.Context(), statement, args...)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		s.Fatal(err)
	}
}

// count returns the number that a query selects.
func (s *site) count(query string, args ...any) (n int) {
	s.Helper()
	if err := s.db.QueryRowContext(s.Context(), query, args...).Scan(&n); err != nil {
		s.Fatal(err)
	}
	return n
}

func (s *site) refresh() {
	s.Helper()
	if err := s.mirror.Refresh(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// work brings the copy up to date and tells.
func (s *site) work() {
	s.Helper()
	s.refresh()
	if err := s.alerts.work(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func (s *site) next() (m *mail.Message, text string) {
	s.Helper()
	m, text, ok := s.box.next(s.T)
	if !ok {
		s.Fatal("no mail was sent")
	}
	return m, text
}

func (s *site) silent(what string) {
	s.Helper()
	if _, text, ok := s.box.next(s.T); ok {
		s.Errorf("%s: %s", what, text)
	}
}

var confirmLink = regexp.MustCompile(`https?://[^/]+(/alerts/confirm\?token=\S+)`)

// ask saves a search, and returns the path of the link that confirms it.
func (s *site) ask(email, text string) string {
	s.Helper()
	if code := s.post("/alerts", url.Values{"email": {email}, "text": {text}}); code != http.StatusOK {
		s.Fatalf("the search is not saved: %d", code)
	}
	if err := s.sendConfirmations(s.Context()); err != nil {
		s.Fatal(err)
	}
	_, body := s.next()
	return confirmLink.FindStringSubmatch(body)[1]
}

func (s *site) confirmed(email, text string) {
	s.Helper()
	if code := s.post(s.ask(email, text), nil); code != http.StatusOK {
		s.Fatalf("confirmed with %d", code)
	}
}

func (s *site) publish(title string) (jobboardtest.Job, jobboardtest.Posting) {
	return s.fake.Publish(channel, jobboardtest.Job{
		Title: title, Language: "de", CompanyID: "adler", Location: jobboardtest.Location{City: "Bonn", Lat: "50.73", Long: "7.1"},
	})
}

// An address is confirmed before it is told anything; what the search finds by then is known. Each job is told once
// for each search, with employer, place and page, whatever becomes of the job and of the mark; and one click
// ends all of it and leaves no address.
func TestAlerts(t *testing.T) {
	s := newSite(t)
	s.publish("Koch in Bonn")
	s.work()
	confirm := s.ask("Ada <ada@example.com>", "koch")
	s.publish("Koch in Köln")
	s.work()
	s.silent("before it is confirmed")
	for range 2 {
		if code := s.post(confirm, nil); code != http.StatusOK {
			t.Errorf("confirmed with %d", code)
		}
	}
	s.work()
	s.silent("what was there before")
	ulm, _ := s.publish("Köchin in Ulm")
	s.publish("Kellner")
	if code := s.post(confirm, nil); code != http.StatusOK { // once more, which takes nothing from the next mail
		t.Errorf("confirmed with %d", code)
	}
	s.work()
	told, text := s.next()
	want := fmt.Sprintf("Köchin in Ulm\nHotel Adler, Bonn\nhttps://site.example/job/%d\n\nNo more of these: https://site.example/alerts/stop?token=", ulm.ID)
	subject, err := new(mime.WordDecoder).DecodeHeader(told.Header.Get("Subject"))
	if !strings.HasPrefix(text, want) || told.Header.Get("To") != "<ada@example.com>" || subject != "Jobs in Bonn: 1 new for “koch”" || err != nil {
		t.Errorf("told is %v %q\n%s", told.Header, subject, text)
	}

	s.exec(s.copied, "UPDATE jobs SET next_due = 1") // the job is looked up, and changes
	s.fake.UpdateJob(ulm.ID, func(j *jobboardtest.Job) { j.Location.City = "Neu-Ulm" })
	s.work()
	for _, mark := range []string{"", "x", "0000-1-1-1"} { // such as of another copy
		if _, err := s.db.ExecContext(t.Context(), "UPDATE searches SET mark = ?", mark); err != nil {
			t.Fatal(err)
		}
		s.work()
	}
	s.silent("told once")
	// RFC 8058: one address with https, a POST in either form, without a cookie and without being led elsewhere.
	stop := regexp.MustCompile(`^<https://site\.example(/\S+\?token=[A-Z2-7]{26})>$`).FindStringSubmatch(told.Header.Get("List-Unsubscribe"))
	if stop == nil || told.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Fatalf("the headers are %v", told.Header)
	}
	for _, click := range [][2]string{
		{"multipart/form-data; boundary=cut", "--cut\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--cut--\r\n"},
		{"application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"},
	} {
		if w := s.serve(http.MethodPost, stop[1], click[0], click[1]); w.Code != http.StatusOK || s.count("SELECT count(*) FROM searches") != 0 {
			t.Errorf("%s: ended with %d", click[0], w.Code)
		}
	}
	s.publish("Koch in Kiel")
	s.work()
	s.silent("after the end")
	if rows := s.count("SELECT (SELECT count(*) FROM searches) + (SELECT count(*) FROM told)"); rows != 0 {
		t.Errorf("%d rows stay", rows)
	}
}

// People with equal searches are told each, and of the other searches nothing; one with a town finds what is near it.
func TestWhoIsTold(t *testing.T) {
	s := newSite(t)
	s.publish("Bote")
	s.work()
	for _, who := range []struct{ email, text, town string }{
		{"ada@example.com", "koch", ""}, {"bob@example.com", "koch", ""}, {"cyd@example.com", "kellner", ""},
		{"dan@example.com", "koch", "Köln"}, {"eve@example.com", "koch", "Kiel"}, {"eve@example.com", "", ""},
	} {
		if code := s.post("/alerts", url.Values{"email": {who.email}, "text": {who.text}, "town": {who.town}}); code != http.StatusOK {
			t.Fatal(code)
		}
		s.work()
		_, body := s.next()
		if code := s.post(confirmLink.FindStringSubmatch(body)[1], nil); code != http.StatusOK {
			t.Fatal(code)
		}
	}
	for i := range 22 {
		s.publish(fmt.Sprintf("Koch %d", i))
	}
	s.work()
	told := map[string]string{}
	for m, text, ok := s.box.next(t); ok; m, text, ok = s.box.next(t) {
		subject, _ := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		told[m.Header.Get("To")+" "+subject] = text
		if strings.Count(text, "/job/") != maxJobs || !strings.Contains(text, "And 2 more.") || !strings.Contains(text, "Koch 21\n") {
			t.Errorf("%s", text)
		}
	}
	for _, want := range []string{"<ada@example.com> Jobs in Bonn: 22 new for “koch”", "<bob@example.com> Jobs in Bonn: 22 new for “koch”",
		"<dan@example.com> Jobs in Bonn: 22 new for “koch” near Köln", "<eve@example.com> Jobs in Bonn: 22 new for all jobs"} {
		if told[want] == "" {
			t.Errorf("not told: %s", want)
		}
		delete(told, want)
	}
	if len(told) > 0 {
		t.Errorf("told as well: %v", told)
	}
	s.work()
	s.silent("told once")
}

// A mail that cannot be sent goes out by the next try: the one that asks to confirm, and the one with jobs. One address that the
// mail server refuses holds up no other.
func TestMailsThatCannotBeSent(t *testing.T) {
	s := newSite(t)
	s.publish("Bote")
	s.work()
	s.box.set(true, "")
	if code := s.post("/alerts", url.Values{"email": {"ada@example.com"}, "text": {"koch"}}); code != http.StatusOK {
		t.Errorf("asked with %d", code)
	}
	if err := s.alerts.work(t.Context()); err == nil {
		t.Error("no error")
	}
	s.box.set(false, "")
	s.work()
	_, body := s.next()
	if code := s.post(confirmLink.FindStringSubmatch(body)[1], nil); code != http.StatusOK {
		t.Fatal(code)
	}
	s.confirmed("bob@example.com", "koch")
	s.publish("Koch")
	s.refresh()
	s.box.set(false, "ada@example.com")
	if err := s.alerts.work(t.Context()); err == nil {
		t.Error("no error")
	}
	if m, _ := s.next(); m.Header.Get("To") != "<bob@example.com>" {
		t.Errorf("sent to %s", m.Header.Get("To"))
	}
	server := s.mails.server
	s.mails.server = "127.0.0.1:1" // where nobody listens
	if err := s.alerts.work(t.Context()); err == nil {
		t.Error("no error")
	}
	s.mails.server = server
	s.box.set(false, "")
	s.work()
	if m, text := s.next(); m.Header.Get("To") != "<ada@example.com>" || !strings.HasPrefix(text, "Koch\n") {
		t.Errorf("sent to %s: %s", m.Header.Get("To"), text)
	}
	s.work()
	s.silent("sent once")
}

// Nobody can flood an address: it gets two mails a day that it has not confirmed, whatever is asked for; what it has
// confirmed does not count. Nobody's address stays that does not confirm for two days.
func TestTwoUnconfirmedMailsADay(t *testing.T) {
	s := newSite(t)
	s.publish("Bote")
	s.work()
	ask := func(n int) {
		t.Helper()
		for i := range n {
			if code := s.post("/alerts", url.Values{"email": {"Ada@example.com"}, "text": {fmt.Sprint("koch ", i/2)}}); code != http.StatusOK {
				t.Errorf("asked with %d", code)
			}
			s.work()
		}
	}
	mails := func(what string, want int) {
		t.Helper()
		n := 0
		for _, _, ok := s.box.next(t); ok; _, _, ok = s.box.next(t) {
			n++
		}
		if n != want {
			t.Errorf("%s: %d mails, not %d", what, n, want)
		}
	}
	ago := func(hours int) {
		if _, err := s.db.ExecContext(t.Context(), "UPDATE searches SET asked = asked - 3600 * ?", hours); err != nil {
			t.Fatal(err)
		}
	}
	ask(9)
	mails("nine requests", 2)
	ago(25)
	ask(9)
	mails("nine requests on the next day", 2)
	ago(47)
	s.work()
	if n := s.count("SELECT count(*) FROM searches"); n == 0 {
		t.Error("after less than two days the address is gone")
	}
	ago(2)
	s.work()
	if n := s.count("SELECT count(*) FROM searches"); n != 0 {
		t.Errorf("after two days %d rows stay", n)
	}
	for _, text := range []string{"koch", "kellner", "arzt"} {
		s.confirmed("ada@example.com", text)
	}
	ago(100)
	s.work()
	if n := s.count("SELECT count(*) FROM searches"); n != 3 {
		t.Errorf("%d searches that are confirmed stay", n)
	}
	if code := s.post("/alerts", url.Values{"email": {"ada@example.com"}, "text": {"koch"}}); code != http.StatusOK {
		t.Errorf("asked with %d", code)
	}
	s.work()
	s.silent("what is confirmed already")
}

// From a copy that is old, that was never whole, or that the board refuses, nothing is told, and why is said; what
// came meanwhile is told once the copy is fresh again.
func TestStaleCopy(t *testing.T) {
	s := newSite(t)
	s.confirmed("ada@example.com", "koch")
	if err := s.alerts.work(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing is told: the board was never") {
		t.Errorf("before the first copy: %v", err)
	}
	s.publish("Bote")
	s.work()
	s.publish("Koch")
	s.refresh()
	s.exec(s.copied, "UPDATE sources SET complete = complete - 7200000")
	if err := s.alerts.work(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing is told: the copy is 2h") {
		t.Errorf("an old copy: %v", err)
	}
	s.silent("an old copy")
	s.confirmed("bob@example.com", "bote") // which the copy's age does not keep from confirming
	s.work()
	if _, text := s.next(); !strings.HasPrefix(text, "Koch\n") {
		t.Errorf("told is %s", text)
	}
}

// What visitors cannot see any more when the mail is written is not mailed, and is once they can again.
func TestJobsThatAreNotShownAreNotMailed(t *testing.T) {
	type event func(s *site, job jobboardtest.Job, posting jobboardtest.Posting)
	back := func(s *site, _ jobboardtest.Job, p jobboardtest.Posting) { s.fake.AddPosting(p) }
	for what, c := range map[string]struct{ away, back event }{
		"closed": {
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) { s.fake.DeactivateJob(job.ID) },
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) { s.fake.ActivateJob(job.ID) },
		},
		"hidden": {
			func(s *site, _ jobboardtest.Job, p jobboardtest.Posting) {
				p.Config = map[string][]string{jobboard.KeyVisibility: {"internal"}}
				s.fake.AddPosting(p)
			}, back,
		},
		"without applications": {
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) {
				s.fake.UpdateJob(job.ID, func(j *jobboardtest.Job) { j.ApplyClosed = true })
			},
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) {
				s.fake.UpdateJob(job.ID, func(j *jobboardtest.Job) { j.ApplyClosed = false })
			},
		},
		"removed": {func(s *site, _ jobboardtest.Job, p jobboardtest.Posting) { s.fake.RemovePosting(p.ID) }, back},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSite(t)
			for _, title := range []string{"Arzt", "Bote", "Clown"} { // others, or the channel would look broken
				s.publish(title)
			}
			s.work()
			s.confirmed("ada@example.com", "koch")
			job, posting := s.publish("Koch")
			s.refresh()
			s.box.set(true, "")
			if err := s.alerts.work(t.Context()); err == nil {
				t.Fatal("the mail is sent")
			}
			s.box.set(false, "")
			lookAgain := func() { s.exec(s.copied, "UPDATE jobs SET next_due = 1") }
			posting.VersionID += 100_000
			c.away(s, job, posting)
			lookAgain()
			s.work()
			s.silent(what)
			posting.VersionID += 100_000
			c.back(s, job, posting)
			lookAgain()
			s.work()
			if _, text := s.next(); !strings.HasPrefix(text, "Koch\n") {
				t.Errorf("it is back: %q", text)
			}
			s.work()
			s.silent("told once")
		})
	}
}

// A link of a mail that a program opens does nothing, the wrong token neither, and after the end there is
// nothing to confirm. What a form may not hold is refused.
func TestNothingWithoutTheOwner(t *testing.T) {
	s := newSite(t)
	s.work()
	confirm := s.ask("ada@example.com", "koch")
	stop := strings.Replace(confirm, "confirm", "stop", 1)
	confirmed := func() int { return s.count("SELECT coalesce(sum(confirmed), 0) FROM searches") }
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, link := range []string{confirm, stop} {
			if w := s.serve(method, link, "", ""); w.Code != http.StatusOK || w.Header().Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s %s: %d", method, link, w.Code)
			}
		}
	}
	if confirmed() != 0 || s.count("SELECT count(*) FROM searches") != 1 {
		t.Error("a link that is opened does something")
	}
	for _, wrong := range []string{"/alerts/confirm", "/alerts/confirm?token=", "/alerts/confirm?token=x", confirm + "x"} {
		if code := s.post(wrong, nil); code != http.StatusNotFound || confirmed() != 0 {
			t.Errorf("%s: %d", wrong, code)
		}
	}
	if code := s.post(confirm, nil); code != http.StatusOK || confirmed() != 1 {
		t.Errorf("confirmed with %d", code)
	}
	if code := s.post(stop+"x", nil); code != http.StatusOK || confirmed() != 1 {
		t.Errorf("ended by another token: %d", code)
	}
	if code := s.post(stop, nil); code != http.StatusOK || s.count("SELECT count(*) FROM searches") != 0 {
		t.Errorf("ended with %d", code)
	}
	if code := s.post(confirm, nil); code != http.StatusNotFound {
		t.Errorf("confirmed after the end: %d", code)
	}
	for _, job := range []string{"7", "x", "-1", "99999999999999999999"} {
		if w := s.serve(http.MethodGet, "/job/"+job, "", ""); w.Code != http.StatusNotFound {
			t.Errorf("job %s: %d", job, w.Code)
		}
	}
	for _, form := range []url.Values{
		{}, {"email": {"ada"}}, {"email": {"ada@example.com\r\nBcc: eve@example.com"}}, {"email": {strings.Repeat("a", 300) + "@example.com"}},
		{"email": {"ada@example.com"}, "town": {"Nowhere at all"}}, {"email": {"ada@example.com"}, "text": {strings.Repeat("koch ", 1000)}},
	} {
		if code := s.post("/alerts", form); code != http.StatusBadRequest {
			t.Errorf("%.60v: %d", form, code)
		}
	}
	if n := s.count("SELECT count(*) FROM searches"); n != 0 {
		t.Errorf("%d searches are saved", n)
	}
}

// Without an origin the links of the mails lead to where the program listens, and there to the board's page of the job.
func TestLinksWithoutAnOrigin(t *testing.T) {
	fake := jobboardtest.New(t)
	fake.AddClient(jobboardtest.ClientApp{ID: "10"})
	fake.Publish(channel, jobboardtest.Job{Title: "Bote", Language: "de"})
	for name, value := range map[string]string{
		"JOBBOARD_BASE_URL": fake.BaseURL, "JOBBOARD_JOBDB_URL": fake.JobDBURL, "JOBBOARD_CLIENT_ID": "10", "JOBBOARD_CHANNEL": channel,
	} {
		t.Setenv(name, value)
	}
	mails := newMailServer(t)
	printed := make(line, 1)
	defer log.SetOutput(log.Writer())
	log.SetOutput(printed)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := settings{addr: ":0", folder: t.TempDir(), every: 10 * time.Millisecond, refreshEvery: 30 * time.Millisecond, limit: -1}
	s.name, s.maxAge, s.alerts.mails = "Jobs", time.Hour, postbox{mails.address, "jobs@site.example"}
	go func() { ended <- run(ctx, s) }()
	defer func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	next := func() (text string) {
		t.Helper()
		for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
			if _, text, ok := mails.next(t); ok {
				return text
			}
		}
		t.Fatal("no mail came")
		return ""
	}
	var last *http.Request
	client := &http.Client{Timeout: time.Minute, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		last = r
		return http.ErrUseLastResponse
	}}
	post := func(address string, form url.Values) {
		t.Helper()
		w, err := client.PostForm(address, form)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(w.Body)
		if w.StatusCode != http.StatusOK || err != nil {
			t.Fatalf("%s: %d %s, %v", address, w.StatusCode, body, err)
		}
		_ = w.Body.Close()
	}
	page := regexp.MustCompile(`http://localhost:\d+/alerts`).FindString(<-printed)
	post(page, url.Values{"email": {"ada@example.com"}, "text": {"koch"}})
	post(regexp.MustCompile(`http://\S+`).FindString(next()), nil)
	_, posting := fake.Publish(channel, jobboardtest.Job{Title: "Koch", Language: "de"})
	links := regexp.MustCompile(`http://\S+`).FindAllString(next(), -1)
	if len(links) != 2 {
		t.Fatalf("links: %q", links)
	}
	w, err := client.Get(links[0])
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Body.Close()
	if w.StatusCode != http.StatusSeeOther || last == nil || !strings.HasPrefix(last.URL.String(), fake.BaseURL) {
		t.Errorf("the job of posting %d leads to %v, %d", posting.ID, last, w.StatusCode)
	}
	post(links[1], nil)
}

// line keeps what the program prints first.
type line chan string

func (l line) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}

// Killed at random, the program tells each search of each job, and sends no more than the mail once more that was on its way.
func TestKilledAtRandom(t *testing.T) {
	s := newSite(t)
	s.publish("Bote")
	s.work()
	folder := t.TempDir()
	a, err := openAlerts(t.Context(), filepath.Join(folder, "alerts.db"), alerts{})
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]string{"<ada@example.com>": "koch", "<bob@example.com>": "koch", "<cyd@example.com>": "kellner"}
	for email, text := range owners {
		_, err := a.db.ExecContext(t.Context(), "INSERT INTO searches (email, search, token, asked, confirmed) VALUES (?, ?, ?, 1, 1)",
			strings.Trim(email, "<>"), fmt.Sprintf(`{"Text":%q}`, text), email)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := a.db.Close(); err != nil {
		t.Fatal(err)
	}
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "ALERTS_TEST_FOLDER="+folder, "ALERTS_TEST_SMTP="+s.box.address, "JOBBOARD_BASE_URL="+s.fake.BaseURL,
			"JOBBOARD_JOBDB_URL="+s.fake.JobDBURL, "JOBBOARD_CLIENT_ID=10", "JOBBOARD_CHANNEL="+channel)
		cmd.Stderr = t.Output()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	told := map[string]int{} // by address and job
	jobs, again := 0, 0
	read := func() {
		for m, text, ok := s.box.next(t); ok; m, text, ok = s.box.next(t) {
			repeats := false
			for _, job := range regexp.MustCompile(`/job/\d+`).FindAllString(text, -1) {
				key := m.Header.Get("To") + job
				told[key]++
				repeats = repeats || told[key] > 1
			}
			if repeats {
				again++
			}
		}
	}
	wanted := 0
	const kills = 12
	for range kills {
		cmd := start()
		for range 4 {
			if jobs++; jobs%2 == 0 {
				s.publish(fmt.Sprintf("Koch %d", jobs))
				wanted += 2
			} else {
				s.publish(fmt.Sprintf("Kellner %d", jobs))
				wanted++
			}
			time.Sleep(time.Duration(r.IntN(250)) * time.Millisecond)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		read()
	}
	last := start()
	defer func() {
		_ = last.Process.Kill()
		_ = last.Wait()
	}()
	for began := time.Now(); len(told) < wanted && time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		read()
	}
	if len(told) != wanted {
		t.Errorf("%d of %d are told", len(told), wanted)
	}
	if again > kills {
		t.Errorf("%d mails are sent again after %d kills", again, kills)
	}
	t.Logf("figure: %d kills, %d told, %d mails sent again", kills, len(told), again)
}
