package jobsite_test

import (
	"context"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// The pages of the jobs in a mirror.
func ExampleNew() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo()) // a site has the board's addresses here
	defer fake.Close()
	folder, err := os.MkdirTemp("", "jobsite")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	mirror, err := jobmirror.Open(context.Background(), filepath.Join(folder, "jobs.db"), jobmirror.Options{
		Config:   jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID},
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel), Languages: []string{"de", "en"}}},
		Feeds:    []jobmirror.Feed{{Address: fake.FeedURL}}, Limit: -1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = mirror.Close() }()
	show := template.Must(template.New("").Parse(`<!DOCTYPE html><title>{{.Title}}</title><link rel="canonical" href="{{.URL}}">` +
		`{{with .Data}}<script type="application/ld+json">{{.}}</script>{{end}}<h1>{{.Title}}</h1><article>{{.Advertisement}}</article>`))
	// begin
	site, err := jobsite.New(mirror, jobsite.Config{URL: "https://jobs.example", Languages: []string{"de", "en"}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", site.Handle(func(w http.ResponseWriter, r *http.Request) error {
		found, err := site.Search(r) // text, near, radius, the filters, order, lang, after
		if err != nil {
			return err
		}
		for _, card := range found.Cards {
			fmt.Fprintln(w, card.Path, card.Title, card.Place, card.Distance)
		}
		return nil
	}))
	mux.HandleFunc("GET /job/{job}/{words...}", site.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := site.Job(r)
		if err != nil {
			return err // 404, 410 or 503, in the reader's language
		}
		return show.Execute(w, page)
	}))
	published, err := jobpublish.NewFeeds(jobpublish.Config{URL: "https://jobs.example/", Title: "Jobs", Jobs: site.Jobs})
	if err != nil {
		log.Fatal(err)
	}
	mux.Handle("GET /sitemap.xml", published.Sitemap("/sitemap.xml"))
	mux.Handle("GET /jobs.rss", published.RSS("/jobs.rss"))
	// end
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	page := get(fmt.Sprintf("/job/%d/", fake.Demo.OpenJob))
	fmt.Println(page.Code, page.Header().Get("Retry-After"), page.Body)
	if err := mirror.Refresh(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(get(fmt.Sprintf("/job/%d/?lang=en", fake.Demo.ClosedJob)).Body)
	first, _, _ := strings.Cut(get("/?near=Hamburg&radius=5&text=pflegefachkraft").Body.String(), "\n")
	path, rest, _ := strings.Cut(first, " ")
	fmt.Println(rest)
	_, title, _ := strings.Cut(get(path).Body.String(), "<title>")
	title, _, _ = strings.Cut(title, "</title>")
	fmt.Println(title)
	fmt.Println(strings.Contains(get("/sitemap.xml").Body.String(), "https://jobs.example"+path))
	// Output:
	// 503 60 Für diese Seite fehlt uns zurzeit die Antwort der Stellenbörse. Bitte versuchen Sie es in ein paar Minuten noch einmal.
	//
	// This job takes no more applications.
	//
	// Pflegefachkraft (m/w/d) Hamburg < 1 km
	// Pflegefachkraft (m/w/d)
	// true
}
