package jobsite

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
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
	// Filters has the headings of Results.Groups by their names, Categories the words for the board's identifiers of
	// categories, without which a page does not offer them, and Remote those for statuses of remote work.
	Filters, Categories map[string]string
	Remote              map[jobboard.RemoteStatus]string
	SinceDay, SinceDays string            // a filter of a day, and of more; {days} is replaced
	Around              string            // a circle; {km} and {town} are replaced
	Quoted              string            // the words searched for; {text} is replaced
	Job, Jobs           string            // how many jobs there are, one and others; {n} is replaced
	Languages           map[string]string // names of languages by their codes, as they stand in InLanguage
	// Without and InLanguage are the words of Results.Leads; {filters}, {language} and {jobs} are replaced.
	Without, InLanguage string
	Everywhere          string // see Results.NothingAnywhere
	Building            string // in a list while the copy is filled: jobs may be missing
	Other               string // in place of any missing text
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

// Count returns how many jobs there are in words.
func (t Texts) Count(n int) string {
	text := t.Jobs
	if n == 1 {
		text = t.Job
	}
	return strings.ReplaceAll(cmp.Or(text, "{n}"), "{n}", strconv.Itoa(n))
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
			NoTown:       "“{value}” is not a town. We searched everywhere.",
			NoDays:       "“{value}” is not a number of days. These are jobs of any age.",
		},
		Filters: map[string]string{
			"since": "Posted", "company": "Company", "remote": "Remote work", "category": "Category", "place": "Place",
		},
		Remote:   map[jobboard.RemoteStatus]string{jobboard.RemoteFully: "fully remote"},
		SinceDay: "since yesterday", SinceDays: "in the last {days} days",
		Around: "within {km} km of {town}", Quoted: "“{text}”", Job: "1 job", Jobs: "{n} jobs",
		Languages:  map[string]string{"de": "German", "en": "English"},
		Without:    "Without “{filters}”: {jobs}",
		InLanguage: "In {language}: {jobs}",
		Everywhere: "We searched everywhere, with any filter and in every language.",
		Building:   "The jobs are being read in just now: some may be missing.",
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
			NoTown:       "„{value}“ ist kein Ort. Wir haben überall gesucht.",
			NoDays:       "„{value}“ ist keine Zahl von Tagen. Sie sehen Stellen jeden Alters.",
		},
		Filters: map[string]string{
			"since": "Eingestellt", "company": "Unternehmen", "remote": "Homeoffice", "category": "Bereich", "place": "Ort",
		},
		Remote:   map[jobboard.RemoteStatus]string{jobboard.RemoteFully: "nur im Homeoffice"},
		SinceDay: "seit gestern", SinceDays: "in den letzten {days} Tagen",
		Around: "{km} km um {town}", Quoted: "„{text}“", Job: "1 Stelle", Jobs: "{n} Stellen",
		Languages:  map[string]string{"de": "Deutsch", "en": "Englisch"},
		Without:    "Ohne „{filters}“: {jobs}",
		InLanguage: "Auf {language}: {jobs}",
		Everywhere: "Wir haben überall gesucht, mit jedem Filter und in jeder Sprache.",
		Building:   "Die Stellen werden gerade eingelesen: Einige können noch fehlen.",
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
