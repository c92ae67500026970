package budget

import (
	"testing"
	"time"
)

// What the repeats of one call cost, without a call: steps, and the tokens that are left
// after each of a budget of three.
func TestRepeats(t *testing.T) {
	const sec = time.Second
	type step struct {
		do     string
		at     time.Duration
		ok     bool
		tokens float64
	}
	for name, steps := range map[string][]step{
		"a repeat costs one, and gives it back": {
			{"charge", 0, true, 2}, {"success", sec, true, 3},
		},
		"each repeat costs one, and the last that there is": {
			{"charge", 0, true, 2}, {"charge", sec, true, 1}, {"charge", 2 * sec, true, 0}, {"charge", 3 * sec, false, 0},
		},
		"one that net/http has repeated as well costs two": {
			{"charge twice", 0, true, 1}, {"charge twice", sec, false, 1}, {"charge", sec, true, 0},
		},
		"nothing is owed": {{"settle", 0, true, 3}},
		"a loss without a byte is charged after its wait": {
			{"owe", 0, true, 3}, {"settle", sec, true, 2}, {"settle", 2 * sec, true, 2},
		},
		"and costs nothing if another was answered meanwhile": {
			{"owe", 0, true, 3}, {"another", sec, true, 3}, {"settle", 2 * sec, true, 3},
		},
		"an answer before the loss is none": {
			{"another", 0, true, 3}, {"owe", sec, true, 3}, {"settle", 2 * sec, true, 2},
		},
		"only the first": {
			{"owe", 0, true, 3},
			{"another", sec, true, 3},
			{"settle", 2 * sec, true, 3},
			{"owe", 3 * sec, true, 3},
			{"another", 4 * sec, true, 3},
			{"settle", 5 * sec, true, 2},
		},
		"not for a call that has paid": {
			{"charge", 0, true, 2}, {"owe", sec, true, 2}, {"another", 2 * sec, true, 2.25}, {"settle", 3 * sec, true, 1.25},
		},
		"a loss that net/http has repeated is owed twice": {
			{"owe twice", 0, true, 3}, {"settle", sec, true, 1}, {"owe twice", 2 * sec, true, 1}, {"settle", 3 * sec, false, 1},
		},
		"what was settled once is not owed again": {
			{"charge", 0, true, 2},
			{"charge", 0, true, 1},
			{"charge", 0, true, 0},
			{"owe", 0, true, 0},
			{"settle", sec, false, 0},
			{"settle", sec, true, 0},
		},
	} {
		b := New(3, 0.25)
		r := Repeats{Budget: b}
		for i, s := range steps {
			now, ok := b.start.Add(s.at), true
			switch s.do {
			case "charge", "charge twice":
				ok = r.Charge(now, s.do == "charge twice")
			case "owe", "owe twice":
				r.Owe(now, s.do == "owe twice")
			case "settle":
				ok = r.Settle(now)
			case "another":
				b.Earn(now)
			case "success":
				r.Succeeded(now)
			}
			if tokens, _ := b.State(now); ok != s.ok || tokens != s.tokens {
				t.Errorf("%s, step %d, %s: %v, %v tokens, want %v, %v", name, i, s.do, ok, tokens, s.ok, s.tokens)
			}
		}
	}
	var free Repeats
	free.Owe(time.Now(), true)
	if !free.Charge(time.Now(), true) || !free.Settle(time.Now()) {
		t.Error("without a budget a repeat costs something")
	}
	free.Succeeded(time.Now())
}
