package main

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// The names of the contenders.
const (
	ours      = "jobboard"
	std       = "encoding/json"
	oapi      = "oapi-codegen"
	ogen      = "ogen"
	v2        = "go-json-experiment"
	sonicFast = "sonic"
	sonicStd  = "sonic, checking as encoding/json does"
	easy      = "easyjson"
)

// The names of crowds of generated clients.
const oapiCrowd, ogenCrowd = "tuned, " + oapi, "tuned, " + ogen

// present reports whether a contender takes part.
func present(name string) bool { return !slices.Contains(absent, name) }

// those returns the given names without absent contenders.
func those(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !present(name) })
}

// memoryAddress is the address at which inMemory answers.
const memoryAddress = "http://127.0.0.1:1"

var errInvalid = errors.New("not valid")

// whole returns a contender that decodes bytes in memory.
func whole[T any](name string, body []byte, decode func([]byte, *T) error) contender {
	return contender{name: name, run: func() (any, error) {
		v := new(T)
		return v, decode(body, v)
	}}
}

// validity returns the lower bounds: contenders that only check the syntax.
func validity(body []byte) []contender {
	return []contender{
		{name: "floor: our scanner, keeping nothing", run: func() (any, error) {
			var s jsonscan.Scanner
			s.ResetBytes(body)
			s.Skip()
			s.End()
			return nil, s.Err()
		}},
		{name: "floor: json.Valid", run: func() (any, error) { return nil, check(stdjson.Valid(body)) }},
		{name: "floor: jsontext.Value.IsValid", run: func() (any, error) {
			return nil,
				check(jsontext.Value(body).IsValid())
		}},
		{name: "floor: sonic.Valid", run: func() (any, error) { return nil, check(sonic.Valid(body)) }},
	}
}

func check(ok bool) error {
	if !ok {
		return errInvalid
	}
	return nil
}

func decodePage(page []byte) []contender {
	return append([]contender{
		whole(ours, page, func(b []byte, v *jobboard.JobSearchResult) error { return v.UnmarshalJSON(b) }),
		whole(std, page, func(b []byte, v *plainPage) error { return stdjson.Unmarshal(b, v) }),
		whole(v2, page, func(b []byte, v *plainPage) error { return jsonv2.Unmarshal(b, v) }),
		whole(sonicFast, page, func(b []byte, v *plainPage) error { return sonic.Unmarshal(b, v) }),
		whole(sonicStd, page, func(b []byte, v *plainPage) error { return sonic.ConfigStd.Unmarshal(b, v) }),
	}, rivalPages(page)...)
}

func decodeInfo(info []byte) []contender {
	return append([]contender{
		whole(ours, info, func(b []byte, v *jobboard.JobInformation) error { return v.UnmarshalJSON(b) }),
		whole(std, info, func(b []byte, v *plainInfo) error { return stdjson.Unmarshal(b, v) }),
		whole(v2, info, func(b []byte, v *plainInfo) error { return jsonv2.Unmarshal(b, v) }),
		whole(sonicFast, info, func(b []byte, v *plainInfo) error { return sonic.Unmarshal(b, v) }),
		whole(sonicStd, info, func(b []byte, v *plainInfo) error { return sonic.ConfigStd.Unmarshal(b, v) }),
	}, rivalInfos(info)...)
}

// streamPage returns contenders that read postings from a reader one by one,
// and keep none.
func streamPage(page []byte) ([]contender, error) {
	client, err := newSDK(memoryAddress, &inMemory{page})
	if err != nil {
		return nil, err
	}
	postings := func(q jobboard.Query) func() (any, error) {
		return func() (any, error) {
			n := 0
			for _, err := range client.Postings(context.Background(), channel, q) {
				if err != nil {
					return nil, err
				}
				n++
			}
			return n, nil
		}
	}
	return []contender{
		{name: "jobboard, ad text left out", run: postings(jobboard.Query{OmitConfig: []string{adTextKey}})},
		{name: ours, run: postings(jobboard.Query{})},
		{name: "encoding/json Decoder", run: func() (any, error) {
			v := new(plainPage)
			err := stdjson.NewDecoder(bytes.NewReader(page)).Decode(v)
			return len(v.Results), err
		}},
		{name: "encoding/json Decoder, token by token", run: func() (any,
			error,
		) {
			return tokenByToken(bytes.NewReader(page))
		}},
		{name: "go-json-experiment, token by token", run: func() (any,
			error,
		) {
			return tokenByTokenV2(bytes.NewReader(page))
		}},
	}, nil
}

// tokenByToken reads a page with the streaming of encoding/json, in constant
// memory.
func tokenByToken(r io.Reader) (n int, err error) {
	d := stdjson.NewDecoder(r)
	if _, err := d.Token(); err != nil {
		return 0, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return n, err
		}
		if key != "results" {
			var skipped stdjson.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return n, err
			}
			continue
		}
		if _, err := d.Token(); err != nil {
			return n, err
		}
		for d.More() {
			if err := d.Decode(new(plainPosting)); err != nil {
				return n, err
			}
			n++
		}
		if _, err := d.Token(); err != nil {
			return n, err
		}
	}
	_, err = d.Token()
	return n, err
}

func tokenByTokenV2(r io.Reader) (n int, err error) {
	d := jsontext.NewDecoder(r)
	if _, err := d.ReadToken(); err != nil {
		return 0, err
	}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return n, err
		}
		if key.String() != "results" {
			if err := d.SkipValue(); err != nil {
				return n, err
			}
			continue
		}
		if _, err := d.ReadToken(); err != nil {
			return n, err
		}
		for d.PeekKind() != ']' {
			if err := jsonv2.UnmarshalDecode(d, new(plainPosting)); err != nil {
				return n, err
			}
			n++
		}
		if _, err := d.ReadToken(); err != nil {
			return n, err
		}
	}
	_, err = d.ReadToken()
	return n, err
}

// byEngine returns the figure for the engine of encoding/json in this program.
func byEngine(v1, v2 float64) float64 {
	if jsonV2 {
		return v2
	}
	return v1
}

// measureDecode compares decoders.
func measureDecode(r *report, e effort) error {
	if sonic.APIKind == sonic.UseStdJSON {
		r.notes = append(r.notes, "sonic does not support this Go version or processor: it falls back to encoding/json")
	}
	const few, many = 100, 1000
	page, info := makePage(many), makeInfo(1)

	kept, err := race(e, append(decodePage(page), validity(page)...)...)
	if err != nil {
		return err
	}
	t := r.table(fmt.Sprintf("Decode %d postings, %s", many, size(float64(len(page)))),
		"All postings kept. Everybody decodes the same bytes in memory; oapi-codegen's generated function only takes them as a response.",
		"", "CPU", "times ours", "MB/s", "allocations a posting", "bytes allocated")
	addDecode(t, kept, float64(len(page)), many)
	byName := index(kept)
	r.atLeast("Search decode against encoding/json", byName[ours].costTimes(byName[std]), byEngine(6.3, 3.3), "x")
	if present(ogen) {
		r.atLeast("Search decode against ogen", byName[ours].costTimes(byName[ogen]), 2.2, "x")
	}
	r.atLeast("Search decode against sonic", byName[ours].costTimes(byName[sonicFast]), 1, "x")
	for _, name := range those(std, oapi, ogen, easy, sonicFast, sonicStd) {
		r.ratio("Search decode against "+name, byName[ours].costTimes(byName[name]))
	}
	r.panels = append(r.panels, panelOf("Decode 1000 postings", kept, 1e6, "ms", ours, sonicFast, ogen, v2, std, oapi))

	contenders, err := streamPage(page)
	if err != nil {
		return err
	}
	streamed, err := race(e, contenders...)
	if err != nil {
		return err
	}
	t = r.table(fmt.Sprintf("Stream %d postings", many),
		"None kept. Ours are whole calls of Postings over a transport in memory; the others read the bytes from a reader.",
		"", "CPU", "times ours", "MB/s", "allocations a posting", "bytes allocated")
	addDecode(t, streamed, float64(len(page)), many)
	byName = index(streamed)
	omitted := byName["jobboard, ad text left out"]
	r.atLeast("Postings without ad text against encoding/json's Decoder",
		omitted.costTimes(byName["encoding/json Decoder"]), 25, "x")

	// Measure the cost of one more posting, without the fixed cost of page and call.
	small := makePage(few)
	a, err := race(quickEffort, decodePage(small)[0], decodePage(page)[0])
	if err != nil {
		return err
	}
	contendersFew, err := streamPage(small)
	if err != nil {
		return err
	}
	b, err := race(quickEffort, contendersFew[1], contenders[1])
	if err != nil {
		return err
	}
	r.atMost("allocations for a posting, kept", (a[1].allocs-a[0].allocs)/(many-few), 3, "")
	r.atMost("allocations for a posting, streamed", (b[1].allocs-b[0].allocs)/(many-few), 4, "")

	return measureInfo(r, e, info)
}

func measureInfo(r *report, e effort, info []byte) error {
	full, err := lookup(info)
	if err != nil {
		return err
	}
	least, err := lookup([]byte(leastInfo))
	if err != nil {
		return err
	}
	contenders := append(decodeInfo(info), validity(info)...)
	results, err := race(e, append(contenders, full, least)...)
	if err != nil {
		return err
	}
	n := len(contenders)
	known := results[n].less(results[n+1], "jobboard, known catalogue")
	results = append(results[:n:n], known)
	t := r.table("Decode a job information, "+size(float64(len(info))),
		"5 questions, 200 nationalities, 3 locations; bytes in memory as above. A known catalogue takes a Client, whose cache it is in: "+
			"the difference of two calls over a transport in memory, one with this answer and one with the shortest there is.",
		"", "CPU", "times ours", "MB/s", "allocations", "bytes allocated")
	addDecode(t, results, float64(len(info)), 1)
	observed, err := observedDecode(e, info)
	if err != nil {
		return err
	}
	t.add("the same, as Observer reports it", duration(observed), times(observed/median(results[0].cost())), number(float64(len(info))/observed*1e9/(1<<20)), "", "")
	m := index(results)
	if !jsonV2 {
		r.atLeast("JobInformation decode, new catalogue, against encoding/json", m[ours].costTimes(m[std]), 4, "x")
		r.atLeast("JobInformation decode, known catalogue, against encoding/json", known.costTimes(m[std]), 31, "x")
	}
	for _, name := range those(std, ogen, easy, sonicStd) {
		r.ratio("JobInformation decode, new catalogue, against "+name, m[ours].costTimes(m[name]))
		r.ratio("JobInformation decode, known catalogue, against "+name, known.costTimes(m[name]))
	}
	r.panels = append(r.panels, panelOf("Decode a job information", results, 1e3, "µs", known.name, ours, sonicFast,
		ogen, v2, std, oapi))
	return nil
}

// lookup returns a contender that makes a lookup over a transport in memory.
func lookup(info []byte) (contender, error) {
	client, err := newSDK(memoryAddress, &inMemory{info})
	return contender{name: string(info[:min(40, len(info))]), run: func() (any, error) {
		return client.JobInformation(context.Background(), job)
	}}, err
}

// observedDecode measures decoding by the times that the client's Observer
// reports.
func observedDecode(e effort, info []byte) (ns float64, err error) {
	var total time.Duration
	client, err := newObservedSDK(memoryAddress, &inMemory{info}, &jobboard.Observer{
		Call: func(context.Context, jobboard.CallStart) (context.Context, func(jobboard.CallEnd)) {
			return nil, func(end jobboard.CallEnd) { total += end.Decode }
		},
	})
	if err != nil {
		return 0, err
	}
	n := e.calls
	for range n {
		if _, err := client.JobInformation(context.Background(), job); err != nil {
			return 0, err
		}
	}
	return float64(total) / float64(n), nil
}

func index(all []*result) map[string]*result {
	m := make(map[string]*result, len(all))
	for _, r := range all {
		m[r.name] = r
	}
	return m
}

// addDecode adds a line for each result to a table of decoders, of items each.
func addDecode(t *table, all []*result, bytes, items float64) {
	first := all[0]
	for _, r := range all {
		t.add(r.name, duration(median(r.cost())), times(first.costTimes(r)), number(bytes/median(r.cost())*1e9/(1<<20)),
			number(r.allocs/items), size(r.bytes))
	}
}

// measureGrowth measures the cost by the number of postings.
func measureGrowth(r *report, e effort) error {
	counts := []int{10, 100, 1000, 10000}
	if e.quick {
		counts = counts[:3]
	}
	names := those(ours, std, ogen, sonicFast, v2)
	t := r.table("Growth with the postings", "Time for one posting of a page, all kept; the last two columns streamed.",
		append(append([]string{"postings"}, names...), "streamed", "streamed, ad text left out")...)
	for _, n := range counts {
		page := makePage(n)
		streamed, err := streamPage(page)
		if err != nil {
			return err
		}
		some := e
		if n == 10000 {
			some.rounds = min(e.rounds, 5)
		}
		results, err := race(some, append(decodePage(page), streamed[1].as("streamed"), streamed[0].as("omitted"))...)
		if err != nil {
			return err
		}
		m := index(results)
		row := []string{strconv.Itoa(n)}
		for _, name := range append(names[:len(names):len(names)], "streamed", "omitted") {
			row = append(row, duration(m[name].time()/float64(n)))
		}
		t.add(row...)
	}
	return nil
}

func (c contender) as(name string) contender {
	c.name = name
	return c
}
