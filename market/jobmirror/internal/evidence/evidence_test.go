package evidence

import (
	"fmt"
	"testing"
	"time"
)

var rules = Rules{Refresh: 15 * time.Minute, Lookup: 24 * time.Hour, Hold: 24 * time.Hour}

const minute = int64(time.Minute / time.Millisecond)

// An answer is believed, or noted with the time until the next lookup.
func TestBelieved(t *testing.T) {
	const now = 2000 * minute
	gone := func(since int64) Doubt { return Doubt{Gone, since} }
	shown := Answer{Says: Gone, Made: now, Known: Open, Shown: true}
	with := func(a Answer, change func(*Answer)) Answer { change(&a); return a }
	for name, c := range map[string]struct {
		answer   Answer
		wave     bool
		believed bool
		doubt    Doubt
		wait     time.Duration
	}{
		"open":                              {with(shown, func(a *Answer) { a.Says = Open }), false, true, Doubt{}, 0},
		"open, in a wave":                   {with(shown, func(a *Answer) { a.Says = Open }), true, true, Doubt{}, 0},
		"open, after a doubt":               {with(shown, func(a *Answer) { a.Says, a.Doubt = Open, gone(now-minute) }), true, true, Doubt{}, 0},
		"closed":                            {with(shown, func(a *Answer) { a.Says = Closed }), false, true, Doubt{}, 0},
		"closed, in a wave":                 {with(shown, func(a *Answer) { a.Says = Closed }), true, false, Doubt{Closed, now}, 15 * time.Minute},
		"closed, at first":                  {with(shown, func(a *Answer) { a.Says, a.Known = Closed, Unknown }), true, true, Doubt{}, 0},
		"gone":                              {shown, false, false, gone(now), 15 * time.Minute},
		"gone, at first":                    {with(shown, func(a *Answer) { a.Known = Unknown }), false, false, gone(now), 15 * time.Minute},
		"gone, shown by nobody":             {with(shown, func(a *Answer) { a.Shown = false }), true, true, Doubt{}, 0},
		"gone, after it was closed":         {with(shown, func(a *Answer) { a.Known = Closed }), true, true, Doubt{}, 0},
		"gone, again":                       {with(shown, func(a *Answer) { a.Doubt = gone(now - 15*minute) }), false, true, Doubt{}, 0},
		"gone, at first and again":          {with(shown, func(a *Answer) { a.Known, a.Doubt = Unknown, gone(now-15*minute) }), false, true, Doubt{}, 0},
		"gone, too early":                   {with(shown, func(a *Answer) { a.Doubt = gone(now - 14*minute) }), false, false, gone(now - 14*minute), 15 * time.Minute},
		"gone, again out of a cache":        {with(shown, func(a *Answer) { a.Doubt, a.Made = gone(now-20*minute), now-6*minute }), false, false, gone(now - 20*minute), 20 * time.Minute},
		"gone, again in a wave":             {with(shown, func(a *Answer) { a.Doubt = gone(now - 60*minute) }), true, false, gone(now - 60*minute), time.Hour},
		"gone, after it was closed in one":  {with(shown, func(a *Answer) { a.Doubt = Doubt{Closed, now - 15*minute} }), false, true, Doubt{}, 0},
		"gone, after it was not found":      {with(shown, func(a *Answer) { a.Doubt = Doubt{Unfound, now - 60*minute} }), false, false, gone(now), 15 * time.Minute},
		"gone, noted in the future":         {with(shown, func(a *Answer) { a.Doubt = gone(now + 60*minute) }), false, false, gone(now), 15 * time.Minute},
		"in a wave for less than a day":     {with(shown, func(a *Answer) { a.Doubt = gone(now - 24*60*minute + 1) }), true, false, gone(now - 24*60*minute + 1), 24*time.Hour - time.Millisecond},
		"in a wave for a day":               {with(shown, func(a *Answer) { a.Doubt = gone(now - 24*60*minute) }), true, true, Doubt{}, 0},
		"closed, in a wave for a day":       {with(shown, func(a *Answer) { a.Says, a.Doubt = Closed, Doubt{Closed, now - 24*60*minute} }), true, true, Doubt{}, 0},
		"not found":                         {with(shown, func(a *Answer) { a.Says = Unfound }), false, false, Doubt{Unfound, now}, 15 * time.Minute},
		"not found, shown by nobody":        {with(shown, func(a *Answer) { a.Says, a.Shown = Unfound, false }), false, false, Doubt{Unfound, now}, 15 * time.Minute},
		"not found, for an hour":            {with(shown, func(a *Answer) { a.Says, a.Doubt = Unfound, Doubt{Unfound, now - 60*minute} }), false, false, Doubt{Unfound, now - 60*minute}, time.Hour},
		"not found, after it was gone once": {with(shown, func(a *Answer) { a.Says, a.Doubt = Unfound, gone(now-60*minute) }), false, false, gone(now - 60*minute), time.Hour},
		"opened late":                       {Answer{Says: Open, Known: Closed, Late: true, Made: now}, false, false, Doubt{Open, now}, 15 * time.Minute},
		"opened late, again":                {Answer{Says: Open, Known: Closed, Late: true, Made: now, Doubt: Doubt{Open, now - 1}}, false, true, Doubt{}, 0},
		"opened late, the same answer":      {Answer{Says: Open, Known: Closed, Late: true, Made: now - 1, Doubt: Doubt{Open, now - 1}}, false, false, Doubt{Open, now - 1}, 15 * time.Minute},
		"opened late, after it was lost":    {Answer{Says: Open, Known: Closed, Late: true, Made: now, Doubt: Doubt{Unfound, now - 60*minute}}, false, false, Doubt{Open, now}, 15 * time.Minute},
	} {
		believed, doubt, wait := rules.Believed(c.answer, c.wave, now)
		if believed != c.believed || doubt != c.doubt || wait != c.wait {
			t.Errorf("%s: %t, %+v, asked again after %s; want %t, %+v, %s", name, believed, doubt, wait, c.believed, c.doubt, c.wait)
		}
	}
	// A doubt is asked about after 15 minutes, then after twice as long each time, up to a day.
	long := rules
	long.Hold = 1000 * time.Hour
	doubt, at, want := Doubt{}, 1000*minute, 15*time.Minute
	for i := range 10 {
		_, next, wait := long.Believed(with(shown, func(a *Answer) { a.Doubt, a.Made = doubt, at }), true, at)
		if wait != want {
			t.Errorf("answer %d is asked for again after %s, not %s", i, wait, want)
		}
		if doubt, at = next, at+wait.Milliseconds(); i > 0 {
			want = min(2*want, 24*time.Hour)
		}
	}
	// Where lookups come more often than refreshes no wait is longer than theirs.
	short := Rules{Refresh: time.Hour, Lookup: time.Minute, Hold: time.Hour}
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

// More than three ends, and more than a fifth of the last 50 answers, are a wave.
func TestWave(t *testing.T) {
	for _, c := range []struct {
		opens, ends int
		wave        bool
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
			if rules.Count(&q, answers(1, says, 0, c.opens), 1) {
				t.Errorf("%d answers that end nothing are a wave", c.opens)
			}
			if wave := rules.Count(&q, answers(5000, says, c.ends, 0), 2); wave != c.wave || (q.Since == 2) != c.wave {
				t.Errorf("%d opens and %d ends: a wave is %t, since %d", c.opens, c.ends, wave, q.Since)
			}
		}
	}
	hear := func(name string, wave bool, answers ...Answer) {
		t.Helper()
		var q Inquiry
		if rules.Count(&q, answers, 1) != wave {
			t.Errorf("%s: a wave is %t", name, !wave)
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
	// A large source that begins to be copied while a board calls every job closed hides no wave.
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

// A wave ends by itself, by the sources, after Hold, or because a person accepts it.
func TestWaveEnds(t *testing.T) {
	wave := func() *Inquiry {
		q := &Inquiry{}
		rules.Count(q, answers(1, Gone, 20, 30), minute)
		return q
	}
	is := func(name string, q *Inquiry, now int64, want bool) {
		t.Helper()
		if got := rules.Holds(*q, now); got != want {
			t.Errorf("%s: the wave is held: %t", name, got)
		}
		if got := rules.Count(q, nil, now); got != want {
			t.Errorf("%s: nothing is heard in a wave that is held: %t", name, got)
		}
	}
	q := wave()
	is("after an hour", q, 61*minute, true)
	is("after a day but a minute", q, 24*60*minute, true)
	is("after a day", q, (24*60+1)*minute, false)
	if !q.Accepted {
		t.Error("a wave that was held for long enough is not believed")
	}
	rules.Count(q, answers(500, Gone, 30, 0), 30*60*minute)
	is("and more of it", q, 30*60*minute, false)
	rules.Count(q, answers(600, Gone, 0, 50), 31*60*minute)
	rules.Count(q, answers(700, Gone, 20, 0), 32*60*minute)
	is("another one, after answers that end nothing", q, 33*60*minute, true)

	q = wave()
	rules.Count(q, answers(100, Gone, 0, 40), 2*minute)
	is("after 40 answers that end nothing", q, 2*minute, false)

	q = wave()
	shown := map[int64]bool{}
	for i := range int64(7) { // 7 of 37 answers are no fifth
		shown[i+1] = true
	}
	q.Keep(shown, 2*minute)
	is("once no source shows most of the jobs", q, 2*minute, false)

	q = wave()
	q.Accept()
	is("accepted", q, 2*minute, false)
	rules.Count(q, answers(100, Gone, 30, 0), 2*minute)
	is("accepted, and more of it", q, 3*minute, false)

	q = &Inquiry{}
	q.Accept()
	rules.Count(q, answers(100, Gone, 30, 0), 2*minute)
	is("accepted before there was any", q, 3*minute, true)

	q = wave()
	if now := int64(1); !rules.Count(q, nil, now) || q.Since != now {
		t.Errorf("a wave of the future began %d", q.Since)
	}
	never := rules
	never.Hold = -1
	if q := wave(); never.Count(q, answers(100, Gone, 30, 0), 2*minute) || never.Holds(*q, 2*minute) {
		t.Error("a wave is held where nothing is")
	}
}

func TestCalm(t *testing.T) {
	var q Inquiry
	for i := range 60 {
		if calm := q.Calm(); calm != (i >= lastAnswers) {
			t.Errorf("after %d answers that end nothing: calm %t", i, calm)
		}
		rules.Count(&q, answers(int64(i), Gone, 0, 1), 1)
	}
	rules.Count(&q, answers(100, Gone, 1, 0), 1)
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
			all []Counted
		)
		for i, b := range heard {
			a := Answer{Job: int64(b % 16), Says: Outcome(1 + b/16%4), Known: Outcome(b / 64 % 3), Shown: true}
			wave := rules.Count(&q, []Answer{a}, int64(i+1))
			first, ended := a.Known == Unknown, a.Known == Closed
			if a.Says == Unfound || ended && a.Says != Open || first && a.Says == Closed {
				continue
			}
			all = append(all, Counted{a.Job, a.Says != Open && !ended})
			last := all[max(0, len(all)-50):]
			ends := map[int64]bool{}
			for _, h := range last {
				ends[h.Job] = h.Ends
			}
			n := 0
			for _, e := range ends {
				if e {
					n++
				}
			}
			if fmt.Sprint(last) != fmt.Sprint(q.Counted) || (n > 3 && 5*n > len(last)) != (q.Since > 0) {
				t.Fatalf("of %v %v are counted, a wave since %d", last, q.Counted, q.Since)
			}
			if q.Since > 0 && !wave {
				t.Fatal("a wave is not held")
			}
		}
	})
}
