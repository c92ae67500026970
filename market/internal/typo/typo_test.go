package typo

import (
	"math/rand/v2"
	"testing"
)

// slowDistance counts as distance does, letter by letter.
func slowDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case x[i-1] == y[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

// Letters that are missing, too many, wrong, or swapped with their neighbour count one
// each.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "pflege", 6},
		{"pflege", "", 6},
		{"pflege", "pflege", 0},
		{"pflgee", "pflege", 1},
		{"pflge", "pflege", 1},
		{"pfllege", "pflege", 1},
		{"pflaga", "pflege", 2},
		{"ёлка", "елка", 1},
		{"лёка", "ёлка", 1},
		{"ca", "abc", 3},
	} {
		if got := NewPattern(c.a).Distance(c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		letters := make([]rune, 1+r.IntN(64))
		for i := range letters {
			letters[i] = []rune("abcдüß")[r.IntN(2+r.IntN(5))]
		}
		return string(letters)
	}
	for range 2000 {
		a, b := word(), word()
		if got, want := NewPattern(a).Distance(b), slowDistance(a, b); got != want {
			t.Fatalf("from %q to %q: %d, want %d", a, b, got, want)
		}
	}
}

func TestClosest(t *testing.T) {
	words := []string{"limit", "offset", "text", "near", "radius_km", "channel"}
	for typed, want := range map[string]string{
		"limt": "limit", "Limit": "limit", "radius_mk": "radius_km", "radiuskm": "radius_km", "chanel": "channel", "txet": "text",
		"base_url": "", "": "", "t": "", "xx": "",
	} {
		if got := Closest(typed, words); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
