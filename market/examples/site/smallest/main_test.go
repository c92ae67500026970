package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"testing"
	"time"
)

// line keeps what the program prints first.
type line chan string

func (l line) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}

// The whole way, as a visitor of the program goes it.
func TestMarketplace(t *testing.T) {
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "JOBBOARD_") {
			t.Setenv(name, "")
		}
	}
	printed := make(line, 1)
	defer log.SetOutput(log.Writer())
	log.SetOutput(printed)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, "127.0.0.1:0") }()
	var origin string
	select {
	case origin = <-printed:
	case err := <-ended:
		t.Fatal(err)
	}
	_, origin, _ = strings.Cut(strings.TrimSpace(origin), "serving url=")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: time.Minute}
	answer := func(resp *http.Response, err error) (int, string, *http.Response) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body), resp
	}
	get := func(path string) (int, string) {
		t.Helper()
		status, body, _ := answer(client.Get(origin + path))
		return status, body
	}
	// The copy fills itself; until then nobody is told that a job is gone.
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var list string
	filled := func() bool {
		var status int
		status, list = get("/?near=Berlin&radius=50&text=pflegefachkraft&lang=de")
		unknown, _ := get("/job/99999999/")
		if status != 200 && status != 503 || unknown != 404 && unknown != 503 {
			t.Fatalf("the list is %d, an unknown job %d", status, unknown)
		}
		return strings.Contains(list, `<a href="/job/`)
	}
	for range 600 {
		if filled() {
			break
		}
		<-tick.C
	}
	_, job, _ := strings.Cut(list, `<a href="/job/`) // the first links are the chips
	job, _, _ = strings.Cut("/job/"+job, `"`)
	if !strings.Contains(list, " km") {
		t.Errorf("no distance in %s", list)
	}
	for _, c := range []struct {
		path   string
		status int
		text   string
	}{
		{"/?near=Atlantis", 200, "Den Ort „Atlantis“ kennen wir nicht."},
		{"/?near=Berlni", 200, `name="near" value="Berlni"`},
		{"/?near=Berlni", 200, `Meinten Sie <a href="?near=Berlin">Berlin</a>?`},
		{"/?near=10117", 200, " km"},
		{"/?text=Pflegefachkarft", 200, "Gesucht statt „pflegefachkarft“ auch pflegefachkraft."},
		{"/?text=Pflegefachkraft+Atlantis", 200, "Gesucht ohne „atlantis“."},
		{"/?after=x", 200, "Weiter"},
		{job, 200, "application/ld+json"},
		{"/?lang=en", 200, `<html lang="de">`},
		{job, 200, `">Bei der Stellenbörse bewerben</a>`},
		{job, 200, `<h2>Fragen der Stellenbörse</h2><ul><li lang="de">`},
		{job, 200, `">Datenschutzerklärung</a>`},
		{"/job/x/?text=nurse", 404, `<h1>Diese Seite gibt es nicht.</h1>`},
		{"/job/x/?text=nurse", 404, `<a href="/?text=nurse">`},
		{"/nothing", 404, `<h1>Diese Seite gibt es nicht.</h1>`},
		{"/sitemap.xml", 200, origin + job},
		{"/jobs.rss", 200, origin + job},
		{"/jobs.feed.json", 410, "gone"},
	} {
		resp, err := client.Get(origin + c.path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if h := resp.Header; c.status == 200 && resp.Header.Get("Content-Type") == "text/html; charset=utf-8" && (h.Get("Content-Security-Policy") == "" ||
			h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Cache-Control"), "private, no-store") || !strings.Contains(strings.Join(h.Values("Vary"), ","), "Accept-Language")) {
			t.Errorf("%s: %v", c.path, h)
		}
		if status, body := get(c.path); status != c.status || !strings.Contains(body, c.text) {
			t.Errorf("%s: %d %s, want %d %s", c.path, status, body, c.status, c.text)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}
