package main

import (
	"bufio"
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

// An address is confirmed before it is told anything, each job is told once whatever the site forgets
// of the cursor, and one click ends all of it and leaves no address.
func TestAlerts(t *testing.T) {
	fake := jobboardtest.New(t)
	fake.AddClient(jobboardtest.ClientApp{ID: "10"})
	mirror, err := jobmirror.Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db"), jobmirror.Options{
		Config:   jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: "10"},
		Channels: []jobmirror.Channel{{ID: "27828_extern", Languages: []string{"de"}}}, Limit: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer mirror.Close()
	server, mails := mailServer(t)
	path := filepath.Join(t.TempDir(), "alerts.db")
	a, err := openAlerts(t.Context(), path, "https://site.example", mirror, postbox{server, "jobs@site.example"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.db.Close() }()
	post := func(address string, form url.Values) int {
		r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		a.handler().ServeHTTP(w, r)
		return w.Code
	}
	work := func() {
		t.Helper()
		if _, err := mirror.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := a.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := a.mail(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	next := func() (m *mail.Message, text string) {
		t.Helper()
		select {
		case m = <-mails:
		default:
			t.Fatal("no mail was sent")
		}
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		return m, string(body)
	}
	silent := func(what string) {
		t.Helper()
		if len(mails) > 0 {
			_, text := next()
			t.Errorf("%s: %s", what, text)
		}
	}

	fake.Publish("27828_extern", jobboardtest.Job{Title: "Koch in Bonn", Language: "de"})
	work()
	ask := url.Values{"email": {"Ada <ada@example.com>"}, "text": {"koch"}}
	for range 2 { // as when somebody sends the form twice
		if post("/alerts", ask) != http.StatusOK {
			t.Error("the search is not saved")
		}
	}
	if code := post("/alerts", url.Values{"email": {"ada@example.com\r\nBcc: eve@example.com"}}); code != http.StatusBadRequest {
		t.Errorf("an address with a header in it: %d", code)
	}
	_, text := next()
	silent("a second mail to confirm")
	confirm := regexp.MustCompile(`https://site\.example(/alerts/confirm\?token=\S+)`).FindStringSubmatch(text)[1]
	fake.Publish("27828_extern", jobboardtest.Job{Title: "Koch in Köln", Language: "de"})
	work()
	silent("before it is confirmed")
	if code := post(confirm, nil); code != http.StatusOK {
		t.Errorf("confirmed with %d", code)
	}
	work()
	silent("what was there before")
	ulm, _ := fake.Publish("27828_extern", jobboardtest.Job{Title: "Köchin in Ulm", Language: "de"})
	work()
	told, text := next()
	if !strings.Contains(text, "Köchin in Ulm") || strings.Contains(text, "Bonn") || told.Header.Get("To") != "<ada@example.com>" ||
		told.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Errorf("told is %v\n%s", told.Header, text)
	}

	// The site is started anew, with a cursor of before, and the job changes.
	if _, err := a.db.ExecContext(t.Context(), "UPDATE place SET cursor = ''"); err != nil {
		t.Fatal(err)
	}
	if err := a.db.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err = openAlerts(t.Context(), path, "https://site.example", mirror, postbox{server, "jobs@site.example"}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.db.ExecContext(t.Context(), "UPDATE told SET sent = 1"); err != nil {
		t.Fatal(err)
	}
	if err := a.read(t.Context()); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := a.db.QueryRowContext(t.Context(), "SELECT count(*) FROM told WHERE job = ?", ulm.ID).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("the job is told %d times, %v", rows, err)
	}

	if _, err := a.db.ExecContext(t.Context(), "UPDATE told SET sent = 1"); err != nil {
		t.Fatal(err)
	}
	stop := strings.TrimPrefix(strings.Trim(told.Header.Get("List-Unsubscribe"), "<>"), "https://site.example")
	for range 2 {
		if code := post(stop, url.Values{"List-Unsubscribe": {"One-Click"}}); code != http.StatusOK {
			t.Errorf("ended with %d", code)
		}
	}
	fake.Publish("27828_extern", jobboardtest.Job{Title: "Koch in Kiel", Language: "de"})
	work()
	silent("after the end")
	if err := a.db.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM searches) + (SELECT count(*) FROM told)").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows stay, %v", rows, err)
	}
}
