package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A position is read as it was written, and has no more words than a search corrects.
func TestPositions(t *testing.T) {
	for _, want := range []Position{
		{0, 1, nil},
		{3, 1 << 62, nil},
		{4, 7, []Correction{{"stelle", nil}, {"job", nil}, {"kelner", []string{"kellner"}}}},
		{1, 7, []Correction{{"altenpflgee", []string{"altenpflege", "größe"}}}},
		{1, 7, slices.Repeat([]Correction{{"koch", nil}}, maxLeftOut)},
		{1, 7, slices.Repeat([]Correction{{"a", []string{"b"}}}, maxMistakes)},
	} {
		if got, ok := ParsePosition(want.String()); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v is written %q, read as %+v, %t", want, want.String(), got, ok)
		}
	}
	for _, none := range []string{
		"", "0", "0.0", "0.-7", "-1.7", "x.7", "0. 7", "0.7.a-b-c-d-e-f-g", "0.7" + strings.Repeat(".a-b", maxMistakes+1), "0.7.a-B", "0.7" + strings.Repeat(".job", maxLeftOut+1),
	} {
		if got, ok := ParsePosition(none); ok {
			t.Errorf("%q is taken for %+v", none, got)
		}
	}
}
