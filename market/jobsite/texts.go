package jobsite

import (
	"cmp"
	"net/http"
	"strings"
	"time"
)

// Texts holds the sentences of a site in one language. A site may change the German and
// English sentences, and write others.
type Texts struct {
	Language string                // such as "de"
	Lists    map[ListReason]string // errors of a search; {value} is replaced by the typed value
	Statuses map[int]string        // sentences in place of a page, by status; see Status
	Gone     string                // in place of a job that the board had and no longer has
	NoAnswer string                // see Unanswered; {time} is replaced
	// RetryMinute and RetryMinutes replace the text of status 503, for a page that lacks an answer of
	// the board, if the wait is known, up to a minute or longer; {minutes} is replaced by its minutes.
	RetryMinute, RetryMinutes string
	Attribution               string // the line Attribution in this language
	DidYouMean                string // before the towns of Results.Meant
	Other                     string // in place of any missing text
}

// textsIn returns German texts for a language such as "de" or "de-AT", and English texts for
// every other language.
func textsIn(language string) Texts {
	if strings.HasPrefix(language, "de") {
		return German()
	}
	return English()
}

// Status returns the sentence to show in place of a page, by its status. If Statuses lacks
// the status, Status returns the text of status 500, or else 503, for other statuses from 500.
func (t Texts) Status(status int) string {
	text := t.Statuses[status]
	if text == "" && status >= http.StatusInternalServerError {
		text = cmp.Or(t.Statuses[http.StatusInternalServerError], t.Statuses[http.StatusServiceUnavailable])
	}
	return cmp.Or(text, t.Other)
}

// Unanswered returns the sentence about a board that gave no answer at a time, as [JobPage.NoAnswer] has it, or "" for
// the zero time. It names the time of this machine's zone.
func (t Texts) Unanswered(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return strings.ReplaceAll(cmp.Or(t.NoAnswer, t.Other), "{time}", at.Local().Format("15:04"))
}

// ListProblem returns the sentence for a wrong value in a list's address.
func (t Texts) ListProblem(p ListProblem) string {
	return strings.ReplaceAll(cmp.Or(t.Lists[p.Reason], t.Other), "{value}", p.Value)
}

// English returns the texts in English. The caller may change them.
func English() Texts {
	return Texts{
		Language:     "en",
		RetryMinute:  "We have no current answer of the job board to show here. Please try again in a minute.",
		RetryMinutes: "We have no current answer of the job board to show here. Please try again in {minutes} minutes.",
		Attribution:  Attribution,
		DidYouMean:   "Did you mean",
		Other:        "That did not work. Please try again.",
		Gone:         "This job is no longer there.",
		NoAnswer:     "The job board did not answer at {time}. What you see is what it said before that.",
		Lists: map[ListReason]string{
			SeveralTowns: "There are two places with the postal code “{value}”. We searched everywhere.",
			UnknownTown:  "We do not know the place “{value}”. We searched everywhere.",
			OtherTown:    "The postal code and the town of “{value}” do not belong together. We searched around the postal code.",
			NoRadius:     "“{value}” is not a distance in kilometres.",
			NoOrder:      "“{value}” is not an order. The jobs that fit best come first.",
			TextTooLong:  "That is too long to search for. These are jobs with any words.",
		},
		Statuses: map[int]string{
			http.StatusNotFound:            "There is no such page.",
			http.StatusMethodNotAllowed:    "This page cannot be used like this.",
			http.StatusGone:                "This job takes no more applications.",
			http.StatusTooManyRequests:     "The job board is busy. Please try again in a minute.",
			http.StatusInternalServerError: "This page cannot be shown at the moment. Please try again in a few minutes.",
			http.StatusServiceUnavailable:  "We have no current answer of the job board to show here. Please try again in a few minutes.",
		},
	}
}

// German returns the texts in German. The caller may change them.
func German() Texts {
	return Texts{
		Language:     "de",
		RetryMinute:  "Für diese Seite fehlt uns zurzeit die Antwort der Stellenbörse. Bitte versuchen Sie es in einer Minute noch einmal.",
		RetryMinutes: "Für diese Seite fehlt uns zurzeit die Antwort der Stellenbörse. Bitte versuchen Sie es in {minutes} Minuten noch einmal.",
		Attribution:  "Orte und Postleitzahlen: geonames.org, CC BY 4.0",
		DidYouMean:   "Meinten Sie",
		Other:        "Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.",
		Gone:         "Diese Stelle gibt es nicht mehr.",
		NoAnswer:     "Die Stellenbörse hat um {time} Uhr nicht geantwortet. Sie sehen, was sie davor gesagt hat.",
		Lists: map[ListReason]string{
			SeveralTowns: "Die Postleitzahl „{value}“ gibt es zweimal. Wir haben überall gesucht.",
			UnknownTown:  "Den Ort „{value}“ kennen wir nicht. Wir haben überall gesucht.",
			OtherTown:    "Postleitzahl und Ort passen bei „{value}“ nicht zusammen. Wir haben um die Postleitzahl gesucht.",
			NoRadius:     "„{value}“ ist keine Entfernung in Kilometern.",
			NoOrder:      "„{value}“ ist keine Reihenfolge. Was am besten passt, steht vorn.",
			TextTooLong:  "Das ist zu lang zum Suchen. Sie sehen Stellen mit beliebigen Wörtern.",
		},
		Statuses: map[int]string{
			http.StatusNotFound:            "Diese Seite gibt es nicht.",
			http.StatusMethodNotAllowed:    "So lässt sich diese Seite nicht benutzen.",
			http.StatusGone:                "Für diese Stelle werden keine Bewerbungen mehr angenommen.",
			http.StatusTooManyRequests:     "Die Stellenbörse ist ausgelastet. Bitte versuchen Sie es in einer Minute noch einmal.",
			http.StatusInternalServerError: "Diese Seite kann zurzeit nicht gezeigt werden. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
			http.StatusServiceUnavailable: "Für diese Seite fehlt uns zurzeit die Antwort der Stellenbörse. " +
				"Bitte versuchen Sie es in ein paar Minuten noch einmal.",
		},
	}
}
