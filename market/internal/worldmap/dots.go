package worldmap

import (
	"cmp"
	"math"
	"slices"
)

// Dot stands on a map for points that would lie on each other.
type Dot struct {
	X, Y   float64 // of the first of them
	Name   string  // that most of them have, apart from those without one
	Points []int   // their indices, ascending
}

// Gather returns the dots of points: those nearer than so many pixels to the first of
// a dot belong to it. The dots with the most points come first.
func (v View) Gather(points []Point, near float64) []Dot {
	type cell [2]int
	var dots []Dot
	at := map[cell][]int{} // the dots in each square
	for i, p := range points {
		x, y := v.XY(p.Latitude, p.Longitude)
		c := cell{int(math.Floor(x / near)), int(math.Floor(y / near))}
		nearest, best := -1, near
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, k := range at[cell{c[0] + dx, c[1] + dy}] {
					if d := math.Hypot(dots[k].X-x, dots[k].Y-y); d < best {
						nearest, best = k, d
					}
				}
			}
		}
		if nearest < 0 {
			nearest = len(dots)
			dots = append(dots, Dot{X: x, Y: y})
			at[c] = append(at[c], nearest)
		}
		dots[nearest].Points = append(dots[nearest].Points, i)
	}
	for i := range dots {
		dots[i].Name = commonName(points, dots[i].Points)
	}
	slices.SortFunc(dots, func(a, b Dot) int {
		return cmp.Or(cmp.Compare(len(b.Points), len(a.Points)), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
	return dots
}

// commonName returns the name that most of the points have; of several the first in
// the alphabet.
func commonName(points []Point, of []int) (best string) {
	n := map[string]int{}
	for _, i := range of {
		if name := points[i].Name; name != "" {
			n[name]++
		}
	}
	for name, k := range n {
		if k > n[best] || k == n[best] && name < best {
			best = name
		}
	}
	return best
}

// box is a rectangle of a map.
type box struct{ Left, Top, Right, Bottom float64 }

func (b box) meets(o box) bool {
	return b.Left < o.Right && o.Left < b.Right && b.Top < o.Bottom && o.Top < b.Bottom
}

// Label says where a name is written: its text-anchor in SVG, and the end of the line
// on which it stands.
type Label struct {
	X, Y   float64
	Anchor string // "start", "middle" or "end"
}

// Labels keeps names from being written onto each other, onto dots, or beyond the
// edges of a map.
type Labels struct {
	Width, Height float64
	taken         []box
}

// take keeps a part of the map free of names.
func (l *Labels) take(b box) { l.taken = append(l.taken, b) }

// TakeDot keeps a dot free of names.
func (l *Labels) TakeDot(x, y, r float64) { l.take(box{x - r, y - r, x + r, y + r}) }

// Beside returns where the name of a dot goes, a line of 14 pixels whose width has a
// pixel to spare at both ends: right of the dot, left, below or above, on the first
// side where nothing is. It is false where no side has room.
func (l *Labels) Beside(x, y, r, width float64) (Label, bool) {
	for _, side := range []struct {
		label Label
		room  box
	}{
		{Label{x + r + 3, y + 4, "start"}, box{x + r + 2, y - 7, x + r + 2 + width, y + 7}},
		{Label{x - r - 3, y + 4, "end"}, box{x - r - 2 - width, y - 7, x - r - 2, y + 7}},
		{Label{x, y + r + 12, "middle"}, box{x - width/2, y + r + 1, x + width/2, y + r + 15}},
		{Label{x, y - r - 4, "middle"}, box{x - width/2, y - r - 15, x + width/2, y - r - 1}},
	} {
		inside := side.room.Left >= 0 && side.room.Top >= 0 && side.room.Right <= l.Width && side.room.Bottom <= l.Height
		if inside && !slices.ContainsFunc(l.taken, side.room.meets) {
			l.take(side.room)
			return side.label, true
		}
	}
	return Label{}, false
}
