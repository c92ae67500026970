package jobboard

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPostingConfigZero(t *testing.T) {
	var c PostingConfig
	if c.Len() != 0 || c.Get("x") != nil || c.First("x") != "" || len(maps.Collect(c.All())) != 0 {
		t.Error("the zero value has keys")
	}
	if b, err := json.Marshal(c); string(b) != "{}" || err != nil {
		t.Errorf("encodes to %s, %v", b, err)
	}
	if !c.Equal(NewPostingConfig(nil)) || !c.Equal(NewPostingConfig(map[string][]string{})) || c.Equal(NewPostingConfig(map[string][]string{"": {}})) {
		t.Error("wrong equality")
	}
}

func TestPostingConfigKeys(t *testing.T) {
	m := map[string][]string{"b": {"1", "2"}, "a": {"3"}, "": {""}, "none": {}, "many": make([]string, 300), "z": {"last"}}
	c := NewPostingConfig(m)
	m["b"][0] = "changed"
	delete(m, "z")
	if got := c.Get("b"); !slices.Equal(got, []string{"1", "2"}) || cap(got) != 2 {
		t.Errorf("Get = %q with capacity %d", got, cap(got))
	}
	if got := c.Get("none"); got == nil || len(got) != 0 {
		t.Errorf("Get of a key without strings = %#v", got)
	}
	if c.Get("B") != nil || c.Get("nothing") != nil {
		t.Error("Get finds what is not there")
	}
	if c.First("a") != "3" || c.First("z") != "last" || c.First("none") != "" || len(c.Get("many")) != 300 || c.Len() != 6 {
		t.Errorf("First %q %q %q, many %d, Len %d", c.First("a"), c.First("z"), c.First("none"), len(c.Get("many")), c.Len())
	}
	var keys []string
	for key := range c.All() {
		if keys = append(keys, key); len(keys) == 5 {
			break
		}
	}
	if want := []string{"", "a", "b", "many", "none"}; !slices.Equal(keys, want) {
		t.Errorf("All = %q, want %q", keys, want)
	}
}

func TestPostingConfigEqual(t *testing.T) {
	decode := func(text string) (c PostingConfig) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	a := decode(`{"x":["1"],"y":["2","3"],"z":[]}`)
	for text, want := range map[string]bool{
		`{"x":["1"],"y":["2","3"],"z":[]}`:          true,
		`{"z":[],"y":["2","3"],"x":["1"]}`:          true,
		`{"z":null,"y":["2","3"],"x":"1"}`:          true,
		`{"x":["1"],"y":["3","2"],"z":[]}`:          false,
		`{"x":["1"],"y":["2"],"3":[],"z":[]}`:       false,
		`{"x":["1"],"y":["2","3"]}`:                 false,
		`{"x":["1"],"y":["2","3"],"z":[],"w":[]}`:   false,
		`{"x":["1"],"y":["2","3"],"Z":[]}`:          false,
		`{"x":["1","y","2","3","z"]}`:               false,
		`{"x":["1"],"y":["2","3","z"]}`:             false,
		`{"x":["1","y"],"2":["3","z"]}`:             false,
		`{"x":["1"],"y":["2"],"3":["z"],"more":[]}`: false,
	} {
		b := decode(text)
		if a.Equal(b) != want || b.Equal(a) != want {
			t.Errorf("%s: Equal is not %v", text, want)
		}
	}
}

func TestPostingConfigJSON(t *testing.T) {
	const text = `{"zeta":["1","<b>\"\\\n\u0001é"],"alpha":[],"":[""]}`
	var c PostingConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	b, err := c.MarshalJSON()
	if err != nil || string(b) != text {
		t.Errorf("encodes to %s, %v; want the order that came", b, err)
	}
	if err := json.Unmarshal([]byte("null"), &c); err != nil || c.Len() != 0 {
		t.Errorf("null: %v, %d keys", err, c.Len())
	}
	for _, bad := range []string{`[]`, `"x"`, `{"a":[],"a":[]}`, `{"a":{},"a":[]}`, `{"a":1,"b":[],"a":{}}`, `true`, `7`} {
		if err := json.Unmarshal([]byte(bad), &c); !errors.Is(err, ErrDecode) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for odd, want := range map[string]string{
		`{"a":1,"b":true,"c":[false,-1.50e+3,null,"x"]}`: `{"a":["1"],"b":["true"],"c":["false","-1.50e+3","x"]}`,
		`{"a":{},"b":[[],{"c":["d"]},"e"],"f":[[1]]}`:    `{"b":["e"],"f":[]}`,
		`{"a":` + strings.Repeat("1", 64) + `}`:          `{"a":["` + strings.Repeat("1", 64) + `"]}`,
		`{"a":` + strings.Repeat("1", 65) + `,"b":null}`: `{"b":[]}`,
	} {
		err := json.Unmarshal([]byte(odd), &c)
		if b, _ := c.MarshalJSON(); err != nil || string(b) != want {
			t.Errorf("%s: %s, %v; want %s", odd, b, err, want)
		}
	}
	for _, bad := range []string{``, `{`, `{} x`, `{"a":[}`} {
		if err := c.UnmarshalJSON([]byte(bad)); !errors.Is(err, ErrDecode) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestPostingConfigReads(t *testing.T) {
	type read struct {
		name string
		key  string
		get  func(PostingConfig) any
	}
	start := read{"ListingStartDate", "listingStartDate", func(c PostingConfig) any { return c.ListingStartDate() }}
	remote := read{"RemoteStatus", "sg_remote_status", func(c PostingConfig) any { return c.RemoteStatus() }}
	ad := read{"AdText", "platform_internalAdText", func(c PostingConfig) any { return c.AdText() }}
	company := read{"CompanyName", "ProjectCompanyNameGerman", func(c PostingConfig) any { return c.CompanyName() }}
	locations := read{"LocationNames", "ProjectLocationGerman", func(c PostingConfig) any { return c.LocationNames() }}
	categories := read{"JobCategories", "jobcategory", func(c PostingConfig) any { return c.JobCategories() }}
	config := func(key string, values ...string) PostingConfig {
		return NewPostingConfig(map[string][]string{key: values, "other": {"x"}})
	}
	check := func(r read, c PostingConfig, want any) {
		t.Helper()
		if got := r.get(c); !reflect.DeepEqual(got, want) {
			t.Errorf("%s of %q: %#v, want %#v", r.name, c, got, want)
		}
	}
	for _, r := range []read{start, remote, ad, company, locations, categories} {
		nothing := reflect.Zero(reflect.TypeOf(r.get(PostingConfig{}))).Interface()
		check(r, PostingConfig{}, nothing)
		check(r, config("another", "x"), nothing)
		check(r, config(strings.ToUpper(r.key), "x"), nothing)
		check(r, config(r.key), nothing)
		check(r, config(r.key, ""), nothing)
		check(r, config(r.key, "", ""), nothing)
	}
	for _, r := range []read{ad, company} {
		check(r, config(r.key, "a text <b>"), "a text <b>")
		check(r, config(r.key, "one", "two"), "")
		check(r, config(r.key, "", "two"), "")
	}
	for _, r := range []read{locations, categories} {
		check(r, config(r.key, "a", "b"), []string{"a", "b"})
		check(r, config(r.key, "", "b"), []string{"", "b"})
	}

	day := time.Date(2025, 3, 10, 8, 0, 0, 1e6, time.UTC)
	check(start, config(start.key, "1741593600001"), day)
	check(start, config(start.key, "2025-03-10T09:00:00.001+0100"), day)
	for _, none := range []string{"0", "soon", "1e12", " 1741593600001"} {
		check(start, config(start.key, none), time.Time{})
	}
	check(start, config(start.key, "1", "2"), time.Time{})

	check(remote, config(remote.key, "FULLY_REMOTE"), RemoteFully)
	check(remote, config(remote.key, "SOMETHING_NEW"), RemoteStatus("SOMETHING_NEW"))
	check(remote, config(remote.key, "azAZ09_-"), RemoteStatus("azAZ09_-"))
	check(remote, config(remote.key, "not a word"), RemoteStatus(""))
	check(remote, config(remote.key, "<b>"), RemoteStatus(""))

	check(ad, config("brand_internalAdText", "<p>"), "<p>")
	check(ad, NewPostingConfig(map[string][]string{"a_internalAdText": {"a"}, "b_internalAdText": {"b"}}), "")
}

// A posting is for everybody if it says so or says nothing; anything else that it says hides it.
func TestVisibleToAll(t *testing.T) {
	for _, c := range []struct {
		config string
		want   bool
	}{
		{`{}`, true},
		{`null`, true},
		{`{"visibility_of":["hidden"]}`, true},
		{`{"platformvisibility":null}`, true},
		{`{"platformvisibility":[]}`, true},
		{`{"platformvisibility":[null]}`, true},
		{`{"platformvisibility":""}`, true},
		{`{"platformvisibility":["",""]}`, true},
		{`{"platformvisibility":["visible"]}`, true},
		{`{"brandvisibility":["visible"]}`, true},
		{`{"brandvisibility":[]}`, true},
		{`{"platformvisibility":["visible"],"brandvisibility":["internal"]}`, true},
		{`{"platformvisibility":["internal"]}`, false},
		{`{"brandvisibility":["internal"]}`, false},
		{`{"platformvisibility":["Visible"]}`, false},
		{`{"platformvisibility":[" "]}`, false},
		{`{"platformvisibility":["visible "]}`, false},
		{`{"platformvisibility":["visible","internal"]}`, false},
		{`{"platformvisibility":["visible",""]}`, false},
		{`{"platformvisibility":["visible","visible"]}`, false},
		{`{"avisibility":["visible"],"bvisibility":["visible"]}`, false},
	} {
		var config PostingConfig
		if err := config.UnmarshalJSON([]byte(c.config)); err != nil {
			t.Fatal(err)
		}
		if got := config.VisibleToAll(); got != c.want {
			t.Errorf("%s: %t", c.config, got)
		}
	}
}
