package spelling

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"a", "", 1},
		{"berlin", "berlin", 0},
		{"berlni", "berlin", 1},
		{"ebrlin", "berlin", 1}, // the first two letters are swapped
		{"brlin", "berlin", 1},
		{"berrlin", "berlin", 1},
		{"bärlin", "berlin", 1},
		{"münchne", "münchen", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3},
	} {
		for _, most := range []int{3, 9} {
			if got := Distance(c.a, c.b, most); got != c.want {
				t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
			}
		}
		if got := Distance(c.b, c.a, c.want-1); got < c.want {
			t.Errorf("from %q to %q at most %d: %d", c.b, c.a, c.want-1, got)
		}
	}
}
