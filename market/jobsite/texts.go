package jobsite

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/prescreen"
)

// Texts holds the sentences of a site in one language. A site may change the German and
// English sentences, and write others.
type Texts struct {
	Language   string // such as "de"
	Situations map[Situation]string
	// Problems say what is wrong with an answer. {limit} and {length} are replaced
	// by the problem's numbers.
	Problems map[prescreen.Reason]string
	Lists    map[ListReason]string // errors of a search; {value} is replaced by the typed value
	Statuses map[int]string        // sentences in place of a page, by status; see Status
	// RetryMinute and RetryMinutes replace the text of status 503, for a page that lacks an answer of
	// the board, if the wait is known, up to a minute or longer; {minutes} is replaced by its minutes.
	RetryMinute, RetryMinutes string
	Attribution               string // the line Attribution in this language
	DidYouMean                string // before the towns of Results.Meant
	Nationality               string // label of the nationality field, which the board does not label
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
// the status, Status returns the text of the situation Closed for 410, of Busy for 429, and
// of status 500, or else 503, for other statuses from 500.
func (t Texts) Status(status int) string {
	switch text := t.Statuses[status]; {
	case text != "":
		return text
	case status == http.StatusGone:
		return t.Situation(Closed)
	case status == http.StatusTooManyRequests:
		return t.Situation(Busy)
	case status >= http.StatusInternalServerError:
		return cmp.Or(t.Statuses[http.StatusInternalServerError], t.Statuses[http.StatusServiceUnavailable], t.Other)
	}
	return t.Other
}

// Situation returns the text for a situation.
func (t Texts) Situation(s Situation) string { return cmp.Or(t.Situations[s], t.Other) }

// Problem returns the sentence to show beside the field with a wrong answer.
func (t Texts) Problem(p prescreen.Problem) string {
	text := cmp.Or(t.Problems[p.Reason], t.Other)
	return strings.NewReplacer("{limit}", strconv.Itoa(p.Limit), "{length}", strconv.Itoa(p.Length)).Replace(text)
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
		Other:        "That did not work. Please try again.", Nationality: "Nationality",
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
			http.StatusInternalServerError: "This page cannot be shown at the moment. Please try again in a few minutes.",
			http.StatusServiceUnavailable:  "We have no current answer of the job board to show here. Please try again in a few minutes.",
		},
		Situations: map[Situation]string{
			MayApply:         "You may apply.",
			AlreadyApplied:   "You have applied already. One application per job is possible, and a withdrawn one counts.",
			Closed:           "This job takes no more applications.",
			NotVisible:       "This job is not available.",
			Gone:             "This job is no longer there.",
			SignInFirst:      "Sign in to see whether you may apply.",
			SignInAgain:      "Your sign-in has ended. Please sign in again.",
			SignInRefused:    "The job board does not accept your sign-in. Please try again later.",
			Busy:             "The job board is busy. Please try again in a minute.",
			NotChecked:       "We cannot check at the moment whether you may apply. Please try again in a few minutes.",
			AppliedUnknown:   "We do not know at the moment whether you have applied already. The form asks the job board again.",
			SignInToSend:     "Your sign-in has ended, and your answers are still here. Sign in in a new window, then send them from this one.",
			SignInNotOffered: "You apply on the job board's own page.",
			SignedInAnew:     "Somebody has signed in since you opened this form. If it was you, please check your answers and send them again.",
		},
		Problems: map[prescreen.Reason]string{
			prescreen.ReasonMissing:            "Please answer this question.",
			prescreen.ReasonNationalityMissing: "Please choose your nationality.",
			prescreen.ReasonNotOffered:         "Please choose one of the answers.",
			prescreen.ReasonUnclearYesNo:       "Please choose one of the answers.",
			prescreen.ReasonNationality:        "Please choose one from the list.",
			prescreen.ReasonTooLong:            "Please use at most {limit} characters; these are {length}.",
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
		Other:        "Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.", Nationality: "Staatsangehörigkeit",
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
			http.StatusInternalServerError: "Diese Seite kann zurzeit nicht gezeigt werden. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
			http.StatusServiceUnavailable: "Für diese Seite fehlt uns zurzeit die Antwort der Stellenbörse. " +
				"Bitte versuchen Sie es in ein paar Minuten noch einmal.",
		},
		Situations: map[Situation]string{
			MayApply:       "Sie können sich bewerben.",
			AlreadyApplied: "Sie haben sich schon beworben. Für jede Stelle ist eine Bewerbung möglich; auch eine zurückgezogene zählt.",
			Closed:         "Für diese Stelle werden keine Bewerbungen mehr angenommen.",
			NotVisible:     "Diese Stelle ist nicht verfügbar.",
			Gone:           "Diese Stelle gibt es nicht mehr.",
			SignInFirst:    "Melden Sie sich an, um zu sehen, ob Sie sich bewerben können.",
			SignInAgain:    "Ihre Anmeldung ist abgelaufen. Bitte melden Sie sich noch einmal an.",
			SignInRefused:  "Die Stellenbörse nimmt Ihre Anmeldung nicht an. Bitte versuchen Sie es später noch einmal.",
			Busy:           "Die Stellenbörse ist ausgelastet. Bitte versuchen Sie es in einer Minute noch einmal.",
			NotChecked:     "Wir können zurzeit nicht prüfen, ob Sie sich bewerben können. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
			AppliedUnknown: "Zurzeit ist nicht bekannt, ob Sie sich schon beworben haben. Das Formular fragt noch einmal nach.",
			SignInToSend: "Ihre Anmeldung ist abgelaufen, Ihre Antworten stehen noch hier. " +
				"Melden Sie sich in einem neuen Fenster an und senden Sie sie dann von hier.",
			SignInNotOffered: "Sie bewerben sich auf der Seite der Stellenbörse.",
			SignedInAnew: "Seit Sie dieses Formular geöffnet haben, hat sich jemand angemeldet. " +
				"Wenn Sie das waren, prüfen Sie bitte Ihre Antworten und senden Sie sie noch einmal.",
		},
		Problems: map[prescreen.Reason]string{
			prescreen.ReasonMissing:            "Bitte beantworten Sie diese Frage.",
			prescreen.ReasonNationalityMissing: "Bitte wählen Sie Ihre Staatsangehörigkeit.",
			prescreen.ReasonNotOffered:         "Bitte wählen Sie eine der Antworten.",
			prescreen.ReasonUnclearYesNo:       "Bitte wählen Sie eine der Antworten.",
			prescreen.ReasonNationality:        "Bitte wählen Sie aus der Liste.",
			prescreen.ReasonTooLong:            "Bitte höchstens {limit} Zeichen; es sind {length}.",
		},
	}
}
