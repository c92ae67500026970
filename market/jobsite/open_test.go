package jobsite_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite/jobsitetest"
)

// fetch returns the status, the header and the body of a page.
func fetch(t *testing.T, client *http.Client, method, address string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

// addPages adds a list, the page of a job, and one that takes a form.
func addPages(m *jobsite.Marketplace) {
	m.Page("GET /{$}", func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.Site.Search(r)
		if err == nil {
			_, err = fmt.Fprint(w, found.Page.Facets.Total)
		}
		return err
	})
	m.Page("GET /job/{job}/{words...}", func(w http.ResponseWriter, r *http.Request) error {
		job, err := m.Site.Job(r)
		if err == nil {
			_, err = fmt.Fprint(w, job.ApplyURL)
		}
		return err
	})
	m.Page("POST /note", func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// One call opens the board, the copy, the pages and the feeds, and each of them answers.
func TestOpen(t *testing.T) {
	site := jobsitetest.Open(t, func(s *jobsite.Settings) { s.Name = "Jobs of a test" })
	addPages(site.Marketplace)
	site.Mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the same for all") })
	job := fmt.Sprintf("/job/%d/", site.Board.Demo.OpenJob)
	for _, c := range []struct {
		method, path string
		status       int
		text         string
	}{
		{"GET", "/", 200, ""},
		{"GET", job, 200, "/board" + job}, // the board's page to apply
		{"GET", "/file", 200, "the same for all"},
		{"GET", "/sitemap.xml", 200, site.URL + job},
		{"GET", "/jobs.rss", 200, "<title>Jobs of a test</title>"},
		{"GET", "/jobs.atom", 200, "Jobs of a test"},
		{"GET", "/jobs.feed.json", 410, "This feed is gone."},
		{"GET", "/robots.txt", 200, "Sitemap: " + site.URL + "/sitemap.xml"},
		{"GET", "/live", 200, "live"},
		{"GET", "/ready", 200, "ready"},
		{"GET", "/nothing", 404, "There is no such page."},
		{"DELETE", "/", 405, "This page cannot be used like this."},
		{"PUT", "/note", 405, "This page cannot be used like this."},
		{"GET", "/signin", 404, "There is no such page."},
	} {
		status, header, body := fetch(t, jobsitetest.Visitor(t), c.method, site.URL+c.path+"?lang=en")
		if status != c.status || !strings.Contains(body, c.text) {
			t.Errorf("%s %s: %d %.300s, want %d %s", c.method, c.path, status, body, c.status, c.text)
		}
		if vary := strings.Join(header.Values("Vary"), ", "); status >= 400 && status != 410 &&
			(!strings.Contains(vary, "Accept-Language") || header.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s %s: %d varies with %q", c.method, c.path, status, vary)
		}
		if status == 405 && header.Get("Allow") == "" {
			t.Errorf("%s %s: 405 without the methods that there are", c.method, c.path)
		}
	}
}

// Middleware goes around the pages, those that are not there among them, and around nothing else: what is the same for
// all visitors reads nobody's session and sets nobody's cookie.
func TestMiddleware(t *testing.T) {
	board := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer board.Close()
	site, err := jobsite.Open(t.Context(), settings(board))
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	if err := site.Mirror.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	addPages(site)
	site.Mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the same for all") })
	site.Middleware = func(pages http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "x"})
			pages.ServeHTTP(w, r)
		})
	}
	handler := site.Handler()
	for path, want := range map[string]bool{
		"/": true, fmt.Sprintf("/job/%d/", board.Demo.OpenJob): true, "/nothing": true,
		"/sitemap.xml": false, "/jobs.rss": false, "/robots.txt": false, "/live": false, "/ready": false, "/file": false,
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if got := w.Header().Get("Set-Cookie") != ""; got != want || !want && w.Header().Get("Vary") != "" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
}

// A page, and a pattern of Mux, stand in for what every site serves. A site that listens on every address has one
// that a browser reaches.
func TestOpenReplaced(t *testing.T) {
	site := jobsitetest.Open(t, func(s *jobsite.Settings) { s.Addr, s.Board.Language = ":0", "en" })
	if !strings.HasPrefix(site.URL, "http://localhost:") {
		t.Errorf("its address is %s", site.URL)
	}
	site.Page("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) error {
		_, err := fmt.Fprint(w, "a page of its own")
		return err
	})
	site.Mux.HandleFunc("GET /jobs.rss", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a feed of its own") })
	for path, want := range map[string]string{"/robots.txt": "a page of its own", "/jobs.rss": "a feed of its own", "/live": "live\n"} {
		if status, _, body := fetch(t, jobsitetest.Visitor(t), "GET", site.URL+path); status != 200 || body != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// What would silently give a site without jobs, or send a secret in the open, is refused.
func TestOpenRefuses(t *testing.T) {
	board := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer board.Close()
	used, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	for name, c := range map[string]struct {
		edit func(*jobsite.Settings)
		want string
	}{
		"no address":            {func(s *jobsite.Settings) { s.Addr = "" }, "Settings.Addr is empty"},
		"a used port":           {func(s *jobsite.Settings) { s.Addr = used.Addr().String() }, "address already in use"},
		"a path":                {func(s *jobsite.Settings) { s.Site.URL = "https://jobs.example/x" }, "Settings.Site.URL"},
		"no channel":            {func(s *jobsite.Settings) { s.Channels = nil }, "Settings.Channels is empty"},
		"no board":              {func(s *jobsite.Settings) { s.Board = jobboard.Config{ClientID: "10"} }, "BaseURL"},
		"a secret of nobody":    {func(s *jobsite.Settings) { s.ClientSecret, s.Board.ClientID = "hush", "" }, "Settings.ClientSecret is set without"},
		"a secret in the open":  {func(s *jobsite.Settings) { s.TokenURL = "http://board.example/token" }, "Settings.TokenURL is not https"},
		"no token's address":    {func(s *jobsite.Settings) { s.TokenURL = "board.example" }, "Settings.TokenURL"},
		"no language":           {func(s *jobsite.Settings) { s.Site.Languages = []string{"?"} }, "Config.Languages"},
		"a page without job":    {func(s *jobsite.Settings) { s.Site.Page = "/job/{id}" }, "Config.Page"},
		"a page of no pattern":  {func(s *jobsite.Settings) { s.Site.Page = "/job/{job}/{job}" }, "Config.Page"},
		"a page of half of one": {func(s *jobsite.Settings) { s.Site.Page = "/job/{job}/{words" }, "Config.Page"},
		"a feed without title":  {func(s *jobsite.Settings) { s.EditFeeds = func(c *jobpublish.Config) { c.URL = "x" } }, "jobpublish"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("TMPDIR", folder)
			s := settings(board)
			c.edit(&s)
			m, err := jobsite.Open(t.Context(), s)
			if err == nil {
				t.Fatal("no error", m.Close())
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v, want %s", err, c.want)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Errorf("it leaves %v", left)
			}
		})
	}
}

func settings(board *jobboardtest.Server) jobsite.Settings {
	return jobsite.Settings{
		Board:    jobboard.Config{BaseURL: board.BaseURL, JobDBURL: board.JobDBURL, ClientID: board.Demo.ClientID},
		TokenURL: board.TokenURL, Feeds: []string{board.FeedURL}, Addr: "127.0.0.1:0",
		Channels: []jobboard.ChannelID{jobboard.ChannelID(board.Demo.Channel)}, Logger: slog.New(slog.DiscardHandler),
	}
}

// Run answers what is under way, tells monitors that no more is to come, and leaves nothing
// behind.
func TestRunDrains(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	board := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer board.Close()
	m, err := jobsite.Open(t.Context(), settings(board))
	if err != nil {
		t.Fatal(err)
	}
	asked, answer := make(chan struct{}), make(chan struct{})
	m.Page("GET /slow", func(w http.ResponseWriter, r *http.Request) error {
		close(asked)
		<-answer
		if err := m.Mirror.Ready(r.Context()); err != nil && !errors.Is(err, jobmirror.ErrIncomplete) {
			return err // the database is closed
		}
		_, err := fmt.Fprint(w, "whole")
		return err
	})
	handler := m.Handler()
	if status := ready(handler); status != http.StatusServiceUnavailable {
		t.Errorf("an empty copy is ready: %d", status)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	body := make(chan string, 1)
	go func() {
		_, _, text := fetch(t, http.DefaultClient, "GET", m.URL+"/slow")
		body <- text
	}()
	<-asked
	waitFor := func(what string, ok func() bool) { // the copy is being filled over sockets
		t.Helper()
		for begun := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
			if time.Since(begun) > 30*time.Second {
				t.Fatal("it never came true that", what)
			}
		}
	}
	waitFor("the copy is whole", func() bool { return ready(handler) == http.StatusOK })
	stop()
	waitFor("monitors are told that no more is to come", func() bool { return ready(handler) != http.StatusOK })
	select {
	case err := <-ended:
		t.Fatal("ended with a request under way:", err)
	default:
	}
	close(answer)
	if text := <-body; text != "whole" {
		t.Errorf("the last request got %q", text)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	if err := m.Close(); err != nil {
		t.Error("a second Close:", err)
	}
}

func ready(h http.Handler) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/ready", nil))
	if (w.Code == http.StatusServiceUnavailable) != (w.Header().Get("Retry-After") != "") {
		return 0
	}
	return w.Code
}

// Another process writes the copy: Run only serves. Without an address it only refreshes, for a
// server of the caller's own.
func TestRunParts(t *testing.T) {
	board := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer board.Close()
	s := settings(board)
	s.Database = filepath.Join(t.TempDir(), "jobs.db")
	s.Addr, s.Site.URL = "", "https://jobs.example/"
	writer, err := jobsite.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if writer.URL != "https://jobs.example" {
		t.Errorf("its address is %s", writer.URL)
	}
	s.Site.URL, s.Addr = "", "127.0.0.1:0"
	s.EditMirror = func(opts *jobmirror.Options) { opts.ReadOnly = true }
	reader, err := jobsite.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for _, m := range []*jobsite.Marketplace{writer, reader} {
		go func() { ended <- m.Run(ctx) }()
	}
	for {
		if status, _, _ := fetch(t, http.DefaultClient, "GET", reader.URL+"/ready"); status == http.StatusOK {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if status := ready(writer.Handler()); status != http.StatusOK {
		t.Errorf("a server of one's own: %d", status)
	}
	stop()
	if err := errors.Join(<-ended, <-ended); err != nil {
		t.Error(err)
	}
}

// The searches of an identifier with a secret use tokens that are fetched with it, and no output
// shows the secret.
func TestOpenWithSecret(t *testing.T) {
	board := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer board.Close()
	demo := board.Demo
	s := settings(board)
	s.Board.ClientID, s.ClientSecret = demo.ConfidentialClient, demo.ConfidentialSecret
	s.Database = "postgres://user:hunter2@localhost/x"
	if text := fmt.Sprintf("%v %+v %#v", s, s, s); strings.Contains(text, demo.ConfidentialSecret) || strings.Contains(text, "hunter2") {
		t.Error("the settings print a secret")
	}
	s.Database = ""
	m, err := jobsite.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Mirror.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if err := m.Mirror.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// The secret goes to the address of the settings alone, wherever that redirects to.
func TestSecretFollowsNoRedirect(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	moved := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer moved.Close()
	board := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer board.Close()
	s := settings(board)
	s.Board.ClientID, s.ClientSecret = board.Demo.ConfidentialClient, board.Demo.ConfidentialSecret
	s.TokenURL, s.Board.Retry = moved.URL, jobboard.RetryPolicy{MaxAttempts: 1}
	m, err := jobsite.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Mirror.Refresh(t.Context()); err == nil || asked > 0 {
		t.Errorf("%v; the other address got %d requests", err, asked)
	}
}

// The environment's settings are read from the variables of the other programs.
func TestReadEnv(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("hush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"JOBBOARD_BASE_URL": "https://jobs.example", "JOBBOARD_JOBDB_URL": "https://jobdb.example",
		"JOBBOARD_CLIENT_ID": "10", "JOBBOARD_CLIENT_SECRET_FILE": file, "JOBBOARD_CHANNEL": "1_a, 2_b",
		"JOBBOARD_FEED": "https://feeds.example/a,b.xml", "JOBBOARD_MIRROR_DB": "jobs.db",
		"JOBBOARD_TOKEN_URL":      "https://jobs.example/t",
		"JOBBOARD_ALLOW_INSECURE": "true",
	}
	s, err := jobsite.ReadEnv(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(s.Board.BaseURL, s.Board.JobDBURL, s.Board.ClientID, s.ClientSecret, s.Channels, s.Feeds, s.Database,
		s.TokenURL, s.Board.AllowInsecure)
	want := fmt.Sprint("https://jobs.example", "https://jobdb.example", "10", "hush", []string{"1_a", "2_b"},
		[]string{"https://feeds.example/a,b.xml"}, "jobs.db", "https://jobs.example/t", true)
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for name, value := range map[string]string{
		"JOBBOARD_ALLOW_INSECURE": "perhaps", "JOBBOARD_CA_FILE": file, "JOBBOARD_TOKEN_FILE": file + "x",
	} {
		if _, err := jobsite.ReadEnv(func(n string) string { return map[string]string{name: value}[n] }); err == nil ||
			!strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "trusted") }))
	defer server.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, block, 0o600); err != nil {
		t.Fatal(err)
	}
	env = map[string]string{"JOBBOARD_TOKEN_FILE": file, "JOBBOARD_CA_FILE": authority}
	if s, err = jobsite.ReadEnv(func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	if token, err := s.Board.TokenSource.Token(); err != nil || token.AccessToken != "hush" {
		t.Errorf("the token is not that of the file: %v", err)
	}
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: s.Board.TLS}}
	if status, _, body := fetch(t, trusting, "GET", server.URL); status != 200 || body != "trusted" {
		t.Errorf("the board with a certificate of its own: %d %s", status, body)
	}
	if s, err := jobsite.ReadEnv(func(string) string { return "" }); err != nil || s.Board.BaseURL != "" || s.Channels != nil || s.Feeds != nil {
		t.Errorf("no environment: %v %v", s, err)
	}
}

// The list keeps the town that was typed, says what it may mean, and has suggestions for its field;
// a code of two countries is of the site's.
func TestTypedTown(t *testing.T) {
	site := jobsitetest.Open(t, func(s *jobsite.Settings) { s.Site.Country = "AT" })
	find := func(query string) *jobsite.Results {
		found, err := site.Site.Search(httptest.NewRequest("GET", "/?"+query, nil))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	found := find("near=Berlni&text=pflege")
	if found.Near != "Berlni" || len(found.Meant) != 1 || found.Meant[0].Link != "?near=Berlin&text=pflege" {
		t.Errorf("%q: %+v", found.Near, found.Meant)
	}
	if towns := found.Towns(); len(towns) < 3 || towns[0] != "Berlin" || slices.Contains(towns[1:], "Berlin") {
		t.Errorf("the suggestions are %q", towns)
	}
	if found = find("near=8010&radius=500"); len(found.Problems) > 0 || found.Near != "8010" {
		t.Errorf("8010 in Austria: %+v", found.Problems)
	}
	if at := found.List.Query().Near; jobboard.DistanceKm(at, jobboard.Near(47.07, 15.44, 25)) > 10 {
		t.Errorf("8010 in Austria is at %v, not in Graz", at)
	}
}

// A town has one facet, with its name in the reader's language, and the number of its place.
func TestNamesOfTowns(t *testing.T) {
	site := jobsitetest.Open(t, nil)
	addPages(site.Marketplace)
	for lang, want := range map[string]string{"de": "Berlin Hamburg Köln München Wien Zürich", "en": "Berlin Cologne Hamburg Munich Vienna Zurich"} {
		found, err := site.Site.Search(httptest.NewRequest("GET", "/?lang="+lang, nil))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, facet := range found.Places(20) {
			names = append(names, facet.Name)
			narrowed, err := site.Site.Search(httptest.NewRequest("GET", "/"+string(facet.Link), nil))
			if err != nil {
				t.Fatal(err)
			}
			if narrowed.Page.Facets.Total != facet.Count {
				t.Errorf("%s: %d jobs, its facet says %d", facet.Name, narrowed.Page.Facets.Total, facet.Count)
			}
			if again := narrowed.Places(20)[0]; !again.Chosen || again.Name != facet.Name || strings.Contains(string(again.Link), "place=") {
				t.Errorf("%s cannot be taken off: %+v", facet.Name, again)
			}
		}
		for _, card := range found.Cards {
			if !slices.Contains(names, card.Place) {
				t.Errorf("%s: a card names %s, which has no facet", lang, card.Place)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", lang, got, want)
		}
		for _, card := range found.Cards {
			if card.Posted.IsZero() {
				t.Errorf("%s has no date", card.Title)
			}
		}
	}
	for _, query := range []string{"near=Berlin&radius=10&lang=de", "near=Berlin&radius=10&lang=en"} {
		found, err := site.Site.Search(httptest.NewRequest("GET", "/?"+query, nil))
		if err != nil {
			t.Fatal(err)
		}
		inside := found.Places(20)
		if len(inside) != 1 || inside[0].Name != "Berlin" || inside[0].Count != found.Page.Facets.Total || inside[0].Count == 0 {
			t.Errorf("%s: %d jobs around Berlin, of which %+v", query, found.Page.Facets.Total, inside)
		}
	}
	// Each job is found by every place of its own, in either language.
	for query, want := range map[string]int{
		"text=pharmacist&place=Berlin&lang=en": 1, "text=Apotheker&place=Berlin&lang=de": 1, "text=Apotheker&place=Munich&lang=de": 1,
		"text=pharmacist&place=M%C3%BCnchen&lang=en": 1, "text=pharmacist&place=Hamburg&lang=en": 0,
	} {
		found, err := site.Site.Search(httptest.NewRequest("GET", "/?"+query, nil))
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Cards) != want {
			t.Errorf("%s: %d jobs, want %d", query, len(found.Cards), want)
		}
		if chosen := found.Places(1); want == 1 && (len(chosen) != 1 || !chosen[0].Chosen || chosen[0].Count != 1) {
			t.Errorf("%s: the chosen facet is %+v", query, chosen)
		}
	}
}

// The channels of the settings are copied in the languages of the site alone, and another one that names no languages in
// that of the client.
func TestOpenCopiesLanguages(t *testing.T) {
	site := jobsitetest.Open(t, func(s *jobsite.Settings) {
		s.Board.Language = "fr"
		edit := s.EditMirror
		s.EditMirror = func(opts *jobmirror.Options) {
			edit(opts)
			opts.Channels = append(opts.Channels, jobmirror.Channel{ID: opts.Channels[0].ID})
		}
	})
	asked := map[string]bool{}
	for _, r := range site.Board.Requests(jobboardtest.OpSearch) {
		asked[r.Header.Get("Accept-Language")] = true
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, []string{"de", "en", "fr"}) {
		t.Errorf("the copy searched for %q", got)
	}
}
