package main

import (
	"bufio"
	"database/sql"
	"errors"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// mailServer takes mails by SMTP.
func mailServer(t *testing.T) (address string, mails chan *mail.Message) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	mails = make(chan *mail.Message, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			take(conn, mails)
		}
	}()
	return listener.Addr().String(), mails
}

func take(conn net.Conn, mails chan *mail.Message) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(text string) { _, _ = io.WriteString(conn, text+"\r\n") }
	say("220 mail")
	for {
		line, err := in.ReadString('\n')
		switch word := strings.ToUpper(strings.Fields(line + " ?")[0]); {
		case err != nil:
			return
		case word == "QUIT":
			say("221 bye")
			return
		case word == "DATA":
			say("354 go on")
			var text strings.Builder
			for line, err := in.ReadString('\n'); err == nil && line != ".\r\n"; line, err = in.ReadString('\n') {
				text.WriteString(strings.TrimPrefix(line, "."))
			}
			if m, err := mail.ReadMessage(strings.NewReader(text.String())); err == nil {
				mails <- m
			}
			say("250 taken")
		default:
			say("250 fine")
		}
	}
}

// site is a site with alerts over a copy of the stand-in.
type site struct {
	*testing.T
	*alerts
	fake   *jobboardtest.Server
	mirror *jobmirror.Mirror
	copied string // the database of the copy
	path   string
	server string
	mails  chan *mail.Message
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, fake: jobboardtest.New(t), copied: filepath.Join(t.TempDir(), "jobs.db"), path: filepath.Join(t.TempDir(), "alerts.db")}
	s.fake.AddClient(jobboardtest.ClientApp{ID: "10"})
	var err error
	s.mirror, err = jobmirror.Open(t.Context(), s.copied, jobmirror.Options{
		Config:   jobboard.Config{BaseURL: s.fake.BaseURL, JobDBURL: s.fake.JobDBURL, ClientID: "10"},
		Channels: []jobmirror.Channel{{ID: channel, Languages: []string{"de"}}}, Limit: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.mirror.Close() })
	s.server, s.mails = mailServer(t)
	s.open()
	t.Cleanup(func() { _ = s.db.Close() })
	return s
}

const channel = "27828_extern"

// open starts the site, maybe anew.
func (s *site) open() {
	s.Helper()
	if s.alerts != nil {
		if err := s.db.Close(); err != nil {
			s.Fatal(err)
		}
	}
	a, err := openAlerts(s.Context(), s.path, "https://site.example", s.mirror, postbox{s.server, "jobs@site.example"})
	if err != nil {
		s.Fatal(err)
	}
	s.alerts = a
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

func (s *site) exec(statement string) {
	s.Helper()
	if _, err := s.db.ExecContext(s.Context(), statement); err != nil {
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

// lookAgain has the copy look up every job again, as if a day had passed.
func (s *site) lookAgain() {
	s.Helper()
	db, err := sql.Open("sqlite", "file:"+s.copied+"?_pragma=busy_timeout(5000)")
	if err == nil {
		_, err = db.ExecContext(s.Context(), "UPDATE jobs SET next_due = 1")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		s.Fatal(err)
	}
}

// copy brings the copy up to date, and notes what the searches find.
func (s *site) copy() {
	s.Helper()
	if _, err := s.mirror.Refresh(s.Context()); err != nil {
		s.Fatal(err)
	}
	if err := s.read(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func (s *site) work() {
	s.Helper()
	s.copy()
	if err := s.mail(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// next returns the next mail.
func (s *site) next() (m *mail.Message, text string) {
	s.Helper()
	select {
	case m = <-s.mails:
	default:
		s.Fatal("no mail was sent")
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		s.Fatal(err)
	}
	return m, string(body)
}

func (s *site) silent(what string) {
	s.Helper()
	if len(s.mails) > 0 {
		_, text := s.next()
		s.Errorf("%s: %s", what, text)
	}
}

// ask saves a search, and returns the path of the link that confirms it.
func (s *site) ask(email, text string) string {
	s.Helper()
	if code := s.post("/alerts", url.Values{"email": {email}, "text": {text}}); code != http.StatusOK {
		s.Fatalf("the search is not saved: %d", code)
	}
	_, body := s.next()
	return regexp.MustCompile(`https://site\.example(/alerts/confirm\?token=\S+)`).FindStringSubmatch(body)[1]
}

// An address is confirmed before it is told anything, each job is told once whatever the site forgets
// of the cursor, and one click ends all of it and leaves no address.
func TestAlerts(t *testing.T) {
	s := newSite(t)
	s.fake.Publish(channel, jobboardtest.Job{Title: "Koch in Bonn", Language: "de"})
	s.work()
	confirm := s.ask("Ada <ada@example.com>", "koch")
	if code := s.post("/alerts", url.Values{"email": {"Ada <ada@example.com>"}, "text": {"koch"}}); code != http.StatusOK {
		t.Errorf("the form is sent twice: %d", code)
	}
	if code := s.post("/alerts", url.Values{"email": {"ada@example.com\r\nBcc: eve@example.com"}}); code != http.StatusBadRequest {
		t.Errorf("an address with a header in it: %d", code)
	}
	s.silent("a second mail to confirm")
	s.fake.Publish(channel, jobboardtest.Job{Title: "Koch in Köln", Language: "de"})
	s.open() // a site that is started anew knows no search that is not confirmed
	s.work()
	s.silent("before it is confirmed")
	if code := s.post(confirm, nil); code != http.StatusOK {
		t.Errorf("confirmed with %d", code)
	}
	s.work()
	s.silent("what was there before")
	ulm, _ := s.fake.Publish(channel, jobboardtest.Job{Title: "Köchin in Ulm", Language: "de"})
	s.work()
	told, text := s.next()
	if !strings.Contains(text, "Köchin in Ulm") || strings.Contains(text, "Bonn") || told.Header.Get("To") != "<ada@example.com>" {
		t.Errorf("told is %v\n%s", told.Header, text)
	}

	// The site is started anew, with a cursor of before, and the job changes.
	s.exec("UPDATE place SET cursor = ''")
	s.open()
	s.exec("UPDATE told SET sent = 1")
	s.copy()
	if rows := s.count("SELECT count(*) FROM told WHERE job = ?", ulm.ID); rows != 1 {
		t.Errorf("the job is told %d times", rows)
	}

	s.exec("UPDATE told SET sent = 1")
	stop := strings.TrimPrefix(strings.Trim(told.Header.Get("List-Unsubscribe"), "<>"), "https://site.example")
	for range 2 {
		if code := s.post(stop, url.Values{"List-Unsubscribe": {"One-Click"}}); code != http.StatusOK {
			t.Errorf("ended with %d", code)
		}
	}
	s.fake.Publish(channel, jobboardtest.Job{Title: "Koch in Kiel", Language: "de"})
	s.work()
	s.silent("after the end")
	if rows := s.count("SELECT (SELECT count(*) FROM searches) + (SELECT count(*) FROM told)"); rows != 0 {
		t.Errorf("%d rows stay", rows)
	}
}

// What visitors cannot see any more when the mail is written is not mailed, and is once they can again.
func TestJobsThatAreNotShownAreNotMailed(t *testing.T) {
	for what, c := range map[string]struct {
		away func(s *site, job jobboardtest.Job, posting jobboardtest.Posting)
		back func(s *site, job jobboardtest.Job, posting jobboardtest.Posting)
	}{
		"closed": {
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) { s.fake.DeactivateJob(job.ID) },
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) { s.fake.ActivateJob(job.ID) },
		},
		"hidden": {
			func(s *site, _ jobboardtest.Job, p jobboardtest.Posting) {
				p.Config = map[string][]string{jobboard.KeyVisibility: {"internal"}}
				s.fake.AddPosting(p)
			},
			func(s *site, _ jobboardtest.Job, p jobboardtest.Posting) { s.fake.AddPosting(p) },
		},
		"without applications": {
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) {
				s.fake.UpdateJob(job.ID, func(j *jobboardtest.Job) { j.ApplyClosed = true })
			},
			func(s *site, job jobboardtest.Job, _ jobboardtest.Posting) {
				s.fake.UpdateJob(job.ID, func(j *jobboardtest.Job) { j.ApplyClosed = false })
			},
		},
		"removed": {
			func(s *site, _ jobboardtest.Job, p jobboardtest.Posting) { s.fake.RemovePosting(p.ID) },
			func(s *site, _ jobboardtest.Job, p jobboardtest.Posting) { s.fake.AddPosting(p) },
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSite(t)
			for _, title := range []string{"Arzt", "Bote", "Clown"} { // others, or the channel would look broken
				s.fake.Publish(channel, jobboardtest.Job{Title: title, Language: "de"})
			}
			s.copy()
			if code := s.post(s.ask("ada@example.com", "koch"), nil); code != http.StatusOK {
				t.Fatal(code)
			}
			job, posting := s.fake.Publish(channel, jobboardtest.Job{Title: "Koch", Language: "de"})
			s.copy()
			if n := s.count("SELECT count(*) FROM told WHERE job = ? AND sent = 0", job.ID); n != 1 {
				t.Fatalf("%d matches wait for a mail", n)
			}
			posting.VersionID += 100_000
			c.away(s, job, posting)
			s.lookAgain()
			s.work()
			s.silent(what)
			posting.VersionID += 100_000
			c.back(s, job, posting)
			s.lookAgain()
			s.work()
			if _, text := s.next(); !strings.Contains(text, "Koch\r\n") {
				t.Errorf("it is back: %q", text)
			}
			s.work()
			s.silent("told once")
		})
	}
}

// A link of a mail that a program opens does nothing, the wrong token neither, and after the end there is
// nothing to confirm.
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
	if confirmed() != 0 || s.searches.Len() != 0 || s.count("SELECT count(*) FROM searches") != 1 {
		t.Error("a link that is opened does something")
	}
	for _, wrong := range []string{"/alerts/confirm", "/alerts/confirm?token=", "/alerts/confirm?token=x", confirm + "x"} {
		if code := s.post(wrong, nil); code != http.StatusNotFound || confirmed() != 0 {
			t.Errorf("%s: %d", wrong, code)
		}
	}
	for range 2 {
		if code := s.post(confirm, nil); code != http.StatusOK || confirmed() != 1 || s.searches.Len() != 1 {
			t.Errorf("confirmed with %d", code)
		}
	}
	if code := s.post(stop+"x", nil); code != http.StatusOK || confirmed() != 1 {
		t.Errorf("ended by another token: %d", code)
	}
	if code := s.post(stop, nil); code != http.StatusOK || s.searches.Len() != 0 {
		t.Errorf("ended with %d", code)
	}
	if code := s.post(confirm, nil); code != http.StatusNotFound || s.searches.Len() != 0 {
		t.Errorf("confirmed after the end: %d", code)
	}
}

// A mail ends by one click as RFC 8058 says: one address with https, a POST in either form, without a
// cookie and without being led elsewhere.
func TestOneClick(t *testing.T) {
	for contentType, body := range map[string]string{
		"application/x-www-form-urlencoded": "List-Unsubscribe=One-Click",
		"multipart/form-data; boundary=cut": "--cut\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--cut--\r\n",
	} {
		s := newSite(t)
		s.work()
		if code := s.post(s.ask("ada@example.com", "koch"), nil); code != http.StatusOK {
			t.Fatal(code)
		}
		s.fake.Publish(channel, jobboardtest.Job{Title: "Koch", Language: "de"})
		s.work()
		told, _ := s.next()
		link := regexp.MustCompile(`^<https://site\.example(/\S+\?token=[A-Z2-7]{26})>$`).FindStringSubmatch(told.Header.Get("List-Unsubscribe"))
		if link == nil || told.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
			t.Fatalf("the headers are %v", told.Header)
		}
		if w := s.serve(http.MethodPost, link[1], contentType, body); w.Code != http.StatusOK || s.count("SELECT count(*) FROM searches") != 0 {
			t.Errorf("%s: %d", contentType, w.Code)
		}
	}
}
