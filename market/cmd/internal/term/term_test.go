package term

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// Lines break where the next word would be a column too many, and a word is never broken.
func TestWrapWords(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    []string
	}{
		{"", 5, nil},
		{" \n", 5, nil},
		{"ab cd", 5, []string{"ab cd"}},
		{"ab cd", 4, []string{"ab", "cd"}},
		{"ab  cd\nef", 5, []string{"ab cd", "ef"}},
		{"longer-than-a-line ab", 5, []string{"longer-than-a-line", "ab"}},
		{"世界 ab", 7, []string{"世界 ab"}}, // each of them is two columns wide
		{"世界 ab", 6, []string{"世界", "ab"}},
	} {
		if got := WrapWords(test.text, test.columns); !slices.Equal(got, test.want) {
			t.Errorf("%q in %d columns: %q", test.text, test.columns, got)
		}
	}
}

// A terminal has its width and its colours, a pipe neither.
func TestTerminal(t *testing.T) {
	const text = "twenty columns, and a bit more"
	for _, test := range []struct {
		terminal Terminal
		wrapped  string
		painted  string
	}{
		{Terminal{}, text, text},
		{Terminal{TTY: true, Width: 34}, text, text},
		{Terminal{TTY: true, Width: 33}, "twenty columns, and a bit\n    more", text},
		{Terminal{TTY: true, Width: 24, Color: true}, "twenty columns, and\n    a bit more", "\x1b[1m" + text + "\x1b[0m"},
		{Terminal{TTY: true, Width: 5}, "twenty columns, and\n    a bit more", text}, // 20 columns are the least
	} {
		if got := test.terminal.Wrapped(text, 4); got != test.wrapped {
			t.Errorf("%+v: wrapped as %q", test.terminal, got)
		}
		if got := test.terminal.Paint(Bold, text); got != test.painted {
			t.Errorf("%+v: painted as %q", test.terminal, got)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 postings", 1: "1 posting", 2: "2 postings", -1: "-1 postings"} {
		if got := Count(n, "posting"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// What is known stands beside its label, and what is not leaves no line.
func TestPairs(t *testing.T) {
	var b bytes.Buffer
	o := &Output{W: &b}
	o.Pair("job", "2797227\n")
	o.Pair("company", " \x1b ")
	o.PaintedPair("applying", "\x1b[32mpossible\x1b[0m")
	if want := "  job            2797227\n  applying       \x1b[32mpossible\x1b[0m\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// failing takes so many writes, and fails after them.
type failing struct {
	io.Writer
	left int
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("write " + string(p))
	}
	return f.Writer.Write(p)
}

// The error of the first write that fails is kept, and nothing is written after it.
func TestOutputKeepsTheFirstError(t *testing.T) {
	var b bytes.Buffer
	o := &Output{W: &failing{&b, 1}}
	for _, line := range []string{"1", "2", "3"} {
		o.Line("%s", line)
	}
	if b.String() != "1\n" || o.Err == nil || o.Err.Error() != "write 2\n" {
		t.Errorf("%q, %v", b.String(), o.Err)
	}
	if n, err := o.Write([]byte("4")); n != 0 || err == nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// An error stands behind the program's name, each line of it below the one before, without
// its library's name, empty lines and secrets; the next step has the same indent everywhere.
func TestComplain(t *testing.T) {
	var b bytes.Buffer
	c := &Console{Name: "jb", Err: &b, Mask: func(s string) string { return strings.ReplaceAll(s, "t0ken", "[hidden]") }}
	say := func(f func()) string {
		b.Reset()
		f()
		return b.String()
	}
	for _, test := range []struct {
		width      int
		text, hint string
		want       string
	}{
		{0, "jobboard: no t0ken\n\n\x1b\njobboard: stays", "", "jb: no [hidden]\n    jobboard: stays\n"},
		{0, "jobmirror: gone", "do this\nand that", "jb: gone\nnext: do this\n      and that\n"},
		{26, "a sentence that is broken", "a step that is broken, too", "jb: a sentence that is\n    broken\nnext: a step that is\n      broken, too\n"},
	} {
		c.ErrTerminal.Width = test.width
		if got := say(func() { c.Complain(errors.New(test.text), test.hint) }); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
	if got := say(func() { c.Note("%d of %s", 1, "them") }); got != "jb: 1 of them\n" {
		t.Errorf("%q", got)
	}
	c.ErrTerminal.Color = true
	if got := say(func() { c.Next("a step") }); got != "\x1b[2mnext: a step\x1b[0m\n" {
		t.Errorf("%q", got)
	}
	if got := c.ErrorText(errors.New("jobboard: a t0ken\nof two lines")); got != "a [hidden] of two lines" {
		t.Errorf("%q", got)
	}
}

// A table takes the width of its cells, or the terminal's: then flexible columns share what the
// others leave, by their shares, and one that needs less leaves the rest to the others.
func TestTable(t *testing.T) {
	columns := []Column{{Head: "ID"}, {Head: "TITLE", Flex: 2}, {Head: "PLACE", Flex: 1}}
	rows := [][]string{{"100", "Registered Nurse", "Hamburg"}, {"7", "Koch 世界", ""}}
	long, short := [][]string{{"7", "Koch", "Hamburg-Altona"}}, [][]string{{"7", "Registered Nurse", "X"}}
	for _, test := range []struct {
		terminal Terminal
		rows     [][]string
		want     string
	}{
		{Terminal{}, rows, `ID   TITLE             PLACE
100  Registered Nurse  Hamburg
7    Koch 世界
`},
		{Terminal{Width: 30}, rows, `ID   TITLE             PLACE
100  Registered Nurse  Hamburg
7    Koch 世界
`},
		{Terminal{Width: 29}, rows, `ID   TITLE            PLACE
100  Registered Nur…  Hamburg
7    Koch 世界
`},
		{Terminal{Width: 26}, rows, `ID   TITLE         PLACE
100  Registered …  Hambu…
7    Koch 世界
`},
		{Terminal{Width: 16, Color: true}, rows, "\x1b[1mID\x1b[0m   \x1b[1mTITLE\x1b[0m   \x1b[1mPL…\x1b[0m\n100  Regis…  Ha…\n7    Koch …\n"},
		{Terminal{Width: 29}, short, "ID  TITLE             PLACE\n7   Registered Nurse  X\n"},
		{Terminal{Width: 23}, long, "ID  TITLE  PLACE\n7   Koch   Hamburg-Alt…\n"},
		{Terminal{Width: 1}, rows, `ID   TI…  PL…
100  Re…  Ha…
7    Ko…
`},
	} {
		var b bytes.Buffer
		WriteTable(&b, test.terminal, columns, test.rows)
		if b.String() != test.want {
			t.Errorf("%+v:\n%s\nwant\n%s", test.terminal, b.String(), test.want)
		}
	}
}

// On a narrow terminal the columns that yield are left out one after the other, until a
// title keeps its least width; what is still too wide takes from the other flexible columns.
func TestColumnsYield(t *testing.T) {
	columns := []Column{
		{Head: "ID", Yields: 2}, {Head: "JOB", Yields: 1}, {Head: "TITLE", Flex: 2, Least: 12}, {Head: "PLACE", Flex: 2, Least: 4},
	}
	rows := [][]string{{"100", "2797227", "Registered Nurse", "Hamburg"}, {"7", "", "Koch 世界 Cafe\u0301", "X"}}
	for _, test := range []struct {
		width   int
		leftOut string
		want    string
	}{
		{0, "", "ID   JOB      TITLE             PLACE\n100  2797227  Registered Nurse  Hamburg\n7             Koch 世界 Cafe\u0301    X\n"},
		{32, "", "ID   JOB      TITLE         PLA…\n100  2797227  Registered …  Ham…\n7             Koch 世界 C…  X\n"},
		{31, "ID", "JOB      TITLE         PLACE\n2797227  Registered …  Hamburg\n         Koch 世界 C…  X\n"},
		{27, "ID", "JOB      TITLE         PLA…\n2797227  Registered …  Ham…\n         Koch 世界 C…  X\n"},
		{26, "ID JOB", "TITLE             PLACE\nRegistered Nurse  Hamburg\nKoch 世界 Cafe\u0301    X\n"},
		{17, "ID JOB", "TITLE         PLA…\nRegistered …  Ham…\nKoch 世界 C…  X\n"},
	} {
		var b bytes.Buffer
		leftOut := WriteTable(&b, Terminal{Width: test.width}, columns, rows)
		if b.String() != test.want || strings.Join(leftOut, " ") != test.leftOut {
			t.Errorf("%d columns, without %q:\n%s\nwant\n%s", test.width, leftOut, b.String(), test.want)
		}
	}
	if columns[0].Head != "ID" || len(rows[0]) != 4 {
		t.Errorf("the caller's table changed: %v, %v", columns, rows)
	}
}

// Without a terminal a line tells of progress whenever so much time went by, and on one a bar
// stays below its end until it is taken away.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	at := time.Unix(0, 0)
	c := &Console{Name: "jb", Err: &b, Now: func() time.Time { return at }}
	p := c.NewProgress("copying", 10, 2*time.Second)
	for second := range 6 {
		at = time.Unix(int64(second), 0)
		p.Step(int64(second), 10, strings.Repeat("x", second), ", more")
	}
	p.Done()
	if want := "jb: xx, more\njb: xxxx, more\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}

	c.ErrTerminal = Terminal{TTY: true, Width: 80}
	for _, test := range []struct {
		total     int64 // at first; 0: not known
		done, of  int64
		at, whole int64 // of the bar
	}{
		{10, 5, 10, 5, 10},
		{10, 9, 10, 9, 10},
		{10, 10, 10, 9, 10},
		{10, 10, 20, 10, 20},
		{10, 300, 200, 199, 200},
		{0, 1, 2, 1, 2},
		{0, 1, 1, 0, 1},
		{0, 7, 0, 7, -1},
	} {
		b.Reset()
		p := c.NewProgress("copying", test.total, 0)
		if !strings.Contains(b.String(), "copying") {
			t.Errorf("%+v begins as %q", test, b.String())
		}
		b.Reset()
		p.Step(test.done, test.of, "words", "more")
		if bar := p.bar.State(); bar.CurrentNum != test.at || bar.Max != test.whole || bar.Description != "words" {
			t.Errorf("%+v: %+v", test, bar)
		}
		p.Done()
		if shown := b.String(); !strings.HasSuffix(shown, "\r") || strings.Contains(shown, "\n") || strings.Contains(shown, "more") {
			t.Errorf("%+v leaves %q", test, shown)
		}
	}
}

// The bar leaves room for the words beside it, and is seen on a narrow terminal, too.
func TestWidthOfTheBar(t *testing.T) {
	for width, want := range map[int]int{20: 10, 60: 10, 61: 11, 79: 29, 80: 30, 200: 30} {
		var b bytes.Buffer
		c := &Console{Err: &b, Now: time.Now, ErrTerminal: Terminal{TTY: true, Width: width}}
		c.NewProgress("copying", 1, 0)
		_, bar, _ := strings.Cut(b.String(), "|")
		if bar, _, _ = strings.Cut(bar, "|"); len(bar) != want || !strings.HasSuffix(b.String(), "[0s:0s]") { // what it took, and what it will take
			t.Errorf("of %d columns the bar has %d: %q", width, len(bar), b.String())
		}
	}
}
