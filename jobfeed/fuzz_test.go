package jobfeed_test

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// tree is an element as encoding/xml sees it.
type tree struct {
	name     string // local, lower case
	text     string // in it and its descendants
	children []*tree
}

// oracle reads a feed with encoding/xml and returns its entries. Not ok: the feed is not
// well-formed, or encoding/xml reads it differently for good reasons.
func oracle(feed []byte) (entries []*tree, ok bool) {
	d := xml.NewDecoder(bytes.NewReader(feed))
	open := []*tree{{}}
	entry := 0 // how many elements are open in it
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return entries, len(open) == 1
		}
		if err != nil {
			return nil, false
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &tree{name: lower(tok.Name.Local)}
			isEntry := n.name == "positionopening"
			if isEntry && entry > 0 || len(open) > 60 || strings.Contains(n.name, ":") || n.name == "html" {
				return nil, false
			}
			if isEntry {
				entries = append(entries, n)
			}
			if isEntry || entry > 0 {
				entry++
			}
			around := open[len(open)-1]
			around.children = append(around.children, n)
			open = append(open, n)
		case xml.CharData:
			for _, n := range open {
				n.text += string(tok)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
			entry = max(0, entry-1)
		case xml.Directive:
			return nil, false
		}
	}
}

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// all finds the elements at a path, in the order of the document.
func (n *tree) all(path ...string) (found []*tree) {
	if len(path) == 0 {
		return []*tree{n}
	}
	for _, c := range n.children {
		if c.name == path[0] {
			found = append(found, c.all(path[1:]...)...)
		}
	}
	return found
}

// texts returns the texts that are not empty of the elements at a path.
func (n *tree) texts(path ...string) (texts []string) {
	for _, c := range n.all(path...) {
		if s := strings.TrimSpace(c.text); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// first returns the first of the texts of the elements at a path.
func (n *tree) first(path ...string) string { return append(n.texts(path...), "")[0] }

// ids returns the job identifier of each record of an opening, and 0 where it is none.
func (n *tree) ids() (ids []jobboard.JobID) {
	records := n.all("positionrecordinfo")
	if len(records) == 0 {
		records = n.aside(0)
	}
	for _, r := range records {
		numbers := map[jobboard.JobID]bool{}
		for _, c := range r.all("id", "idvalue") {
			if id, err := jobboard.ParseJobID(strings.TrimSpace(c.text)); err == nil && len(c.children) == 0 {
				numbers[id] = true
			}
		}
		id := jobboard.JobID(0)
		for number := range numbers {
			if id = number; len(numbers) > 1 {
				id = 0
			}
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return []jobboard.JobID{0}
	}
	return ids
}

// aside returns the records in elements that are none of a feed's.
func (n *tree) aside(deep int) (records []*tree) {
	for _, c := range n.children {
		switch c.name {
		case "positionrecordinfo":
			if deep > 0 {
				records = append(records, c)
			}
		case "positionsupplier", "positionposting", "positionpostings", "positionprofile":
		default:
			records = append(records, c.aside(deep+1)...)
		}
	}
	return records
}

// check compares an entry with what encoding/xml reads of it. It leaves out what
// may stand in one of two places, of which the first in the feed counts.
func (n *tree) check(t *testing.T, e *jobfeed.Entry) {
	t.Helper()
	title := cmp.Or(n.first("positionprofile", "positiondetail", "positiontitle"), n.first("positionprofile", "profilename"))
	got := []string{e.Status}
	want := []string{n.first("positionrecordinfo", "status")}
	if len(n.all("positionposting")) == 0 {
		title = cmp.Or(title, n.first("positionpostings", "positionposting", "title"))
		got, want = append(got, e.Title), append(want, title)
		for _, l := range e.Links {
			if l.Kind == jobfeed.LinkPosting {
				got = append(got, l.URL)
			}
		}
		want = append(want, n.texts("positionpostings", "positionposting", "link")...)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
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
	for _, seed := range []string{
		"/>", "></PositionOpening>", " a='b' xml:lang=\"de\"></PositionOpening >", "><a:b c='&#x41;&amp;'/>t]]&gt;<![CDATA[<]]]]><!-- - --><?pi x?></PositionOpening>",
		"><PositionRecordInfo><Id validFrom='2026-01-01' ><IdValue>\r\n4&#55;11</IdValue></Id></PositionRecordInfo></PositionOpening>",
		"><positionRecordInfo><id><idValue>a</idValue></id></positionRecordInfo></PositionOpening>",
		"><PositionRecordInfo><Id><IdValue>1<a>2</a></IdValue></Id></PositionRecordInfo></PositionOpening>",
		"><PositionProfile xml:lang='de'><PositionDetail><PositionTitle>a<b>b</b>\xc3\xbc</PositionTitle></PositionDetail></PositionProfile></PositionOpening>",
		"><PositionPostings><PositionPosting><Id validTo='x'/><Title>t</Title><Link>http://x</Link></PositionPosting></PositionPostings></PositionOpening>",
		"><PositionProfile><HowToApply><ApplicationMethod><InternetWebAddress>x</InternetWebAddress></ApplicationMethod></HowToApply></PositionProfile></PositionOpening>",
		"><PositionProfile><PositionDetail><PhysicalLocation><Name>n</Name><Area type='region'><Value>v</Value></Area></PhysicalLocation></PositionDetail></PositionProfile></PositionOpening>",
		"><PositionRecordInfo><Id><IdValue>1</IdValue></Id></PositionRecordInfo><PositionProfile><ProfileName>a</ProfileName></PositionProfile><PositionRecordInfo><Id><IdValue>x</IdValue><IdValue>2</IdValue></Id></PositionRecordInfo></PositionOpening>",
		"><j><PositionRecordInfo><Id><IdValue>1</IdValue></Id></PositionRecordInfo><k><PositionRecordInfo><Id><IdValue>2</IdValue></Id></PositionRecordInfo></k></j></PositionOpening>",
		"><!-- a -- b --></PositionOpening>", ">]]></PositionOpening>", ">&nbsp;</PositionOpening>", "><a></b></PositionOpening>", "><a b=c/></PositionOpening>", "><a b='<'/></PositionOpening>",
		"><a/ ></PositionOpening>", "><:a></:a><a:></a:><a:b:c/></PositionOpening>", ">&#0;&#xd800;&#x110000;</PositionOpening>", ">\x01</PositionOpening>", ">\xff</PositionOpening>", "></PositionOpening>x",
		"><PositionRecordInfo><Id><IdValue>1&#32;</IdValue></Id></PositionRecordInfo><PositionProfile><ProfileName>Gro&#xDF;</ProfileName></PositionProfile></PositionOpening>",
		"><PositionRecordInfo><Id><IdValue>7", "><a>text \x01", " a='1'b='2'/>", " a/>", "><?x?><??></PositionOpening>", "><!x></PositionOpening>", "><a b='\r\n\t'/>\r\r\n</PositionOpening>",
	} {
		f.Add([]byte("<PositionOpening" + seed))
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

		// Well-formed feeds give what encoding/xml reads.
		want, ok := oracle(feed)
		if !ok || len(want) == 0 || len(feed) > opts.MaxEntryBytes || bytes.Contains(feed, []byte("<?xml")) ||
			!bytes.HasPrefix(bytes.TrimLeft(feed, " \t\r\n"), []byte("<")) || bytes.HasPrefix(feed, []byte("<\x00")) {
			return
		}
		for _, n := range want {
			ids := n.ids()
			for _, id := range ids {
				if len(items) == 0 || items[0].id != id {
					t.Fatalf("got %v, want %v\n%q", items, id, feed)
				}
				if id != 0 {
					if !bytes.Contains(feed, []byte(items[0].text)) {
						t.Fatalf("raw %q", items[0].text)
					}
					if len(ids) == 1 && len(n.all("positionrecordinfo")) == 1 {
						n.check(t, entries[0])
					}
					entries = entries[1:]
				}
				items = items[1:]
			}
		}
		if len(items) != 0 {
			t.Fatalf("also %v\n%q", items, feed)
		}
	})
}

// FuzzResync puts anything between good entries: the second entry after it is always found, and
// the next one too, unless the text before it begins a section.
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
