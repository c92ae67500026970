package jobfeed_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// sample is an entry of which no two values are alike.
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
func write(t testing.TB, opts *jobfeed.WriterOptions, entries ...*jobfeed.Entry) string {
	t.Helper()
	var b bytes.Buffer
	w := jobfeed.NewWriter(&b, opts)
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

var spellings = []*jobfeed.WriterOptions{
	nil,
	{Namespace: "http://ns.hr-xml.org/2006-02-28"},
	{Namespace: "http://ns.hr-xml.org/2006-02-28", Prefix: "hr", Root: "Envelope"},
	{LowerCase: true, Root: "Jobs"},
	{LowerCase: true, Namespace: `u"&<`, Prefix: "p"},
}

func TestWriterRoundTrip(t *testing.T) {
	for _, opts := range spellings {
		type plain jobfeed.Entry // without the method String of its Position
		want := []*jobfeed.Entry{sample(1), {JobID: 2}, sample(4711)}
		feed := write(t, opts, want...)
		for d := xml.NewDecoder(strings.NewReader(feed)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%+v: not well-formed: %v\n%s", opts, err, feed)
			}
		}
		_, got, end := read(t, strings.NewReader(feed), nil)
		if end != nil {
			t.Fatal(end)
		}
		for _, e := range got {
			e.Position = jobfeed.Position{}
		}
		if !reflect.DeepEqual(got, want) {
			for i := range min(len(got), len(want)) {
				t.Errorf("%+v:\ngot  %+v\nwant %+v", opts, plain(*got[i]), plain(*want[i]))
			}
		}
	}
}

func TestWriterEmpty(t *testing.T) {
	items, _, end := read(t, strings.NewReader(write(t, nil)), nil)
	if len(items) != 0 || end != nil {
		t.Errorf("%v, %v", items, end)
	}
}

// What an entry does not say is not there, not even as an empty element.
func TestWriterLeavesOut(t *testing.T) {
	feed := write(t, nil, &jobfeed.Entry{JobID: 1, Locations: []jobfeed.Location{{City: "Wien"}}})
	if !strings.HasPrefix(feed, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<") {
		t.Errorf("it does not begin as XML:\n%s", feed)
	}
	if !strings.Contains(feed, "<Municipality>Wien</Municipality></PostalAddress>") {
		t.Errorf("behind the city stands more:\n%s", feed)
	}
}

func TestWriterEscapes(t *testing.T) {
	_, got, end := read(t, strings.NewReader(write(t, nil, &jobfeed.Entry{JobID: 1, Title: "a\x00b\xffc\r\nd"})), nil)
	if end != nil || len(got) != 1 || got[0].Title != "a\ufffdb\ufffdc\r\nd" {
		t.Errorf("%q, %v", got, end)
	}
}

func TestWriterRefuses(t *testing.T) {
	var b bytes.Buffer
	w := jobfeed.NewWriter(&b, nil)
	if err := w.Write(&jobfeed.Entry{Title: "x"}); !errors.Is(err, jobfeed.ErrBadJobID) {
		t.Errorf("no identifier: %v", err)
	}
	if err := w.Write(&jobfeed.Entry{JobID: 1, Links: []jobfeed.Link{{Kind: "x"}}}); err == nil {
		t.Error("unknown kind of link: no error")
	}
	if err := w.Write(sample(3)); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.Write(sample(4)); err == nil {
		t.Error("Write after Close: no error")
	}
	if _, got, end := read(t, &b, nil); len(got) != 1 || got[0].JobID != 3 || end != nil {
		t.Errorf("%v, %v", got, end)
	}
}

func TestWriterFails(t *testing.T) {
	pr, pw := io.Pipe()
	boom := errors.New("boom")
	pr.CloseWithError(boom)
	w := jobfeed.NewWriter(pw, nil)
	var err error
	for i := jobboard.JobID(1); err == nil && i < 1000; i++ {
		err = w.Write(sample(i))
	}
	if !errors.Is(err, boom) || !errors.Is(w.Close(), boom) {
		t.Error(err)
	}
}
