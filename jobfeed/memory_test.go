package jobfeed_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// pipe gives what write writes.
func pipe(t testing.TB, write func(w io.Writer) error) io.Reader {
	pr, pw := io.Pipe()
	t.Cleanup(func() { pr.Close() }) // ends the goroutine
	go func() { pw.CloseWithError(write(pw)) }()
	return pr
}

// heap runs f and tells how far the live heap was above that before, measured
// when f calls measure.
func heap(f func(measure func())) (peak int64) {
	live := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	f(func() { peak = max(peak, live()-before) })
	return peak
}

// TestConstantMemory reads 20 MB that were never in memory together, at night 200 MB.
func TestConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("20 MB")
	}
	n := 6000
	if testenv.Night() {
		n *= 10
	}
	ad := "<FormattedPositionDescription><Value><![CDATA[" + strings.Repeat("<p>An ad.</p>\n", 200) + "]]></Value></FormattedPositionDescription></PositionProfile>"
	entry := strings.Replace(write(t, sample(1)), "</PositionProfile>", ad, 1)
	entry = entry[strings.Index(entry, "<PositionOpening>"):strings.LastIndex(entry, "</PositionOpenings>")]
	feed := pipe(t, func(w io.Writer) error {
		_, _ = io.WriteString(w, "<Jobs>")
		for i := range n {
			if i%10 == 9 {
				_, _ = io.WriteString(w, "<PositionOpening><unclosed>")
			}
			if _, err := io.WriteString(w, entry); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "</Jobs>")
		return err
	})
	got, bad := 0, 0
	peak := heap(func(measure func()) {
		for e, err := range jobfeed.NewReader(feed, nil).Entries() {
			if err != nil {
				bad++
				continue
			}
			if e.JobID != 1 || len(e.Locations) != 2 {
				t.Fatalf("%+v", e)
			}
			if got++; got%(n/12) == 0 {
				measure()
			}
		}
	})
	if got != n || bad != n/10 {
		t.Errorf("%d entries, %d broken", got, bad)
	}
	t.Logf("%d MB, heap at most %d KiB", n*len(entry)>>20, peak>>10)
	if peak > 4<<20 {
		t.Errorf("heap of %d bytes", peak)
	}
}

// TestBombs: what is hostile costs neither memory nor, as the test would take
// minutes, much time.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("300 MB")
	}
	const size = 16 << 20
	// Markup begun over and over costs the most: each beginning is one of something broken.
	begun, begunCDATA := 4<<20, 1<<20
	if testenv.Night() {
		begun, begunCDATA = size, 4<<20
	}
	repeat := func(head, s, tail string, n int) func(io.Writer) error {
		return func(w io.Writer) error {
			chunk := strings.Repeat(s, max(1, 64<<10/len(s)))
			if _, err := io.WriteString(w, head); err != nil {
				return err
			}
			for n > 0 {
				if _, err := io.WriteString(w, chunk); err != nil {
					return err
				}
				n -= len(chunk)
			}
			_, err := io.WriteString(w, tail)
			return err
		}
	}
	open := opening(7)[:len(opening(7))-len("</PositionOpening>")]
	tail := "</PositionOpening>" + opening(8) + "</Jobs>"
	tests := []struct {
		name             string
		head, body, tail string
		size             int
		last             jobboard.JobID // the last entry that is found; 0: none
	}{
		{"nesting", "<Jobs>" + open, "<a>", tail, size, 8},
		{"nesting of wrappers", "<Jobs>", "<a>", opening(8), size, 8},
		{"text", "<Jobs>" + open, "x", tail, size, 8},
		{"lines", "<Jobs>" + open, "\n", tail, size, 8},
		{"CDATA", "<Jobs>" + open + "<![CDATA[", "x", "]]>" + tail, size, 8},
		{"comment", "<Jobs>" + open + "<!--", "-", "-->" + tail, size, 8},
		{"comment between entries", "<Jobs><!--", "-", "-->" + opening(8), size, 8},
		{"a tag", "<Jobs><PositionOpening ", "a='b' ", ">" + tail, size, 8},
		{"a name", "<Jobs><", "a", ">" + opening(8), size, 8},
		{"an entry's name", "<Jobs><PositionOpening:", "a", ">" + opening(8), size, 8},
		{"< alone", "<Jobs>", "<", opening(8), begun, 8},
		{"< in an entry", "<Jobs>" + open, "<", tail, begun, 8},
		{"end tags", "<Jobs>", "</a>", opening(8), size, 8},
		{"white space in an end tag", "<Jobs>" + open + "</PositionOpening", " ", ">" + opening(8), size, 8},
		{"begun entries", "<Jobs>", "<PositionOpening>", opening(8), begun, 8},
		{"begun CDATA", "<Jobs>" + open, "<![CDATA[", "]]>" + tail, size, 8},
		{"begun comments", "<Jobs>" + open, "<!--", tail, size, 8},
		{"begun comments in begun entries", "<Jobs>", "<PositionOpening><!--", opening(8), begun, 8},
		{"begun CDATA in begun entries, one end", "<Jobs>", "<PositionOpening><![CDATA[", "]]>" + tail, begunCDATA, 8},
		{"begun CDATA in begun entries, an end for each MiB", "<Jobs>", strings.Repeat("<PositionOpening><![CDATA[", 39_000) + "]]></x>", opening(8), begunCDATA, 8},
		{"attributes", "<Jobs><PositionOpening ", "a='&lt;' ", ">" + tail, 1 << 19, 8},
		{"links", "<Jobs>" + open + "<PositionPosting>", "<Link>a</Link>", "</PositionPosting>" + tail, 1 << 19, 8},
	}
	for _, test := range tests {
		if strings.HasSuffix(test.name, "for each MiB") && !testenv.Night() {
			continue // as long as all others together
		}
		t.Run(test.name, func(t *testing.T) {
			src := pipe(t, func(w io.Writer) error {
				// Compressed, it is a bomb.
				z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
				if err != nil {
					return err
				}
				if err := repeat(test.head, test.body, test.tail, test.size)(z); err != nil {
					return err
				}
				return z.Close()
			})
			var last jobboard.JobID
			items := 0
			peak := heap(func(measure func()) {
				for e, err := range jobfeed.NewReader(src, nil).Entries() {
					if err == nil {
						last = e.JobID
					}
					if items++; items <= 3 || items%100_000 == 0 {
						measure()
					}
				}
			})
			if last != test.last {
				t.Errorf("last entry %d, want %d", last, test.last)
			}
			if peak > 8<<20 {
				t.Errorf("heap of %d bytes", peak)
			}
		})
	}
}

// TestEntities: entities of a document type declaration are never expanded.
func TestEntities(t *testing.T) {
	feed := `<!DOCTYPE Jobs [<!ENTITY a0 "7">`
	for i := range 10 {
		feed += fmt.Sprintf(`<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
	}
	feed += `<!ENTITY x SYSTEM "file:///etc/passwd">]><Jobs>` + opening("&a10;") + opening("&x;") + opening("&a0;") + opening(8) + "</Jobs>"
	items, _, end := read(t, strings.NewReader(feed), nil)
	if len(items) != 4 || end != nil || items[3].id != 8 {
		t.Fatalf("%v, %v", items, end)
	}
	for _, it := range items[:3] {
		if it.err != jobfeed.ErrSyntax {
			t.Error(it)
		}
	}
}
