package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"hash/maphash"
	"io"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
)

// makeFeed returns a feed of n entries of about 1.1 KB each.
func makeFeed(n int) ([]byte, error) {
	var b bytes.Buffer
	w := feedtest.NewWriter(&b, nil)
	for i := range n {
		id := jobboard.JobID(i + 1)
		err := w.Write(&jobfeed.Entry{
			JobID: id, Title: "Köchin (m/w/d) " + id.String(), Company: "Klär & Söhne", Language: "de", Status: "Active",
			ValidFrom: "2026-01-02", ValidTo: "2026-03-04T05:06:07Z",
			Locations: []jobfeed.Location{{
				Name: "Head office", Country: "DE", City: "Berlin", PostalCode: "10117",
				Street: "Ring 1",
			}},
			Links:    []jobfeed.Link{{Kind: jobfeed.LinkPosting, URL: "https://jobs.example/" + id.String() + "?a=1&b=2"}},
			Postings: []jobboard.JobPostingID{100_000 + jobboard.JobPostingID(id)},
		})
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	const end = "</PositionProfile>"
	ad := "<FormattedPositionDescription><Name>Ad</Name><Value>" +
		strings.Repeat("&lt;p&gt;An ad of some length, with &#228; and ü.&lt;/p&gt;\n", 4) + "</Value></FormattedPositionDescription>"
	return bytes.ReplaceAll(b.Bytes(), []byte(end), []byte(ad+end)), nil
}

// measureFeed measures reading a feed from memory, once with all entries
// decoded, and once skipping entries whose bytes are known.
func measureFeed(r *report, e effort) error {
	n := 2000
	if e.quick {
		n = 50
	}
	feed, err := makeFeed(n)
	if err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	known := make(map[uint64]bool)
	skip := func(raw []byte) bool { return known[maphash.Bytes(seed, raw)] }
	entries := func(opts *jobfeed.Options, want int) func() (any, error) {
		return func() (any, error) {
			got := 0
			for _, err := range jobfeed.NewReader(bytes.NewReader(feed), opts).Entries() {
				if err != nil {
					return nil, err
				}
				got++
			}
			return got, check(got == want)
		}
	}
	remember := &jobfeed.Options{Skip: func(raw []byte) bool {
		known[maphash.Bytes(seed, raw)] = true
		return false
	}}
	if _, err := entries(remember, n)(); err != nil {
		return err
	}
	all, err := race(e,
		contender{name: "jobfeed, every entry read", run: entries(nil, n)},
		contender{name: "jobfeed, every entry known by its bytes", run: entries(&jobfeed.Options{Skip: skip}, 0)},
		contender{name: "floor: encoding/xml, tokens alone", run: func() (any, error) { return nil, tokens(feed) }},
	)
	if err != nil {
		return err
	}
	each := float64(len(feed)) / float64(n)
	t := r.table(fmt.Sprintf("A feed of %d entries, %s each", n, size(each)), "From memory. A hash of its bytes tells an entry that is known.",
		"", "CPU", "times ours", "MB/s", "allocations an entry")
	speed := func(c *result) float64 { return float64(len(feed)) / median(c.cost()) * 1e9 / (1 << 20) }
	for _, c := range all {
		t.add(c.name, duration(median(c.cost())), times(all[0].costTimes(c)), number(speed(c)), number(c.allocs/float64(n)))
	}
	// These correspond to 40 and 250 MB/s, against encoding/xml's 58.
	r.atLeast("a feed read against encoding/xml's tokens", all[0].costTimes(all[2]), 0.69, "x")
	r.atLeast("a feed that is known against encoding/xml's tokens", all[1].costTimes(all[2]), 4.3, "x")
	r.ratio("a feed read against encoding/xml's tokens", all[0].costTimes(all[2]))
	r.ratio("a feed that is known against encoding/xml's tokens", all[1].costTimes(all[2]))
	return nil
}

// tokens reads a document to its end.
func tokens(text []byte) error {
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		switch _, err := d.RawToken(); err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}
