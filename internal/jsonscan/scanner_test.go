package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// scanners are the ways to give a document to a scanner.
var scanners = map[string]func(*Scanner, []byte){
	"bytes": func(s *Scanner, b []byte) { s.ResetBytes(b) },
	"whole": func(s *Scanner, b []byte) { s.Reset(bytes.NewReader(b), 0) },
	"a byte at a time": func(s *Scanner, b []byte) {
		s.Reset(iotest.OneByteReader(bytes.NewReader(b)), 0)
	},
	"three bytes, error with data": func(s *Scanner, b []byte) {
		s.Reset(iotest.DataErrReader(&threes{b}), 0)
	},
}

type threes struct{ b []byte }

func (r *threes) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b[:min(3, len(r.b))])
	r.b = r.b[n:]
	return n, nil
}

// texts are documents, good and bad, that tests and fuzz targets begin with.
var texts = []string{
	``, ` `, `null`, `true`, `false`, `nul`, `nulll`, `tru`, `0`, `-0`, `-`, `01`, `-01`, `1.`, `1.5`, `.5`, `1e`, `1e3`, `1E+3`, `1e-`, `+1`,
	`12345678901234567890`, `1 2`, `"`, `""`, `"a"`, `"a`, `"\"`, `"\""`, `"\x"`, `"\u12"`, `"\u12G4"`, `"\u00e9"`, `"\ud83d\ude80"`, `"\ud83d"`,
	`"\ude80"`, `"\ud83d\ud83d\ude80"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\ud83d\`, `"\ud83d\u`, `"\x0041"`, `"\U0041"`, `"\ud800\udc00"`, `"\udbff\udfff"`, `"\udbff\ue000"`, `"\ud800\x0041"`,
	`"\\"`, `"\\\"`, `"\\\\"`, `["\\","\""]`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\n\"",
	"\"\xff\"", "\"\xc3\"", "\"\xc3\xa9\"", "\"\xe2\x82\xac\"", "\"\xe2\x82\"", "\"\xf0\x9f\x9a\x80\"", "\"\xed\xa0\x80\"", "\"\xc0\xaf\"", "\"\xef\xbf\xbd\"",
	`"0123456789abcdefghijklmnopqrstuvwxyz0123456789"`, "\"0123456789abcdefghijklmnopqrstuvwxyz\u00e9 and \u20ac and more of it \\n\\t\\/\\\\ x\"",
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[`, `]`, `[}`, `{]`, `{}`, `{ }`, `{"a":1}`, `{"a" : 1 }`, `{"a":1,}`, `{,"a":1}`, `{"a"}`, `{"a":}`, `{a:1}`,
	`{"a":1 "b":2}`, `{"a":[{"b":[]},{}],"c":{"d":null}}`, `{"a":1}}`, `[[[]]]x`, "\t\r\n [ 1 , 2 ] \n", `{"\u0061":1}`, `{"a b":1}`, "{\"\u00fc\":1}",
	"\ufeff{}", "\ufeff\ufeff{}", `[1,2`, `{"a":tru}`, `["a","b" "c"]`, `[0.0e0,-1.25E-7]`, "[\"a\"\x00]", "\x00", "{\x00", `[truefalse]`, "\u00a0[]",
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// accepts says what a scanner must do with b, by encoding/json.
func accepts(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if !json.Valid(b) {
		return false
	}
	depth, deepest := 0, 0
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		t, err := d.Token()
		if err != nil {
			return deepest <= 64
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			depth++
			deepest = max(deepest, depth)
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
}

// tamed is b with its texts made harmless: x for everything in them.
func tamed(b []byte) []byte {
	b = bytes.Clone(b)
	inside := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			inside = !inside
		case inside && b[i] == '\\' && i+1 < len(b):
			b[i], b[i+1] = 'x', 'x'
			i++
		case inside:
			b[i] = 'x'
		}
	}
	return b
}

func checkSkip(t *testing.T, b []byte) {
	t.Helper()
	want := accepts(b)
	for name, reset := range scanners {
		s := new(Scanner)
		reset(s, b)
		s.Skip()
		s.End()
		if got := s.Err() == nil; got != want {
			t.Errorf("Skip of %q, %s: %v, want acceptance %v", b, name, s.Err(), want)
		}
		reset(s, b)
		s.Pass()
		s.End()
		passed := s.Err() == nil
		if want && !passed {
			t.Errorf("Pass of %q, %s: %v", b, name, s.Err())
		}
		if tame := tamed(b); passed && !accepts(tame) || !passed && !bytes.Contains(b, []byte("{")) && accepts(tame) {
			t.Errorf("Pass of %q, %s: %v, but the same with harmless texts is %v", b, name, s.Err(), accepts(tame))
		}
		// The same through the other methods.
		reset(s, b)
		v := walk(s)
		s.End()
		if got := s.Err() == nil; got != want {
			t.Errorf("walk of %q, %s: %v, want acceptance %v", b, name, s.Err(), want)
		}
		if !want || s.Err() != nil {
			if _, ok := s.Err().(Error); !ok || s.Offset() < 0 || s.Offset() > int64(len(b)) {
				t.Errorf("walk of %q, %s: error %v", b, name, s.Err())
			}
			continue
		}
		var w any
		d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
		d.UseNumber()
		if err := d.Decode(&w); err != nil {
			t.Fatal(err)
		}
		if got, want := spell(v), spell(w); got != want {
			t.Errorf("walk of %q, %s: %s, want %s", b, name, got, want)
		}
	}
}

func spell(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// walk reads a value into what encoding/json gives with UseNumber.
func walk(s *Scanner) any {
	switch s.Peek() {
	case '{':
		m := map[string]any{}
		s.Object()
		for {
			key, ok := s.NextKey("")
			if !ok {
				return m
			}
			k := string(key)
			m[k] = walk(s)
		}
	case '[':
		l := []any{}
		s.Array()
		for s.Next() {
			l = append(l, walk(s))
		}
		return l
	case '"':
		return str(s)
	case 'n':
		s.Null()
		return nil
	case 't', 'f':
		return s.Bool()
	default:
		return json.Number(s.Number())
	}
}

func str(s *Scanner) string {
	if !s.Quote() {
		return ""
	}
	b, done := s.Text(make([]byte, 0, 40))
	for !done {
		b = append(make([]byte, 0, len(b)+TextRoom+len(b)%7), b...)
		b, done = s.Text(b)
	}
	return string(b)
}

func TestSyntax(t *testing.T) {
	for _, text := range texts {
		checkSkip(t, []byte(text))
	}
	for _, n := range []int{1, 63, 64, 65, 10_001} {
		checkSkip(t, []byte(nested(n)))
		checkSkip(t, []byte(`{"a":`+nested(n-1)+`}`))
	}
}

// TestEveryCut ends good documents early, everywhere, and puts every byte in
// every place.
func TestEveryCut(t *testing.T) {
	const text = `{"a":[1,-2.5e3,"x\n\u00e9\ud83d\ude80 plain text beyond a block of it","é€"],"b":{"c":null,"d":true}}`
	for i := range len(text) {
		checkSkip(t, []byte(text[:i]))
	}
	for i := range len(text) {
		b := []byte(text)
		for c := range 256 {
			b[i] = byte(c)
			s := new(Scanner)
			s.ResetBytes(b)
			s.Skip()
			s.End()
			if got, want := s.Err() == nil, accepts(b); got != want {
				t.Fatalf("%q: %v, want acceptance %v", b, s.Err(), want)
			}
		}
	}
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "7": 7, "-7": -7, "9223372036854775807": 1<<63 - 1, "-9223372036854775808": -1 << 63, "1741593600001": 1741593600001,
		`"42"`: 42, `"-9223372036854775808"`: -1 << 63, `"4\u0032"`: 42, " 5 ": 5,
	} {
		for name, reset := range scanners {
			s := new(Scanner)
			reset(s, []byte(text))
			if got := s.Int(); got != want || s.Err() != nil {
				t.Errorf("%s, %s: %d, %v", text, name, got, s.Err())
			}
			if s.End(); s.Err() != nil {
				t.Errorf("%s, %s: %v", text, name, s.Err())
			}
		}
	}
	for text, reason := range map[string]Error{
		"1e3": errNotInt, "1.0": errNotInt, "1.5": errNotInt, "01": errNotInt, "-": errNotInt, "null": errNotInt, "x": errNotInt,
		"[1]": errNotInt, `""`: errNotInt, `" 1"`: errNotInt, `"1e3"`: errNotInt, `"+1"`: errNotInt, `"seven"`: errNotInt,
		"9223372036854775808": errRange, "-9223372036854775809": errRange, `"9223372036854775808"`: errRange,
		"99999999999999999999": errRange, strings.Repeat("9", 1000): errRange, `"` + strings.Repeat("9", 1000) + `"`: errRange,
		`"` + strings.Repeat("x", 1000) + `"`: errNotInt, "": errEarlyEnd, `"12`: errEarlyEnd,
	} {
		for name, reset := range scanners {
			s := new(Scanner)
			reset(s, []byte(text))
			s.Int()
			if s.Err() != reason {
				t.Errorf("%.40s, %s: %v, want %s", text, name, s.Err(), reason)
			}
		}
	}
}

// A number is kept as text, up to its bound.
func TestNumber(t *testing.T) {
	for _, test := range []struct {
		text string
		err  error
	}{
		{"0", nil},
		{"-1.5e+300", nil},
		{strings.Repeat("9", 1024), nil},
		{strings.Repeat("9", 1025), errLongNumber},
		{"01", errSyntax},
		{"1.", errSyntax},
		{"1e", errSyntax},
		{"+1", errSyntax},
		{"1-1", errSyntax},
	} {
		for name, reset := range scanners {
			s := new(Scanner)
			reset(s, []byte(test.text+" "))
			got := string(s.Number())
			if !errors.Is(s.Err(), test.err) || test.err == nil && got != test.text {
				t.Errorf("%.40s, %s: %.40s, %v, want %v", test.text, name, got, s.Err(), test.err)
			}
		}
	}
}

// A word that goes wrong, or a text that ends too early, is told by the read that
// came to it.
func TestBrokenValues(t *testing.T) {
	null := func(s *Scanner) { s.Null() }
	truth := func(s *Scanner) { s.Bool() }
	number := func(s *Scanner) { s.Number() }
	for _, test := range []struct {
		text string
		read func(*Scanner)
		err  error
	}{
		{"nulx", null, errSyntax},
		{"nul", null, errEarlyEnd},
		{"trux", truth, errSyntax},
		{"falsx", truth, errSyntax},
		{"1e", number, errEarlyEnd},
		{"-", number, errEarlyEnd},
	} {
		for name, reset := range scanners {
			s := new(Scanner)
			reset(s, []byte(test.text))
			if test.read(s); !errors.Is(s.Err(), test.err) {
				t.Errorf("%s, %s: %v, want %v", test.text, name, s.Err(), test.err)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	for _, text := range []string{`[1,2,3]`, `"` + strings.Repeat("x", 3*window.Size) + `"`} {
		for extra := -2; extra <= 2; extra++ {
			s := new(Scanner)
			s.Reset(strings.NewReader(text), int64(len(text)+extra))
			s.Skip()
			s.End()
			if got, want := errors.Is(s.Err(), window.ErrTooLarge), extra < 0; got != want {
				t.Errorf("document of %d bytes, bound %d: %v", len(text), len(text)+extra, s.Err())
			}
			s.Reset(strings.NewReader(" "+text+"  "), 0)
			s.Peek()
			s.Bound(len(text) + extra)
			s.Skip()
			s.Unbound()
			s.End()
			if got, want := errors.Is(s.Err(), window.ErrTooLarge), extra < 0; got != want {
				t.Errorf("part of %d bytes, bound %d: %v", len(text), len(text)+extra, s.Err())
			}
		}
	}
}

// endless repeats b for ever, and counts what was read.
type endless struct {
	b string
	n int64
}

func (r *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], r.b[(r.n+int64(n))%int64(len(r.b)):])
	}
	r.n += int64(n)
	return n, nil
}

// TestEndless skips values that never end, and holds that none is kept and
// that reading stops soon.
func TestEndless(t *testing.T) {
	bound := int64(8 << 20)
	if raceEnabled { // one goroutine, which the detector makes ten times as slow
		bound = 1 << 20
	}
	s := new(Scanner)
	for _, c := range []struct{ start, rest string }{
		{`"`, "text "},
		{`"`, "\u00e9"},
		{`"`, `\n`},
		{`[`, `1,`},
		{`{`, `"a":"b",`},
		{`{"`, "a long key "},
		{`[`, `[[{"a":[]}]],`},
		{``, `7`},
		{``, ` `},
		{`[0`, " \n"},
	} {
		src := &endless{b: strings.Repeat(c.rest, 1000)} // so that few copies make a window
		for name, skip := range map[string]func(*Scanner){"Skip": (*Scanner).Skip, "Pass": (*Scanner).Pass} {
			allocs := testing.AllocsPerRun(1, func() {
				src.n = 0
				s.Reset(io.MultiReader(strings.NewReader(c.start), src), bound)
				skip(s)
				s.End()
			})
			if !errors.Is(s.Err(), window.ErrTooLarge) && s.Err() != errLongNumber {
				t.Errorf("%s %s%s...: %v", name, c.start, c.rest, s.Err())
			}
			if src.n > bound+window.Size || !raceEnabled && allocs > 20 {
				t.Errorf("%s %s%s...: %d bytes read, %v allocations", name, c.start, c.rest, src.n, allocs)
			}
		}
	}
}

func TestLongKey(t *testing.T) {
	for _, n := range []int{100, window.Size - 10, window.Size + 10, 10 * window.Size} {
		text := `{"` + strings.Repeat("k", n) + `":1}`
		s := new(Scanner)
		s.Reset(strings.NewReader(text), 0)
		s.Object()
		key, ok := s.NextKey("")
		if n <= MaxKey {
			if !ok || len(key) != n {
				t.Errorf("key of %d bytes: %d, %v", n, len(key), s.Err())
			}
		} else if n > MaxKey+1024 && (ok || s.Err() == nil) {
			t.Errorf("key of %d bytes: %v, %v", n, ok, s.Err())
		}
	}
}

func TestReaderErrors(t *testing.T) {
	want := errors.New("reset by peer")
	const text = `{"a":[1,"x\u00e9",{"b":null}]}`
	for i := range len(text) + 1 {
		s := new(Scanner)
		s.Reset(io.MultiReader(strings.NewReader(text[:i]), iotest.ErrReader(want)), 0)
		s.Skip()
		s.End()
		if s.Err() != want {
			t.Errorf("after %d bytes: %v", i, s.Err())
		}
	}
	s := new(Scanner)
	s.Reset(noProgress{}, 0)
	if s.Skip(); s.Err() != io.ErrNoProgress {
		t.Errorf("reader that gives nothing: %v", s.Err())
	}
}

type noProgress struct{}

func (noProgress) Read([]byte) (int, error) { return 0, nil }

func TestGuesses(t *testing.T) {
	const text = `{"id":"7","label":"x","more":1}`
	for name, reset := range scanners {
		if name == "bytes" || name == "whole" {
			s := new(Scanner)
			reset(s, []byte(text))
			s.Peek()
			if s.OpenIs(`{"label":`) || !s.OpenIs(`{"id":"`) || s.Is("x") {
				t.Fatalf("%s: wrong guess", name)
			}
			if b, done := s.Text(make([]byte, 0, 64)); !done || string(b) != "7" || !s.Is(`,"label":`) {
				t.Fatalf("%s: %q, %v", name, b, done)
			}
			s.Skip()
			if key, ok := s.NextKey(""); !ok || string(key) != "more" {
				t.Fatalf("%s: %q, %v", name, key, ok)
			}
			s.Skip()
			if key, ok := s.NextKey(`,"more":`); ok {
				t.Fatalf("%s: %q", name, key)
			}
			if s.End(); s.Err() != nil {
				t.Fatal(s.Err())
			}
		}
	}
	// Guesses count for the depth.
	s := new(Scanner)
	s.ResetBytes([]byte(strings.Repeat(`["`, MaxDepth+1)))
	for range MaxDepth {
		if !s.OpenIs(`["`) {
			t.Fatal("not opened")
		}
	}
	if s.OpenIs(`["`) {
		t.Error("opened one too many")
	}
}

func TestElements(t *testing.T) {
	s := new(Scanner)
	s.ResetBytes([]byte(`[1,2,3]`))
	s.Array()
	s.Advance(len(`1,2`))
	if !s.Next() || s.Int() != 3 || s.Next() || s.Err() != nil {
		t.Error("3 was to come, and the end:", s.Err())
	}
}

// Entering fails for a text that is no object, for an object nested too deep, and for an array.
func TestNothingBegins(t *testing.T) {
	begin := func(text string, f func(*Scanner) bool) {
		s := new(Scanner)
		s.ResetBytes([]byte(text))
		for range MaxDepth {
			if len(text) <= MaxDepth || !s.Array() {
				break
			}
		}
		if f(s) || s.Err() == nil {
			t.Errorf("%.10q begins, %v", text, s.Err())
		}
	}
	deep := strings.Repeat("[", MaxDepth)
	for _, text := range []string{"", "7", `"{"`, "[", deep + "{", deep + "[{"} {
		begin(text, (*Scanner).Object)
	}
	for _, text := range []string{"", "7", `"["`, "{", deep + "[", deep + "{"} {
		begin(text, (*Scanner).Array)
	}
}

// TestAhead looks ahead at objects that come in pieces of any length, and reads them after
// that. Objects without an end, too long ones, and other values are left to the ordinary
// reading.
func TestAhead(t *testing.T) {
	objects := []string{`{}`, `{"a":[1,{"b":"}]"}],"c\"}":"\\"}`, `{"quote":"\\\"}"}`, `{"":"` + strings.Repeat(`\"}`, 20_000) + `"}`}
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"byte by byte": iotest.OneByteReader, "at once": func(r io.Reader) io.Reader { return r },
	} {
		s := new(Scanner)
		s.Reset(wrap(strings.NewReader("["+strings.Join(objects, " ,\n")+"]")), 0)
		s.Array()
		for i, want := range objects {
			if !s.Next() {
				t.Fatalf("%s: the list ends before %d: %v", name, i, s.Err())
			}
			if got := s.Ahead(len(want) - 1); got != nil {
				t.Errorf("%s: %d is longer than it may be", name, i)
			}
			if got := string(s.Ahead(len(want))); got != want {
				t.Errorf("%s: %d: %.100q", name, i, got)
			}
			if i%2 == 0 {
				s.Advance(len(want))
			} else {
				s.Skip()
			}
		}
		if s.Next() || s.Err() != nil {
			t.Errorf("%s: the end was to come: %v", name, s.Err())
		}
	}
	for _, text := range []string{``, `1`, `"{}"`, `[]`, `{`, `{"a":"}`, `{"a":"}\"`, `{"a":[}`, `{"` + strings.Repeat("x", window.Size) + `":1}`} {
		s := new(Scanner)
		s.Reset(strings.NewReader(text), 0)
		if got := s.Ahead(1 << 20); got != nil {
			t.Errorf("%.20q: %q", text, got)
		}
		var read any
		if s.Skip(); (s.Err() == nil) != (json.Unmarshal([]byte(text), &read) == nil) {
			t.Errorf("%.20q is read otherwise after it: %v", text, s.Err())
		}
	}
}

func FuzzSyntax(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Add([]byte(nested(MaxDepth)))
	f.Add([]byte(nested(MaxDepth + 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4096 {
			return
		}
		checkSkip(t, b)
	})
}

// TestLongTexts reads texts over many windows and buffers, of characters of
// every length, escapes, and bytes that are no UTF-8, as encoding/json reads
// them.
func TestLongTexts(t *testing.T) {
	parts := []string{
		"plain ASCII that goes on for more than a block of it ", "x", "é", "Привет", "我们", "🚀", `\n`, `\u00fc`, `\ud83d\ude80`, `\ud83d`, `\"`,
		"\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x9a", "\xed\xa0\x80", "\xc0\xaf",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, kinds := range []int{2, 6, 11, len(parts)} {
		for _, size := range []int{100, 3 * window.Size} {
			b := []byte{'"'}
			for len(b) < size {
				b = append(b, parts[rnd.IntN(kinds)]...)
			}
			b = append(b, '"')
			var want string
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			for name, reset := range scanners {
				for _, room := range []int{TextRoom, TextRoom + 1, 1000, 2 * len(b)} {
					s := new(Scanner)
					reset(s, b)
					s.Quote()
					var got []byte
					buf := make([]byte, 0, room)
					for done := false; !done; {
						buf, done = s.Text(buf[:0])
						got = append(got, buf...)
					}
					if s.End(); string(got) != want || s.Err() != nil {
						t.Fatalf("%d bytes of %d kinds, %s, room for %d: differs, %v", len(b), kinds, name, room, s.Err())
					}
				}
			}
		}
	}
}

// Text stays within the capacity that it is given, also where what is not UTF-8
// has filled it up to an escape.
func TestTextStaysInItsRoom(t *testing.T) {
	for before := range 40 {
		for room := TextRoom; room < TextRoom+8; room++ {
			s := new(Scanner)
			s.ResetBytes([]byte(strings.Repeat("\xff", before) + `\u20ac\ud83d\ude80"`))
			buf := make([]byte, 0, room)
			var got []byte
			for done := false; !done; {
				if buf, done = s.Text(buf[:0]); cap(buf) != room {
					t.Fatalf("%d bytes, room for %d became room for %d", before, room, cap(buf))
				}
				got = append(got, buf...)
			}
			if want := strings.Repeat("\ufffd", before) + "\u20ac\U0001f680"; string(got) != want || s.Err() != nil {
				t.Errorf("%d bytes, room for %d: %q, %v", before, room, got, s.Err())
			}
		}
	}
}
