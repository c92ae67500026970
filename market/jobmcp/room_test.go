package jobmcp

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A list has room for an entry that just fits, with its comma, and none for an entry a byte
// longer.
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
	whole := ask(100, 60)
	whole.want(t, false, `{"id":"60","foreign_label":"Because"}`, `{"id":"100",`)
	for _, word := range []string{"answers_left_out", "questions_left_out"} {
		if strings.Contains(whole.text, word) {
			t.Errorf("%s, of a job at the bounds", word)
		}
	}
	ask(101, 61).want(t, false, `"answers_left_out":1`, `"questions_left_out":1`)
}

// The nationalities of a result take room from its questions, so that both fit.
func TestNationalitiesTakeRoom(t *testing.T) {
	srv := demo(t)
	long := strings.Repeat("中", 200)
	var list []jobboardtest.Choice
	for i := range 30 {
		list = append(list, jobboardtest.Choice{ID: strconv.Itoa(i + 1), Label: long})
	}
	state := srv.Snapshot()
	state.Nationalities = map[string][]jobboardtest.Choice{"de": list, "en": list}
	if err := srv.Restore(state); err != nil {
		t.Fatal(err)
	}
	questions := make([]jobboardtest.Question, 100)
	for i := range questions {
		questions[i] = jobboardtest.Question{ID: strconv.Itoa(i + 1), Type: "TEXT", Label: strings.Repeat("x", 1000)}
	}
	job, _ := srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "Cook", Questions: questions})
	session := connect(t, setting{}.server(t, srv))
	without := use(t, session, "job_information", fmt.Sprintf(`{"job":"%d"}`, job.ID)).want(t, false, `"questions_left_out":`)
	with := use(t, session, "job_information", fmt.Sprintf(`{"job":"%d","nationality":"中"}`, job.ID)).want(t, false, `"questions_left_out":`)
	if n := strings.Count(with.text, long); n != maxNationList {
		t.Errorf("%d nationalities", n)
	}
	const question = `"kind":"one line of text"`
	if a, b := strings.Count(without.text, question), strings.Count(with.text, question); a == 0 || b == 0 || b >= a {
		t.Errorf("%d questions, and %d beside nationalities", a, b)
	}
}

// As many changes of a kind are listed as the bound says, and what is beyond it is counted.
func TestChangesEndAtTheirBound(t *testing.T) {
	srv := demo(t)
	session := connect(t, setting{}.server(t, srv))
	use(t, session, "what_changed", `{}`).want(t, false, "this is the first look")
	for i := range 50 {
		srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: fmt.Sprint("Cook ", i)})
	}
	if r := use(t, session, "what_changed", `{}`); strings.Count(r.text, `"change":"added"`) != maxPerKind || strings.Contains(r.text, "changes_left_out") {
		t.Errorf("of %d changes: %s", maxPerKind, r.text)
	}
	srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: "One more"})
	r := use(t, session, "what_changed", `{}`).want(t, false, `"changes_left_out":1`)
	if n := strings.Count(r.text, `"change":"added"`); n != maxPerKind {
		t.Errorf("%d changes are listed", n)
	}
}

// An advertisement is cut by halves, and no more than until its entry fits.
func TestCutsNoMoreThanItMust(t *testing.T) {
	p := &jobboard.JobPosting{Title: "Cook", Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyAdText: {strings.Repeat("x", 2000)}})}
	whole := entryOf(p, 2000)
	for _, c := range []struct {
		left int // bytes of room
		most int // characters of the advertisement in the entry
	}{
		{sizeOf(whole), 2000},
		{sizeOf(whole) - 1, 1000},
		{sizeOf(entryOf(p, 1000)), 1000},
		{sizeOf(entryOf(p, 1000)) - 1, 500},
		{sizeOf(entryOf(p, 1)), 1},
	} {
		got, want := (&room{c.left}).cut(whole, p), entryOf(p, c.most)
		if got.Advertisement != want.Advertisement || got.Cut != want.Cut {
			t.Errorf("%d bytes of room: %d characters, want %d", c.left, len(got.Advertisement), len(want.Advertisement))
		}
	}
	if e := entryOf(p, 0); e.Advertisement != "" || e.Cut {
		t.Errorf("an advertisement that nobody asked for: %+v", e)
	}
}
