package jobfeed_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
)

// BenchmarkReader reads feeds of a thousand entries: ads of 3 KB, entries of 1.1 KB
// as feeds without ads have, and those once more, all skipped. The tokens of
// encoding/xml alone are there to compare with.
// sample is an entry with every field.
func sample(id jobboard.JobID) *jobfeed.Entry {
	return &jobfeed.Entry{
		JobID: id, Title: `Köchin <"R&D"> 'x' ]]> ` + id.String(), Company: "Klär & Söhne", Language: "de", Status: "Active",
		ValidFrom: "2026-01-02", ValidTo: "2026-03-04T05:06:07Z",
		Locations: []jobfeed.Location{
			{Name: "Head office", Country: "DE", Region: "BE", City: "Berlin", PostalCode: "10117", Street: "Ring 1"},
			{City: "Wien"},
		},
		Links: []jobfeed.Link{
			{Kind: jobfeed.LinkPosting, URL: "https://jobs.example/" + id.String() + "?a=1&b=2"},
			{Kind: jobfeed.LinkPosting, URL: "../job/" + id.String() + "/koechin?jobDbPVId=" + (id + 300).String() + "&l=de"},
			{Kind: jobfeed.LinkApply, URL: "https://jobs.example/apply"},
		},
		Postings:        []jobboard.JobPostingID{100_000 + jobboard.JobPostingID(id), 200_000 + jobboard.JobPostingID(id)},
		PostingVersions: []jobboard.PostingVersionID{300 + jobboard.PostingVersionID(id)},
	}
}

// write writes a feed of entries.
func write(t testing.TB, entries ...*jobfeed.Entry) string {
	t.Helper()
	var b strings.Builder
	w := feedtest.NewWriter(&b, nil)
	for _, e := range entries {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func BenchmarkReader(b *testing.B) {
	var large, small []*jobfeed.Entry
	for i := range 1000 {
		e := *sample(jobboard.JobID(2797227 + i))
		large = append(large, sample(e.JobID))
		e.Locations, e.Postings = e.Locations[:1], e.Postings[:1]
		small = append(small, &e)
	}
	ad := "<FormattedPositionDescription><Name>Ad</Name><Value>" +
		strings.Repeat("&lt;p&gt;An ad of some length, with &#228; and ü.&lt;/p&gt;\n", 40) +
		"</Value></FormattedPositionDescription></PositionProfile>"
	ads := strings.ReplaceAll(write(b, large...), "</PositionProfile>", ad)
	plain := write(b, small...)
	run := func(name, feed string, want int, read func() int) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(feed)))
			b.ReportAllocs()
			for b.Loop() {
				if n := read(); n != want {
					b.Fatal(n)
				}
			}
		})
	}
	entries := func(feed string, skip bool) func() int {
		return func() (n int) {
			opts := &jobfeed.Options{Skip: func([]byte) bool { return skip }}
			for _, err := range jobfeed.NewReader(strings.NewReader(feed), opts).Entries() {
				if n++; err != nil {
					b.Fatal(err)
				}
			}
			return n
		}
	}
	run("ads", ads, 1000, entries(ads, false))
	run("small", plain, 1000, entries(plain, false))
	run("skipped", plain, 0, entries(plain, true))
	run("encoding/xml", ads, 0, func() int {
		d := xml.NewDecoder(strings.NewReader(ads))
		for {
			if _, err := d.RawToken(); err == io.EOF {
				return 0
			} else if err != nil {
				b.Fatal(err)
			}
		}
	})
}
