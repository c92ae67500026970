package evidence

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// subject is a job of a simulated copy.
type subject struct {
	due   int64
	known Outcome
	doubt Doubt

	ends   int64 // when it ends; 0: never
	as     Outcome
	hidden bool // the source ceases to show it as it ends
	learnt int64
}

// queue has the numbers of jobs, the one first that is due first.
type queue struct {
	jobs  []subject
	order []int
}

func (q *queue) Len() int           { return len(q.order) }
func (q *queue) Less(i, j int) bool { return q.jobs[q.order[i]].due < q.jobs[q.order[j]].due }
func (q *queue) Swap(i, j int)      { q.order[i], q.order[j] = q.order[j], q.order[i] }
func (q *queue) Push(x any)         { q.order = append(q.order, x.(int)) }
func (q *queue) Pop() any {
	last := q.order[len(q.order)-1]
	q.order = q.order[:len(q.order)-1]
	return last
}

const (
	hour = 60 * minute
	day  = 24 * hour
)

// simulated is the number of jobs that are looked up.
func simulated() int {
	if testenv.Whole() {
		return 20_000
	}
	return 5000
}

// believe weighs an answer about a job as one process does that has heard q; with q nil it is believed.
func believe(q *Inquiry, a Answer, now int64) (believed bool, doubt Doubt, wait time.Duration) {
	if q == nil {
		return true, Doubt{}, 0
	}
	return rules.Believed(a, q.Count([]Answer{a}), now)
}

// again is when an open job is looked up next.
func again(r *rand.Rand) time.Duration {
	return time.Duration((0.9 + 0.1*r.Float64()) * float64(24*time.Hour))
}

// outage looks up jobs for four days, each when it is due and by any of so many processes, of a board that says
// a wrong outcome of every job for a while in the third day. It returns how many were ended wrongly, and how
// many lookups it took. Without processes all answers are believed.
func outage(processes int, says Outcome, lasts int64) (wrong, lookups int) {
	r := rand.New(rand.NewPCG(1, uint64(lasts)))
	q := &queue{jobs: make([]subject, simulated())}
	for i := range q.jobs {
		q.jobs[i] = subject{due: r.Int64N(day), known: Open}
		q.order = append(q.order, i)
	}
	heap.Init(q)
	heard := make([]Inquiry, processes)
	for {
		i := q.order[0]
		job := &q.jobs[i]
		now := job.due
		if now > 4*day {
			break
		}
		lookups++
		a := Answer{Job: int64(i), Says: Open, Made: now, Known: job.known, Doubt: job.doubt, Shown: true}
		if now >= 2*day && now < 2*day+lasts {
			a.Says = says
		}
		var by *Inquiry
		if processes > 0 {
			by = &heard[r.IntN(processes)]
		}
		believed, doubt, wait := believe(by, a, now)
		if believed {
			if a.Ends() {
				wrong++
			}
			job.known, wait = a.Says, again(r)
		}
		job.doubt, job.due = doubt, now+wait.Milliseconds()
		heap.Fix(q, 0)
	}
	return wrong, lookups
}

// A board that calls all jobs unavailable for an hour, or for six, ends none of them, at
// the cost of few lookups, whether one process looks them up or four. One that calls them closed ends at most
// ten for each process.
func TestOutageEndsNothing(t *testing.T) {
	for _, hours := range []int64{1, 6} {
		before, usual := outage(0, Gone, hours*hour)
		if before < simulated()*35/1000*int(hours) {
			t.Errorf("only %d jobs are ended where all is believed: the simulation is none", before)
		}
		for _, processes := range []int{1, 4} {
			wrong, lookups := outage(processes, Gone, hours*hour)
			closed, _ := outage(processes, Closed, hours*hour)
			t.Logf("figure: %d h, %d processes: %d jobs wrongly ended, and %d where all is believed; %d lookups, and %d; %d are ended that are called closed",
				hours, processes, wrong, before, lookups, usual, closed)
			if wrong != 0 {
				t.Errorf("%d jobs were ended by an outage of %d h before %d processes", wrong, hours, processes)
			}
			if closed > 10*processes {
				t.Errorf("%d jobs that were called closed for %d h were ended by %d processes", closed, hours, processes)
			}
			if lookups > usual*3/2 {
				t.Errorf("%d lookups, and %d where all is believed", lookups, usual)
			}
		}
	}
}

// nightlyOutage looks up jobs once a night, those that are due, at a hundredth of a second each, for six nights,
// by a new process each night. In the third the board says a wrong outcome of every job, from a moment of the refresh
// on, for a while. It returns how many were ended wrongly.
func nightlyOutage(weighs bool, says Outcome, from, lasts int64) (wrong int) {
	r := rand.New(rand.NewPCG(5, uint64(from)))
	jobs := make([]subject, simulated())
	for i := range jobs {
		jobs[i].known = Open
	}
	order := r.Perm(len(jobs))
	for night := int64(1); night <= 6; night++ {
		var heard *Inquiry
		if weighs {
			heard = &Inquiry{}
		}
		now := night*day + r.Int64N(30_000)
		for _, i := range order {
			job := &jobs[i]
			if job.due > night*day+30_000 {
				continue
			}
			now += 10
			a := Answer{Job: int64(i), Says: Open, Made: now, Known: job.known, Doubt: job.doubt, Shown: true}
			if now >= 3*day+from && now < 3*day+from+lasts {
				a.Says = says
			}
			believed, doubt, wait := believe(heard, a, now)
			if believed {
				if a.Ends() {
					wrong++
				}
				job.known, wait = a.Says, again(r)
			}
			job.doubt, job.due = doubt, now+wait.Milliseconds()
		}
	}
	return wrong
}

// An outage that a nightly refresh falls into ends no job that it calls unavailable, though each night's process has heard
// nothing before, and at most ten that it calls closed.
func TestOutageInANightlyRefresh(t *testing.T) {
	for _, hours := range []int64{1, 6} {
		for _, from := range []int64{-hours * hour / 2, 20 * 1000} {
			before := nightlyOutage(false, Gone, from, hours*hour)
			gone, closed := nightlyOutage(true, Gone, from, hours*hour), nightlyOutage(true, Closed, from, hours*hour)
			t.Logf("figure: %d h from %d s on: %d unavailable and %d closed jobs wrongly ended, and %d where all is believed", hours, from/1000, gone, closed, before)
			if before < simulated()/4 {
				t.Errorf("only %d jobs are ended where all is believed: the simulation is none", before)
			}
			if gone != 0 || closed > 10 {
				t.Errorf("an outage of %d h ended %d jobs that it called unavailable, and %d closed", hours, gone, closed)
			}
		}
	}
}

// nightly looks up jobs once a night, those that are due, for 40 nights. One in 90 ends
// each day: most because their source ceases to show them, some by a plain statement while shown,
// and some as unavailable while shown. It returns after how many nights that is known, of each
// kind: the longest number, and the average.
func nightly(weighs bool, next func(r *rand.Rand) float64) (longest [3]int64, average float64) {
	r := rand.New(rand.NewPCG(3, 4))
	jobs := make([]subject, simulated())
	for i := range jobs {
		jobs[i] = subject{known: Open, ends: 5*day + r.Int64N(90*day), as: Gone}
		switch r.IntN(10) {
		case 0:
		case 1, 2, 3:
			jobs[i].as = Closed
		default:
			jobs[i].hidden = true
		}
	}
	var (
		inquiry     Inquiry
		sum, learnt float64
	)
	for night := int64(1); night <= 40; night++ {
		start := night*day + r.Int64N(30_000) // a timer is some seconds late
		var batch []Answer
		for i := range jobs {
			if job := &jobs[i]; job.due <= start {
				a := Answer{Job: int64(i), Says: Open, Made: start, Known: job.known, Doubt: job.doubt, Shown: true}
				if start >= job.ends {
					a.Says, a.Shown = job.as, !job.hidden
				}
				batch = append(batch, a)
			}
		}
		r.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
		for len(batch) > 0 {
			piece := batch[:min(100, len(batch))]
			batch = batch[len(piece):]
			holds := weighs && inquiry.Count(piece)
			for _, a := range piece {
				job := &jobs[a.Job]
				believed, doubt, wait := true, Doubt{}, time.Duration(0)
				if weighs {
					believed, doubt, wait = rules.Believed(a, holds, start)
				}
				if job.doubt = doubt; believed {
					wait = time.Duration(next(r) * float64(24*time.Hour))
					if job.known = a.Says; a.Says != Open && job.learnt == 0 {
						job.learnt = start
						nights := (start-job.ends)/day + 1
						kind := 0
						if a.Shown {
							kind = int(a.Says) - 1 // 1: closed, 2: gone
						}
						longest[kind] = max(longest[kind], nights)
						sum, learnt = sum+float64(nights), learnt+1
					}
				}
				job.due = start + wait.Milliseconds()
			}
		}
	}
	return longest, sum / learnt
}

// Who refreshes once a night learns of ends no later than where all is believed at once.
func TestNightlyLearnsOfEnds(t *testing.T) {
	before, averageBefore := nightly(false, func(r *rand.Rand) float64 { return 0.9 + 0.2*r.Float64() })
	longest, average := nightly(true, func(r *rand.Rand) float64 { return 0.9 + 0.1*r.Float64() })
	t.Logf("figure: ends are known after %.2f nights on average, at most %d (not shown), %d (closed), %d (unavailable, and shown); where all is believed %.2f, at most %d, %d and %d",
		average, longest[0], longest[1], longest[2], averageBefore, before[0], before[1], before[2])
	for kind, most := range longest {
		if most > before[kind] {
			t.Errorf("ends of kind %d are known after %d nights, and %d before", kind, most, before[kind])
		}
	}
	if average > averageBefore {
		t.Errorf("ends are known after %.2f nights on average, and %.2f before", average, averageBefore)
	}
}
