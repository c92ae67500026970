package jobfeed_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// oracle finds the identifiers of a well-formed feed with encoding/xml. Not ok:
// the feed is not well-formed, or it is one of those for which what encoding/xml
// reads is another matter.
func oracle(feed []byte) (ids []string, ok bool) {
	const place = "positionopening positionrecordinfo id idvalue"
	d := xml.NewDecoder(bytes.NewReader(feed))
	var path []string
	entry := -1          // its depth
	var id, first string // of the IdValue that is open; of the first that was not empty
	at := func() bool { return entry >= 0 && strings.Join(path[entry:], " ") == place }
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return ids, len(path) == 0
		}
		if err != nil {
			return nil, false
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name := strings.ToLower(tok.Name.Local)
			isEntry := name == "positionopening"
			if isEntry && entry >= 0 || at() || len(path) > 60 || strings.Contains(name, ":") || name == "html" {
				return nil, false
			}
			if isEntry {
				entry, first = len(path), ""
			}
			path = append(path, name)
			id = ""
		case xml.CharData:
			if at() {
				id += string(tok)
			}
		case xml.EndElement:
			if id = strings.TrimSpace(id); at() && first == "" {
				first = id
			}
			id = ""
			if path = path[:len(path)-1]; len(path) == entry {
				ids = append(ids, first)
				entry = -1
			}
		case xml.Directive:
			return nil, false
		}
	}
}

type result struct {
	id   jobboard.JobID
	text string
}

// all reads a feed whole, and checks what must hold for every feed.
func all(t *testing.T, src io.Reader, opts *jobfeed.Options, most int) (items []result, entries []*jobfeed.Entry) {
	t.Helper()
	end, offset := false, int64(-1)
	for e, err := range jobfeed.NewReader(src, opts).Entries() {
		if end {
			t.Fatal("an item after the last")
		}
		if len(items) > most {
			t.Fatal("no end")
		}
		if err == nil {
			if e.JobID < 1 || e.Offset <= offset || e.Line < 1 || e.Column < 1 {
				t.Fatalf("entry %+v after offset %d", e, offset)
			}
			offset = e.Offset
			raw := e.Raw()
			if !xmlAccepts(raw) {
				t.Fatalf("entry that encoding/xml does not accept: %q", raw)
			}
			items = append(items, result{id: e.JobID, text: string(raw)})
			entries = append(entries, e)
			continue
		}
		var bad *jobfeed.EntryError
		if end = !errors.As(err, &bad); !end && (bad.Line < 1 || bad.Column < 1 || bad.Offset < bad.Entry.Offset) {
			t.Fatalf("%+v", bad)
		}
		items = append(items, result{text: err.Error()})
	}
	return items, entries
}

func xmlAccepts(raw []byte) bool {
	if bytes.Contains(raw, []byte("<?xml")) {
		return true // may stand anywhere for us
	}
	d := xml.NewDecoder(bytes.NewReader(raw))
	for {
		switch _, err := d.Token(); {
		case err == io.EOF:
			return true
		case err != nil:
			return strings.Contains(err.Error(), "invalid XML name")
		}
	}
}

// FuzzReader reads anything.
func FuzzReader(f *testing.F) {
	entry := opening(4711)
	for _, seed := range []string{
		"", "<", "<Jobs/>", "<Jobs>" + entry + opening(2) + "</Jobs>", full, entry + "<!-- " + entry + " -->" + entry, entry[:60] + entry,
		"<!DOCTYPE a [<!ENTITY b 'c'>]><Jobs>" + entry + "</Jobs>", "<Jobs><![CDATA[" + entry + "]]>" + opening("x") + opening(1) + "</Jobs>",
		"<?xml version='1.0' encoding='latin1'?><Jobs>\xe4" + entry + "</Jobs>", "\ufeff" + entry, "\xff\xfe<\x00a\x00/\x00>\x00", "<\x00a\x00/\x00>\x00",
		"<PositionOpening><![CDATA[</PositionOpening>" + entry + "<PositionOpening><![CDATA[]]></x>", "<PositionOpening><!-- " + entry + "<!-- -->" + entry,
		strings.Repeat("<PositionOpening><![CDATA[", 70) + "]]>" + entry, string(gz(f, entry)), string(gz(f, entry[:30], entry[30:])) + "x", "<a><a b='>'>" + entry + "</a>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, feed []byte) {
		opts := &jobfeed.Options{MaxEntryBytes: 600, MaxBytes: 1 << 20}
		items, entries := all(t, bytes.NewReader(feed), opts, 1<<20)

		// However the reader cuts it, and whatever is asked for.
		bytewise, _ := all(t, iotest.OneByteReader(bytes.NewReader(feed)), opts, 1<<20)
		if !reflect.DeepEqual(items, bytewise) && !bytes.HasPrefix(feed, []byte{0x1f, 0x8b}) {
			t.Fatalf("at once  %v\nbytewise %v", items, bytewise)
		}
		n := 0
		for id, err := range jobfeed.NewReader(bytes.NewReader(feed), opts).JobIDs() {
			if id != items[n].id || err != nil && err.Error() != items[n].text {
				t.Fatalf("JobIDs: item %d: %v, %v; want %v", n, id, err, items[n])
			}
			n++
		}
		if n != len(items) {
			t.Fatalf("JobIDs: %d items, want %d", n, len(items))
		}

		// Well-formed feeds give what encoding/xml finds.
		want, ok := oracle(feed)
		if !ok || len(want) == 0 || len(feed) > opts.MaxEntryBytes || bytes.Contains(feed, []byte("<?xml")) ||
			!bytes.HasPrefix(bytes.TrimLeft(feed, " \t\r\n"), []byte("<")) || bytes.HasPrefix(feed, []byte("<\x00")) {
			return
		}
		var got, numbers []string
		for _, e := range entries {
			got = append(got, e.JobID.String())
			if raw := items[slices.IndexFunc(items, func(it result) bool { return it.id == e.JobID })].text; !bytes.Contains(feed, []byte(raw)) {
				t.Fatalf("raw %q", raw)
			}
		}
		for _, id := range want {
			if n, err := jobboard.ParseJobID(id); err == nil {
				numbers = append(numbers, n.String())
			}
		}
		if !slices.Equal(got, numbers) {
			t.Fatalf("got %v, want %v\n%q", got, numbers, feed)
		}
	})
}

// FuzzResync puts anything between good entries: the one after the next is
// always found, and the next, too, if what is before it begins no section.
func FuzzResync(f *testing.F) {
	for _, seed := range []string{
		"", "<a>", "</PositionOpening>", "<PositionOpening", "<PositionOpening>", "<a b='", "<a b=\"x>", "<![CDATA[", "<!--", "<?x", "<!-- <![CDATA[ <?", "</PositionOpening><!-- ", "</Jobs>", "</",
		"<!DOCTYPE", "</PositionOpening", "<PositionOpening><![CDATA[", "]]>", "-->", "<a></b>", "&nbsp;", "\x00", "\xff", "<", "<!", "<![", "<!-", "<PositionOpening><!-- <PositionOpening><!-- ",
		opening(3), opening("x"), "<PositionOpening></PositionOpening>", strings.Repeat("<PositionOpening><![CDATA[", 70), strings.Repeat("x", 700), "<![CDATA[" + strings.Repeat("x", 700), "<html>",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	next := strings.Replace(opening(1000002), "</PositionOpening>", "<b><![CDATA[x]]></b><!-- y --><?z z?></PositionOpening>", 1)
	last := opening(1000003)
	f.Fuzz(func(t *testing.T, junk []byte, inside bool) {
		feed := "<Jobs>" + opening(1000001) + "\n"
		if inside {
			feed += "<PositionOpening>"
		}
		feed += string(junk)
		at := len(feed)
		feed += next + "\n" + last + "</Jobs>"
		lower := strings.ToLower(feed)
		if strings.Contains(lower, "<!doctype") {
			return // may hide everything, but is bounded
		}
		_, entries := all(t, strings.NewReader(feed), &jobfeed.Options{MaxEntryBytes: 600}, len(feed))
		found := func(offset int) bool {
			for _, e := range entries {
				if e.Offset == int64(offset) {
					return true
				}
			}
			return false
		}
		if !found(strings.Index(feed, "<PositionOpening>")) {
			t.Fatalf("the entry before is lost")
		}
		sections := strings.Contains(feed[:at], "<!") || strings.Contains(feed[:at], "<?") || strings.HasSuffix(feed[:at], "<")
		if !found(at) && !sections {
			t.Fatalf("the next entry is lost: %q", feed)
		}
		if !found(at + len(next) + 1) {
			t.Fatalf("the entry after the next is lost: %q", feed)
		}
	})
}

// BenchmarkEntries and BenchmarkJobIDs read a feed of ads of 3 KB.
func BenchmarkEntries(b *testing.B) {
	benchmark(b, func(r *jobfeed.Reader) (n int) {
		for _, err := range r.Entries() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		return n
	})
}

func BenchmarkJobIDs(b *testing.B) {
	benchmark(b, func(r *jobfeed.Reader) (n int) {
		for _, err := range r.JobIDs() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		return n
	})
}

// BenchmarkEncodingXML is the tokens of encoding/xml alone, to compare with.
func BenchmarkEncodingXML(b *testing.B) {
	feed := benchmarkFeed(b)
	b.SetBytes(int64(len(feed)))
	b.ReportAllocs()
	for b.Loop() {
		d := xml.NewDecoder(strings.NewReader(feed))
		for {
			if _, err := d.RawToken(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}

const benchmarkEntries = 1000

func benchmarkFeed(b *testing.B) string {
	ad := "<FormattedPositionDescription><Name>Ad</Name><Value>" + strings.Repeat("&lt;p&gt;An ad of some length, with &#228; and ü.&lt;/p&gt;\n", 40) + "</Value></FormattedPositionDescription></PositionProfile>"
	var entries []*jobfeed.Entry
	for i := range benchmarkEntries {
		entries = append(entries, sample(jobboard.JobID(i+1)))
	}
	return strings.ReplaceAll(write(b, nil, entries...), "</PositionProfile>", ad)
}

func benchmark(b *testing.B, read func(r *jobfeed.Reader) int) {
	feed := benchmarkFeed(b)
	b.SetBytes(int64(len(feed)))
	b.ReportAllocs()
	for b.Loop() {
		if n := read(jobfeed.NewReader(strings.NewReader(feed), nil)); n != benchmarkEntries {
			b.Fatal(fmt.Sprint(n, " entries"))
		}
	}
	b.ReportMetric(float64(b.N)*benchmarkEntries/b.Elapsed().Seconds(), "entries/s")
}
