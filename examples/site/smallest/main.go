// Command smallest serves a partner's site from one file: jobs near a place, with
// text and paging, a job's page that says whether the applicant may apply, and a
// copy of the board that keeps itself up to date. The command site beside it adds
// a design, two languages and a form.
//
//	go -C examples/site run ./smallest
//	curl 'http://127.0.0.1:8091/?near=Berlin&text=pflege'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/places"
)

type service struct {
	client *jobboard.Client
	mirror *jobmirror.Mirror
}

func main() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	told, _ := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	fake := jobboardtest.NewServer(jobboardtest.WithDemo()) // a partner has the board's addresses here
	defer fake.Close()
	config := jobboard.Config{BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID}
	folder, err := os.MkdirTemp("", "smallest") // a partner keeps the copy
	if err != nil {
		log.Fatal(err) //nolint:gocritic // the process ends
	}
	defer func() { _ = os.RemoveAll(folder) }()
	handler, err := newService(ctx, config, filepath.Join(folder, "jobs.db"), jobmirror.Options{
		Config:   config,
		Channels: []jobmirror.Channel{{ID: jobboard.ChannelID(fake.Demo.Channel), Languages: []string{"de"}}},
		Feeds:    []jobmirror.Feed{{Address: fake.FeedURL}},
	})
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8091", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		log.Fatal(err)
	case <-told.Done():
	}
	grace, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_ = server.Shutdown(grace) // answers under way need the mirror, which ends with ctx
}

func newService(ctx context.Context, config jobboard.Config, database string, options jobmirror.Options) (http.Handler, error) {
	client, err := jobboard.NewClient(config)
	if err != nil {
		return nil, err
	}
	mirror, err := jobmirror.Open(ctx, database, options)
	if err != nil {
		return nil, err
	}
	go func() { log.Print(errors.Join(mirror.Run(ctx), mirror.Close())) }()
	s := &service{client, mirror}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", answer(s.list))
	mux.HandleFunc("GET /jobs/{job}", answer(s.job))
	return mux, nil
}

// answer sends what f returns as JSON, or its error with the status that it has
// for a visitor.
func answer(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		status := jobboard.HTTPStatus(err)
		switch {
		case errors.Is(err, jobmirror.ErrUnknown):
			v = map[string]string{"error": "no such job"}
		case errors.Is(err, jobmirror.ErrStale):
			v = map[string]string{"error": "the board has not answered for long"}
		case err != nil:
			log.Print(err) // holds no secret; the visitor gets no more than the status
			v = map[string]string{"error": strings.ToLower(http.StatusText(status))}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
}

type listed struct {
	Job     jobboard.JobID
	Title   string
	Excerpt string
	Km      float64 `json:",omitempty"`
}

func (s *service) list(r *http.Request) (any, error) {
	q := jobmirror.Query{Text: r.FormValue("text"), Language: "de", After: jobmirror.PageCursor(r.FormValue("after"))}
	if near := r.FormValue("near"); near != "" {
		town, ok := places.Find(near)
		if !ok {
			return nil, jobboard.ErrInvalidInput
		}
		q.Near = jobboard.Near(town.Latitude, town.Longitude, 50)
	}
	found, err := s.mirror.Search(r.Context(), q)
	if errors.Is(err, jobmirror.ErrPageCursor) {
		return nil, jobboard.ErrInvalidInput
	}
	if err != nil {
		return nil, err
	}
	jobs := []listed{}
	for _, p := range found.Postings {
		ad, _ := p.Posting.Config.AdText() // a posting may have none
		line := listed{Job: p.Job, Title: p.Posting.Title, Excerpt: jobpublish.Excerpt(ad, 120)}
		line.Km, _ = p.Distance() // 0 without a circle
		jobs = append(jobs, line)
	}
	return map[string]any{"jobs": jobs, "next": found.Next, "ageSeconds": int(found.Age.Seconds())}, nil
}

// job tells what is known of a job, and to an applicant, whose token is the
// request's, whether they may apply.
func (s *service) job(r *http.Request) (any, error) {
	id, err := jobboard.ParseJobID(r.PathValue("job"))
	if err != nil {
		return nil, err
	}
	information, err := s.mirror.JobInformation(r.Context(), id)
	if err != nil {
		return nil, err
	}
	page := map[string]any{"job": information}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		check, err := s.client.Applicant(jobboard.StaticToken(token)).Precheck(r.Context(), id)
		if err != nil {
			return nil, err
		}
		page["decision"] = check.Decision.String()
	}
	return page, nil
}
