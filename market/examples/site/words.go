package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// words are the site's own texts in one language.
type words struct {
	Lang                                                                    string
	Intro, Text, Place, Radius, Search, Anywhere                            string
	NoJobs, NextPage, PreviousPage, Pages, Back, Remote, New                string
	Where, Narrow, Chosen, Drop, OtherTowns                                 string
	Apply, SignIn, SignOut, Privacy                                         string
	ApplyThere, Asked, Nationality, Stale, Age                              string
	Menu, Overview, Imprint, PrivacyPage, Order, Relevance, Newest, Nearest string
	FirstSeen, ShownAgain, ShownOften, Confirmed                            string
	Skip, Meant, LeftOut, Similar                                           string
	Also, Listed, Until, Day, OnePlace, ManyPlaces                          string

	Decisions map[jobboard.Decision]string // what a job's page says to an applicant
	Ended     string                       // it says of a sign-in that the board no longer takes

	ImprintText, PrivacyText []string // paragraphs of these pages, to fill in

	texts jobsite.Texts // sentences of the pages that every site has
}

var english = words{
	Also: "Also in", Listed: "Listed on %s", Until: "until %s", Day: "2 January 2006",
	OnePlace: "and 1 more place", ManyPlaces: "and %d more places",
	Skip: "Skip to the content", Meant: "No job has the word “%s”. Searched for instead: %s.",
	Menu: "Language and sign-in", Overview: "Overview", Imprint: "Imprint", PrivacyPage: "Privacy", Order: "Order", Relevance: "Best match", Newest: "Newest first",
	Nearest: "Nearest first",
	Similar: "Open jobs of this kind nearby",
	LeftOut: "No job has all words. Searched without “%s”.",
	Lang:    "en", Intro: "Search the board's open jobs.",
	Text: "What", Place: "Where", Radius: "Within", Search: "Search", Anywhere: "Anywhere",
	Where: "Place and order", Narrow: "Filter", Chosen: "Chosen filters", Drop: "remove", OtherTowns: "Others of this name:",
	NoJobs: "No job matches. But:", NextPage: "Next page", PreviousPage: "Previous page", Pages: "Pages",
	Back: "All jobs", Remote: "Remote", New: "New", FirstSeen: "First seen on %s", ShownAgain: "shown again once", ShownOften: "shown again %d times",
	Confirmed: "Confirmed by the job board %s ago",
	Apply:     "Apply", SignIn: "Sign in", SignOut: "Sign out",
	Privacy: "Privacy statement", ApplyThere: "Apply at the board", Asked: "The job board will ask you:", Nationality: "Nationality",
	Ended: "Your sign-in has ended. Please sign in again.",
	Decisions: map[jobboard.Decision]string{
		jobboard.DecisionMayApply:       "You may apply.",
		jobboard.DecisionAlreadyApplied: "You have applied already. One application per job is possible, and a withdrawn one counts.",
		jobboard.DecisionClosed:         "This job takes no more applications.",
		jobboard.DecisionNotVisible:     "This job is not available to you.",
		jobboard.DecisionNotFound:       "This job is no longer there.",
		jobboard.DecisionUnknown:        "We do not know at the moment whether you have applied already.",
	},
	Stale: "The job board does not answer at the moment. You see what it said %s ago.", Age: "As of %s ago",
	ImprintText: []string{
		"Here stands who runs this site: name and legal form, address, who represents it, e-mail and telephone, the register " +
			"with its number, and the VAT number.",
	},
	PrivacyText: []string{
		"Here stands who is responsible for the data of visitors, what is kept of them, for which purpose and how long, and which " +
			"rights they have.",
		"This site keeps the language that you chose in a cookie, and, while you are signed in, your sign-in. " +
			"Applications are sent at the job board, whose privacy statement each job's page names.",
	},
	texts: jobsite.English(),
}

var german = words{
	Also: "Auch in", Listed: "Eingestellt am %s", Until: "bis %s", Day: "02.01.2006",
	OnePlace: "und 1 weiterer Ort", ManyPlaces: "und %d weitere Orte",
	Skip: "Zum Inhalt springen", Meant: "Keine Stelle hat das Wort „%s“. Stattdessen gesucht: %s.",
	Menu: "Sprache und Anmeldung", Overview: "Übersicht", Imprint: "Impressum", PrivacyPage: "Datenschutz", Order: "Reihenfolge", Relevance: "Passende zuerst",
	Newest: "Neue zuerst", Nearest: "Nahe zuerst",
	Similar: "Offene Stellen dieser Art in der Nähe",
	LeftOut: "Keine Stelle hat alle Wörter. Ohne „%s“ gesucht.",
	Lang:    "de", Intro: "Durchsuchen Sie die offenen Stellen.",
	Text: "Was", Place: "Wo", Radius: "Umkreis", Search: "Suchen", Anywhere: "Überall",
	Where: "Ort und Reihenfolge", Narrow: "Filter", Chosen: "Gewählte Filter", Drop: "entfernen", OtherTowns: "Andere Orte dieses Namens:",
	NoJobs: "Keine Stelle passt. Aber:", NextPage: "Nächste Seite", PreviousPage: "Vorige Seite", Pages: "Seiten",
	Back: "Alle Stellen", Remote: "Homeoffice", New: "Neu", FirstSeen: "Zuerst gesehen am %s", ShownAgain: "einmal wieder eingestellt", ShownOften: "%d-mal wieder eingestellt",
	Confirmed: "Vor %s von der Stellenbörse bestätigt",
	Apply:     "Bewerben", SignIn: "Anmelden", SignOut: "Abmelden",
	Privacy: "Datenschutzerklärung", ApplyThere: "Bei der Stellenbörse bewerben",
	Asked: "Die Stellenbörse wird Sie fragen:", Nationality: "Staatsangehörigkeit",
	Ended: "Ihre Anmeldung ist abgelaufen. Bitte melden Sie sich noch einmal an.",
	Decisions: map[jobboard.Decision]string{
		jobboard.DecisionMayApply:       "Sie können sich bewerben.",
		jobboard.DecisionAlreadyApplied: "Sie haben sich schon beworben. Für jede Stelle ist eine Bewerbung möglich; auch eine zurückgezogene zählt.",
		jobboard.DecisionClosed:         "Für diese Stelle werden keine Bewerbungen mehr angenommen.",
		jobboard.DecisionNotVisible:     "Diese Stelle ist für Sie nicht verfügbar.",
		jobboard.DecisionNotFound:       "Diese Stelle gibt es nicht mehr.",
		jobboard.DecisionUnknown:        "Zurzeit ist nicht bekannt, ob Sie sich schon beworben haben.",
	},
	Stale: "Die Stellenbörse antwortet zurzeit nicht. Sie sehen den Stand von vor %s.", Age: "Stand: vor %s",
	ImprintText: []string{
		"Hier steht, wer diese Seiten betreibt: Name und Rechtsform, Anschrift, wer sie vertritt, E-Mail und Telefon, das Register " +
			"mit seiner Nummer und die Umsatzsteuer-Nummer.",
	},
	PrivacyText: []string{
		"Hier steht, wer für die Daten der Besucher verantwortlich ist, was davon wofür und wie lange gespeichert wird und welche " +
			"Rechte sie haben.",
		"Diese Seiten merken sich in einem Cookie die Sprache, die Sie wählen, und, solange Sie angemeldet sind, Ihre Anmeldung. " +
			"Bewerbungen gehen an die Stellenbörse, deren Datenschutzerklärung auf der Seite jeder Stelle steht.",
	},
	texts: jobsite.German(),
}

func (w words) stale(d time.Duration) string { return fmt.Sprintf(w.Stale, w.ago(d)) }
func (w words) age(d time.Duration) string   { return fmt.Sprintf(w.Age, w.ago(d)) }

// DidYouMean returns what stands before the towns that a visitor may mean, for the template.
func (w words) DidYouMean() string { return w.texts.DidYouMean }

// Building returns the sentence about a copy that is being filled, for the template.
func (w words) Building() string { return w.texts.Building }

// known returns what the copy knows of a job beside its posting.
func (w words) known(job *jobsite.JobPage) (lines []string) {
	if !job.FirstSeen.IsZero() {
		lines = append(lines, fmt.Sprintf(w.FirstSeen, job.FirstSeen.Local().Format(w.Day)))
	}
	if job.ShownAgain == 1 {
		lines = append(lines, w.ShownAgain)
	} else if job.ShownAgain > 1 {
		lines = append(lines, fmt.Sprintf(w.ShownOften, job.ShownAgain))
	}
	return append(lines, fmt.Sprintf(w.Confirmed, w.ago(job.Age)))
}

// Attribution returns the source of the towns, for the template.
func (w words) Attribution() string { return w.texts.Attribution }

// Since returns the day on which a job was listed, or "" if it is unknown, for the template.
func (w words) Since(listed time.Time) string { return w.Days(listed, time.Time{}) }

// Corrected returns the sentence about a word that the search replaced or left out, for the
// template.
func (w words) Corrected(c jobmirror.Correction) string {
	if len(c.Nearest) == 0 {
		return fmt.Sprintf(w.LeftOut, c.Word)
	}
	return fmt.Sprintf(w.Meant, c.Word, strings.Join(c.Nearest, ", "))
}

// MorePlaces returns how many other places a job has, for the template.
func (w words) MorePlaces(n int) string {
	if n == 1 {
		return w.OnePlace
	}
	return fmt.Sprintf(w.ManyPlaces, n)
}

// Days returns the days on which a job was listed and on which it ends, or "" if both are unknown,
// for the template.
func (w words) Days(listed, until time.Time) string {
	var parts []string
	for _, day := range []struct {
		text string
		at   time.Time
	}{{w.Listed, listed}, {w.Until, until}} {
		if !day.at.IsZero() {
			parts = append(parts, fmt.Sprintf(day.text, day.at.Local().Format(w.Day)))
		}
	}
	return strings.Join(parts, ", ")
}

// ago returns a time span in the largest unit that fits.
func (w words) ago(d time.Duration) string {
	units := map[string][4]string{
		"en": {"less than a minute", "min", "h", "days"}, "de": {"weniger als einer Minute", "Min.", "Std.", "Tagen"},
	}[w.Lang]
	switch {
	case d < time.Minute:
		return units[0]
	case d < time.Hour:
		return fmt.Sprintf("%d %s", int(d.Minutes()), units[1])
	case d < 48*time.Hour:
		return fmt.Sprintf("%d %s", int(d.Hours()), units[2])
	}
	return fmt.Sprintf("%d %s", int(d.Hours()/24), units[3])
}

// words returns the texts in the visitor's language.
func (s *site) words(r *http.Request) words { return wordsFor(s.Site.Language(r), german) }

// wordsFor returns the texts of a language, or otherwise for a language without
// texts.
func wordsFor(lang string, otherwise words) words {
	switch base, _ := language.Make(lang).Base(); base.String() {
	case "de":
		return german
	case "en":
		return english
	}
	return otherwise
}
