package evidence

import (
	"fmt"
	"testing"
	"time"
)

var rules = Rules{Refresh: 15 * time.Minute, Lookup: 24 * time.Hour}

const minute = int64(time.Minute / time.Millisecond)

// An answer is believed, or noted with the time until the next lookup.
func TestBelieved(t *testing.T) {
	const now = 2000 * minute
	gone := func(since int64) Doubt { return Doubt{Gone, since} }
	shown := Answer{Says: Gone, Made: now, Known: Open, Shown: true}
	with := func(a Answer, change func(*Answer)) Answer { change(&a); return a }
	for name, c := range map[string]struct {
		answer   Answer
		holds    bool
		believed bool
		doubt    Doubt
		wait     time.Duration
	}{
		"open":                                {with(shown, func(a *Answer) { a.Says = Open }), false, true, Doubt{}, 0},
		"open, while it holds":                {with(shown, func(a *Answer) { a.Says = Open }), true, true, Doubt{}, 0},
		"open, after a doubt":                 {with(shown, func(a *Answer) { a.Says, a.Doubt = Open, gone(now-minute) }), true, true, Doubt{}, 0},
		"closed":                              {with(shown, func(a *Answer) { a.Says = Closed }), false, true, Doubt{}, 0},
		"closed, while it holds":              {with(shown, func(a *Answer) { a.Says = Closed }), true, false, Doubt{Closed, now}, 15 * time.Minute},
		"closed, at first":                    {with(shown, func(a *Answer) { a.Says, a.Known = Closed, Unknown }), true, true, Doubt{}, 0},
		"gone":                                {shown, false, false, gone(now), 15 * time.Minute},
		"gone, at first":                      {with(shown, func(a *Answer) { a.Known = Unknown }), false, false, gone(now), 15 * time.Minute},
		"gone, shown by nobody":               {with(shown, func(a *Answer) { a.Shown = false }), true, true, Doubt{}, 0},
		"gone, after it was closed":           {with(shown, func(a *Answer) { a.Known = Closed }), true, true, Doubt{}, 0},
		"gone, again":                         {with(shown, func(a *Answer) { a.Doubt = gone(now - 15*minute) }), false, true, Doubt{}, 0},
		"gone, at first and again":            {with(shown, func(a *Answer) { a.Known, a.Doubt = Unknown, gone(now-15*minute) }), false, true, Doubt{}, 0},
		"gone, too early":                     {with(shown, func(a *Answer) { a.Doubt = gone(now - 14*minute) }), false, false, gone(now - 14*minute), 15 * time.Minute},
		"gone, again out of a cache":          {with(shown, func(a *Answer) { a.Doubt, a.Made = gone(now-20*minute), now-6*minute }), false, false, gone(now - 20*minute), 20 * time.Minute},
		"gone, again while it holds":          {with(shown, func(a *Answer) { a.Doubt = gone(now - 60*minute) }), true, false, gone(now - 60*minute), time.Hour},
		"gone, after it was closed meanwhile": {with(shown, func(a *Answer) { a.Doubt = Doubt{Closed, now - 15*minute} }), false, true, Doubt{}, 0},
		"gone, for days while it holds":       {with(shown, func(a *Answer) { a.Doubt = gone(now - 72*60*minute) }), true, false, gone(now - 72*60*minute), 24 * time.Hour},
		"closed, after it was held":           {with(shown, func(a *Answer) { a.Says, a.Doubt = Closed, Doubt{Closed, now - minute} }), false, true, Doubt{}, 0},
		"gone, after it was not found":        {with(shown, func(a *Answer) { a.Doubt = Doubt{Unfound, now - 60*minute} }), false, false, gone(now), 15 * time.Minute},
		"gone, noted in the future":           {with(shown, func(a *Answer) { a.Doubt = gone(now + 60*minute) }), false, false, gone(now), 15 * time.Minute},
		"not found":                           {with(shown, func(a *Answer) { a.Says = Unfound }), false, false, Doubt{Unfound, now}, 15 * time.Minute},
		"not found, shown by nobody":          {with(shown, func(a *Answer) { a.Says, a.Shown = Unfound, false }), false, false, Doubt{Unfound, now}, 15 * time.Minute},
		"not found, for an hour":              {with(shown, func(a *Answer) { a.Says, a.Doubt = Unfound, Doubt{Unfound, now - 60*minute} }), false, false, Doubt{Unfound, now - 60*minute}, time.Hour},
		"not found, after it was gone once":   {with(shown, func(a *Answer) { a.Says, a.Doubt = Unfound, gone(now-60*minute) }), false, false, gone(now - 60*minute), time.Hour},
		"opened late":                         {Answer{Says: Open, Known: Closed, Late: true, Made: now}, false, false, Doubt{Open, now}, 15 * time.Minute},
		"opened late, again":                  {Answer{Says: Open, Known: Closed, Late: true, Made: now, Doubt: Doubt{Open, now - 1}}, false, true, Doubt{}, 0},
		"opened late, the same answer":        {Answer{Says: Open, Known: Closed, Late: true, Made: now - 1, Doubt: Doubt{Open, now - 1}}, false, false, Doubt{Open, now - 1}, 15 * time.Minute},
		"opened late, after it was lost":      {Answer{Says: Open, Known: Closed, Late: true, Made: now, Doubt: Doubt{Unfound, now - 60*minute}}, false, false, Doubt{Open, now}, 15 * time.Minute},
	} {
		believed, doubt, wait := rules.Believed(c.answer, c.holds, now)
		if believed != c.believed || doubt != c.doubt || wait != c.wait {
			t.Errorf("%s: %t, %+v, asked again after %s; want %t, %+v, %s", name, believed, doubt, wait, c.believed, c.doubt, c.wait)
		}
	}
	// A doubt is asked about after 15 minutes, then after twice as long each time, up to a day.
	doubt, at, want := Doubt{}, 1000*minute, 15*time.Minute
	for i := range 10 {
		_, next, wait := rules.Believed(with(shown, func(a *Answer) { a.Doubt, a.Made = doubt, at }), true, at)
		if wait != want {
			t.Errorf("answer %d is asked for again after %s, not %s", i, wait, want)
		}
		if doubt, at = next, at+wait.Milliseconds(); i > 0 {
			want = min(2*want, 24*time.Hour)
		}
	}
	// Where lookups come more often than refreshes no wait is longer than theirs.
	short := Rules{Refresh: time.Hour, Lookup: time.Minute}
	if _, _, wait := short.Believed(shown, false, now); wait != time.Minute {
		t.Errorf("asked for again after %s, not a minute", wait)
	}
}

// answers returns so many that end open jobs, by the numbers of the jobs from one on, and then so
// many that leave others open.
func answers(from int64, says Outcome, ends, opens int) (out []Answer) {
	for i := range int64(ends + opens) {
		if int(i) >= ends {
			says = Open
		}
		out = append(out, Answer{Job: from + i, Says: says, Known: Open, Shown: true})
	}
	return out
}

// More than three ends, and more than a fifth of the last 50 answers, are too many.
func TestInquiryHolds(t *testing.T) {
	for _, c := range []struct {
		opens, ends int
		holds       bool
	}{
		{0, 3, false},
		{0, 4, true},
		{16, 4, false},
		{15, 4, true},
		{40, 10, false},
		{39, 10, true},
		{40, 11, true},
		{1000, 10, false},
		{1000, 11, true},
	} {
		for _, says := range []Outcome{Closed, Gone} {
			var q Inquiry
			if q.Count(answers(1, says, 0, c.opens)) {
				t.Errorf("it holds for %d answers that end nothing", c.opens)
			}
			if holds := q.Count(answers(5000, says, c.ends, 0)); holds != c.holds || q.Holds() != c.holds {
				t.Errorf("%d opens and %d ends: it holds for them %t, after them %t", c.opens, c.ends, holds, q.Holds())
			}
		}
	}
	hear := func(name string, holds bool, answers ...Answer) {
		t.Helper()
		var q Inquiry
		if q.Count(answers) != holds {
			t.Errorf("%s: it holds: %t", name, !holds)
		}
	}
	all := func(change func(*Answer)) []Answer {
		list := answers(1, Gone, 40, 0)
		for i := range list {
			change(&list[i])
		}
		return list
	}
	hear("shown by nobody", false, all(func(a *Answer) { a.Shown = false })...)
	hear("not found", false, all(func(a *Answer) { a.Says = Unfound })...)
	hear("first answers, plainly", false, all(func(a *Answer) { a.Says, a.Known = Closed, Unknown })...)
	hear("first answers, unavailable", true, all(func(a *Answer) { a.Known = Unknown })...)
	// A large source that begins to be copied while a board calls every job closed hides no outage.
	var among []Answer
	for i, a := range answers(1, Closed, 4, 0) {
		among = append(among, a)
		for _, first := range answers(int64(100*(i+1)), Closed, 60, 0) {
			first.Known = Unknown
			among = append(among, first)
		}
	}
	hear("among first answers, plainly", true, among...)
	hear("of ended jobs", false, all(func(a *Answer) { a.Known = Closed })...)
	hear("of three jobs again and again", false, all(func(a *Answer) { a.Job %= 3 })...)
	hear("of jobs that are open again", false, append(answers(1, Gone, 3, 0), answers(1, Gone, 1, 2)...)...)
	hear("among answers that came together", true, append(answers(1, Closed, 20, 0), answers(100, Closed, 0, 50)...)...)
}

// An inquiry ceases to hold by answers that end nothing, by the sources, and because answers are forgotten.
func TestInquiryCeasesToHold(t *testing.T) {
	held := func() *Inquiry {
		q := &Inquiry{}
		q.Count(answers(1, Gone, 20, 30))
		return q
	}
	is := func(name string, q *Inquiry, want bool) {
		t.Helper()
		if got := q.Holds(); got != want {
			t.Errorf("%s: it holds: %t", name, got)
		}
		if got := q.Count(nil); got != want {
			t.Errorf("%s: it holds for no answers: %t", name, got)
		}
	}
	q := held()
	is("at first", q, true)
	rest := q.Clone()
	q.Count(answers(100, Gone, 0, 9))
	is("after nine answers that end nothing", q, true)
	q.Count(answers(200, Gone, 0, 1))
	is("after ten", q, false)
	is("a copy from before", &rest, true)

	q = held()
	shown := map[int64]bool{}
	for i := range int64(7) { // 7 of 37 answers are no fifth
		shown[i+1] = true
	}
	q.Keep(shown)
	is("once no source shows most of the jobs", q, false)

	q = held()
	q.Forget([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
	is("once the answers about most of the jobs are forgotten", q, false)
}

func TestCalm(t *testing.T) {
	var q Inquiry
	for i := range 60 {
		if calm := q.Calm(); calm != (i >= lastAnswers) {
			t.Errorf("after %d answers that end nothing: calm %t", i, calm)
		}
		q.Count(answers(int64(i), Gone, 0, 1))
	}
	q.Count(answers(100, Gone, 1, 0))
	if q.Calm() {
		t.Error("calm after an end")
	}
}

// Jobs that nothing names go once that has lasted for Keep, while every source is complete.
func TestUnnamed(t *testing.T) {
	const now = 1000 * minute
	for _, c := range []struct {
		keep     time.Duration
		complete int64
		since    int64
		some     bool
	}{
		{time.Hour, now, 940 * minute, true},
		{time.Hour, 940*minute + 1, 940 * minute, true},
		{time.Hour, 940 * minute, 940 * minute, false}, // not within the time
		{time.Hour, 0, 940 * minute, false},
		{100 * time.Hour, 0, -5000 * minute, false}, // never complete
		{-1, now, now, false},
	} {
		since, some := Rules{Keep: c.keep}.Unnamed(c.complete, now)
		if some != c.some || some && since != c.since {
			t.Errorf("kept for %s, complete at %d: since %d, %t; not %d, %t", c.keep, c.complete, since, some, c.since, c.some)
		}
	}
}

// FuzzHear holds what is heard to what the words say: counted anew from all that was heard.
func FuzzHear(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 255, 254, 253})
	f.Fuzz(func(t *testing.T, heard []byte) {
		var (
			q   Inquiry
			all []counted
		)
		for _, b := range heard {
			a := Answer{Job: int64(b % 16), Says: Outcome(1 + b/16%4), Known: Outcome(b / 64 % 3), Shown: true}
			before := q.Holds()
			holds := q.Count([]Answer{a})
			if holds != (before || q.Holds()) {
				t.Fatalf("it holds for an answer: %t; before it %t, after it %t", holds, before, q.Holds())
			}
			first, ended := a.Known == Unknown, a.Known == Closed
			if a.Says == Unfound || ended && a.Says != Open || first && a.Says == Closed {
				continue
			}
			all = append(all, counted{a.Job, a.Says != Open && !ended})
			last := all[max(0, len(all)-50):]
			ends := map[int64]bool{}
			for _, h := range last {
				ends[h.job] = h.ends
			}
			n := 0
			for _, e := range ends {
				if e {
					n++
				}
			}
			if fmt.Sprint(last) != fmt.Sprint(q.counted) || (n > 3 && 5*n > len(last)) != q.Holds() {
				t.Fatalf("of %v %v are counted, it holds: %t", last, q.counted, q.Holds())
			}
		}
	})
}
