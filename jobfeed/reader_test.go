package jobfeed_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// item holds what a loop over a feed gives, in a form that can be compared.
type item struct {
	id    jobboard.JobID
	err   error // one of the sentinels
	place string
}

// wholeEntry matches what begins and ends with the tags of an entry.
var wholeEntry = regexp.MustCompile(`(?is)^<[^<]*positionopening\b.*</[^<]*positionopening\s*>$`)

// read gives all items, and the error that ended the feed, which Err gives too.
func read(t testing.TB, src io.Reader, opts *jobfeed.Options) (items []item, entries []*jobfeed.Entry, end error) {
	t.Helper()
	r := jobfeed.NewReader(src, opts)
	if err := r.Err(); !errors.Is(err, jobfeed.ErrUnread) {
		t.Fatalf("%v before anything was read", err)
	}
	for e, err := range r.Entries() {
		if end != nil {
			t.Fatalf("an item after the last error: %v, %v", e, err)
		}
		var bad *jobfeed.EntryError
		switch {
		case err == nil:
			items = append(items, item{id: e.JobID, place: e.Position.String()})
			if raw := e.Raw(); !wholeEntry.Match(raw) {
				t.Fatalf("an entry of %q", raw)
			}
			entries = append(entries, e)
		case e != nil:
			t.Fatalf("an entry beside the error %v", err)
		case errors.As(err, &bad):
			items = append(items, item{err: bad.Err, place: bad.Position.String()})
		default:
			end = err
		}
	}
	if r.Err() != end {
		t.Fatalf("the feed ended with %v, Err says %v", end, r.Err())
	}
	return items, entries, end
}

// ended reports whether err is the one that is wanted, and says so: its text is
// "jobfeed: " and text. Without a text there is none.
func ended(err, want error, text string) bool {
	if text == "" {
		return err == nil
	}
	return errors.Is(err, want) && err.Error() == "jobfeed: "+text
}

// ways returns readers of a text: at once, byte by byte, and with its end.
func ways(text string) []io.Reader {
	return []io.Reader{
		strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text)),
	}
}

func ids(entries []*jobfeed.Entry) (ids []jobboard.JobID) {
	for _, e := range entries {
		ids = append(ids, e.JobID)
	}
	return ids
}

// opening is a small entry.
func opening(id any) string {
	return fmt.Sprintf("<PositionOpening><PositionRecordInfo><Id><IdValue>%v</IdValue></Id></PositionRecordInfo></PositionOpening>", id)
}

func TestShapes(t *testing.T) {
	tests := []struct {
		name, feed string
		want       []jobboard.JobID
	}{
		{"bare", opening(4711), []jobboard.JobID{4711}},
		{"wrapped", "<Jobs>" + opening(1) + "\n" + opening(2) + "</Jobs>", []jobboard.JobID{1, 2}},
		{"repeats stay", "<Jobs>" + opening(1) + opening(1) + "</Jobs>", []jobboard.JobID{1, 1}},
		{"in an envelope", `<s:Envelope xmlns:s="urn:s"><s:Body><StaffingOrder>` + opening(5) + `</StaffingOrder></s:Body></s:Envelope>`, []jobboard.JobID{5}},
		{
			"default namespace", `<?xml version="1.0"?><PositionOpening xmlns="http://ns.hr-xml.org/2006-02-28"><PositionRecordInfo><Id><IdValue>7</IdValue></Id></PositionRecordInfo></PositionOpening>`,
			[]jobboard.JobID{7},
		},
		{
			"prefixes", `<a:Jobs xmlns:a="u"><hr:PositionOpening><hr:PositionRecordInfo><Id><b:IdValue>8</b:IdValue></Id></hr:PositionRecordInfo></hr:PositionOpening></a:Jobs>`,
			[]jobboard.JobID{8},
		},
		{
			"letter case", `<jobs><positionOpening><positionRecordInfo><id><idValue>9</idValue></id></positionRecordInfo></positionOpening><POSITIONOPENING><POSITIONRECORDINFO><ID><IDVALUE>10</IDVALUE></ID></POSITIONRECORDINFO></POSITIONOPENING></jobs>`,
			[]jobboard.JobID{9, 10},
		},
		{
			"IdValue elsewhere first", `<PositionOpening><UserArea><PositionRecordInfo><Id><IdValue>1</IdValue></Id></PositionRecordInfo></UserArea>` +
				`<PositionSupplier><SupplierId><IdValue>2</IdValue></SupplierId></PositionSupplier>` +
				`<PositionPostings><PositionPosting><Id><IdValue>3</IdValue></Id></PositionPosting></PositionPostings>` +
				`<PositionRecordInfo><IdValue>4</IdValue><Status><Id><IdValue>5</IdValue></Id></Status><RelatedId><IdValue>6</IdValue></RelatedId>` +
				`<Id><Other><IdValue>7</IdValue></Other><IdValue>42</IdValue></Id></PositionRecordInfo></PositionOpening>`,
			[]jobboard.JobID{42},
		},
		{
			"the number of several", `<PositionOpening><PositionRecordInfo><Id><IdValue> </IdValue></Id><Id idOwner="x"><IdValue name="x">R-11</IdValue><IdValue>12</IdValue></Id><Id><IdValue>012</IdValue><IdValue><b/></IdValue></Id></PositionRecordInfo></PositionOpening>`,
			[]jobboard.JobID{12},
		},
		{"white space, CDATA, comment, reference", opening("\n <!-- 9 --><![CDATA[4]]>&#55;&#x31;<?pi 8?>1\t"), []jobboard.JobID{4711}},
		{"in a comment", "<Jobs><!-- " + opening(1) + " -->" + opening(2) + "</Jobs>", []jobboard.JobID{2}},
		{"in CDATA", "<Jobs><![CDATA[" + opening(1) + "]]>" + opening(2) + "</Jobs>", []jobboard.JobID{2}},
		{"in a processing instruction", "<Jobs><?x " + opening(1) + "?>" + opening(2) + "</Jobs>", []jobboard.JobID{2}},
		{
			"quoted in an entry", `<PositionOpening><D><![CDATA[</PositionOpening>` + opening(1) + `]]><!-- </PositionOpening>` + opening(2) + ` --></D>` +
				`<PositionRecordInfo><Id><IdValue>3</IdValue></Id></PositionRecordInfo></PositionOpening>`,
			[]jobboard.JobID{3},
		},
		{"similar names", "<PositionOpenings><xPositionOpening/><PositionOpeningx/><PositionOpening.x/>" + opening(3) + "</PositionOpenings>", []jobboard.JobID{3}},
		{"not by Unicode's folding", "<Jobs><Po\u017fitionOpening/>" + opening(3) + "</Jobs>", []jobboard.JobID{3}},
		{"DOCTYPE", `<!DOCTYPE Jobs SYSTEM "a>b" [ <!ENTITY x "]>` + "<PositionOpening/>" + `"> <!-- ' ]> --> ]><Jobs>` + opening(6) + "</Jobs>", []jobboard.JobID{6}},
		{"DOCTYPE where none may be", "<Jobs><!DOCTYPE a [" + opening(1) + "</Jobs>", []jobboard.JobID{1}},
		{"two documents", `<?xml version="1.0"?>` + opening(1) + "\n" + `<?xml version="1.0"?>` + opening(2), []jobboard.JobID{1, 2}},
		{"an empty feed", `<?xml version="1.0"?><Jobs/>`, nil},
		{"end tag with a space", strings.Replace(opening(3), "</PositionOpening>", "</PositionOpening \t\r\n>", 1) + " " + opening(4), []jobboard.JobID{3, 4}},
		{"unclosed wrapper closed by an outer one", "<Jobs><p>" + opening(1) + "</Jobs>", []jobboard.JobID{1}},
		{"a < that begins nothing", "<Jobs><" + opening(1) + "< <!" + opening(2) + "</ " + opening(3) + "</Jobs>", []jobboard.JobID{1, 2, 3}},
		{"tags around that are none", "<Jobs a=b><p a='" + opening(1) + "</Jobs>", []jobboard.JobID{1}},
		{"quotes and ends of tags in attributes", strings.Replace(`<Jobs a='">' b="'>">`+opening(3)+"</Jobs>", "<PositionOpening>", `<PositionOpening a='"/>' b="'/>">`, 1), []jobboard.JobID{3}},
		{"HTML around entries", "<Jobs><html>" + opening(1) + "</html></Jobs>", []jobboard.JobID{1}},
		{"the longest prefix", strings.ReplaceAll("<Jobs>"+opening(1)+"</Jobs>", "PositionOpening", strings.Repeat("p", 240)+":PositionOpening"), []jobboard.JobID{1}},
		{"a prefix too long", "<Jobs>" + strings.ReplaceAll(opening(1), "PositionOpening", strings.Repeat("p", 241)+":PositionOpening") + opening(2) + "</Jobs>", []jobboard.JobID{2}},
		{"leading zeros and white space before the declaration", "\n <?xml version='1.0'?>" + opening("0012"), []jobboard.JobID{12}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, src := range ways(test.feed) {
				items, entries, end := read(t, src, nil)
				if got := ids(entries); !reflect.DeepEqual(got, test.want) || len(items) != len(got) || end != nil {
					t.Errorf("got %v, items %v, end %v; want %v", got, items, end, test.want)
				}
			}
		})
	}
}

const full = `<?xml version="1.0" encoding="utf-8"?>
<Jobs xml:lang="fr">
  <PositionOpening xmlns="http://ns.hr-xml.org/2006-02-28" xml:lang="en">
    <PositionRecordInfo>
      <Id idOwner="x" validFrom="2001-01-01" validTo="2001-02-02"><IdValue>2448257</IdValue></Id>
      <Status validFrom="2002-01-01" validTo="2002-02-02"> Active </Status>
    </PositionRecordInfo>
    <PositionPostings>
      <PositionPosting>
        <Id validFrom="2026-11-11" validTo='2026-12-15T23:59:59+01:00'><IdValue>77</IdValue></Id>
        <Title>Posting title</Title>
        <Link><![CDATA[https://jobs.example/ad?a=1&b=2]]></Link>
      </PositionPosting>
    </PositionPostings>
    <PositionProfile xml:lang="de-DE">
      <ProfileName>Profile name</ProfileName>
      <Organization><OrganizationName>Organisation</OrganizationName></Organization>
      <PositionDetail>
        <Company><Name>Kl&#228;r &amp; Söhne</Name></Company>
        <PhysicalLocation>
          <Name>Head office</Name>
          <PostalAddress>
            <CountryCode>DE</CountryCode><PostalCode>10117</PostalCode><Region>BE</Region><Municipality>Berlin</Municipality>
            <DeliveryAddress><StreetName>Friedrichstraße</StreetName><BuildingNumber>67</BuildingNumber></DeliveryAddress>
          </PostalAddress>
        </PhysicalLocation>
        <PhysicalLocation>
          <Area type="countrycode"><Value>AT</Value><Area type="Region"><Value>Wien</Value></Area></Area>
          <Area type="municipality"><Value>Vienna</Value></Area><Area type="postalCode"><Value>1010</Value></Area>
          <Area type="planet"><Value>Earth</Value></Area>
          <PostalAddress><DeliveryAddress><AddressLine>Ring 1</AddressLine><AddressLine>3rd floor</AddressLine></DeliveryAddress></PostalAddress>
        </PhysicalLocation>
        <PhysicalLocation> <PostalAddress/> </PhysicalLocation>
        <PositionTitle>
          Seaman <b>(f/m/d)</b><![CDATA[ & <cook>]]>
        </PositionTitle>
      </PositionDetail>
      <FormattedPositionDescription><Name>Title</Name><Value><![CDATA[<PositionTitle>not this</PositionTitle>]]></Value></FormattedPositionDescription>
      <HowToApply><ApplicationMethod><InternetWebAddress>https://jobs.example/apply</InternetWebAddress></ApplicationMethod></HowToApply>
    </PositionProfile>
  </PositionOpening>
</Jobs>
`

func TestFields(t *testing.T) {
	start, end := strings.Index(full, "<PositionOpening"), strings.Index(full, "</PositionOpening>")+len("</PositionOpening>")
	want := jobfeed.Entry{
		Position: jobfeed.Position{Line: 3, Column: 3, Offset: int64(start)},
		JobID:    2448257, Title: "Seaman (f/m/d) & <cook>", Company: "Klär & Söhne", Language: "de-DE", Status: "Active",
		ValidFrom: "2026-11-11", ValidTo: "2026-12-15T23:59:59+01:00",
		Locations: []jobfeed.Location{
			{Name: "Head office", Country: "DE", Region: "BE", City: "Berlin", PostalCode: "10117", Street: "Friedrichstraße 67"},
			{Country: "AT", Region: "Wien", City: "Vienna", PostalCode: "1010", Street: "Ring 1, 3rd floor"},
		},
		Links:    []jobfeed.Link{{jobfeed.LinkPosting, "https://jobs.example/ad?a=1&b=2"}, {jobfeed.LinkApply, "https://jobs.example/apply"}},
		Postings: []jobboard.JobPostingID{77},
	}
	r := jobfeed.NewReader(strings.NewReader(full), nil)
	var kept *jobfeed.Entry
	for e, err := range r.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if raw := e.Raw(); string(raw) != full[start:end] {
			t.Errorf("Raw: %q", raw)
		}
		kept = e
	}
	if kept == nil || kept.Raw() != nil {
		t.Fatalf("after the loop: %v", kept)
	}
	if !reflect.DeepEqual(*kept, want) {
		t.Errorf("got  %+v\nwant %+v", *kept, want)
	}
}

// TestFallbacks has, for each field, an entry in which the places that count more are
// missing.
func TestFallbacks(t *testing.T) {
	const (
		posting      = "<PositionPosting><Title>Posting title</Title></PositionPosting>"
		organisation = "<Organization><OrganizationName>Organisation</OrganizationName></Organization>"
		supplier     = "<PositionSupplier><EntityName>Supplier</EntityName></PositionSupplier>"
		recordDates  = ` validFrom="2001-01-01" validTo="2001-02-02"`
		statusDates  = `<Status validFrom="2002-01-01" validTo="2002-02-02"/>`
		postingDates = `<PositionPosting><Id validFrom="2003-01-01" validTo="2003-02-02"/></PositionPosting>`
	)
	title := func(e *jobfeed.Entry) string { return e.Title }
	company := func(e *jobfeed.Entry) string { return e.Company }
	language := func(e *jobfeed.Entry) string { return e.Language }
	dates := func(e *jobfeed.Entry) string { return string(e.ValidFrom + " " + e.ValidTo) }
	street := func(e *jobfeed.Entry) string { return e.Locations[0].Street }
	entry := func(record, rest string) string {
		return "<Jobs><PositionOpening><PositionRecordInfo><Id><IdValue>1</IdValue></Id>" + record + "</PositionRecordInfo>" + rest + "</PositionOpening></Jobs>"
	}
	profile := func(detail string) string {
		return entry("", posting+"<PositionProfile><ProfileName>Profile name</ProfileName>"+organisation+"<PositionDetail>"+detail+"</PositionDetail></PositionProfile>")
	}
	of := func(text string) string { return profile("<Company>" + text + "</Company>") }
	address := func(lines string) string {
		return profile("<PhysicalLocation><PostalAddress><DeliveryAddress>" + lines + "<BuildingNumber>67</BuildingNumber></DeliveryAddress></PostalAddress></PhysicalLocation>")
	}
	dated := func(id, record, rest string) string {
		return strings.Replace(entry(record, rest), "<Id>", "<Id"+id+">", 1)
	}
	spoken := func(jobs, wrapper, opening, profile string) string {
		feed := "<Jobs" + jobs + "><p" + wrapper + "><PositionOpening" + opening + "><PositionRecordInfo><Id><IdValue>1</IdValue></Id></PositionRecordInfo>"
		return feed + "<PositionProfile" + profile + "/></PositionOpening></p></Jobs>"
	}
	for _, c := range []struct {
		field      func(e *jobfeed.Entry) string
		what, feed string
		want       string
	}{
		{title, "the position's title", profile("<PositionTitle>Title</PositionTitle>"), "Title"},
		{title, "the profile's name", profile(""), "Profile name"},
		{title, "the posting's title", entry("", posting), "Posting title"},
		{title, "no title", entry("", ""), ""},

		{company, "the company's name", of("<Name>Name</Name>"), "Name"},
		{company, "a name beside text", of("Text<Name>Name</Name><Division>Division</Division>"), "Name"},
		{company, "text beside an empty name", of("Text<Name> </Name><Division>Division</Division>"), "Text"},
		{company, "text alone", of("Text"), "Text"},
		{company, "the organisation", profile(""), "Organisation"},
		{company, "the supplier", entry("", supplier+posting), "Supplier"},
		{company, "the organisation before the supplier", strings.Replace(profile(""), "<PositionProfile>", supplier+"<PositionProfile>", 1), "Organisation"},
		{company, "no company", entry("", posting), ""},

		{language, "the profile's", spoken(` xml:lang="fr"`, ` xml:lang="it"`, ` xml:lang="en"`, ` xml:lang="de-DE"`), "de-DE"},
		{language, "the entry's", spoken(` xml:lang="fr"`, ` xml:lang="it"`, ` xml:lang="en"`, ""), "en"},
		{language, "the inner wrapper's", spoken(` xml:lang="fr"`, ` xml:lang="it"`, "", ""), "it"},
		{language, "through a wrapper without one", spoken(` xml:lang="fr"`, "", "", ""), "fr"},
		{language, "none", spoken("", "", "", ""), ""},

		{dates, "the posting's", dated(recordDates, statusDates, postingDates), "2003-01-01 2003-02-02"},
		{dates, "the status's", dated(recordDates, statusDates, posting), "2002-01-01 2002-02-02"},
		{dates, "one, not mixed with another element's", dated(recordDates, `<Status validTo="2002-02-02"/>`, posting), " 2002-02-02"},
		{dates, "the record's", dated(recordDates, "<Status/>", posting), "2001-01-01 2001-02-02"},

		{street, "a street and a number", address("<AddressLine>Line</AddressLine><StreetName>Street</StreetName>"), "Street 67"},
		{street, "a line", address("<AddressLine>Line</AddressLine>"), "Line"},
		{street, "a number, in a village without names of streets", address(""), "67"},
	} {
		_, entries, end := read(t, strings.NewReader(c.feed), nil)
		if len(entries) != 1 || end != nil {
			t.Fatalf("%s: %d entries, %v", c.what, len(entries), end)
		}
		if got := c.field(entries[0]); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// TestOtherPlaces: what an entry says may stand in other places too, of several
// the first counts, and what looks alike elsewhere does not.
func TestOtherPlaces(t *testing.T) {
	feed := `<Jobs XML:LANG=" fr "><p xml:lang="it"/><PositionOpening other:lang="it"><PositionRecordInfo><Id><IdValue>1</IdValue></Id>
		<Status VALIDFROM=" 2026-01-01 "> </Status><Status>Active</Status><Status>Closed</Status></PositionRecordInfo>
		<PositionSupplier><EntityName>First</EntityName><EntityName>Second</EntityName></PositionSupplier>
		<PositionPosting><Id><IdValue>9223372036854775807</IdValue></Id><Id><IdValue>9223372036854775808</IdValue></Id><Id><IdValue>1</IdValue></Id>
			<Title>Title</Title><Title>Second</Title><Link> </Link><Link>a</Link>
			<HowToApply><ApplicationMethod><InternetWebAddress>b</InternetWebAddress></ApplicationMethod></HowToApply></PositionPosting>
		<PositionPostings><PositionPosting><HowToApply><ApplicationMethod><InternetWebAddress>c</InternetWebAddress></ApplicationMethod></HowToApply>
			</PositionPosting><Link>d</Link></PositionPostings>
		<PositionProfile><PhysicalLocation><Area type="Country"><Value>DE</Value><Value>AT</Value></Area>
			<PostalAddress><DeliveryAddress><AddressLine> </AddressLine><AddressLine>Line</AddressLine></DeliveryAddress><CountryCode>CH</CountryCode></PostalAddress>
			</PhysicalLocation><HowToApply><InternetWebAddress>e</InternetWebAddress></HowToApply></PositionProfile>
		<Title>f</Title></PositionOpening></Jobs>`
	want := jobfeed.Entry{
		Position: jobfeed.Position{Line: 1, Column: 41, Offset: 40},
		JobID:    1, Title: "Title", Company: "First", Language: "fr", Status: "Active", ValidFrom: "2026-01-01",
		Locations: []jobfeed.Location{{Country: "DE", Street: "Line"}},
		Links:     []jobfeed.Link{{jobfeed.LinkPosting, "a"}, {jobfeed.LinkApply, "b"}, {jobfeed.LinkApply, "c"}},
		Postings:  []jobboard.JobPostingID{1, 9223372036854775807},
	}
	_, entries, end := read(t, strings.NewReader(feed), nil)
	if end != nil || len(entries) != 1 || !reflect.DeepEqual(*entries[0], want) {
		t.Errorf("got  %+v, %v\nwant %+v", entries[0], end, want)
	}
}

// TestManyWrappers: 64 elements around the entries are known by name and language.
func TestManyWrappers(t *testing.T) {
	for _, c := range []struct {
		around int
		want   string
	}{{63, "de"}, {64, ""}} {
		feed := strings.Repeat("<a>", c.around) + "<b xml:lang='de'>" + opening(1)
		_, entries, _ := read(t, strings.NewReader(feed), nil)
		if len(entries) != 1 || entries[0].Language != c.want {
			t.Errorf("%d: %+v", c.around, entries)
		}
	}
}

// TestBounds: an entry may be as long and as deep as the options say, and no more, even if the
// feed ends in it. Unset options have the bounds of their comments.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		opts        *jobfeed.Options
		long, depth int
	}{
		{nil, 1 << 20, 64},
		{&jobfeed.Options{MaxEntryBytes: -1, MaxDepth: -1}, 1 << 20, 64},
		{&jobfeed.Options{MaxEntryBytes: 200, MaxDepth: 5}, 200, 5},
	} {
		const start = "<PositionOpening>"
		inner := func(s string) string {
			return strings.Replace(opening(1), "</PositionOpening>", s+"</PositionOpening>", 1)
		}
		for more := range 2 {
			long := inner(strings.Repeat("x", c.long-len(opening(1))+more))
			deep := inner(strings.Repeat("<a>", c.depth-1+more) + strings.Repeat("</a>", c.depth-1+more))
			cut := start + strings.Repeat("x", c.long-len(start)+more)
			want := []error{nil, nil, io.ErrUnexpectedEOF}
			if more > 0 {
				want = []error{jobfeed.ErrTooLarge, jobfeed.ErrTooDeep, jobfeed.ErrTooLarge}
			}
			for i, feed := range []string{"<Jobs>" + long + "</Jobs>", "<Jobs>" + deep + "</Jobs>", cut} {
				for _, src := range ways(feed) {
					if items, _, end := read(t, src, c.opts); len(items) != 1 || items[0].err != want[i] || (end == nil) != (feed != cut) {
						t.Errorf("%+v: %d bytes more or elements deeper: %v, %v", c.opts, more, items, end)
					}
				}
			}
		}
	}
}

// TestLineEnds: all that XML takes as the end of a line is LF in a text.
func TestLineEnds(t *testing.T) {
	feed := strings.Replace(opening(1), "</PositionOpening>", "<PositionProfile><ProfileName>a\r\nb\rc\n\rd<![CDATA[\r\n]]>&#13;e</ProfileName></PositionProfile></PositionOpening>", 1)
	_, entries, end := read(t, strings.NewReader(feed), nil)
	if want := "a\nb\nc\n\nd\n\re"; end != nil || len(entries) != 1 || entries[0].Title != want {
		t.Errorf("%+v, %v", entries, end)
	}
}

// TestReferences reads characters by their numbers, decimal and hexadecimal.
func TestReferences(t *testing.T) {
	name := "Gro&#xDF;e&#32;Stra&#xdf;e&#x20;&#228;&#x1F600;&amp;&lt;&gt;&apos;&quot;"
	feed := strings.Replace(opening("47&#49;&#x31;&#32;"), "</PositionOpening>", "<PositionProfile lang='d&#x65;&#32;'><ProfileName>"+name+
		"</ProfileName></PositionProfile></PositionOpening>", 1)
	_, entries, end := read(t, strings.NewReader(feed), nil)
	if end != nil || len(entries) != 1 || entries[0].JobID != 4711 || entries[0].Title != "Große Straße ä\U0001F600&<>'\"" || entries[0].Language != "de" {
		t.Errorf("%+v, %v", entries, end)
	}
}

// TestCutOff cuts a feed at each byte of its last entry: that entry is broken, the entry before
// it is whole, and the feed counts as cut off.
func TestCutOff(t *testing.T) {
	last := full[strings.Index(full, "<PositionOpening"):]
	last = last[:strings.LastIndex(last, "</Jobs>")]
	last = strings.TrimRight(last, " \n")
	head := "<Jobs>" + opening(1)
	for n := len("<PositionOpening"); n < len(last); n++ {
		r := jobfeed.NewReader(strings.NewReader(head+last[:n]), nil)
		var ids []jobboard.JobID
		var bad *jobfeed.EntryError
		for e, err := range r.Entries() {
			if err == nil {
				ids = append(ids, e.JobID)
			} else {
				errors.As(err, &bad)
			}
		}
		if len(ids) != 1 || ids[0] != 1 || bad == nil || !errors.Is(r.Err(), io.ErrUnexpectedEOF) {
			t.Fatalf("cut after %q: entries %v, %v, %v", last[:n], ids, bad, r.Err())
		}
		knows := n >= strings.Index(last, "</IdValue>")+len("</IdValue>")
		if int(bad.Entry.Offset) != len(head) || knows != (bad.JobID == 2448257) || !errors.Is(bad, io.ErrUnexpectedEOF) && !errors.Is(bad, jobfeed.ErrSyntax) {
			t.Fatalf("cut after %q: %+v", last[:n], bad)
		}
	}
}

// TestFirstDates: of several elements the dates of the first that has some.
func TestFirstDates(t *testing.T) {
	posting := func(attrs string) string { return "<PositionPosting><Id" + attrs + "/></PositionPosting>" }
	feed := strings.Replace(opening(1), "</PositionOpening>", "<PositionPostings>"+posting("")+
		posting(" validFrom='2026-01-01'")+posting(" validFrom='2026-02-02' validTo='2026-03-03'")+"</PositionPostings></PositionOpening>", 1)
	_, entries, end := read(t, strings.NewReader(feed), nil)
	if end != nil || len(entries) != 1 || entries[0].ValidFrom != "2026-01-01" || entries[0].ValidTo != "" {
		t.Errorf("%+v, %v", entries, end)
	}
}

func TestDate(t *testing.T) {
	for in, want := range map[jobfeed.Date]string{
		"2026-11-11":                    "2026-11-11T00:00:00Z",
		"2026-11-11+01:00":              "2026-11-11T00:00:00+01:00",
		"2026-11-11Z":                   "2026-11-11T00:00:00Z",
		"2026-11-11T10:11:12":           "2026-11-11T10:11:12Z",
		"2026-11-11T10:11:12.5Z":        "2026-11-11T10:11:12.5Z",
		" 2026-11-11T10:11:12+0100 ":    "2026-11-11T10:11:12+01:00",
		"2026-11-11T10:11:12.123+01:00": "2026-11-11T10:11:12.123+01:00",
		"2026-11-11T10:11":              "2026-11-11T10:11:00Z",
		"2026-11-28 10:00:00":           "2026-11-28T10:00:00Z",
		"2026-11-28 10:00:00.25":        "2026-11-28T10:00:00.25Z",
		"2026-11-28 10:00:00+01:00":     "2026-11-28T10:00:00+01:00",
		"1795860000000":                 "2026-11-28T10:00:00Z",
		" 946684800123 ":                "2000-01-01T00:00:00.123Z",
		"20261128":                      "",
		"1795860000":                    "",
		"-795860000000":                 "",
		"28.11.2026":                    "",
		"":                              "",
		"notKnown":                      "",
		"2026-13-01":                    "",
	} {
		got := ""
		if tm, ok := in.Time(); ok {
			got = tm.Format("2006-01-02T15:04:05.999999999Z07:00")
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// A feed without entries is one, by each root that the package comment names.
func TestEmptyFeeds(t *testing.T) {
	for _, root := range []string{
		"PositionOpenings", "PositionOpeningList", "PositionList", "Positions", "Jobs", "JobList", "JobFeed", "Feed", "HRXML", "StaffingOrder", "StaffingOrders",
	} {
		for _, feed := range []string{"<%s/>", "<?xml version='1.0'?>\n<p:%s xmlns:p='u'><Header>0</Header></p:%[1]s>"} {
			for _, name := range []string{root, strings.ToLower(root)} {
				if items, _, end := read(t, strings.NewReader(fmt.Sprintf(feed, name)), nil); len(items) > 0 || end != nil {
					t.Errorf("%s: %v, %v", name, items, end)
				}
			}
		}
	}
}

func TestEncodings(t *testing.T) {
	feed := func(decl string) string {
		return decl + `<Jobs>` + strings.Replace(opening(4711), "</PositionOpening>", "<PositionProfile><ProfileName>Müller – 10 €</ProfileName></PositionProfile></PositionOpening>", 1) + opening(2) + `</Jobs>`
	}
	longest := func(name string) string {
		return "<?xml version='1.0' encoding='" + name + "'" + strings.Repeat(" ", 1024-len("<?xml version='1.0' encoding=''?>"+name)) + "?>"
	}
	decl := func(name string) string { return `<?xml version="1.0" encoding="` + name + `"?>` + "\n" }
	must := func(s string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	utf16 := func(e unicode.Endianness, bom unicode.BOMPolicy, s string) string {
		return must(unicode.UTF16(e, bom).NewEncoder().String(s))
	}
	latin9 := must(charmap.ISO8859_15.NewEncoder().String(strings.ReplaceAll(feed(decl("ISO-8859-15")), "–", "-")))
	tests := []struct{ name, feed string }{
		{"none declared", feed("")},
		{"UTF-8", feed(decl("UTF-8"))},
		{"an empty encoding", feed(decl(""))},
		{"an instruction that is no declaration", feed(`<?xml-stylesheet href="a" encoding="koi8-r"?>`)},
		{"the first encoding that is whole", feed(`<?xml encoding="utf-8 encoding=x encoding='utf-8'?>`)},
		{"UTF-8 with a mark", "\ufeff" + feed(decl("utf8"))},
		{"the mark wins", "\ufeff" + feed(decl("ISO-8859-1"))},
		{"the longest declaration", must(charmap.Windows1252.NewEncoder().String(feed(longest("latin1"))))},
		{"white space before the declaration", must(charmap.Windows1252.NewEncoder().String(feed("\r\n\t " + decl("latin1"))))},
		{"a declaration too long to be read", feed(" " + longest("koi8-r"))},
		{"an encoding behind the declaration", feed(`<?xml version="1.0"?><!-- encoding="koi8-r" ?> -->`)},
		{"windows-1252", must(charmap.Windows1252.NewEncoder().String(feed(decl("windows-1252"))))},
		{"declared as ISO-8859-1", must(charmap.Windows1252.NewEncoder().String(feed("<?xml version='1.0' encoding = 'iso-8859-1' standalone='yes'?>")))},
		{"ISO-8859-15", latin9},
		{"UTF-16LE with a mark", utf16(unicode.LittleEndian, unicode.UseBOM, feed(decl("UTF-16")))},
		{"UTF-16BE with a mark", utf16(unicode.BigEndian, unicode.UseBOM, feed(decl("UTF-16")))},
		{"UTF-16LE", utf16(unicode.LittleEndian, unicode.IgnoreBOM, feed(decl("UTF-16LE")))},
		{"UTF-16BE", utf16(unicode.BigEndian, unicode.IgnoreBOM, feed(""))},
		{"UTF-8 that says UTF-16", feed(decl("utf-16"))},
	}
	for _, test := range tests {
		for _, src := range ways(test.feed) {
			_, entries, end := read(t, src, nil)
			if end != nil || len(entries) != 2 {
				t.Errorf("%s: %d entries, %v", test.name, len(entries), end)
				continue
			}
			want := "Müller – 10 €"
			if test.feed == latin9 {
				want = "Müller - 10 €"
			}
			if entries[0].Title != want {
				t.Errorf("%s: %q", test.name, entries[0].Title)
			}
		}
	}

	for _, bad := range []string{feed(decl("klingon")), feed(decl("ISO-2022-KR")), "\xff\xfe\x00\x00<\x00\x00\x00", "\x00\x00\xfe\xff\x00\x00\x00<"} {
		if items, _, end := read(t, strings.NewReader(bad), nil); !errors.Is(end, jobfeed.ErrEncoding) || len(items) != 0 {
			t.Errorf("%.60q: %v, %v", bad, items, end)
		}
	}
}

func gz(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, m := range members {
		z.Reset(&b)
		if _, err := io.WriteString(z, m); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// flushed returns a text in gzip that is whole as far as it goes, and has no end.
func flushed(t testing.TB, text string) string {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	if err := errors.Join(err, z.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGzip(t *testing.T) {
	feed := "<Jobs>" + opening(1) + opening(2) + opening(3) + "</Jobs>"
	whole := gz(t, feed)
	bad := bytes.Clone(whole)
	bad[len(bad)-6] ^= 1 // checksum
	latin := "<?xml version='1.0' encoding='latin1'?>" + strings.Replace(feed, "<Jobs>", "<Jobs>\xe4", 1)
	tests := []struct {
		name string
		src  []byte
		n    int
		end  error
		text string // of end
	}{
		{"one member", whole, 3, nil, ""},
		{"several members", gz(t, feed[:70], "", feed[70:200], feed[200:]), 3, nil, ""},
		{"two documents", append(gz(t, feed), whole...), 6, nil, ""},
		{"other encoding", gz(t, latin), 3, nil, ""},
		{"bytes after it", append(bytes.Clone(whole), "garbage, more than a header"...), 3, gzip.ErrHeader, "line 1, offset 328: gzip: bytes after the last member: gzip: invalid header"},
		{"one byte after it", append(bytes.Clone(whole), 0), 3, io.ErrUnexpectedEOF, "line 1, offset 328: gzip: unexpected EOF"},
		{"many members, every other empty", gz(t, strings.Split(strings.Repeat("|"+opening(1)+"|", 1500), "|")...), 1500, nil, ""},
		{"cut in the body", whole[:len(whole)-9], 3, io.ErrUnexpectedEOF, "line 1, offset 328: gzip: unexpected EOF"},
		{"cut in the header", whole[:5], 0, io.ErrUnexpectedEOF, "line 1, offset 0: gzip: unexpected EOF"},
		{"bad checksum", bad, 3, gzip.ErrChecksum, "line 1, offset 328: gzip: gzip: invalid checksum"},
		{"bad header", append([]byte{0x1f, 0x8b, 7}, whole[3:]...), 0, gzip.ErrHeader, "line 1, offset 0: gzip: gzip: invalid header"},
		{"twice", gz(t, "\x1f\x8bagain"), 0, jobfeed.ErrNotFeed, `line 1, offset 0: not a job feed: it begins with "\x1f\x8bagain"`},
		{"as many empty members as may be", append(bytes.Repeat(gz(t, ""), 1000), whole...), 3, nil, ""},
		{"one more", append(bytes.Repeat(gz(t, ""), 1001), whole...), 0, jobfeed.ErrTooLarge, "line 1, offset 0: gzip: too large: over 1000 empty members"},
		{"countless empty members", bytes.Repeat(gz(t, ""), 5000), 0, jobfeed.ErrTooLarge, "line 1, offset 0: gzip: too large: over 1000 empty members"},
	}
	for _, test := range tests {
		for _, src := range ways(string(test.src)) {
			items, _, end := read(t, src, nil)
			if len(items) != test.n || !ended(end, test.end, test.text) {
				t.Errorf("%s: %v, %v; want %d, %v", test.name, items, end, test.n, test.text)
			}
		}
	}
}

const mark = "¦"

func TestBrokenEntries(t *testing.T) {
	ok := func(id int, place string) item { return item{id: jobboard.JobID(id), place: place} }
	inner := func(s string) string {
		return strings.Replace(opening(7), "</PositionOpening>", s+"</PositionOpening>", 1)
	}
	cdata := func(end int) string { // in inner, that ends there
		return "<![CDATA[" + strings.Repeat("x", end-len(opening(7))+len("</PositionOpening>")-len("<![CDATA[]]>")) + "]]>"
	}
	tests := []struct {
		name string
		feed string // on line 3, between two good entries
		err  error
		id   jobboard.JobID // known all the same

		reason string // empty: one of encoding/xml, which may change
	}{
		{"no id", "<PositionOpening><PositionRecordInfo/></PositionOpening>", jobfeed.ErrNoJobID, 0, "no value at PositionRecordInfo > Id > IdValue"},
		{"nothing in it", " <PositionOpening/>", jobfeed.ErrNoJobID, 0, "no value at PositionRecordInfo > Id > IdValue"},
		{"empty id", opening(" "), jobfeed.ErrNoJobID, 0, "no value at PositionRecordInfo > Id > IdValue"},
		{"id in the wrong place", "<PositionOpening><Id><IdValue>3</IdValue></Id></PositionOpening>", jobfeed.ErrNoJobID, 0, "no value at PositionRecordInfo > Id > IdValue"},
		{"a word", opening("¦REF-7"), jobfeed.ErrBadJobID, 0, `"REF-7" is not a positive number`},
		{"zero", opening("¦0"), jobfeed.ErrBadJobID, 0, `"0" is not a positive number`},
		{"negative", opening("¦-1"), jobfeed.ErrBadJobID, 0, `"-1" is not a positive number`},
		{"plus sign", opening("¦+1"), jobfeed.ErrBadJobID, 0, `"+1" is not a positive number`},
		{"beyond int64", opening("¦9223372036854775808"), jobfeed.ErrBadJobID, 0, `"9223372036854775808" is not a positive number`},
		{"two numbers", opening("¦1 2"), jobfeed.ErrBadJobID, 0, `"1 2" is not a positive number`},
		{"element in the id", opening("¦1<b>2</b>3"), jobfeed.ErrBadJobID, 0, "an element inside IdValue"},
		{"an element alone in the id", opening("¦<b/>"), jobfeed.ErrBadJobID, 0, "an element inside IdValue"},
		{"two numbers in two values", strings.Replace(opening("88"), "</Id>", "</Id><Id><IdValue>¦603</IdValue></Id>", 1), jobfeed.ErrBadJobID, 0, "two identifiers, 88 and 603"},
		{"three numbers and a word", strings.Replace(opening("R-1"), "</Id>", "<IdValue>88</IdValue><IdValue>¦603</IdValue><IdValue>88</IdValue><IdValue>4</IdValue></Id>", 1), jobfeed.ErrBadJobID, 0, "two identifiers, 88 and 603"},
		{"two words", strings.Replace(opening("¦R-1"), "</Id>", "<IdValue>R-2</IdValue></Id>", 1), jobfeed.ErrBadJobID, 0, `"R-1" is not a positive number`},
		{"a record without an id among others", "<PositionOpening><PositionRecordInfo/></PositionOpening>", jobfeed.ErrNoJobID, 0, "no value at PositionRecordInfo > Id > IdValue"},
		{"unclosed element", inner("<a>¦"), jobfeed.ErrSyntax, 7, `element "a" closed by "PositionOpening"`},
		{"unclosed element before the id", "<PositionOpening><br>" + strings.Replace(opening(7)[17:], "</PositionOpening>", "¦</PositionOpening>", 1), jobfeed.ErrSyntax, 0, `element "br" closed by "PositionOpening"`},
		{"wrong end tag", inner("<a>¦</b>"), jobfeed.ErrSyntax, 7, `element "a" closed by "b"`},
		{"end tag in another case", inner("<a>¦</A>"), jobfeed.ErrSyntax, 7, `element "a" closed by "A"`},
		{"end tag with another prefix", inner("<a:b>¦</c:b>"), jobfeed.ErrSyntax, 7, `element "b" closed by "b"`},
		{"own end tag in another case", strings.ReplaceAll(inner("¦"), "</PositionOpening", "</positionopening"), jobfeed.ErrSyntax, 7, `element "PositionOpening" closed by "positionopening"`},
		{"stray end tag", inner("¦</a>"), jobfeed.ErrSyntax, 7, `element "PositionOpening" closed by "a"`},
		{"not closed", strings.TrimSuffix(inner(""), "</PositionOpening>"), jobfeed.ErrSyntax, 7, "the entry is not closed where the next one begins"},
		{"cut in a tag", strings.TrimSuffix(inner("<a b='"), "</PositionOpening>"), jobfeed.ErrSyntax, 7, "the entry is not closed where the next one begins"},
		{"cut in the end tag", strings.TrimSuffix(inner(""), "ing>"), jobfeed.ErrSyntax, 7, "the entry is not closed where the next one begins"},
		{"end tag without >", strings.TrimSuffix(inner(""), ">"), jobfeed.ErrSyntax, 7, "the entry is not closed where the next one begins"},
		{"start tag without >", "<PositionOpening ¦<PositionRecordInfo></PositionRecordInfo></PositionOpening>", jobfeed.ErrSyntax, 0, ""},
		{"undefined entity", inner("\n<a>¦&nbsp;</a>"), jobfeed.ErrSyntax, 7, ""},
		{"undefined entity in an attribute", inner("<a b='¦&auml;'/>"), jobfeed.ErrSyntax, 7, ""},
		{"bare &", inner("R ¦& D"), jobfeed.ErrSyntax, 7, ""},
		{"reference to NUL", inner("¦&#0;"), jobfeed.ErrSyntax, 7, ""},
		{"reference beyond Unicode", inner("¦&#x110000;"), jobfeed.ErrSyntax, 7, ""},
		{"control character", inner("a¦\x0bb"), jobfeed.ErrSyntax, 7, ""},
		{"control character in CDATA", inner("<![CDATA[¦\x00]]>"), jobfeed.ErrSyntax, 7, ""},
		{"Latin-1 in UTF-8", inner("M¦\xfcller"), jobfeed.ErrSyntax, 7, ""},
		{"noncharacter", inner("¦\uffff"), jobfeed.ErrSyntax, 7, ""},
		{"]]> in text", inner("a¦]]>"), jobfeed.ErrSyntax, 7, ""},
		{"-- in a comment", inner("<!-- a ¦-- b -->"), jobfeed.ErrSyntax, 7, ""},
		{"attribute without quotes", inner("<a ¦b=c/>"), jobfeed.ErrSyntax, 7, ""},
		{"attribute without a value", inner("<a ¦b/>"), jobfeed.ErrSyntax, 7, ""},
		{"unclosed attribute", inner(`<a b="c>¦</a>`), jobfeed.ErrSyntax, 7, ""},
		{"< in an attribute", inner(`<a b="¦<c>"/>`), jobfeed.ErrSyntax, 7, ""},
		{"tag that is none", inner(`a ¦< b`), jobfeed.ErrSyntax, 7, ""},
		{"DOCTYPE in an entry", inner(`¦<!DOCTYPE a>`), jobfeed.ErrSyntax, 7, "a declaration inside an entry"},
		{"too deep", inner(strings.Repeat("<a>", 63) + "¦<a>" + strings.Repeat("</a>", 64)), jobfeed.ErrTooDeep, 7, "over 64 elements deep"},
		{"too large", inner(strings.Repeat("x", 3000)), jobfeed.ErrTooLarge, 0, "the entry is over 2000 bytes long"},
		{"a tag too large", "<PositionOpening a='" + strings.Repeat("x", 3000) + "'></PositionOpening>", jobfeed.ErrTooLarge, 0, "the entry is over 2000 bytes long"},
		{"countless entries quoted in one too large", inner("<D><![CDATA[" + strings.Repeat(opening(9), 4) + strings.Repeat("x", 1000) + "]]></D>" + strings.Repeat("x", 3000)), jobfeed.ErrTooLarge, 0, "the entry is over 2000 bytes long"},
		{"an entry quoted in the rest of one too large", inner(strings.Repeat("x", 3000) + "<D><![CDATA[" + opening(9) + "]]></D>"), jobfeed.ErrTooLarge, 0, "the entry is over 2000 bytes long"},
		{"unclosed CDATA", inner("<a>¦<![CDATA[x</a>"), jobfeed.ErrSyntax, 7, "a CDATA section that is not closed"},
		{"unclosed comment", inner("¦<!-- x"), jobfeed.ErrSyntax, 7, "a comment that is not closed"},
		{"unclosed processing instruction", inner("¦<?x"), jobfeed.ErrSyntax, 7, "a processing instruction that is not closed"},
		{"unclosed declaration", inner("<!x") + "¦", jobfeed.ErrSyntax, 7, "malformed markup at the entry's end"},
		{"CDATA to the bound", inner(cdata(2000)), jobfeed.ErrTooLarge, 0, "the entry is over 2000 bytes long"},
		{"CDATA over the bound", inner("¦" + cdata(2001)), jobfeed.ErrTooLarge, 7, "a CDATA section that is not closed within the 2000 bytes of an entry"},
		{"comment longer than an entry", inner("¦<!--" + strings.Repeat("x", 3000) + "-->"), jobfeed.ErrTooLarge, 7, "a comment that is not closed within the 2000 bytes of an entry"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// The mark is the fault's place, which encoding/xml may tell a little later, where it
			// stopped; otherwise it is the beginning of the entry, or of the next entry if this one is
			// not closed.
			broken, fault := strings.Replace(test.feed, mark, "", 1), strings.Index(test.feed, mark)
			start := strings.Index(broken, "<PositionOpening")
			if fault < 0 {
				if fault = start; test.err == jobfeed.ErrSyntax {
					fault = len(broken) + 1
				}
			}
			text := broken + "\n"
			feed := "<Jobs>\n" + opening(1) + "\n" + text + opening(2) + "</Jobs>"
			second := fmt.Sprintf("%d:1", 4+strings.Count(broken, "\n"))
			at := strings.Index(feed, broken)
			placed := func(offset int) string {
				return fmt.Sprintf("%d:%d", 1+strings.Count(feed[:offset], "\n"), offset-strings.LastIndex(feed[:offset], "\n"))
			}
			want := []item{ok(1, "2:1"), {err: test.err}, ok(2, second)}
			for _, src := range ways(feed) {
				items, _, end := read(t, src, &jobfeed.Options{MaxEntryBytes: 2000})
				for late := range 15 {
					if want[1].place = placed(at + fault + late); want[1].place == items[1].place || test.reason != "" {
						break
					}
				}
				if !reflect.DeepEqual(items, want) || end != nil {
					t.Errorf("got %v, %v; want %v", items, end, want)
				}
			}
			n := 0
			for id, err := range jobfeed.NewReader(strings.NewReader(feed), &jobfeed.Options{MaxEntryBytes: 2000}).JobIDs() {
				var bad *jobfeed.EntryError
				if errors.As(err, &bad) != (n == 1) || id != want[n].id {
					t.Errorf("JobIDs: item %d: %v, %v", n, id, err)
				}
				if bad != nil {
					if bad.JobID != test.id || bad.Position.String() != placed(int(bad.Offset)) || int(bad.Entry.Offset) != at+start || bad.Entry.Line != 3 {
						t.Errorf("%+v; want job %d, offset %d, entry at %d", bad, test.id, at+fault, at+start)
					}
					job := ""
					if bad.JobID != 0 {
						job = " (job 7)"
					}
					if bad.Reason == "" || test.reason != "" && bad.Reason != test.reason {
						t.Errorf("reason %q, want %q", bad.Reason, test.reason)
					}
					if got, want := bad.Error(), fmt.Sprintf("jobfeed: line %d, column %d, offset %d%s: %v: %s",
						bad.Line, bad.Column, bad.Offset, job, bad.Err, bad.Reason); got != want || strings.ContainsAny(got, "\n\r") {
						t.Errorf("text %q, want %q", got, want)
					}
				}
				n++
			}
			if n != 3 {
				t.Errorf("JobIDs: %d items", n)
			}
		})
	}
}

// TestBetweenEntries: what may hide entries around the others is told.
func TestBetweenEntries(t *testing.T) {
	for broken, want := range map[string]jobfeed.EntryError{
		"<!-- a " + opening(3) + "<!-- b -->":       {Err: jobfeed.ErrSyntax, Reason: "a comment that holds the beginning of another; entries in it are lost"},
		"<a b='" + strings.Repeat("x", 112) + "'/>": {Err: jobfeed.ErrTooLarge, Reason: "a tag of over 120 bytes"},
		"<a b='" + strings.Repeat("x", 111) + "'/>": {},
	} {
		var bad jobfeed.EntryError
		want.Position = jobfeed.Position{Line: 2, Column: 2, Offset: 8}
		want.Entry = want.Position
		var ids []jobboard.JobID
		for e, err := range jobfeed.NewReader(strings.NewReader("<Jobs>\n\t"+broken+opening(2)+"</Jobs>"), &jobfeed.Options{MaxEntryBytes: 120}).Entries() {
			if err == nil {
				ids = append(ids, e.JobID)
				continue
			}
			found, _ := errors.AsType[*jobfeed.EntryError](err)
			bad = *found
		}
		if want.Err == nil {
			want = jobfeed.EntryError{}
		}
		if bad != want || len(ids) != 1 || ids[0] != 2 {
			t.Errorf("%s: %v, %+v, want %+v", broken, ids, bad, want)
		}
	}
}

// TestSwallowed: sections that were never closed reach to the end of a section
// of a later entry.
func TestSwallowed(t *testing.T) {
	desc := func(id int, s string) string {
		return fmt.Sprintf("<PositionOpening><PositionRecordInfo><Id><IdValue>%d</IdValue></Id></PositionRecordInfo>%s</PositionOpening>\n", id, s)
	}
	good := desc(2, "<b><![CDATA[x]]></b><!-- y --><?z z?>")
	tests := []struct {
		name, feed string
		want       []jobboard.JobID
	}{
		{"CDATA", desc(1, "<a><![CDATA[x</a>") + good + desc(3, ""), []jobboard.JobID{2, 3}},
		{"CDATA behind a < of its own", desc(1, "<a><<![CDATA[x</a>") + good + desc(3, ""), []jobboard.JobID{2, 3}},
		{"comment", desc(1, "<!-- x") + good + desc(3, ""), []jobboard.JobID{2, 3}},
		{"instruction", desc(1, "<a><?x </a>") + good + desc(3, ""), []jobboard.JobID{2, 3}},
		{"several", desc(1, "<a><![CDATA[x</a>") + desc(9, "<a><![CDATA[x</a>") + good + desc(3, ""), []jobboard.JobID{2, 3}},
		{"an entry without one between", desc(1, "<a><![CDATA[x</a>") + desc(4, "") + good + desc(3, ""), []jobboard.JobID{4, 2, 3}},
		{"comment, then CDATA", desc(1, "<!-- x") + desc(9, "<a><![CDATA[x</a>") + good + desc(3, ""), []jobboard.JobID{2, 3}},
		{"without an id but well-formed", "<PositionOpening><b><![CDATA[</b></PositionOpening>" + good, []jobboard.JobID{2}},
		{"closed in an entry too large", desc(1, strings.Repeat("x", 3000)+"<a><![CDATA[x</a>") + good + desc(3, ""), []jobboard.JobID{2, 3}},
		{"before an entry too large", desc(1, "<a><![CDATA[x</a>") + good + desc(3, "") + desc(4, strings.Repeat("x", 3000)) + desc(5, ""), []jobboard.JobID{2, 3, 5}},
		// Its end comes within the bound of the section, but not of the entry.
		{"CDATA that ends too late", desc(1, strings.Repeat("x", 1000)+"<![CDATA["+desc(8, "")+strings.Repeat("x", 1200)+"]]>") + good, []jobboard.JobID{8, 2}},
		// Reading goes back past the comments of 3 to that of 2.
		{"back past other sections", desc(1, "<a><![CDATA[x</a>") + desc(2, "<!-- y -->") + desc(3, "<b><![CDATA[x]]></b><!-- z -->") + desc(4, ""), []jobboard.JobID{2, 3, 4}},
		// What is closed is text, whatever it looks like, in a broken entry too.
		{"quoted entry", desc(1, "&nbsp;<a><![CDATA["+desc(8, "")+"]]></a>") + good, []jobboard.JobID{2}},
		{"a comment in CDATA", desc(1, "&nbsp;<a><![CDATA[ <!-- "+desc(8, "")+"<!-- -->]]></a>") + good, []jobboard.JobID{2}},
		// And what is well-formed is one entry, whatever its author meant.
		{"well-formed", desc(1, "<b><![CDATA[</b>") + good, []jobboard.JobID{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			feed := "<Jobs>" + test.feed + "</Jobs>"
			for _, src := range ways(feed) {
				_, entries, end := read(t, src, &jobfeed.Options{MaxEntryBytes: 2000})
				if got := ids(entries); !reflect.DeepEqual(got, test.want) || end != nil {
					t.Errorf("got %v, %v; want %v", got, end, test.want)
				}
			}
		})
	}
}

// TestReadAgain: the same text is read again 64 times from inside of sections that
// nobody closed, which gives a broken entry each time, and a later one as often.
func TestReadAgain(t *testing.T) {
	for _, unit := range []string{"<!--<PositionOpening <!---->", "<![CDATA[<PositionOpening><![CDATA["} {
		for n, want := range map[int]int{1: 2, 63: 64, 64: 65, 65: 65, 200: 65} {
			broken := "<PositionOpening>" + strings.Repeat(unit, n) + "]]></PositionOpening>"
			items, entries, end := read(t, strings.NewReader("<Jobs>"+broken+opening(1)+broken+broken+opening(2)+"</Jobs>"), nil)
			if len(items) != 3*want+2 || len(entries) != 2 || end != nil {
				t.Errorf("%s %d times: %d items, %d entries, %v", unit, n, len(items), len(entries), end)
			}
		}
	}
}

// An entry of an earlier iteration belongs to the caller: the reader no longer writes to it.
func TestEntriesAreGivenAway(t *testing.T) {
	other, stop := iter.Pull2(jobfeed.NewReader(strings.NewReader(opening(1)), nil).Entries())
	defer stop()
	whole, _, _ := other()
	var first *jobfeed.Entry
	for e, err := range jobfeed.NewReader(strings.NewReader("<Jobs>"+opening(2)+"<PositionOpening/><PositionOpening/></Jobs>"), nil).Entries() {
		switch {
		case err == nil:
			first = e
		case first.Raw() == nil:
			*first = *whole
		}
	}
	if first == nil || string(first.Raw()) != opening(1) {
		t.Errorf("it has become %+v", first)
	}
}

func TestEnds(t *testing.T) {
	boom := errors.New("boom")
	one := opening(1)
	zipped := string(gz(t, "<Jobs>"+one+"</Jobs>"))
	endless := flushed(t, "<Jobs>"+one+"</Jobs>")
	reader := func(s string, err error) io.Reader {
		return io.MultiReader(strings.NewReader(s), iotest.ErrReader(err))
	}
	tests := []struct {
		name string
		src  io.Reader
		n    int // items before the end
		end  error
		text string // of end
	}{
		{"empty", strings.NewReader(""), 0, jobfeed.ErrNotFeed, "not a job feed: no element in it"},
		{"white space", strings.NewReader(" \n"), 0, jobfeed.ErrNotFeed, "not a job feed: no element in it"},
		{"declaration only", strings.NewReader("<?xml version='1.0'?>"), 0, jobfeed.ErrNotFeed, "not a job feed: no element in it"},
		{"JSON", strings.NewReader(`{"error":"<PositionOpening/>"}`), 0, jobfeed.ErrNotFeed, `line 1, offset 0: not a job feed: it begins with "{\"error\":\"<PositionO"`},
		{"JSON byte by byte", iotest.OneByteReader(strings.NewReader(`{"error":"<PositionOpening/>"}`)), 0, jobfeed.ErrNotFeed, `line 1, offset 0: not a job feed: it begins with "{\"error\":\"<PositionO"`},
		{"text", strings.NewReader(`Service unavailable`), 0, jobfeed.ErrNotFeed, `line 1, offset 0: not a job feed: it begins with "Service unavailable"`},
		{"SOAP", strings.NewReader(`<?xml version="1.0"?><env:Envelope xmlns:env="e"><env:Body><env:Fault/></env:Body></env:Envelope>`), 0, jobfeed.ErrNotFeed, `not a job feed: its root is "Envelope", and no PositionOpening or other element of a feed is in it`},
		{"an error document", strings.NewReader("<error><code>429</code></error>"), 0, jobfeed.ErrNotFeed, `not a job feed: its root is "error", and no PositionOpening or other element of a feed is in it`},
		{"RSS", strings.NewReader("<rss version='2.0'><channel><item><title>Koch</title></item></channel></rss>\n"), 0, jobfeed.ErrNotFeed, `not a job feed: its root is "rss", and no PositionOpening or other element of a feed is in it`},
		{"another vendor's", strings.NewReader("<X><JobPositionPosting><JobPositionPostingId>77</JobPositionPostingId></JobPositionPosting></X>"), 0, jobfeed.ErrNotFeed, `not a job feed: its root is "X", and no PositionOpening or other element of a feed is in it`},
		{"a root within", strings.NewReader("<source><jobs/></source>"), 0, jobfeed.ErrNotFeed, `not a job feed: its root is "source", and no PositionOpening or other element of a feed is in it`},
		{"a root that cannot be printed", strings.NewReader("<a\u202e\x80" + strings.Repeat("x", 300) + "/>"), 0, jobfeed.ErrNotFeed, `not a job feed: its root is "a\u202e\x80` + strings.Repeat("x", 37) + `", and no PositionOpening or other element of a feed is in it`},
		{"another root with an element of a feed", strings.NewReader("<source><n:positionProfile/></source>"), 0, nil, ""},
		{"another root with a broken entry", strings.NewReader("<source><PositionOpening/></source>"), 1, nil, ""},
		{"another root with a tag that is too large", strings.NewReader("<source><a b='" + strings.Repeat("x", 2<<20) + "'/></source>"), 1, jobfeed.ErrNotFeed, `not a job feed: its root is "source", and no PositionOpening or other element of a feed is in it`},
		{"HTML", strings.NewReader("<!DOCTYPE html>\n<HTML><body>" + one + "</body></HTML>"), 0, jobfeed.ErrNotFeed, "line 2, offset 16: not a job feed: a page of HTML"},
		{"cut between entries", strings.NewReader("<Jobs>" + one), 1, io.ErrUnexpectedEOF, `line 1, offset 111: the feed ends inside element "Jobs": unexpected EOF`},
		{"cut in an entry", strings.NewReader("<Jobs>" + one + one[:50]), 2, io.ErrUnexpectedEOF, "line 1, offset 161: the feed ends inside an entry: unexpected EOF"},
		{"cut in a bare entry", strings.NewReader(one[:50]), 1, io.ErrUnexpectedEOF, "line 1, offset 50: the feed ends inside an entry: unexpected EOF"},
		{"cut in an entry's tag", strings.NewReader("<Jobs>" + one + "<PositionOpening a='"), 2, io.ErrUnexpectedEOF, "line 1, offset 131: the feed ends inside an entry: unexpected EOF"},
		{"cut in a tag", strings.NewReader("<Jobs>" + one + "<Job a='"), 1, io.ErrUnexpectedEOF, "line 1, offset 111: the feed ends inside a tag: unexpected EOF"},
		{"cut in a comment", strings.NewReader("<Jobs>" + one + "<!-- </Jobs>"), 1, io.ErrUnexpectedEOF, "line 1, offset 118: the feed ends inside a comment that begins in line 1: unexpected EOF"},
		{"cut in a comment after the root", strings.NewReader("<Jobs>" + one + "</Jobs><!-- "), 1, io.ErrUnexpectedEOF, "line 1, offset 122: the feed ends inside a comment that begins in line 1: unexpected EOF"},
		{"cut in an entry too large", strings.NewReader("<Jobs>" + one[:17] + strings.Repeat("x", 2<<20)), 1, io.ErrUnexpectedEOF, "line 1, offset 2097175: the feed ends inside an entry: unexpected EOF"},
		{"cut in a CDATA section of an entry", strings.NewReader("<Jobs><PositionOpening><![CDATA["), 1, io.ErrUnexpectedEOF, "line 1, offset 32: the feed ends inside an entry: unexpected EOF"},
		{"cut in a DOCTYPE", strings.NewReader("<!DOCTYPE a ["), 0, io.ErrUnexpectedEOF, "line 1, offset 0: the feed ends inside a document type declaration: unexpected EOF"},
		{"cut in a DOCTYPE as large as may be", strings.NewReader(doctypeOf(64<<10 + 2)[:64<<10]), 0, jobfeed.ErrTooLarge, "line 1, offset 0: too large: a document type declaration of over 65536 bytes"},
		{"DOCTYPE too large", strings.NewReader("<!DOCTYPE a [" + strings.Repeat("<!ENTITY a 'b'>", 10000) + "]><Jobs/>"), 0, jobfeed.ErrTooLarge, "line 1, offset 0: too large: a document type declaration of over 65536 bytes"},
		{"comment in a DOCTYPE too large", strings.NewReader("<!DOCTYPE a [<!--" + strings.Repeat("x", 100000) + "-->]><Jobs/>"), 0, jobfeed.ErrTooLarge, "line 1, offset 0: too large: a document type declaration of over 65536 bytes"},
		{"DOCTYPE as large as may be", strings.NewReader(doctypeOf(64<<10) + "<Jobs/>"), 0, nil, ""},
		{"DOCTYPE too large by a byte", strings.NewReader("<!-- -->" + doctypeOf(64<<10+1) + "<Jobs/>"), 0, jobfeed.ErrTooLarge, "line 1, offset 8: too large: a document type declaration of over 65536 bytes"},
		{"reader fails at once", iotest.ErrReader(boom), 0, boom, "line 1, offset 0: boom"},
		{"reader fails after a byte", reader("P", boom), 0, boom, "line 1, offset 0: boom"},
		{"reader fails in the mark of gzip", reader("\x1f", boom), 0, boom, "line 1, offset 0: boom"},
		{"reader fails in a byte order mark", reader("\xef\xbb", boom), 0, boom, "line 1, offset 0: boom"},
		{"reader fails after a byte order mark", reader("\xef\xbb\xbf", boom), 0, boom, "line 1, offset 0: boom"},
		{"reader fails in that of UTF-16", reader("\xff", boom), 0, boom, "line 1, offset 0: boom"},
		{"reader fails in a declaration", reader("<?xm", boom), 0, boom, "line 1, offset 2: boom"},
		{"cut in the first bytes of gzip", strings.NewReader(zipped[:12]), 0, io.ErrUnexpectedEOF, "line 1, offset 0: gzip: unexpected EOF"},
		{"reader fails between entries", reader("<Jobs>"+one, boom), 1, boom, "line 1, offset 111: boom"},
		{"reader fails in an entry", reader("<Jobs>"+one+one[:50], boom), 1, boom, "line 1, offset 111: boom"},
		{"reader fails in a tag", reader("<Jobs>"+one+"<Job a", boom), 1, boom, "line 1, offset 111: boom"},
		{"reader fails in a comment", reader("<Jobs>"+one+"<!--", boom), 1, boom, "line 1, offset 115: boom"},
		{"reader fails after the root", reader("<Jobs>"+one+"</Jobs>", boom), 1, boom, "line 1, offset 118: boom"},
		{"reader fails in gzip", reader(zipped, boom), 1, boom, "line 1, offset 118: boom"},
		{"reader without progress", io.MultiReader(strings.NewReader("<Jobs>"+one), stuck{}), 1, io.ErrNoProgress, "line 1, offset 111: multiple Read calls return no data or error"},
		{"the same in gzip", io.MultiReader(strings.NewReader(endless), stuck{}), 1, io.ErrNoProgress, "line 1, offset 118: gzip: multiple Read calls return no data or error"},
		{"the same in Latin-1", io.MultiReader(strings.NewReader("<?xml version='1.0' encoding='latin1'?><Jobs>"+one), stuck{}), 1, io.ErrNoProgress, "line 1, offset 150: multiple Read calls return no data or error"},
		{"comment in a comment", strings.NewReader("<Jobs><!-- a " + one + "<!-- b -->" + one + "</Jobs>"), 2, nil, ""},
		{"comment in a comment, byte by byte", iotest.OneByteReader(strings.NewReader("<Jobs><!-- a <!-- b -->" + one + "</Jobs>")), 2, nil, ""},
		{"a tag too large", strings.NewReader("<Jobs><a b='" + strings.Repeat("x", 2<<20) + "'/>" + one + "</Jobs>"), 2, nil, ""},
		{"deep wrappers", strings.NewReader(strings.Repeat("<a>", 100000) + one + strings.Repeat("</a>", 100000)), 1, nil, ""},
		{"deep wrappers not closed", strings.NewReader(strings.Repeat("<a>", 100000) + one + strings.Repeat("</a>", 99999)), 1, io.ErrUnexpectedEOF, `line 1, offset 700101: the feed ends inside element "a": unexpected EOF`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			items, _, end := read(t, test.src, nil)
			if len(items) != test.n || !ended(end, test.end, test.text) {
				t.Errorf("got %v, %v; want %d items, %v", items, end, test.n, test.text)
			}
		})
	}
}

// doctypeOf returns a document type declaration of n bytes.
func doctypeOf(n int) string {
	const begin, end = "<!DOCTYPE a [<!--", "-->]>"
	return begin + strings.Repeat("x", n-len(begin)-len(end)) + end
}

// stuck is a reader that never gives anything.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestMaxBytes(t *testing.T) {
	feed := "<Jobs>" + opening(1) + opening(2) + "</Jobs>"
	length := int64(len(feed))
	for most, want := range map[int64]error{217: jobfeed.ErrTooLarge, length - 1: jobfeed.ErrTooLarge, length: nil, -1: nil} {
		for _, text := range []string{feed, string(gz(t, feed))} {
			for _, src := range ways(text) {
				if items, _, end := read(t, src, &jobfeed.Options{MaxBytes: most}); len(items) != 2 || !errors.Is(end, want) {
					t.Errorf("at most %d bytes: %v, %v; want %v", most, items, end, want)
				}
			}
		}
	}
}

// TestLoops: a loop that was left is continued by the next, and a failed feed
// stays failed.
func TestLoops(t *testing.T) {
	r := jobfeed.NewReader(strings.NewReader("<Jobs>"+opening(1)+opening("x")+opening(2)+opening(3)+"<Job>"), nil)
	var got []string
	for e, err := range r.Entries() {
		got = append(got, fmt.Sprint(e.JobID, err))
		break
	}
	for _, err := range r.Entries() {
		got = append(got, fmt.Sprint(errors.Is(err, jobfeed.ErrBadJobID), errors.Is(r.Err(), jobfeed.ErrUnread)))
		break
	}
	for id, err := range r.JobIDs() {
		got = append(got, fmt.Sprint(id, err))
		break
	}
	for range 2 {
		for e, err := range r.Entries() {
			if e != nil {
				got = append(got, fmt.Sprint(e.JobID))
				continue
			}
			got = append(got, fmt.Sprint(errors.Is(err, io.ErrUnexpectedEOF)))
		}
	}
	if want := []string{"1 <nil>", "true true", "2 <nil>", "3", "true", "true"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	r = jobfeed.NewReader(strings.NewReader(opening(1)), nil)
	for range r.JobIDs() { //nolint:errcheck // to its end
	}
	for id, err := range r.JobIDs() {
		t.Errorf("after the end: %v, %v", id, err)
	}
}
