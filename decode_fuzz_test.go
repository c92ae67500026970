package jobboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// The reference: the same answers read with encoding/json alone, by the names
// that the types' own tags give, slowly and without a thought for speed. It keeps
// members in order and twice if they come twice, which no map would.
type (
	refObject []refMember
	refMember struct {
		key   string
		value any // refObject, []any, string, json.Number, bool, nil
	}
)

// refParse is the document, not ok if it is not JSON or too deep.
func refParse(b []byte) (any, bool) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if !json.Valid(b) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return refValue(d, 0)
}

func refValue(d *json.Decoder, depth int) (any, bool) {
	t, err := d.Token()
	if err != nil {
		panic(err)
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, true
	}
	if depth == 64 {
		return nil, false
	}
	object, list := refObject{}, []any{}
	for d.More() {
		var key any
		if delim == '{' {
			if key, err = d.Token(); err != nil {
				panic(err)
			}
		}
		v, ok := refValue(d, depth+1)
		if !ok {
			return nil, false
		}
		if delim == '{' {
			object = append(object, refMember{key.(string), v})
		} else {
			list = append(list, v)
		}
	}
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	if delim == '{' {
		return object, true
	}
	return list, true
}

// refJSON is the JSON of what refParse gave, in the one form that encoding/json
// gives it.
func refJSON(v any) []byte {
	var parts []string
	switch v := v.(type) {
	case refObject:
		for _, m := range v {
			parts = append(parts, string(refJSON(m.key))+":"+string(refJSON(m.value)))
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	case []any:
		for _, e := range v {
			parts = append(parts, string(refJSON(e)))
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// inOneForm is unknown with each value in the form of refJSON. A value that is no
// JSON becomes nil.
func inOneForm(unknown map[string]json.RawMessage) map[string]json.RawMessage {
	unknown = maps.Clone(unknown)
	for name, value := range unknown {
		v, ok := refParse(value)
		if unknown[name] = refJSON(v); !ok {
			unknown[name] = nil
		}
	}
	return unknown
}

// withUnknownInOneForm is a copy of j.
func withUnknownInOneForm(j *JobInformation) *JobInformation {
	c := *j
	c.Unknown, c.Location.Unknown = inOneForm(c.Unknown), inOneForm(c.Location.Unknown)
	c.Questions, c.AdditionalLocations = slices.Clone(c.Questions), slices.Clone(c.AdditionalLocations)
	for i := range c.Questions {
		c.Questions[i].Unknown = inOneForm(c.Questions[i].Unknown)
	}
	for i := range c.AdditionalLocations {
		c.AdditionalLocations[i].Unknown = inOneForm(c.AdditionalLocations[i].Unknown)
	}
	return &c
}

var (
	refRequired = []string{"totalNumberOfJobs", "results", "jobPostingId", "jobId", "jobTitle", "applyPossible"}
	refStrict   = []string{"totalNumberOfJobs", "results", "jobId", "applyPossible", "questions"} // an odd value is refused

	refIntText       = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	refWithoutOffset = regexp.MustCompile(`^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?)?$`)
	refISO           = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)$`)
)

// refDecode is an answer, not ok if it must be refused.
func refDecode[T any](b []byte) (*T, bool) {
	to := new(T)
	v, ok := refParse(b)
	return to, ok && refMembers(v, reflect.ValueOf(to).Elem())
}

// refMembers reads the members of an object that its type names, each at most
// once, and not without those that are required.
func refMembers(v any, to reflect.Value) bool {
	o, ok := v.(refObject)
	fields := map[string]reflect.Value{}
	for i := range to.NumField() {
		if name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ","); name != "-" {
			fields[name] = to.Field(i)
		}
	}
	seen := map[string]bool{}
	unknown := map[string]json.RawMessage{}
	for _, m := range o {
		if field, known := fields[m.key]; known {
			_, question := to.Interface().(Question)
			strict := question || slices.Contains(refStrict, m.key)
			_, object := m.value.(refObject)
			strict = strict || m.key == "jobPostingId" || m.key == "config" && object
			ok = ok && !seen[m.key] && (refRead(m.value, m.key, field, strict) || !strict)
			seen[m.key] = true
		} else if !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(name string) bool { return strings.EqualFold(name, m.key) }) {
			unknown[m.key] = refJSON(m.value)
		}
	}
	if field := to.FieldByName("Unknown"); field.IsValid() && len(unknown) > 0 {
		field.Set(reflect.ValueOf(unknown))
	}
	return ok && !slices.ContainsFunc(refRequired, func(name string) bool { return fields[name].IsValid() && !seen[name] })
}

// refRead reads a value, and null for the zero value of what need not be there. If it cannot be read, to
// is the zero value. What is strict is refused if a part of it cannot be read.
func refRead(v any, name string, to reflect.Value, strict bool) (ok bool) {
	defer func() {
		if !ok {
			to.SetZero()
		}
	}()
	if v == nil {
		return name == "results" || name == "jobTitle" || !slices.Contains(refRequired, name)
	}
	switch to := to.Addr().Interface().(type) {
	case *JobPostingID:
		n, ok := refInt(v)
		*to = JobPostingID(n)
		return ok && n > 0
	case *[]JobPosting:
		list, ok := v.([]any)
		*to = []JobPosting{}
		for _, v := range list {
			var p JobPosting
			if refMembers(v, reflect.ValueOf(&p).Elem()) {
				*to = append(*to, p)
			}
		}
		return ok && (len(list) == 0 || len(*to) > 0)
	case *Millis:
		*to, ok = refMillis(v)
		return ok
	case *Timestamp:
		*to, ok = refTimestamp(v)
		return ok
	case *PostingConfig:
		*to, ok = refConfig(v)
		return ok
	}
	switch to.Kind() {
	case reflect.Struct:
		return refMembers(v, to)
	case reflect.Slice:
		list, ok := v.([]any)
		to.Set(reflect.MakeSlice(to.Type(), 0, len(list)))
		for _, v := range list {
			e := reflect.New(to.Type().Elem()).Elem()
			if refElement(v, e) {
				to.Set(reflect.Append(to, e))
			} else if strict {
				return false
			}
		}
		return ok
	case reflect.Bool:
		b, ok := v.(bool)
		to.SetBool(b)
		return ok
	case reflect.String:
		text, ok := refText(v)
		to.SetString(text)
		return ok
	default:
		n, ok := refInt(v)
		to.SetInt(n)
		return ok && to.Int() == n && (n >= 0 || name != "totalNumberOfJobs")
	}
}

// refElement reads an element of a list. A nationality or an answer needs its texts, if it has them.
func refElement(v any, to reflect.Value) bool {
	if _, label := to.Interface().(IDLabel); label {
		o, _ := v.(refObject)
		for _, m := range o {
			if _, text := refText(m.value); (m.key == "id" || m.key == "label") && m.value != nil && !text {
				return false
			}
		}
	}
	return refMembers(v, to)
}

// refEntries returns how many entries the results of a page have.
func refEntries(b []byte) (n int) {
	v, _ := refParse(b)
	page, _ := v.(refObject)
	for _, m := range page {
		if list, ok := m.value.([]any); ok && m.key == "results" {
			n = len(list)
		}
	}
	return n
}

// refText returns a text, or a number or boolean as its text.
func refText(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		return v.String(), len(v) <= 64
	}
	return "", false
}

func refInt(v any) (int64, bool) {
	text, ok := v.(string)
	if number, is := v.(json.Number); is {
		text, ok = number.String(), true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, ok && err == nil && refIntText.MatchString(text)
}

func refTime(v any) (time.Time, bool) {
	text, _ := v.(string)
	if !refISO.MatchString(text) || len(text) > 40 {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04:05.999999999Z0700", text)
	}
	t = t.UTC()
	return t, err == nil && 0 <= t.Year() && t.Year() <= 9999
}

func refMillis(v any) (Millis, bool) {
	if n, ok := refInt(v); ok {
		return Millis(n), true
	}
	t, ok := refTime(v)
	if text, _ := v.(string); refWithoutOffset.MatchString(text) && len(text) <= 40 {
		t, ok = refTime(text[:10] + "T00:00:00Z")
		if len(text) > 10 && len(text) < 40 {
			t, ok = refTime(text + "Z")
		}
	}
	return Millis(t.UnixMilli()), ok
}

func refTimestamp(v any) (Timestamp, bool) {
	if n, ok := refInt(v); ok {
		t, _ := Millis(n).Time()
		return Timestamp{t}, 0 <= t.Year() && t.Year() <= 9999
	}
	t, ok := refTime(v)
	return Timestamp{t}, ok
}

func refConfig(v any) (PostingConfig, bool) {
	o, ok := v.(refObject)
	m, seen := map[string][]string{}, map[string]bool{}
	for _, e := range o {
		ok = ok && !seen[e.key]
		seen[e.key] = true
		list, many := e.value.([]any)
		if _, text := refText(e.value); text {
			list = []any{e.value}
		} else if !many && e.value != nil {
			continue
		}
		m[e.key] = []string{}
		for _, v := range list {
			if text, is := refText(v); is {
				m[e.key] = append(m[e.key], text)
			}
		}
	}
	return NewPostingConfig(m), ok
}

func checkRefused(t *testing.T, b []byte, ok bool, err error) bool {
	t.Helper()
	if ok != (err == nil) {
		t.Fatalf("%q: %v, want acceptance %v", b, err, ok)
	}
	if err == nil {
		return true
	}
	if !errors.Is(err, ErrDecode) || len(err.Error()) > 300 {
		t.Fatalf("%q: %v", b, err)
	}
	return false
}

// addFiles makes the hand-typed bodies seeds.
func addFiles(f *testing.F, pattern string) {
	names, err := filepath.Glob("testdata/" + pattern)
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

func FuzzSearch(f *testing.F) {
	addFiles(f, "search*.json")
	for _, text := range []string{
		"\ufeff" + wrap(`{}`), " \t\r\n" + wrap(`null`) + " \t\r\n",
		`{"r\u0065sults":[{"titl\u0065":"t","jobPostingId":1}],"totalNumberOfJobs":1}`,
		`{"RESULTS":[],"results":[{"title":"t","TITLE":"x","Title":5,"jobPostingId":1}],"totalNumberOfJobs":1,"totalnumberofjobs":9}`,
		`{"results":[{"title":"t","jobPostingId":"1","jobStartDate":"-5"}],"totalNumberOfJobs":"1"}`,
		`{"results":[{"title":"t","jobPostingId":1,"jobStartDate":"1970-01-01T00:00:01.5+0000"}],"totalNumberOfJobs":1}`,
		`{"more":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `,"results":[{"title":"t","jobPostingId":1}],"totalNumberOfJobs":1}`,
		`{"results":[{"title":"t","jobPostingId":1,"s":1,"-":{"a":1,"a":2},"\u00fc":"\ud800","s":" <x> ","Unknown":[1.50e+1]}],"totalNumberOfJobs":1,"x":{}}`,
		"{\"results\":[],\"totalNumberOfJobs\":1,\"x\xff\":\"\xff\xfe\",\"results\u017f\":1,\"Re\u017fult\u017f\":2}",
		`{"results":[{"title":"","jobPostingId":1}],"totalNumberOfJobs":1}`, wrap(`{"audience":null}`), wrap(`{"audience":"x"}`), wrap(`{"audience":[null,"x",null,"y"]}`),
		wrap(`{"audience" : [ "x" , "y" ] , "" : [ "" ] }`), wrap(`{"Audience":["x"],"audience":["y"]}`),
		wrap("{\"a\\u00fc\":[\"\xff\",\"\\ud800\",\"\xc3\xa9\"]}"),
		`{"results":[{"jobPostingId":1},7,{"jobPostingId":"2","title":true,"config":[{"a":1}]},{"jobPostingId":3,"title":1,"title":2},null,{}],"totalNumberOfJobs":"6","numPages":[]}`,
		`{"results":[{"jobPostingId":1,"jobStartDate":{"a":[]},"postingVersionId":1e3,"applyOnlineLink":[],"postingVersionEndDate":"2026-01-31T08:30:00Z and a long text that is no time at all"}],"totalNumberOfJobs":1,"offset":-1}`,
		wrap(`{"a":1,"b":true,"c":[1e5,{},[[]],false,"x"],"d":{"e":1},"audience":9223372036854775808}`), wrap(`{"a":{},"a":[]}`), wrap(`{"a":[]},"config":{}`),
		wrap(`{"audience":["a",null,"b"],"x":null,"y":"z","audienc\u0065":[]}`), wrap(`{"a":[],"a":[]}`), wrap(`{"location":[{}]}`),
		`{"results":[{"jobPostingId":"1","title":"\ud83d","jobStartDate":"2025-04-16T11:22:33.444+0000"}],"totalNumberOfJobs":"1"}`,
		"\ufeff{\"totalNumberOfJobs\":0,\"results\":null} ",
		`{"results":[{"jobPostingId":1,"postingVersionId":2,"title":"t","applyOnlineLink":null,"config":{"ProjectLocation":["1"],"location":["2"]},"jobStartDate":3},` +
			`{"jobPostingId":1,"postingVersionId":2,"title":"t","applyOnlineLink":null,"config":{"ProjectLocation":["1"],"location":["2"]},"jobStartDate":3}],"totalNumberOfJobs":2}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want, ok := refDecode[JobSearchResult](b)
		for _, r := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b)), iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(b)))} {
			got, err := decodeSearch(r, decodeLimits{}, nil)
			if checkRefused(t, b, ok, err) {
				if n := refEntries(b) - len(want.Results); got.Unreadable != n || len(got.UnreadableErrors) != min(n, 100) {
					t.Errorf("%q: %d entries that cannot be read, %v; want %d", b, got.Unreadable, got.UnreadableErrors, n)
				}
				got.Unreadable, got.UnreadableErrors = 0, nil
				samePage(t, got, want)
				if (got.Results == nil) != (want.Results == nil) {
					t.Errorf("%q: results %v, want %v", b, got.Results, want.Results)
				}
			}
		}
		// The stream gives the same postings, and they decode to the same after encoding.
		p := newPostingReader(bytes.NewReader(b), decodeLimits{}, nil)
		defer p.close()
		for i := 0; ; i++ {
			posting, err := p.next()
			if err == io.EOF && ok && i == len(want.Results) {
				break
			}
			if err != nil {
				checkRefused(t, b, ok, err)
				return
			}
			if ok {
				samePosting(t, posting, &want.Results[i])
			}
		}
		var again JobSearchResult
		if err := json.Unmarshal([]byte(fmtJSON(t, want)), &again); err != nil {
			t.Fatalf("%q: %v after it was stored", b, err)
		}
		samePage(t, &again, want)
	})
}

func FuzzJobInformation(f *testing.F) {
	addFiles(f, "jobinfo*.json")
	f.Add(makeInfo(1, 1)[:0])
	for _, text := range []string{
		`{"jobId":"1","jobTitle":"","applyPossible":false,"nationalities":[{"id":"1","label":"a"},{"id":"2","label":"\u00fc"},{"label":"x","id":3}],"companyId":5}`,
		`{"jobId":1,"jobTitle":"t","applyPossible":true,"questions":[{"answers":[{"id":"1","label":"a"}]},{"answers":[]},{"answers":null}],"nationalities":[],"additionalLocations":[]}`,
		`{"jobId":1,"jobTitle":"\ud800 \u00fc","applyPossible":false,"companyId":77,"questions":[],` +
			`"nationalities":[{"id":5,"label":"\u00d6sterreich"},{"label":"x"},{}],` +
			`"location":{"geoLat":52.5,"geoLong":-1.25e1,"geoZip":10115,"geoCountry":null},"additionalLocations":[{}]}`,
		`{"jobId":1,"jobTitle":null,"applyPossible":true,"companyName":7,"companyId":[],"timestamp":"soon","location":[],"nationalities":[null,{"id":1,"id":2},{"id":{},"label":"a"},{"id":true,"label":"b"}],` +
			`"additionalLocations":[{"geoCity":5,"geoZip":{}},{"geoCity":"a","geoCity":"b"},7],"questions":[{"id":1,"type":true,"label":null}]}`,
		`{"jobId":1,"jobTitle":[],"applyPossible":true,"questions":[{"label":{}}]}`, `{"jobId":1,"jobTitle":"t","applyPossible":true,"nationalities":7,"additionalLocations":{},"location":{"geoCity":"a","geoCity":"b"}}`,
		`{"jobId":1,"jobTitle":"t","applyPossible":true,"location":{"geoLat":1.5,"geoCountry":"a"},"additionalLocations":[{"geoCountry":"a"},{"geoState":"\n"}]}`,
	} {
		f.Add([]byte(text))
	}
	// Catalogues that differ in one byte, or where one text begins with the other.
	for _, list := range []string{
		`[]`, `[ ]`, `null`, `[{"id":"1","label":"a"}]`, `[{"id":"1","label":"b"}]`, `[{"id":"1","label":"a"},{"id":"2"}]`,
		`[{"id":"1","label":"a"} ]`, `[{"id":"1","label":"\u0061"}]`, `[{"label":"a","id":"1"}]`, `[{"id":1,"label":"ä"}]`,
		"[{\"id\":\"1\",\"label\":\"\xff\"}]", `[{"id":"1","label":"]"}]`, `[{"id":"1","label":"a","x":[{"id":2}]}]`,
		`[{"id":"1" ,"label":null}]`,
	} {
		f.Add([]byte(`{"jobId":1,"jobTitle":"t","applyPossible":true,"nationalities":` + list + `,"companyName":"c"}`))
	}
	cat := new(catalogueCache)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1024 && bytes.Count(b, []byte(":")) > 100 {
			return // an answer of nothing but unknown members keeps as many as there is room for
		}
		want, ok := refDecode[JobInformation](b)
		for _, cat := range []*catalogueCache{nil, cat, cat} {
			got, err := decodeJobInformation(b, cat)
			if checkRefused(t, b, ok, err) && !reflect.DeepEqual(withUnknownInOneForm(got), withUnknownInOneForm(want)) {
				t.Errorf("%q:\ngot  %+v\nwant %+v", b, got, want)
			}
		}
		if !ok {
			return
		}
		var again JobInformation
		if err := json.Unmarshal([]byte(fmtJSON(t, want)), &again); err != nil {
			t.Fatalf("%q: %v after it was stored", b, err)
		}
		if !reflect.DeepEqual(withUnknownInOneForm(&again).Unknown, withUnknownInOneForm(want).Unknown) {
			t.Fatalf("%q: %s after it was stored, want %s", b, again.Unknown, want.Unknown)
		}
	})
}

func FuzzPostingConfig(f *testing.F) {
	for _, text := range []string{`{}`, `null`, `{"a":["b","c"],"d":[],"":null}`, `{"a":"b"}`, `{"a":[null,"\ud800\u00e9"]}`, "{\"a\":[\"\xff\"]}", `{"platformvisibility":["visible"],"listingStartDate":["5"]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, ok := refParse(b)
		var want, got PostingConfig
		ok = ok && refRead(v, "", reflect.ValueOf(&want).Elem(), true)
		if !checkRefused(t, b, ok, got.UnmarshalJSON(b)) {
			return
		}
		if !got.Equal(want) || !want.Equal(got) {
			t.Fatalf("%q: %q, want %q", b, got, want)
		}
		text := fmtJSON(t, got)
		var m map[string][]string
		if err := json.Unmarshal([]byte(text), &m); err != nil || !NewPostingConfig(m).Equal(got) {
			t.Errorf("%q encodes to %s, %v", b, text, err)
		}
		n := 0
		for key, values := range got.All() {
			n++
			if !slices.Equal(got.Get(key), values) || !slices.Equal(m[key], values) {
				t.Errorf("%q: %q has %q", b, key, got.Get(key))
			}
		}
		if n != got.Len() || n != len(m) {
			t.Errorf("%q: Len %d, %d keys", b, got.Len(), n)
		}
	})
}

func FuzzTimes(f *testing.F) {
	for text := range times {
		f.Add([]byte(text))
	}
	for _, text := range notTimes {
		f.Add([]byte(text))
	}
	for text := range withoutOffset {
		f.Add([]byte(text))
	}
	for _, text := range []string{`null`, `1`, `"1"`, `-9223372036854775808`, `"9223372036854775808"`, ` 5 `, `1.0`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, valid := refParse(b)
		var wantM, m Millis
		ok := valid && refRead(v, "", reflect.ValueOf(&wantM).Elem(), true)
		if checkRefused(t, b, ok, m.UnmarshalJSON(b)) && m != wantM {
			t.Errorf("%q: %d, want %d", b, m, wantM)
		}

		var wantT, ts Timestamp
		ok = valid && refRead(v, "", reflect.ValueOf(&wantT).Elem(), true)
		if checkRefused(t, b, ok, ts.UnmarshalJSON(b)) {
			if !ts.Equal(wantT.Time) || ts.IsZero() != wantT.IsZero() {
				t.Errorf("%q: %v, want %v", b, ts, wantT)
			}
			// What is written has milliseconds: cut off, not rounded.
			var again Timestamp
			if err := again.UnmarshalJSON([]byte(fmtJSON(t, ts))); err != nil || again.UnixMilli() != ts.UnixMilli() {
				t.Errorf("%q: %v, %v after it was stored", b, again, err)
			}
		}
	})
}

// FuzzDecodeSteps repeats a part of an answer, and then twice as often: that may
// cost at most 2.5 times the steps, whatever the part is.
func FuzzDecodeSteps(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.start, h.rest, "")
	}
	const info = `{"jobId":1,"jobTitle":"t","applyPossible":true,"nationalities":[`
	for _, part := range []string{
		`{"id":"1","label":"a"},`, `{"id":"1","label":"\n"},`, `{"label":"a","id":"1"},`, `{"id":"1","label":"a"} , {"id":2,"label":"b"},`,
		`{"id":"1","label":"\xff"},`, `{"id":"1","x":"\\\\","label":"a"},`, `{"id":"12345678901234567890`,
	} {
		f.Add(info, part, `{}]}`)
	}
	f.Add(`{"results":[{"config":{`, `"\u0061":[],`, ``)
	f.Add(`{"results":[{"title":"`, "\xc3\\u00fc\xe4", `"`)
	f.Add(`{"results":[{"title":"`, `\\\\\"`, `"`)
	f.Add(`{"x":`, "[\n        ", ``)
	f.Fuzz(func(t *testing.T, start, part, end string) {
		if len(part) == 0 || len(start)+len(part)+len(end) > 1000 {
			return
		}
		steps := func(size int) (search, info int64) {
			b := []byte(start + strings.Repeat(part, size/len(part)) + end)
			// New decoders: those of the pool have room that another text
			// made, and the steps depend on it.
			p := &postingReader{d: new(postingDecoder)}
			p.d.start(b)
			_, _ = p.all()
			d := new(infoDecoder)
			d.start(b)
			d.readInfo(new(JobInformation), nil)
			return p.d.Steps(), d.Steps()
		}
		const size, few = 10_000, 1000
		search, info := steps(size)
		twiceSearch, twiceInfo := steps(2 * size)
		if twiceSearch > search*5/2+few || twiceInfo > info*5/2+few {
			t.Errorf("%q, %q, %q: %d and %d steps, for twice the text %d and %d", start, part, end, search, info, twiceSearch, twiceInfo)
		}
	})
}
