package control

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// filter finds requests of the journal by words, all of which must fit. A word of three digits is a
// status; any other is looked for in what the row shows and in the answer's body. A filter without
// words fits every request.
type filter struct {
	statuses []int
	words    []string // in lower case
	// answerHolds reports whether the answer to a request has a word, which is in lower case.
	answerHolds func(number int, word string) bool
}

var statusWord = regexp.MustCompile(`^[1-9][0-9]{2}$`)

func (c *Control) filter(text string) filter {
	f := filter{answerHolds: c.inside.AnswerHolds}
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if statusWord.MatchString(word) {
			status, _ := strconv.Atoi(word)
			f.statuses = append(f.statuses, status)
		} else {
			f.words = append(f.words, word)
		}
	}
	return f
}

func (f filter) fits(r jobboardtest.Request) bool {
	for _, status := range f.statuses {
		if r.Status != status {
			return false
		}
	}
	if len(f.words) == 0 {
		return true
	}
	shown := row(r).text()
	for _, word := range f.words {
		if !strings.Contains(shown, word) && !f.answerHolds(r.Number, word) {
			return false
		}
	}
	return true
}
