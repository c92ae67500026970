package jobfeed

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// steps returns how many bytes a reader looks at to read a feed of n times the
// text, and fails where it has no end.
func steps(t *testing.T, text string, n int) int64 {
	t.Helper()
	feed := "<Jobs>" + strings.Repeat(text, n) + "</Jobs>"
	r := NewReader(strings.NewReader(feed), &Options{MaxEntryBytes: 2000})
	items := 0
	for _, err := range r.Entries() {
		_, broken := errors.AsType[*EntryError](err)
		if items++; items > len(feed) {
			t.Fatalf("no end: %q", text)
		}
		if err != nil && !broken && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrNotFeed) && !errors.Is(err, ErrTooLarge) {
			t.Fatalf("%q: %v", text, err)
		}
	}
	return r.win.steps
}

// FuzzLinear: twice the text takes at most 2.5 times the steps, whatever the
// text, and no text takes more than a bounded number of steps a byte.
func FuzzLinear(f *testing.F) {
	const entry = "<PositionOpening><PositionRecordInfo><Id><IdValue>7</IdValue></Id></PositionRecordInfo></PositionOpening>"
	for _, seed := range []string{
		"x", "<", "\n", "<a>", "</a>", "<a ", "<a b='", entry, "<PositionOpening>", "<PositionOpening ", entry[:60], "</PositionOpening", "</PositionOpening ",
		"<PositionOpening>" + strings.Repeat("<PositionRecordInfo/>", 60) + "</PositionOpening>", strings.Repeat("<a><PositionRecordInfo/>", 30),
		"<!--", "-->", "<!-- -->", "<![CDATA[", "]]>", "<?", "?>", "<PositionOpening><!--", "<PositionOpening><![CDATA[", "<PositionOpening><?x", "&lt;", "&",
		"<PositionOpening><![CDATA[" + entry, "<PositionOpening><![CDATA[ text <![CDATA[ text ]]></PositionOpening>",
		"<PositionOpening><!-- " + entry + "<!-- ", "<PositionOpening><![CDATA[]]></x>", entry + "<!-- " + entry + " -->",
		"<PositionOpening><a></PositionOpening>", "<PositionOpening><Link>a</Link>", strings.Repeat("<PositionOpening><![CDATA[", 40) + "]]>",
		"<!DOCTYPE", "<PositionOpening>" + strings.Repeat("x", 500), "<x:PositionOpening:", "\r\n", "<PositionOpening a='" + strings.Repeat("<", 50),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) == 0 || len(text) > 4000 {
			return
		}
		n := max(128, 64<<10/len(text)) // beyond the bound of looks at one end of a section
		once, twice := steps(t, text, n), steps(t, text, 2*n)
		if float64(twice) > 2.5*float64(once) {
			t.Errorf("%d steps, twice the text %d: %q", once, twice, text)
		}
		if most := int64(200 * (n*len(text) + 1000)); once > most {
			t.Errorf("%d steps for %d bytes: %q", once, n*len(text), text)
		}
	})
}

// An entry that is read again from inside of a section costs a look at what
// comes behind it. Sections that end apart must not make that many looks.
func TestLinearResync(t *testing.T) {
	for _, unit := range []string{
		"<!--<PositionOpening <!---->", "<!--<PositionOpening><!---->", "<![CDATA[<PositionOpening <![CDATA[]]>",
		"<!--<PositionOpening/><PositionOpening <!---->",
	} {
		for _, end := range []string{"", "</PositionOpening>", "<PositionOpening/>"} {
			feed := "<PositionOpening>" + strings.Repeat(unit, 100_000/len(unit)) + end
			r := NewReader(strings.NewReader(feed), nil)
			for _, err := range r.Entries() {
				if err == nil {
					t.Errorf("an entry without an identifier: %q...%q", unit, end)
				}
			}
			if most := int64(200 * len(feed)); r.win.steps > most {
				t.Errorf("%d steps for %d bytes: %q...%q", r.win.steps, len(feed), unit, end)
			}
		}
	}
}

// An opening with many records gives an entry for each, and its text is not looked at for each.
func TestLinearRecords(t *testing.T) {
	for _, record := range []string{"<PositionRecordInfo>\n<Id><IdValue>7</IdValue></Id></PositionRecordInfo>", "<PositionRecordInfo/>", "<a><PositionRecordInfo/></a>"} {
		n := 900_000 / len(record)
		feed := "<PositionOpening>" + strings.Repeat(record, n) + "</PositionOpening>"
		r := NewReader(strings.NewReader(feed), nil)
		items := 0
		for range r.Entries() { //nolint:errcheck // both count
			items++
		}
		if most := int64(10 * len(feed)); items != n || r.win.steps > most {
			t.Errorf("%d items of %d, %d steps for %d bytes: %s", items, n, r.win.steps, len(feed), record)
		}
	}
}

// What is wrong is told in characters that a terminal and a database can show and
// keep, whatever stands in the feed.
func TestReasonIsPrintable(t *testing.T) {
	for _, name := range []string{"\x9b31m", "\u009b31m", "\u2028", "\u202e", "a\xff", "\u0085"} {
		r := NewReader(strings.NewReader("<PositionOpening><"+name+"/></PositionOpening>"), nil)
		for _, err := range r.Entries() {
			broken, ok := errors.AsType[*EntryError](err)
			if !ok {
				t.Fatalf("%q: %v", name, err)
			}
			if !utf8.ValidString(broken.Reason) || strings.ContainsFunc(broken.Reason, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%q: %q", name, broken.Reason)
			}
		}
	}
}

// A feed without a bound of its own may be 16 GiB long, which no test reads.
func TestDefaultBytes(t *testing.T) {
	if left := NewReader(nil, nil).win.left; left != 16<<30 {
		t.Errorf("%d bytes", left)
	}
}

func TestNameBytes(t *testing.T) {
	const ascii = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:.-"
	for c := range 256 {
		if want := c >= 0x80 || strings.IndexByte(ascii, byte(c)) >= 0; nameByte[c] != want {
			t.Errorf("%q: %v", byte(c), !want)
		}
	}
}

// Names are compared without regard to the case of the letters A to Z alone.
func TestNamesInLowerCase(t *testing.T) {
	for c := range 256 {
		want := byte(c)
		if i := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZ", byte(c)); i >= 0 {
			want = "abcdefghijklmnopqrstuvwxyz"[i]
		}
		var p parser
		if got := p.lower(string([]byte{byte(c)})); string(got) != string([]byte{want}) {
			t.Errorf("%q becomes %q", byte(c), got)
		}
	}
}

func TestEqualFold(t *testing.T) {
	for name, ascii := range map[string]string{"\u017f": "s", "\u212a": "k", "a\u017f": "as", "ab": "a", "a": "b"} {
		if equalFold(name, ascii) || equalFold([]byte(name), ascii) {
			t.Errorf("%q is %q", name, ascii)
		}
	}
	if !equalFold("DocType", "doctype") {
		t.Error("the case of letters matters")
	}
}

// An entry in a section shows that the section was not closed, if another section
// begins behind it. The end of one does not.
func TestHidden(t *testing.T) {
	for content, want := range map[string]int{
		"<PositionOpening><![CDATA[":      0,
		"a<p:positionopening ><![CDATA[":  1,
		"</p:PositionOpening><![CDATA[":   -1,
		"<PositionOpening>":               -1,
		"<![CDATA[<PositionOpening>":      -1,
		"<PositionOpenings><a><![CDATA[ ": -1,
	} {
		var w window
		if got := w.hidden([]byte(content), cdata); got != want {
			t.Errorf("%s: %d, want %d", content, got, want)
		}
	}
}
