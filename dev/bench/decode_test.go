package bench

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"go/version"
	"reflect"
	"runtime"
	"testing"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/plain"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// A decoder is one way to read a document that is in memory.
type decoder struct {
	name string
	read func(document []byte) (any, error)
}

// into returns a decoder that fills a new T.
func into[T any](name string, read func([]byte, *T) error) decoder {
	return decoder{name, func(document []byte) (any, error) {
		v := new(T)
		return v, read(document, v)
	}}
}

func unmarshal[T any](b []byte, v *T) error { return stdjson.Unmarshal(b, v) }

func unmarshalV2[T any](b []byte, v *T) error { return jsonv2.Unmarshal(b, v) }

// unmarshalSonic reads with sonic as it comes: it skips the check of UTF-8, and one string keeps the whole document.
func unmarshalSonic[T any](b []byte, v *T) error { return sonic.Unmarshal(b, v) }

// unmarshalSonicStd reads with sonic set to give what encoding/json gives.
func unmarshalSonicStd[T any](b []byte, v *T) error { return sonic.ConfigStd.Unmarshal(b, v) }

// The generated ones are added with the tag rivals.
var (
	pageDecoders = []decoder{
		into(ours, func(b []byte, v *jobboard.JobSearchResult) error { return v.UnmarshalJSON(b) }),
		into(std, unmarshal[plain.Page]),
		into("json_v2", unmarshalV2[plain.Page]),
		into("sonic", unmarshalSonic[plain.Page]),
		into("sonic_checking", unmarshalSonicStd[plain.Page]),
	}
	infoDecoders = []decoder{
		into(ours, func(b []byte, v *jobboard.JobInformation) error { return v.UnmarshalJSON(b) }),
		into(std, unmarshal[plain.Info]),
		into("json_v2", unmarshalV2[plain.Info]),
		into("sonic", unmarshalSonic[plain.Info]),
		into("sonic_checking", unmarshalSonicStd[plain.Info]),
	}
)

// reading returns what the decoders have to do for a document.
func reading(document []byte, decoders []decoder) []contender {
	var all []contender
	for _, d := range decoders {
		all = append(all, contender{d.name, func() error {
			_, err := d.read(document)
			return err
		}})
	}
	return all
}

// BenchmarkDecode reads documents that are in memory, and keeps all of them: a page of 1000 postings, and a job
// information with 200 nationalities.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name     string
		document []byte
		decoders []decoder
	}{
		{"page", makePage(1000, ""), pageDecoders},
		{"page_with_unknown_members", makePage(1000, threeMembers), pageDecoders},
		{"information", makeInfo(200, ""), infoDecoders},
		{"information_indented", indented(b, makeInfo(200, "")), infoDecoders},
		{"information_with_unknown_members", makeInfo(200, twelveMembers), infoDecoders},
		{"information_without_nationalities", makeInfo(0, ""), infoDecoders},
		{"information_without_nationalities_with_unknown_members", makeInfo(0, twelveMembers), infoDecoders},
	} {
		b.Run(c.name, func(b *testing.B) { compare(b, len(c.document), reading(c.document, c.decoders)) })
	}
}

func indented(tb testing.TB, document []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := stdjson.Indent(&b, document, "", "  "); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkStream reads a page of 1000 postings and keeps none of them. Ours are whole calls over a transport in memory.
func BenchmarkStream(b *testing.B) {
	page := makePage(1000, "")
	client, err := newClient(memoryAddress, &inMemory{page})
	if err != nil {
		b.Fatal(err)
	}
	postings := func(q jobboard.Query) func() error {
		return func() error {
			for _, err := range client.Postings(context.Background(), channel, q) {
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	compare(b, len(page), []contender{
		{ours, postings(jobboard.Query{})},
		{ours + "_without_ad_text", postings(jobboard.Query{OmitConfig: []string{adText}})},
		{std, func() error { return stdjson.NewDecoder(bytes.NewReader(page)).Decode(new(plain.Page)) }},
	})
}

// What every decoder reads of a document is, written again, the document.
func TestDecodersAgree(t *testing.T) {
	for _, c := range []struct {
		document []byte
		decoders []decoder
	}{{makePage(20, ""), pageDecoders}, {makeInfo(200, ""), infoDecoders}, {indented(t, makeInfo(200, "")), infoDecoders}} {
		want := members(t, c.document)
		for _, d := range c.decoders {
			value, err := d.read(c.document)
			if err != nil {
				t.Errorf("%s: %v", d.name, err)
				continue
			}
			written, err := stdjson.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(members(t, written), want) {
				t.Errorf("%s reads %d bytes, of which it makes %d: %.400s", d.name, len(c.document), len(written), written)
			}
			if _, err := d.read(c.document[:len(c.document)-1]); err == nil {
				t.Errorf("%s takes a document that is cut off", d.name)
			}
		}
	}
}

// members returns the members of an object, but the time, which is written in several ways.
func members(t *testing.T, document []byte) (all map[string]any) {
	t.Helper()
	if err := stdjson.Unmarshal(document, &all); err != nil {
		t.Fatal(err)
	}
	delete(all, "timestamp")
	return all
}

// The client stays ahead of encoding/json. By day it must not be the slower one; by night a third of the distance that
// README.md shows may be lost, because ratios differ from machine to machine.
func TestRatios(t *testing.T) {
	rounds := 3
	if testenv.Night() {
		rounds = 15
	}
	page, info := makePage(1000, ""), makeInfo(200, "")
	hand, err := openByHand(memoryAddress, &inMemory{page})
	if err != nil {
		t.Fatal(err)
	}
	client, err := openJobboard(memoryAddress, &inMemory{page})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		runs         int
		ours, theirs contender
		least        float64 // at night
		least27      float64 // the same from Go 1.27 on, whose encoding/json has another engine
	}{
		{"a page", 3, reading(page, pageDecoders)[0], reading(page, pageDecoders)[1], 5, 2.8},
		{"an information", 500, reading(info, infoDecoders)[0], reading(info, infoDecoders)[1], 3.4, 2},
		{"a search", 3, contender{ours, client.search}, contender{std, hand.search}, 5, 3},
	} {
		got, want := ratio(t, rounds, c.runs, c.ours, c.theirs), 1.0
		if testenv.Night() {
			want = c.least
			if version.Compare(runtime.Version(), "go1.27") >= 0 {
				want = c.least27
			}
		}
		t.Logf("figure: %s takes encoding/json %.2f times as much of a processor", c.name, got)
		if got < want {
			t.Errorf("%s takes encoding/json %.2f times as much of a processor, not %.2f times", c.name, got, want)
		}
	}
}
