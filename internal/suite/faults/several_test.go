package faults_test

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// steps has the answers to one call's requests in their order; the last one stays.
func steps(all ...func(*exchange)) func(*exchange) {
	return func(x *exchange) { all[min(x.n, len(all))-1](x) }
}

func answers(f form) func(*exchange) {
	return func(x *exchange) { x.Answer(f.status, f.kind, f.body, f.header...) }
}

// severalFaults are calls that meet more than one fault.
func severalFaults() []fault {
	var (
		good    = func(x *exchange) { x.good() }
		reset   = func(x *exchange) { x.Reset() }
		silence = stall("", 0)
		short   = cut(ofLength(1000), 10)
		down    = answers(form{answer: answer{status: 503}})
		failed  = answers(form{answer: answer{status: 500}})
		busy    = answers(form{answer: answer{status: 429}})
		refusal = answers(form{answer: answer{status: 409, kind: text, body: "no"}})
		expired = answers(each([]int{401}, files("401_invalid_token.json")...)[0])
		gone    = answers(each([]int{410}, files("410_posting_inactive.txt")...)[0])
		deleted = answers(each([]int{500}, files("lookup_job_unavailable.json")...)[0])
	)
	return []fault{
		{
			name: "what may have been executed stays so", status: 409, many: true,
			cells: at(confirm|unsubscribe, cell{requests: 2, err: errOther, executed: true}), forms: []form{
				{name: "reset, 409", serve: steps(reset, refusal)},
				{name: "503, 409", serve: steps(down, refusal)},
				{name: "silence, 409", serve: steps(silence, refusal)},
			},
		},
		{
			name: "what certainly was not stays so", status: 409, many: true, cells: every(cell{requests: 2, err: errOther}),
			forms: []form{{name: "429, 409", serve: steps(busy, refusal)}},
		},
		{
			name: "not known at the second try", cells: at(confirm|unsubscribe, requests(3)).
				but(subscribe, cell{requests: 2, err: jobboard.ErrTransport, executed: true, stopped: once}),
			forms: []form{{name: "429, reset", serve: steps(busy, reset, good)}},
		},
		{
			// A reset of a connection that was in use already is net/http's to repeat, unseen.
			name: "one of everything that passes", cells: at(reading, requests(5)), forms: []form{
				{name: "reset, 503, silence, 429", serve: steps(reset, down, silence, busy, good)},
				{name: "a short body, reset, 500, 503", serve: steps(short, reset, failed, down, good)},
			},
		},
		{
			name: "one more of them", status: 429,
			cells: at(reading, cell{requests: 5, err: jobboard.ErrRateLimited, stopped: jobboard.StopAttempts}),
			forms: []form{{name: "and 429", serve: steps(reset, down, silence, failed, busy)}},
		},
		{
			// The renewal is no attempt of the policy, and is counted.
			name: "a token that expires between two tries", status: 503,
			cells: at(reading, cell{requests: 6, err: jobboard.ErrServer, stopped: jobboard.StopAttempts}), forms: []form{
				{
					name: "503, 401, 503 and so on",
					configure: func(t *trial) {
						renewingSource(t)
						t.expectAuth = func(n int) string { return firstThenFresh(max(n-1, 1)) }
					},
					serve:  steps(down, expired, down),
					wanted: wanted{after: fetchedAtMost(2)},
				},
			},
		},
		{
			name: "a token that expires twice", status: 401, cells: every(cell{requests: 3, err: jobboard.ErrUnauthorized}),
			forms: []form{{
				name:      "401, 429, 401",
				configure: renewingSource,
				serve:     steps(expired, busy, expired),
				wanted:    wanted{code: "invalid_token", after: fetchedAtMost(2)},
			}},
		},
		{
			name: "an answer that says more than the fault before it", status: 410,
			cells: at(A|P, cell{requests: 2, err: jobboard.ErrPostingInactive}), forms: []form{
				{name: "503, 410", serve: steps(down, gone)}, {name: "silence, 410", serve: steps(silence, gone)},
			},
		},
		{
			name: "a code after a fault", status: 500, cells: at(J, cell{requests: 2, err: jobboard.ErrJobUnavailable}),
			forms: []form{{
				name:   "503, 500",
				serve:  steps(down, deleted),
				wanted: wanted{code: "ERROR_JOB_UNAVAILABLE"},
			}},
		},
		{
			name: "a good answer that was almost too late", cells: every(requests(1)), forms: []form{
				{name: "after 4.9 s", serve: func(x *exchange) {
					<-time.After(4900 * time.Millisecond)
					x.good()
				}},
			},
		},
	}
}
