package jobmcp

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A list has room for an entry that just fits, with its comma, and not for one that is
// a byte too long.
func TestRoomTakesWhatJustFits(t *testing.T) {
	const text = `"1234567"` // as JSON
	for _, c := range []struct {
		left  int
		takes bool
	}{
		{len(text) + 2, true}, {len(text) + 1, true}, {len(text), false},
	} {
		var (
			list    []string
			leftOut int
			space   = &room{c.left}
		)
		put(space, &list, strings.Trim(text, `"`), &leftOut)
		if takes := len(list) == 1; takes != c.takes || leftOut+len(list) != 1 {
			t.Errorf("%d bytes of room: %q, %d left out", c.left, list, leftOut)
		}
		if want := c.left - len(text) - 1; c.takes && space.left != want {
			t.Errorf("%d bytes of room: %d are left, want %d", c.left, space.left, want)
		}
	}
}

// Lists end at their bounds, and tell what they leave out.
func TestListsEndAtTheirBounds(t *testing.T) {
	srv := demo(t)
	ask := func(questions, answers int) called {
		list := make([]jobboardtest.Question, questions)
		for i := range list {
			list[i] = jobboardtest.Question{ID: strconv.Itoa(i + 1), Type: "TEXT", Label: "Why?"}
		}
		list[0].Type = "CATALOG"
		for i := range answers {
			list[0].Answers = append(list[0].Answers, jobboardtest.Choice{ID: strconv.Itoa(i + 1), Label: "Because"})
		}
		job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook", Questions: list})
		return use(t, connect(t, setting{}.server(t, srv)), "job_information", fmt.Sprintf(`{"job":"%d"}`, job.ID))
	}
	whole := ask(maxQuestions, maxAnswers)
	whole.want(t, false, `{"id":"60","foreign_label":"Because"}`, `{"id":"100",`)
	for _, word := range []string{"answers_left_out", "questions_left_out"} {
		if strings.Contains(whole.text, word) {
			t.Errorf("%s, of a job at the bounds", word)
		}
	}
	ask(maxQuestions+1, maxAnswers+1).want(t, false, `"answers_left_out":1`, `"questions_left_out":1`)
}
