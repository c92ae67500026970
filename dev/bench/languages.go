package main

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/jobboard-sdk/jobboard-go"
)

// measureLanguages measures decoding of pages with non-ASCII text, on all
// processors and on one.
func measureLanguages(r *report, e effort) error {
	n := 1000
	if e.quick {
		n = 50
	}
	names := those(std, oapi, ogen, v2, easy, sonicFast, sonicStd)
	t := r.table(fmt.Sprintf("Decode %d postings in other languages", n),
		"All postings kept. CPU time of the process, the collector's included, and how many times as much the others take; below each language with one processor.",
		append([]string{"", ours, "MB/s"}, names...)...)
	for _, l := range languages {
		page := makePageIn(l, n)
		for _, one := range []bool{false, true} {
			measure, title := race, l.name
			if one {
				measure, title = oneCore, "the same, one processor"
			}
			all, err := measure(e, decodePage(page)...)
			if err != nil {
				return err
			}
			m := index(all)
			row := []string{
				title, duration(median(m[ours].cost())),
				number(float64(len(page)) / median(m[ours].cost()) * 1e9 / (1 << 20)),
			}
			for _, name := range names {
				row = append(row, times(m[ours].costTimes(m[name])))
			}
			t.add(row...)
			for _, name := range those(std, ogen, easy, sonicStd) {
				r.ratio(fmt.Sprintf("%s, %s, against %s", l.name, cores(one), name), m[ours].costTimes(m[name]))
			}
			if !one {
				languageTargets(r, l.name, m)
			}
		}
	}
	return measureCatalogues(r, e)
}

func cores(one bool) string {
	if one {
		return "one processor"
	}
	return "all processors"
}

// languageTargets adds the promised figures for a language.
func languageTargets(r *report, name string, m map[string]*result) {
	against := func(other string, limit float64) {
		if present(other) {
			r.atLeast(name+", against "+other, m[ours].costTimes(m[other]), limit, "x")
		}
	}
	switch name {
	case "an umlaut in every tenth character":
		against(ogen, 1.2)
		against(easy, 1.05)
	case "Cyrillic":
		against(easy, 1.2)
		against(sonicStd, 1.2)
		against(std, 4)
	case "Chinese":
		against(easy, 0.85)
		against(sonicStd, 0.85)
		against(std, 4)
	}
}

// measureCatalogues measures decoding of a job information with white space,
// and of a hundred different catalogues in turn.
func measureCatalogues(r *report, e effort) error {
	info := makeInfo(1)
	var indented bytes.Buffer
	if err := stdjson.Indent(&indented, info, "", "  "); err != nil {
		return err
	}
	all, err := race(e, decodeInfo(indented.Bytes())...)
	if err != nil {
		return err
	}
	t := r.table("Decode a job information that is pretty-printed, "+size(float64(indented.Len())),
		"The same information, indented by two spaces a level.",
		"", "CPU", "times ours", "MB/s", "allocations", "bytes allocated")
	addDecode(t, all, float64(indented.Len()), 1)
	m := index(all)
	if present(ogen) {
		r.atLeast("pretty-printed information against ogen", m[ours].costTimes(m[ogen]), 2, "x")
	}
	for _, name := range those(std, ogen, easy, sonicStd) {
		r.ratio("pretty-printed information against "+name, m[ours].costTimes(m[name]))
	}

	// Compare one client, whose cache holds some of the hundred catalogues,
	// with clients without a cached catalogue.
	var infos [][]byte
	for i := range 100 {
		infos = append(infos, makeInfo(i))
	}
	shared, err := newSDK(memoryAddress, &inTurn{bodies: infos})
	if err != nil {
		return err
	}
	least, err := lookup([]byte(leastInfo))
	if err != nil {
		return err
	}
	next := 0
	contenders := []contender{
		{name: "a hundred catalogues in turn", run: func() (any, error) {
			return shared.JobInformation(context.Background(),
				job)
		}},
		least,
		{name: "without a cache", run: func() (any, error) {
			v := new(jobboard.JobInformation)
			next++
			return v, v.UnmarshalJSON(infos[next%len(infos)])
		}},
	}
	if all, err = race(e, contenders...); err != nil {
		return err
	}
	turn := all[0].less(all[1], all[0].name)
	t = r.table("A hundred catalogues of nationalities in turn", "A client keeps some of them. The first row is the difference of two calls over a transport in memory.",
		"", "CPU", "times ours", "MB/s", "allocations", "bytes allocated")
	addDecode(t, []*result{turn, all[2]}, float64(len(info)), 1)
	r.atLeast("a hundred catalogues in turn against no cache", turn.costTimes(all[2]), 0.95, "x")
	return nil
}

// inTurn is a transport that answers with several bodies in turn.
type inTurn struct {
	bodies [][]byte
	next   atomic.Int64
}

func (t *inTurn) RoundTrip(req *http.Request) (*http.Response, error) {
	i := int(t.next.Add(1)) % len(t.bodies)
	return (&inMemory{t.bodies[i]}).RoundTrip(req)
}
