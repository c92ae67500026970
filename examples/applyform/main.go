// Command applyform shows the form of a job in a browser: its questions, the
// nationalities in its language and the privacy statement. What is sent is
// checked, and every problem stands beside its field:
//
//	go run ./examples/applyform
//
// It prints its address and serves until it is interrupted. With -once it
// prints the page and ends. Without settings the job is one of the embedded
// fake. The interface has no call that sends an application, so it ends with
// what one would send.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
)

func main() {
	log.SetFlags(0)
	var b board.Board
	b.Flags(flag.CommandLine)
	addr := flag.String("addr", "127.0.0.1:8090", "`host:port` of the page")
	once := flag.Bool("once", false, "print the page and end")
	flag.Parse()
	if err := b.Open(); err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if err := run(os.Stdout, &b, *addr, *once); err != nil {
		b.Close()
		log.Fatal(err) //nolint:gocritic // the deferred call was made
	}
}

func run(out io.Writer, b *board.Board, addr string, once bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		return err
	}
	f := &form{client: client, job: b.Job}
	if once {
		page, _, err := f.page(ctx, nil)
		if err != nil {
			return err
		}
		return pageTemplate.Execute(out, page)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s/\n", listener.Addr())
	server := &http.Server{Handler: f, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Shutdown(context.WithoutCancel(ctx))
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

//go:embed form.html
var pageText string

// pageTemplate escapes every text of the service for the place it goes to.
var pageTemplate = template.Must(template.New("form").Parse(pageText))

// Limits of this form; the interface names none.
var rules = jobboard.AnswerRules{MaxText: 200, MaxTextArea: 2000, RequireNationality: true}

// form serves the form of one job.
type form struct {
	client *jobboard.Client
	job    jobboard.JobID
}

// page is what the template shows.
type page struct {
	Job           *jobboard.JobInformation
	Privacy       string // a checked http or https link, or empty
	Fields        []field
	Nationalities []option
	Nationality   string // its problem
	Problems      int
	Sent          map[string]string // what an application would be sent with
	Closed        string
}

type field struct {
	Name     string
	Label    string
	Kind     string // line, lines, choice
	Value    string
	Options  []option
	Problem  string
	MaxChars int
}

type option struct {
	ID, Label string
	Chosen    bool
}

func (f *form) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	var filled func(string) string
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
		if err := r.ParseForm(); err != nil {
			http.Error(w, "the form could not be read", http.StatusBadRequest)
			return
		}
		filled = r.PostForm.Get
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "GET or POST", http.StatusMethodNotAllowed)
		return
	}
	p, status, err := f.page(r.Context(), filled)
	if err != nil {
		log.Print(err)
		http.Error(w, "The job could not be loaded. Please try again later.", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	if err := pageTemplate.Execute(w, p); err != nil {
		log.Print(err)
	}
}

// page builds the page, empty or with what was filled in and its problems.
func (f *form) page(ctx context.Context, filled func(string) string) (page, int, error) {
	info, err := f.client.JobInformation(ctx, f.job)
	switch {
	case errors.Is(err, jobboard.ErrJobInactive), errors.Is(err, jobboard.ErrJobUnavailable), errors.Is(err, jobboard.ErrPostingUnavailable):
		return page{Job: &jobboard.JobInformation{JobTitle: "This job"}, Closed: "is no longer open."}, http.StatusGone, nil
	case err != nil:
		return page{}, 0, err
	case !info.ApplyPossible:
		return page{Job: info, Closed: "takes no more applications."}, http.StatusGone, nil
	}

	p := page{Job: info}
	if link, err := info.DataSecurityURL(); err == nil {
		p.Privacy = link.String()
	}
	value := filled
	if value == nil {
		value = func(string) string { return "" }
	}
	given := jobboard.Answers{Questions: map[string]jobboard.Answer{}, Nationality: value("nationality")}
	for _, q := range info.Questions {
		given.Questions[q.ID] = q.FormAnswer(value(fieldName(q)))
	}
	status := http.StatusOK
	problems := new(jobboard.AnswersError)
	if filled != nil {
		checked, err := info.CheckAnswers(given, rules)
		if err == nil {
			p.Sent = checked.Values
		} else {
			status = http.StatusUnprocessableEntity
			if !errors.As(err, &problems) {
				return page{}, 0, err
			}
		}
	}
	p.Problems = len(problems.Problems)
	for _, q := range info.Questions {
		p.Fields = append(p.Fields, newField(q, value(fieldName(q)), problems))
	}
	p.Nationalities = options(info.Nationalities, given.Nationality)
	if problem, ok := problems.Nationality(); ok {
		p.Nationality = problem.Text()
	}
	return p, status, nil
}

func fieldName(q jobboard.Question) string { return "question-" + q.ID }

func newField(q jobboard.Question, value string, problems *jobboard.AnswersError) field {
	f := field{Name: fieldName(q), Label: q.Label, Kind: "line", Value: value, Options: options(q.Answers, value), MaxChars: rules.MaxText}
	switch q.Type {
	case jobboard.QuestionYesNo, jobboard.QuestionCatalog:
		f.Kind = "choice"
	case jobboard.QuestionTextArea:
		f.Kind, f.MaxChars = "lines", rules.MaxTextArea
	}
	if problem, ok := problems.Question(q.ID); ok {
		f.Problem = problem.Text()
	}
	return f
}

func options(list []jobboard.IDLabel, chosen string) []option {
	all := make([]option, len(list))
	for i, l := range list {
		all[i] = option{l.ID, l.Label, l.ID == chosen}
	}
	return all
}

// Count is how many answers an application would have, for the template.
func (p page) Count() string { return strconv.Itoa(len(p.Sent)) }
