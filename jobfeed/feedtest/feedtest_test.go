package feedtest_test

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
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
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
func write(t testing.TB, opts *feedtest.Options, entries ...*jobfeed.Entry) string {
	t.Helper()
	var b bytes.Buffer
	w := feedtest.NewWriter(&b, opts)
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

// read returns the entries of a feed, and the error at its end.
func read(feed io.Reader) (all []*jobfeed.Entry, err error) {
	for e, err := range jobfeed.NewReader(feed, nil).Entries() {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

var spellings = []*feedtest.Options{
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
		got, end := read(strings.NewReader(feed))
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

// TestWriterText compares all that is written.
func TestWriterText(t *testing.T) {
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<p:jobs xmlns:p="urn:n">
<p:positionOpening><p:positionRecordInfo><p:id><p:idValue>7</p:idValue></p:id><p:status>Active</p:status></p:positionRecordInfo>` +
		`<p:positionPostings><p:positionPosting><p:id validFrom="2026-01-02" validTo="2026-03-04T05:06:07Z"><p:idValue>100007</p:idValue></p:id>` +
		`<p:link>https://jobs.example/7?a=1&amp;b=2</p:link><p:link>../job/7/koechin?jobDbPVId=307&amp;l=de</p:link></p:positionPosting>` +
		`<p:positionPosting><p:id><p:idValue>200007</p:idValue></p:id></p:positionPosting></p:positionPostings>` +
		`<p:positionProfile xml:lang="de"><p:positionDetail><p:company><p:name>Klär &amp; Söhne</p:name></p:company>` +
		`<p:physicalLocation><p:name>Head office</p:name><p:postalAddress><p:countryCode>DE</p:countryCode><p:postalCode>10117</p:postalCode>` +
		`<p:region>BE</p:region><p:municipality>Berlin</p:municipality><p:deliveryAddress><p:streetName>Ring 1</p:streetName></p:deliveryAddress></p:postalAddress></p:physicalLocation>` +
		`<p:physicalLocation><p:postalAddress><p:municipality>Wien</p:municipality></p:postalAddress></p:physicalLocation>` +
		`<p:positionTitle>Köchin &lt;&#34;R&amp;D&#34;&gt; &#39;x&#39; ]]&gt; 7</p:positionTitle></p:positionDetail>` +
		`<p:howToApply><p:applicationMethod><p:internetWebAddress>https://jobs.example/apply</p:internetWebAddress></p:applicationMethod></p:howToApply>` +
		`</p:positionProfile></p:positionOpening>
<p:positionOpening><p:positionRecordInfo><p:id><p:idValue>8</p:idValue></p:id></p:positionRecordInfo>` +
		`<p:positionPostings><p:positionPosting><p:id><p:idValue>posting-8</p:idValue></p:id></p:positionPosting></p:positionPostings>` +
		`<p:positionProfile><p:positionDetail></p:positionDetail></p:positionProfile></p:positionOpening>
</p:jobs>
`
	opts := &feedtest.Options{Namespace: "urn:n", Prefix: "p", Root: "Jobs", LowerCase: true}
	if got := write(t, opts, sample(7), &jobfeed.Entry{JobID: 8}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const plain = `<?xml version="1.0" encoding="UTF-8"?>` + "\n<PositionOpenings xmlns=\"urn:n\">\n</PositionOpenings>\n"
	if got := write(t, &feedtest.Options{Namespace: "urn:n"}); got != plain {
		t.Errorf("got  %s\nwant %s", got, plain)
	}
}

func TestWriterEscapes(t *testing.T) {
	got, end := read(strings.NewReader(write(t, nil, &jobfeed.Entry{JobID: 1, Title: "a\x00b\xffc\r\nd"})))
	if end != nil || len(got) != 1 || got[0].Title != "a\ufffdb\ufffdc\r\nd" {
		t.Errorf("%q, %v", got, end)
	}
}

func TestWriterRefuses(t *testing.T) {
	var b bytes.Buffer
	w := feedtest.NewWriter(&b, nil)
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
	if got, end := read(&b); len(got) != 1 || got[0].JobID != 3 || end != nil {
		t.Errorf("%v, %v", got, end)
	}
}

func TestWriterFails(t *testing.T) {
	pr, pw := io.Pipe()
	boom := errors.New("boom")
	pr.CloseWithError(boom)
	w := feedtest.NewWriter(pw, nil)
	var err error
	for i := jobboard.JobID(1); err == nil && i < 1000; i++ {
		err = w.Write(sample(i))
	}
	if !errors.Is(err, boom) || !errors.Is(w.Write(sample(1)), boom) || !errors.Is(w.Close(), boom) {
		t.Error(err)
	}
}
