package worldmap

import (
	"cmp"
	"math"
	"slices"
)

// Dot is a dot on a map for one point or several points close together.
type Dot struct {
	X, Y   float64 // position of the first point
	Name   string  // the most frequent name of the points that have a name
	Points []int   // indices of the points, ascending
}

// Gather groups points into dots: a point belongs to a dot if it is less than near
// pixels from the dot's first point. The dots with the most points come first.
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

// commonName returns the most frequent name of the points, and of equally frequent
// names the first in the alphabet.
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

// Label says where to write a name: its baseline position and its text-anchor in SVG.
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

// take keeps names out of a part of the map.
func (l *Labels) take(b box) { l.taken = append(l.taken, b) }

// TakeDot keeps names off a dot.
func (l *Labels) TakeDot(x, y, r float64) { l.take(box{x - r, y - r, x + r, y + r}) }

// Beside returns the label of a dot's name on the first free side: right, left,
// below or above. The name takes a line 14 pixels high, and width includes a spare
// pixel at both ends. Beside reports false if no side has room.
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
