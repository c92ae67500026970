package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
)

// words are the site's own texts in one language.
type words struct {
	Lang                                                                string
	Title, Intro, Text, Place, Radius, Search, Language, Anywhere       string
	Jobs, NoJobs, NextPage, Map, Back, Company, Location, Remote, Since string
	MayApply, Apply, SignIn, SignOut, SignInFirst, Privacy              string
	ApplyTo, Nationality, Send, Choose, OneProblem, ManyProblems        string
	Complete, UnknownPlace, Stale, Age, Down, NotFound, Wrong           string
	SignInAgain, SignInRefused, SignInToSend, SignedInAnew              string
	TooMany, Unchecked, Skip                                            string

	decisions map[jobboard.Decision]string
	reasons   map[jobboard.AnswerReason]string
}

var english = words{
	Skip: "Skip to the content",
	Lang: "en", Title: "Jobs near you", Intro: "Search the board's open jobs.",
	Text: "What", Place: "Where", Radius: "Within", Search: "Search", Language: "Language", Anywhere: "Anywhere",
	Jobs: "jobs", NoJobs: "No job matches. Try other words or a larger circle.", NextPage: "More jobs",
	Map:  "Map of these jobs",
	Back: "All jobs", Company: "Company", Location: "Location", Remote: "Remote", Since: "Since",
	MayApply: "You may apply.", Apply: "Apply", SignIn: "Sign in", SignOut: "Sign out",
	SignInFirst: "Sign in to see whether you may apply.",
	Privacy:     "Privacy statement", ApplyTo: "Apply for", Nationality: "Nationality", Send: "Check and send",
	Choose:     "Please choose",
	OneProblem: "One answer needs your attention.", ManyProblems: "%d answers need your attention.",
	Complete:     "Thank you. Everything is answered and ready to be sent.",
	UnknownPlace: "We do not know the place “%s”. These are jobs anywhere.",
	Stale:        "The job board does not answer at the moment. You see what it said %s ago.", Age: "As of %s ago",
	Down:     "The job board does not answer at the moment. Please try again in a few minutes.",
	NotFound: "There is no such page.", Wrong: "That did not work. Please try again.",
	SignInAgain:   "Your sign-in has ended. Please sign in again.",
	SignInRefused: "The job board does not accept your sign-in. Please try again later.",
	SignInToSend:  "Your sign-in has ended, and your answers are still here. Sign in in a new window, then send them from this one.",
	SignedInAnew:  "Somebody has signed in since you opened this form. If it was you, please check your answers and send them again.",
	TooMany:       "The job board is busy. Please try again in a minute.",
	Unchecked:     "We cannot check at the moment whether you may apply. Please try again in a few minutes.",
	decisions: map[jobboard.Decision]string{
		jobboard.DecisionMayApply:       "You may apply.",
		jobboard.DecisionAlreadyApplied: "You have applied already. One application per job is possible, and a withdrawn one counts.",
		jobboard.DecisionClosed:         "This job takes no more applications.",
		jobboard.DecisionNotVisible:     "This job is not available.",
		jobboard.DecisionGone:           "This job is no longer there.",
	},
	reasons: map[jobboard.AnswerReason]string{
		jobboard.ReasonMissing:            "Please answer this question.",
		jobboard.ReasonNationalityMissing: "Please choose your nationality.",
		jobboard.ReasonNotOffered:         "Please choose one of the answers.",
		jobboard.ReasonUnclearYesNo:       "Please choose one of the answers.",
		jobboard.ReasonNationality:        "Please choose one from the list.",
		jobboard.ReasonTooLong:            "Please use at most %d characters; these are %d.",
	},
}

var german = words{
	Skip: "Zum Inhalt springen",
	Lang: "de", Title: "Stellen in Ihrer Nähe", Intro: "Durchsuchen Sie die offenen Stellen.",
	Text: "Was", Place: "Wo", Radius: "Umkreis", Search: "Suchen", Language: "Sprache", Anywhere: "Überall",
	Jobs: "Stellen", NoJobs: "Keine Stelle passt. Versuchen Sie andere Wörter oder einen größeren Umkreis.",
	NextPage: "Weitere Stellen", Map: "Karte dieser Stellen",
	Back: "Alle Stellen", Company: "Unternehmen", Location: "Ort", Remote: "Homeoffice", Since: "Seit",
	MayApply: "Sie können sich bewerben.", Apply: "Bewerben", SignIn: "Anmelden", SignOut: "Abmelden",
	SignInFirst: "Melden Sie sich an, um zu sehen, ob Sie sich bewerben können.",
	Privacy:     "Datenschutzerklärung", ApplyTo: "Bewerbung als", Nationality: "Staatsangehörigkeit",
	Send: "Prüfen und senden", Choose: "Bitte wählen",
	OneProblem:   "Eine Antwort braucht noch Ihre Aufmerksamkeit.",
	ManyProblems: "%d Antworten brauchen noch Ihre Aufmerksamkeit.",
	Complete:     "Vielen Dank. Alles ist beantwortet und kann gesendet werden.",
	UnknownPlace: "Den Ort „%s“ kennen wir nicht. Sie sehen Stellen an allen Orten.",
	Stale:        "Die Stellenbörse antwortet zurzeit nicht. Sie sehen den Stand von vor %s.", Age: "Stand: vor %s",
	Down:     "Die Stellenbörse antwortet zurzeit nicht. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
	NotFound: "Diese Seite gibt es nicht.", Wrong: "Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.",
	SignInAgain:   "Ihre Anmeldung ist abgelaufen. Bitte melden Sie sich noch einmal an.",
	SignInRefused: "Die Stellenbörse nimmt Ihre Anmeldung nicht an. Bitte versuchen Sie es später noch einmal.",
	SignInToSend: "Ihre Anmeldung ist abgelaufen, Ihre Antworten stehen noch hier. " +
		"Melden Sie sich in einem neuen Fenster an und senden Sie sie dann von hier.",
	SignedInAnew: "Seit Sie dieses Formular geöffnet haben, hat sich jemand angemeldet. " +
		"Wenn Sie das waren, prüfen Sie bitte Ihre Antworten und senden Sie sie noch einmal.",
	TooMany:   "Die Stellenbörse ist ausgelastet. Bitte versuchen Sie es in einer Minute noch einmal.",
	Unchecked: "Wir können zurzeit nicht prüfen, ob Sie sich bewerben können. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
	decisions: map[jobboard.Decision]string{
		jobboard.DecisionMayApply:       "Sie können sich bewerben.",
		jobboard.DecisionAlreadyApplied: "Sie haben sich schon beworben. Für jede Stelle ist eine Bewerbung möglich; auch eine zurückgezogene zählt.",
		jobboard.DecisionClosed:         "Für diese Stelle werden keine Bewerbungen mehr angenommen.",
		jobboard.DecisionNotVisible:     "Diese Stelle ist nicht verfügbar.",
		jobboard.DecisionGone:           "Diese Stelle gibt es nicht mehr.",
	},
	reasons: map[jobboard.AnswerReason]string{
		jobboard.ReasonMissing:            "Bitte beantworten Sie diese Frage.",
		jobboard.ReasonNationalityMissing: "Bitte wählen Sie Ihre Staatsangehörigkeit.",
		jobboard.ReasonNotOffered:         "Bitte wählen Sie eine der Antworten.",
		jobboard.ReasonUnclearYesNo:       "Bitte wählen Sie eine der Antworten.",
		jobboard.ReasonNationality:        "Bitte wählen Sie aus der Liste.",
		jobboard.ReasonTooLong:            "Bitte höchstens %d Zeichen; es sind %d.",
	},
}

func (w words) decision(d jobboard.Decision) string { return w.decisions[d] }

// problem returns what is wrong with an answer, fit to stand beside its field.
func (w words) problem(p jobboard.AnswerProblem) string {
	text, ok := w.reasons[p.Reason]
	switch {
	case !ok:
		return w.Wrong
	case strings.Contains(text, "%d"):
		return fmt.Sprintf(text, p.Limit, p.Length)
	}
	return text
}

func (w words) unknownPlace(name string) string { return fmt.Sprintf(w.UnknownPlace, name) }
func (w words) stale(d time.Duration) string    { return fmt.Sprintf(w.Stale, w.ago(d)) }
func (w words) age(d time.Duration) string      { return fmt.Sprintf(w.Age, w.ago(d)) }

// Problems returns how many answers need attention, for the template.
func (w words) Problems(n int) string {
	if n == 1 {
		return w.OneProblem
	}
	return fmt.Sprintf(w.ManyProblems, n)
}

// ago returns a time span in the largest unit that tells it.
func (w words) ago(d time.Duration) string {
	units := map[string][3]string{"en": {"min", "h", "days"}, "de": {"Minuten", "Stunden", "Tagen"}}[w.Lang]
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d %s", max(int(d.Minutes()), 2), units[0])
	case d < 48*time.Hour:
		return fmt.Sprintf("%d %s", int(d.Hours()), units[1])
	}
	return fmt.Sprintf("%d %s", int(d.Hours()/24), units[2])
}

// failure returns what a visitor reads instead of a page with this status.
func (w words) failure(status int) string {
	switch status {
	case http.StatusNotFound, http.StatusGone, http.StatusMethodNotAllowed:
		return w.NotFound
	case http.StatusForbidden:
		return w.SignInRefused
	case http.StatusTooManyRequests:
		return w.TooMany
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return w.Down
	}
	return w.Wrong
}

var languages = language.NewMatcher([]language.Tag{language.German, language.English})

// wordsFor returns the texts of a language, and otherwise where there are none.
func wordsFor(lang string, otherwise words) words {
	switch base, _ := language.Make(lang).Base(); base.String() {
	case "de":
		return german
	case "en":
		return english
	}
	return otherwise
}

const languageCookie = "lang"

// wordsOf returns the texts of the language that a visitor chose, now or
// before, or else of the one their browser prefers.
func wordsOf(r *http.Request) words {
	if chosen := r.URL.Query().Get(languageCookie); chosen != "" {
		return wordsFor(chosen, german)
	}
	if cookie, err := r.Cookie(languageCookie); err == nil {
		return wordsFor(cookie.Value, german)
	}
	tag, _ := language.MatchStrings(languages, r.Header.Get("Accept-Language"))
	return wordsFor(tag.String(), german)
}
