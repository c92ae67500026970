package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/mail"
	"net/url"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func (a *alerts) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /alerts", func(w http.ResponseWriter, _ *http.Request) {
		page(w, `<form method=post><label>Words <input name=text></label> <label>Mail <input name=email type=email required></label> <button>Tell me</button></form>`)
	})
	mux.HandleFunc("POST /alerts", a.save)
	for what, do := range map[string]http.HandlerFunc{"confirm": a.confirm, "stop": a.stop} {
		// A link only shows a button: programs that look at each link of a mail must not press it.
		mux.HandleFunc("GET /alerts/"+what, func(w http.ResponseWriter, _ *http.Request) {
			page(w, "<form method=post><button>"+what+"</button></form>")
		})
		mux.HandleFunc("POST /alerts/"+what, do)
	}
	return mux
}

func page(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address of a page has a token
	fmt.Fprint(w, "<!doctype html><title>Job alerts</title>"+body)
}

// link returns the address at which the owner of a token does something.
func (a *alerts) link(what, token string) string {
	return a.origin + "/alerts/" + what + "?token=" + url.QueryEscape(token)
}

// save stores a search that is not confirmed yet, and mails the link by which it is. Who asks again for
// the same gets no other mail, so that nobody can flood an address.
func (a *alerts) save(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 10_000)
	to, err := mail.ParseAddress(r.PostFormValue("email"))
	if err != nil || strings.ContainsAny(to.Address, "\r\n") || len(to.Address) > 254 {
		http.Error(w, "This is no address.", http.StatusBadRequest)
		return
	}
	near, err := jobboard.ParseGeoLocation(r.PostFormValue("near"))
	if err != nil && r.PostFormValue("near") != "" {
		http.Error(w, "This is no place.", http.StatusBadRequest)
		return
	}
	saved, err := json.Marshal(jobmirror.SavedSearch{
		Text: r.PostFormValue("text"), Near: near, Language: r.PostFormValue("language"),
	})
	if err != nil {
		http.Error(w, "This search is too long.", http.StatusBadRequest)
		return
	}
	token := rand.Text()
	result, err := a.db.ExecContext(r.Context(), "INSERT INTO searches (email, search, token) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		strings.ToLower(to.Address), string(saved), token)
	if err == nil {
		if n, _ := result.RowsAffected(); n > 0 {
			text := "Somebody, probably you, wants to be told of jobs here:\n" + a.link("confirm", token) + "\n"
			err = a.mails.send(r.Context(), to.Address, "Please confirm", text, "")
		}
	}
	if err != nil {
		http.Error(w, "This did not work. Please try again later.", http.StatusServiceUnavailable)
		return
	}
	page(w, "Please look into your mail, "+html.EscapeString(to.Address))
}

// confirm begins to tell the owner of a token.
func (a *alerts) confirm(w http.ResponseWriter, r *http.Request) {
	var (
		id    int64
		text  string
		saved jobmirror.SavedSearch
	)
	err := a.db.QueryRowContext(r.Context(), "UPDATE searches SET confirmed = 1 WHERE token = ? RETURNING id, search", r.FormValue("token")).Scan(&id, &text)
	if err == nil {
		err = json.Unmarshal([]byte(text), &saved)
	}
	if err == nil {
		err = a.searches.Set(strconv.FormatInt(id, 10), saved)
	}
	if err != nil {
		http.Error(w, "There is no such search.", http.StatusNotFound)
		return
	}
	page(w, "You will be told.")
}

// stop forgets the search of a token, its owner's address, and what was told. Mail programs call it by
// one click (RFC 8058): without cookies, and once more if they like.
func (a *alerts) stop(w http.ResponseWriter, r *http.Request) {
	var id int64
	const remove = "DELETE FROM searches WHERE token = ? RETURNING id"
	err := a.db.QueryRowContext(r.Context(), remove, r.FormValue("token")).Scan(&id)
	if err == nil {
		a.searches.Remove(strconv.FormatInt(id, 10))
	} else if !isNone(err) {
		http.Error(w, "This did not work. Please try again later.", http.StatusServiceUnavailable)
		return
	}
	page(w, "You will not be told any more.")
}
