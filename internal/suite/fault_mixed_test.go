package suite_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// steps are the answers to the requests of one call, one after the other; the
// last one stays.
func steps(all ...func(*faultExchange)) func(*faultExchange) {
	return func(x *faultExchange) { all[min(x.n, len(all))-1](x) }
}

// mixedFaults are calls that meet more than one fault. The cells are to be
// read as those of the table.
func mixedFaults() []fault {
	var (
		good    = func(x *faultExchange) { x.good() }
		reset   = func(x *faultExchange) { x.reset() }
		silence = func(x *faultExchange) { x.stall() }
		down    = answerWith(503, "", "")
		failed  = answerWith(500, "", "")
		busy    = answerWith(429, "", "")
		expired = answerFile(401, "401_invalid_token.json")
		refusal = answerWith(409, "text/plain", "no")
		short   = func(x *faultExchange) { x.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", x.half(10)) }
	)
	return []fault{
		//                                                             S | A | P | J | + | C | D
		{
			name: "what may have been executed stays so", many: true,
			cells: "- | - | - | - | - | 2 Error* | =", variants: []faultVariant{
				{name: "reset, 409", status: 409, serve: steps(reset, refusal)},
				{name: "503, 409", status: 409, serve: steps(down, refusal)},
				{name: "silence, 409", status: 409, serve: steps(silence, refusal)},
			},
		},
		{
			name: "what certainly was not stays so", many: true,
			cells: "2 Error | = | = | = | = | = | =", variants: []faultVariant{{name: "429, 409", status: 409, serve: steps(busy, refusal)}},
		},
		{
			name:  "not known at the second try",
			cells: "2 ok | = | = | = | 2 transport*, not idempotent | 3 ok | =", variants: []faultVariant{
				{name: "429, reset", serve: func(x *faultExchange) {
					if x.rig.op.changes() {
						steps(busy, reset, good)(x)
						return
					}
					steps(busy, good)(x)
				}},
			},
		},
		{
			name:  "one of everything that passes",
			cells: "5 ok | = | = | = | - | - | -", variants: []faultVariant{
				// A reset of a connection that was in use already is net/http's to repeat, unseen.
				{name: "reset, 503, silence, 429", serve: steps(reset, down, silence, busy, good)},
				{name: "a short body, reset, 500, 503", serve: steps(short, reset, failed, down, good)},
			},
		},
		{
			name:  "one more of them",
			cells: "5 ErrRateLimited, attempts | = | = | = | - | - | -", variants: []faultVariant{
				{name: "and 429", status: 429, serve: steps(reset, down, silence, failed, busy)},
			},
		},
		{
			// The renewal is no attempt of the policy, and is counted.
			name:  "a token that expires between two tries",
			cells: "6 ErrServer, attempts | = | = | = | - | - | -", variants: []faultVariant{
				{name: "503, 401, 503 and so on", status: 503, configure: func(r *faultRig) {
					renewingSource(r)
					r.expectAuth = func(n int) string { return firstThenFresh(max(n-1, 1)) }
				}, serve: steps(down, expired, down), after: fetchedAtMost(2)},
			},
		},
		{
			name:  "a token that expires twice",
			cells: "3 ErrUnauthorized | = | = | = | - | = | =", variants: []faultVariant{
				{name: "401, 503, 401", status: 401, code: "invalid_token", configure: renewingSource, serve: func(x *faultExchange) {
					if x.rig.op.changes() {
						steps(expired, busy, expired)(x)
						return
					}
					steps(expired, down, expired)(x)
				}, after: fetchedAtMost(2)},
			},
		},
		{
			name:  "an answer that says more than the fault before it",
			cells: "- | 2 ErrPostingInactive | = | - | - | - | -", variants: []faultVariant{
				{name: "503, 410", status: 410, serve: steps(down, answerFile(410, "410_posting_inactive.txt"))},
				{name: "silence, 410", status: 410, serve: steps(silence, answerFile(410, "410_posting_inactive.txt"))},
			},
		},
		{
			name: "a code after a fault", cells: "- | - | - | 2 ErrJobUnavailable | - | - | -", variants: []faultVariant{
				{name: "503, 500", status: 500, code: "ERROR_JOB_UNAVAILABLE", serve: steps(down, answerFile(500, "lookup_job_unavailable.json"))},
			},
		},
		{
			name: "a good answer that was almost too late", cells: "1 ok | = | = | = | = | = | =", variants: []faultVariant{
				{name: "after 4.9 s", serve: func(x *faultExchange) {
					<-time.After(4900 * time.Millisecond)
					x.good()
				}},
			},
		},
	}
}

func TestMixedFaults(t *testing.T) {
	for _, f := range mixedFaults() {
		cells, err := parseFaultRow(f.cells)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for i := range f.variants {
				for j, op := range faultOps {
					if cell := op.cell(cells); !cell.none {
						runFault(t, &f, &f.variants[i], op, cell, i+j)
					}
				}
			}
		})
	}
}

// A page of postings ends at 1 GiB, whatever it costs to send them; nothing
// but the limit in the client says so. A caller who has enough ends it sooner.
func TestPostingsWithoutEnd(t *testing.T) {
	posting := strings.Repeat(`{"jobPostingId":1,"title":"Gardener","config":{"location":["2901"]},"text":"`+strings.Repeat("x", 1000)+`"},`, 60)
	begin, repeat := zippedForever(`{"totalNumberOfJobs":1,"results":[`, posting)
	serve := func(x *faultExchange) {
		c := x.hijack()
		defer c.Close()
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+string(begin))
		for err == nil {
			_, err = c.Write(repeat)
		}
	}
	v := &faultVariant{serve: serve, status: http.StatusOK, readAtMost: 5 << 20}
	f := &fault{cells: "1 ErrResponseTooLarge | - | - | - | - | - | -"}
	op := faultOps[1]

	t.Run("break", func(t *testing.T) {
		early := *v
		early.drive = func(r *faultRig, _ faultCell) {
			if err := r.connectClient(); err != nil {
				r.problem("NewClient: %v", err)
				return
			}
			n := 0
			for p, err := range r.client.Postings(context.Background(), canaryChannel, jobboard.Query{}) {
				if err != nil || p.Title != "Gardener" {
					r.problem("posting %d: %v %v", n, p, err)
					return
				}
				if n++; n == 1000 {
					break
				}
			}
			synctest.Wait()
			if _, open, _ := r.net.state(); open != 0 {
				r.problem("%d connections are open after the break", open)
			}
		}
		r := newFaultRig(f, &early, op, 0)
		r.run(t, faultCell{})
		for _, p := range r.problems {
			t.Error(p)
		}
	})
	t.Run("1 GiB", func(t *testing.T) {
		if testing.Short() || raceDetector {
			t.Skip("it takes seconds")
		}
		cells, err := parseFaultRow(f.cells)
		if err != nil {
			t.Fatal(err)
		}
		r := newFaultRig(f, v, op, 0)
		r.measure = true
		start := time.Now()
		r.run(t, cells["Postings"])
		for _, p := range r.problems {
			t.Error(p)
		}
		t.Logf("1 GiB of postings, %d KiB of gzip, %d MiB allocated, in %v", r.net.bytesRead()>>10, r.mem>>20, time.Since(start).Round(time.Millisecond))
	})
}
