package jobboard_test

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

func TestQueryKey(t *testing.T) {
	same := [][2]jobboard.Query{
		{{}, {}},
		{{OmitConfig: []string{"b", "a", "b"}}, {OmitConfig: []string{"a", "b"}}},
		{{OmitConfig: []string{}}, {}},
	}
	for _, q := range same {
		if q[0].Key() != q[1].Key() {
			t.Errorf("%v: %s, %s", q, q[0].Key(), q[1].Key())
		}
	}
	different := []jobboard.Query{
		{},
		{Text: "a"},
		{Text: `a" "b`},
		{Text: "a", Language: "b"},
		{Language: "a"},
		{Near: jobboard.Near(1, 2, 3)},
		{Text: jobboard.Near(1, 2, 3).String()},
		{Near: jobboard.Near(1, 2, 3.5)},
		{OmitConfig: []string{"a"}},
		{OmitConfig: []string{"a", "b"}},
		{OmitConfig: []string{`a" "b`}},
		{OmitConfig: []string{""}},
	}
	seen := map[string]int{}
	for i, q := range different {
		if other, again := seen[q.Key()]; again {
			t.Errorf("%+v and %+v have the key %s", different[other], q, q.Key())
		}
		seen[q.Key()] = i
	}
}
