package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

func TestMain(m *testing.M) {
	if done, err := child(); done { // the server, and processes that read a page
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A quick run of everything: it must print every table and find every target.
func TestRun(t *testing.T) {
	var out, progress bytes.Buffer
	svg, readme := filepath.Join(t.TempDir(), "chart.svg"), filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(readme, []byte("before\n"+beginMark()+"old\n"+endMark()+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, err := run([]string{"-quick", "-svg", svg, "-readme", readme}, &out, &progress)
	if err != nil || code != 0 {
		t.Fatalf("code %d, %v\n%s", code, err, progress.String())
	}
	headings := regexp.MustCompile(`(?m)^### .*`).FindAllString(out.String(), -1)
	for _, title := range []string{
		"Decode 1000 postings", "Stream 1000 postings", "Decode a job information", "One call, transport in memory",
		"One call, loopback", "A whole search of 1000 postings", "128 lookups at once", "2000 job informations kept",
		"Growth with the postings", "Growth with the callers", "Decode 50 postings in other languages",
		"that is pretty-printed",
		"A hundred catalogues", "ordinary token sources, transport in memory", "ordinary token sources, loopback",
		"A feed of", "answered with gzip", "one job in twenty always answers 500",
	} {
		if !slices.ContainsFunc(headings, func(h string) bool { return strings.Contains(h, title) }) {
			t.Errorf("no table %q in\n%s", title, out.String())
		}
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]bool{
		"before\n" + beginMark(): true, out.String(): true, "targets met": true,
		endMark() + "\nafter\n": true, "old\n": false,
	} {
		if strings.Contains(string(text), part) != want {
			t.Errorf("%q in the file with the tables: want %v", part, want)
		}
	}
	chart, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, chart)
	for _, name := range those(ours, sonicFast, ogen, std, oapi, v2) {
		if !strings.Contains(string(chart), ">"+name+"<") {
			t.Errorf("the chart does not show %s", name)
		}
	}
	for _, title := range []string{
		"Decode 1000 postings", "Decode a job information", "A whole search of 1000 postings, loopback",
		"128 lookups at once", "2000 job informations kept",
	} {
		if !strings.Contains(string(chart), ">"+title) {
			t.Errorf("the chart has no panel %q", title)
		}
	}
}

// The figures are for a long run; a short run must only be able to measure each figure, and to
// report a miss.
func TestCheck(t *testing.T) {
	var out bytes.Buffer
	code, err := run([]string{"-quick", "-check", "-run", "^(decode|memory)$"}, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{
		"against encoding/json", "against ogen", "allocations for a posting, kept",
		"job informations kept",
	} {
		if strings.Contains(out.String(), target) != (target != "against ogen" || present(ogen)) {
			t.Errorf("no target %q in\n%s", target, out.String())
		}
	}
	if failed := strings.Contains(out.String(), "\nFAIL"); failed != (code == 1) {
		t.Errorf("code %d for\n%s", code, out.String())
	}

	r := new(report)
	r.atLeast("fast enough", 10, 10, "x")
	r.atMost("small enough", 2, 3, " KB")
	out.Reset()
	if !r.check(&out) || strings.Contains(out.String(), "FAIL") {
		t.Errorf("a target that is just met:\n%s", out.String())
	}
	r.atLeast("too slow", 9, 10, "x")
	r.atMost("too large", 4, 2, "")
	r.atMost("unknown", math.NaN(), 10, "x")
	out.Reset()
	if r.check(&out) {
		t.Error("missed targets are met")
	}
	for _, line := range []string{
		"FAIL  too slow: 9x, at least 10x wanted: MISSED by 10 %", "FAIL  unknown: ?x",
		"FAIL  too large: 4, at most 2 wanted: MISSED by 100 %", "2 of 5 targets met",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no line %q in\n%s", line, out.String())
		}
	}
}

// Every contender must have done the whole work: all of them find the same.
func TestContendersAgree(t *testing.T) {
	const n = 20
	var want string
	for _, l := range languages {
		want = ""
		for _, c := range decodePage(makePageIn(l, n)) {
			v, err := c.run()
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			got := pageDigest(t, v)
			if want == "" {
				want = got
			}
			if got != want || !strings.HasPrefix(got, "20 postings") {
				t.Errorf("%s, %s found %s, and %s found %s", l.name, c.name, got, ours, want)
			}
		}
	}
	want = ""
	for _, c := range decodeInfo(makeInfo(1)) {
		v, err := c.run()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := infoDigest(t, v)
		if want == "" {
			want = got
		}
		if got != want || !strings.HasPrefix(got, "200 nationalities") {
			t.Errorf("%s found %s, and %s found %s", c.name, got, ours, want)
		}
	}
	streamed, err := streamPage(makePage(n))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range streamed {
		if got, err := c.run(); got != n || err != nil {
			t.Errorf("%s streamed %v, %v", c.name, got, err)
		}
	}
	for _, c := range validity([]byte(`{"results":[}`)) {
		if _, err := c.run(); err == nil {
			t.Errorf("%s takes what is no JSON", c.name)
		}
	}
}

// pageDigest is a page whatever its type: the number of postings, and a hash
// of their titles and advertisements.
func pageDigest(t *testing.T, v any) string {
	t.Helper()
	h, n := fnv.New64(), 0
	add := func(title, ad string) {
		n++
		fmt.Fprintf(h, "%d %s %d %s\n", len(title), title, len(ad), ad)
	}
	first := func(values []string) string { return strings.Join(values, "\x00") }
	switch v := v.(type) {
	case *jobboard.JobSearchResult:
		for _, p := range v.Results {
			add(p.Title, first(p.Config.Get(adTextKey)))
		}
	case *plainPage:
		for _, p := range v.Results {
			add(p.Title, first(p.Config[adTextKey]))
		}
	default: // of generated code
		all := reflect.Indirect(reflect.ValueOf(v)).FieldByName("Results")
		for i := range all.Len() {
			p := all.Index(i)
			ad := p.FieldByName("Config").MapIndex(reflect.ValueOf(adTextKey))
			add(p.FieldByName("Title").String(), first(ad.Convert(reflect.TypeFor[[]string]()).Interface().([]string))) //nolint:forcetypeassert // it was converted
		}
	}
	return fmt.Sprintf("%d postings %x", n, h.Sum64())
}

// infoDigest is a job information whatever its type: all its texts but the
// names of its fields, which differ in case alone.
func infoDigest(t *testing.T, v any) string {
	t.Helper()
	value := reflect.Indirect(reflect.ValueOf(v))
	nationalities := value.FieldByName("Nationalities").Len()
	h := fnv.New64()
	for _, field := range []string{
		"JobTitle", "CompanyName", "DataSecurityLink", "Nationalities", "Location",
		"AdditionalLocations",
	} {
		fmt.Fprintf(h, "%v\n", sortedTexts(value.FieldByName(field)))
	}
	return fmt.Sprintf("%d nationalities, %d questions %x", nationalities, value.FieldByName("Questions").Len(), h.Sum64())
}

// sortedTexts is every text below v, fields by name: generated types order
// them in their own way.
func sortedTexts(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, sortedTexts(v.Index(i))...)
		}
	case reflect.Struct:
		byName := func(name string) {
			f := v.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
			all = append(all, name+"="+f.String())
		}
		for _, name := range []string{
			"id", "label", "geoLat", "geoLong", "geoName", "geoCountry", "geoState", "geoCity",
			"geoZip", "geoStreet",
		} {
			if v.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) }).IsValid() {
				byName(name)
			}
		}
	}
	return all
}

// All contenders also get the same result of a call over a socket.
func TestCallsAgree(t *testing.T) {
	s, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	all, err := applied(s.Plain, func() http.RoundTripper { return tuned() })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if got, err := c.run(); got != true || err != nil {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	// Callers that take turns use one connection, and the server counts it.
	for _, c := range crowds(s) {
		if _, _, err := s.connections(); err != nil {
			t.Fatal(err)
		}
		look, done, err := c.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := look(1, 3); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if n, most, err := s.connections(); n != 1 || most != 1 || err != nil {
			t.Errorf("%s opened %d connections, %d at one time, %v", c.name, n, most, err)
		}
		done()
	}
}

// The same data on every run, of the size that is told.
func TestData(t *testing.T) {
	if !bytes.Equal(makePage(50), makePage(50)) {
		t.Error("a page differs from itself")
	}
	if n := len(makePage(1000)); n < 4_500_000 || n > 5_200_000 {
		t.Errorf("1000 postings are %d bytes", n)
	}
	if n := len(makeInfo(1)); n < 9_000 || n > 10_000 {
		t.Errorf("a job information is %d bytes", n)
	}
	if bytes.Equal(makeInfo(1), makeInfo(2)) {
		t.Error("two languages have one catalogue")
	}
}

func TestMedians(t *testing.T) {
	ours := &result{wall: []float64{1, 2, 100}}
	theirs := &result{wall: []float64{10, 30, 200}}
	if got := ours.times(theirs); got != 10 {
		t.Errorf("the median of the ratios 10, 15 and 2 is %v", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("the median of 1 to 4 is %v", got)
	}
	for v, want := range map[float64]string{12345: "12 345", 123.4: "123", 12.34: "12.3", 1.234: "1.23", 3: "3"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestChartEscapes(t *testing.T) {
	var b bytes.Buffer
	err := writeChart(&b, `a "caption" <of> & more`, []panel{{Title: "<title>", Bars: []bar{{Name: "a & b", Value: math.NaN()}, {Name: "\x00c", Value: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.Bytes())
	if regexp.MustCompile(`NaN|Inf`).Match(b.Bytes()) {
		t.Error("a bar without a value has a width that is no number")
	}
}

func wellFormed(t *testing.T, chart []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(chart)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("the chart is no XML: %v", err)
		}
	}
}

// A ratio that fell by more than 15 % is told, one that was never accepted is
// not held against anything, and engines are kept apart.
func TestFloor(t *testing.T) {
	name := filepath.Join(t.TempDir(), "floor.json")
	hold := func(accept bool, ratios map[string]float64) (string, bool, error) {
		var out bytes.Buffer
		kept, err := (&report{ratios: ratios}).holdFloor(&out, name, accept)
		return out.String(), kept, err
	}
	if _, kept, err := hold(false, nil); kept || err == nil {
		t.Error("without a file every ratio is kept")
	}
	if _, kept, err := hold(true, map[string]float64{"a": 2, "b": 10}); !kept || err != nil {
		t.Fatal(err)
	}
	if _, kept, err := hold(true, map[string]float64{"b": 5}); !kept || err != nil {
		t.Fatal(err)
	}
	if out, kept, err := hold(false, map[string]float64{
		"a": 1.71, "b": 9,
		"c": 1,
	}); !kept || err != nil || !strings.Contains(out, "new   c") {
		t.Errorf("%v, %v, %s", kept, err, out)
	}
	for _, ratios := range []map[string]float64{{"a": 1.69, "b": 9}, {"a": math.NaN()}} {
		if out, kept, err := hold(false, ratios); kept || err != nil || !strings.Contains(out, "FELL  a") {
			t.Errorf("%v, %v, %s", kept, err, out)
		}
	}
	if err := os.WriteFile(name, []byte(`{"another engine":{"a":1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, kept, err := hold(false, map[string]float64{"a": 2}); kept || err == nil {
		t.Error("ratios of another engine are taken for this one's")
	}
}
