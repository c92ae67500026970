package jobboard

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestCatalogueShared(t *testing.T) {
	cat := new(catalogueCache)
	decode := func(job, language int) *JobInformation {
		t.Helper()
		j, err := decodeJobInformation(makeInfo(job, language), cat)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := decodeJobInformation(makeInfo(job, language), nil)
		if err != nil || !reflect.DeepEqual(j, alone) {
			t.Fatalf("the cache changes the answer: %v", err)
		}
		return j
	}
	same := func(a, b *JobInformation) bool {
		return &a.Nationalities[0] == &b.Nationalities[0]
	}
	a, b, other := decode(1, 1), decode(2, 1), decode(3, 2)
	if !same(a, b) || same(a, other) || !same(other, decode(4, 2)) {
		t.Error("catalogues are not shared as they should be")
	}
	if n := len(a.Nationalities); n != 200 || cap(a.Nationalities) != n {
		t.Errorf("%d nationalities, capacity %d", n, cap(a.Nationalities))
	}
	_ = append(a.Nationalities, IDLabel{"x", "y"})
	if again := decode(5, 1); !same(a, again) || len(again.Nationalities) != 200 {
		t.Error("appending changed the catalogue")
	}
}

// A catalogue in its usual spelling, with each byte replaced, left out, or made the last: it
// says what encoding/json says of it.
func TestCatalogueNearlyUsual(t *testing.T) {
	const compact = `[{"id":"1","label":"Österreich"},{"id":"22","label":"b"},{"id":"3","label":"c"}]`
	check := func(document string) {
		t.Helper()
		var want struct {
			Nationalities []struct{ ID, Label string }
		}
		wanted := json.Unmarshal([]byte(document), &want)
		got, err := decodeJobInformation([]byte(document), new(catalogueCache))
		switch {
		case (err == nil) != (wanted == nil):
			t.Errorf("%q: %v, encoding/json says %v", document, err, wanted)
		case err != nil:
		case len(got.Nationalities) != len(want.Nationalities):
			t.Errorf("%q: %v, want %v", document, got.Nationalities, want.Nationalities)
		default:
			for i, l := range got.Nationalities {
				if IDLabel(want.Nationalities[i]) != l {
					t.Errorf("%q: %v, want %v", document, got.Nationalities, want.Nationalities)
				}
			}
		}
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(compact), "", "\t"); err != nil {
		t.Fatal(err)
	}
	const more = `[{"x":{"id":"0"},"id":"1","y":"\"","label":"a","z":[{}]},{"x":{"id":"0"},"id":"2","y":"\"","label":"é","z":[{}]},` +
		`{"x":{"id":"0"},"id":"3","y":"\"","label":"c","z":[{}]}]`
	for _, usual := range []string{compact, pretty.String(), more} {
		checkNearly(usual, check)
	}
}

// checkNearly checks a catalogue, and what is nearly it.
func checkNearly(usual string, check func(document string)) {
	const head = `{"jobId":1,"jobTitle":"t","applyPossible":true,"nationalities":`
	check(head + usual + `}`)
	for i := range usual {
		check(head + usual[:i])
		check(head + usual[:i] + `}`)
		check(head + usual[:i] + usual[i+1:] + `}`)
		for _, c := range []string{`"`, `\`, `,`, `:`, `{`, `}`, `[`, `]`, ` `, `n`, "\x00", "\xff", "\xc3", "é", `",`, `"}`, `,,`, `,{},`, `{"id":"`} {
			check(head + usual[:i] + c + usual[i+1:] + `}`)
			check(head + usual[:i] + c + usual[i:] + `}`)
		}
	}
	check(head + usual)
}

// TestInformationKept holds how much memory an answer takes that is kept.
func TestInformationKept(t *testing.T) {
	cat := new(catalogueCache)
	info := makeInfo(1, 1)
	infoOf(t, info)
	const n = 2000
	kept := make([]*JobInformation, 0, n)
	bytes := allocated(func() {
		for range n {
			j, err := decodeJobInformation(info, cat)
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, j)
		}
	})
	if per := bytes / n; per > 3<<10 && !raceEnabled {
		t.Errorf("%d bytes for each", per)
	}
}
