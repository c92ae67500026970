package main

import (
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/places"
)

func (a *alerts) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /alerts", func(w http.ResponseWriter, _ *http.Request) { a.page(w, http.StatusOK, "form", "") })
	mux.HandleFunc("POST /alerts", a.save)
	for what, do := range map[string]http.HandlerFunc{"confirm": a.confirm, "stop": a.stop} {
		// A link only shows a button: programs that look at each link of a mail must not press it.
		mux.HandleFunc("GET /alerts/"+what, func(w http.ResponseWriter, _ *http.Request) { a.page(w, http.StatusOK, what, "") })
		mux.HandleFunc("POST /alerts/"+what, do)
	}
	mux.HandleFunc("GET /job/{job}", a.job) // a site with pages of its own has them in place of this
	return mux
}

var pages = template.Must(template.New("").Parse(`{{define "head"}}<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{{.Name}}: new jobs by mail</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 2rem auto; padding: 0 1rem; background: light-dark(#fff, #121212); color: light-dark(#1b1b1b, #eee) }
a { color: light-dark(#0b57d0, #a8c7fa) }
h1 { font-size: 1.4rem }
form { display: grid; gap: 1rem }
label { display: grid; gap: .25rem }
input, button { font: inherit; padding: .5rem; border: 1px solid #767676; border-radius: .25rem }
button { background: #0b57d0; color: #fff; border: 0; cursor: pointer }
:focus-visible { outline: 3px solid #f9ab00; outline-offset: 2px }
.note { color: light-dark(#595959, #b0b0b0) }
</style><main><h1>{{.Name}}: new jobs by mail</h1>{{end}}
{{define "form"}}{{template "head" .}}<form method="post">
<label>Words <input name="text" maxlength="200"></label>
<label>Town <input name="town" maxlength="100" autocomplete="address-level2"></label>
<label>Mail address <input name="email" type="email" required autocomplete="email"></label>
<button>Tell me</button></form><p class="note">You get a mail with a link to confirm this. Each mail has a link to end it.</p></main>{{end}}
{{define "confirm"}}{{template "head" .}}<form method="post"><button>Yes, tell me of new jobs</button></form></main>{{end}}
{{define "stop"}}{{template "head" .}}<form method="post"><button>Tell me no more</button></form></main>{{end}}
{{define "said"}}{{template "head" .}}<p role="status">{{.Text}}</p><p><a href="/alerts">Another search</a></p></main>{{end}}`))

func (a *alerts) page(w http.ResponseWriter, status int, name, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address of a page has a token
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, name, struct{ Name, Text string }{a.name, text}) // an error is of a visitor who left
}

// link returns the address at which the owner of a token does something.
func (a *alerts) link(what, token string) string {
	return a.origin + "/alerts/" + what + "?token=" + url.QueryEscape(token)
}

// failed tells a visitor that the site is at fault.
func (a *alerts) failed(w http.ResponseWriter) {
	a.page(w, http.StatusServiceUnavailable, "said", "This did not work. Please try again later.")
}

// maxAsks bounds the mails a day to an address that has not confirmed them, so that nobody can flood it.
const maxAsks = 2

// save stores a search that is not confirmed yet. The answer is the same whatever is known of the address.
func (a *alerts) save(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 10_000)
	to, err := mail.ParseAddress(r.PostFormValue("email"))
	if err != nil || strings.ContainsAny(to.Address, "\r\n<>") || len(to.Address) > 254 {
		a.page(w, http.StatusBadRequest, "said", "This is no mail address.")
		return
	}
	s := search{strings.TrimSpace(r.PostFormValue("text")), strings.TrimSpace(r.PostFormValue("town"))}
	if _, known := places.Find(s.Town); !known && s.Town != "" {
		a.page(w, http.StatusBadRequest, "said", "We know no town of this name.")
		return
	}
	if _, err := a.mirror.Search(r.Context(), s.query()); errors.Is(err, jobboard.ErrInvalidInput) {
		a.page(w, http.StatusBadRequest, "said", "These are too many words.")
		return
	}
	text, err := json.Marshal(s)
	now := time.Now()
	if err == nil {
		email, yesterday := strings.ToLower(to.Address), now.Add(-24*time.Hour).Unix()
		_, err = a.db.ExecContext(r.Context(), `INSERT INTO searches (email, search, token, asked)
			SELECT ?, ?, ?, ? WHERE (SELECT coalesce(sum(asks), 0) FROM searches WHERE email = ? AND confirmed = 0 AND asked > ?) < ?
			ON CONFLICT (email, search) DO UPDATE SET asked = excluded.asked, mailed = 0, asks = CASE WHEN asked > ? THEN asks + 1 ELSE 1 END
			WHERE confirmed = 0`, email, string(text), rand.Text(), now.Unix(), email, yesterday, maxAsks, yesterday)
	}
	if err != nil {
		a.failed(w)
		return
	}
	select {
	case a.wake <- struct{}{}:
	default:
	}
	a.page(w, http.StatusOK, "said", "Please look into your mail, and confirm it there: "+s.String()+".")
}

// confirm begins to tell the owner of a token. What the search finds now the owner sees on the site: it counts as
// told.
func (a *alerts) confirm(w http.ResponseWriter, r *http.Request) {
	ctx, token := r.Context(), r.FormValue("token")
	err := a.inTransaction(ctx, func(tx *sql.Tx) error {
		var (
			id   int64
			text string
			s    search
			done bool
		)
		err := tx.QueryRowContext(ctx, "SELECT id, search, confirmed FROM searches WHERE token = ?", token).Scan(&id, &text, &done)
		if err != nil || done {
			return err
		}
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return err
		}
		known, err := a.mirror.Search(ctx, s.query())
		if err != nil {
			return err
		}
		var jobs []jobboard.JobID
		for _, p := range known.Postings {
			jobs = append(jobs, p.Job)
		}
		if err := note(ctx, tx, id, jobs); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE searches SET confirmed = 1, mark = ? WHERE id = ?", string(known.Mark), id)
		return err
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		a.page(w, http.StatusNotFound, "said", "There is no such search. A link to confirm one is good for two days.")
	case err != nil:
		a.failed(w)
	default:
		a.page(w, http.StatusOK, "said", "You will be told of new jobs.")
	}
}

// stop forgets the search of a token, its owner's address, and what was told. Mail programs call it by
// one click (RFC 8058): without cookies, and once more if they like.
func (a *alerts) stop(w http.ResponseWriter, r *http.Request) {
	if _, err := a.db.ExecContext(r.Context(), "DELETE FROM searches WHERE token = ?", r.FormValue("token")); err != nil {
		a.failed(w)
		return
	}
	a.page(w, http.StatusOK, "said", "You will not be told any more.")
}

// job leads to the board's page of a job.
func (a *alerts) job(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.ParseInt(r.PathValue("job"), 10, 64) // 0, which no job has, for what is no number
	postings, err := a.mirror.Postings(r.Context(), jobboard.JobID(id))
	if err != nil {
		a.failed(w)
		return
	}
	for _, p := range postings {
		if u, err := url.Parse(p.Posting.ApplyOnlineLink); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
			http.Redirect(w, r, u.String(), http.StatusSeeOther)
			return
		}
	}
	a.page(w, http.StatusNotFound, "said", "This job is not offered any more.")
}
