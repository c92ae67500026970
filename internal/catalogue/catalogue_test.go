package catalogue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
)

// TestBudget cuts a catalogue at each byte and reads it with room for some of its
// elements: it is refused, wherever the room ends.
func TestBudget(t *testing.T) {
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"id":"%d","label":"l"} `, 10+i))
	}
	text := "[" + strings.Join(list, ",") + "]"
	element := func(id, label string) string { return id + label }
	for end := range len(text) + 1 {
		for budget := int64(0); budget < 3000; budget += 370 {
			r := new(jsonread.Reader)
			r.Budget = budget
			r.ResetBytes([]byte(text[:end]))
			if got := Read(new(Reading), r, nil, element); got != nil || r.Err() == nil {
				t.Fatalf("%d bytes with room for %d: %q, %v", end, budget, got, r.Err())
			}
		}
	}
	r, s := new(jsonread.Reader), new(Reading)
	r.Budget = 1 << 20
	r.ResetBytes([]byte(text))
	if got := Read(s, r, nil, element); len(got) != 40 || got[0] != "10l" || got[39] != "49l" || r.Err() != nil {
		t.Errorf("%q, %v", got, r.Err())
	}
	if s.Release(); s.r != nil || s.json != nil || len(s.entries) != 0 {
		t.Error("what was read is kept alive")
	}
}
