package worldmap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

var towns = []Point{
	{52.52, 13.40, "Berlin"}, {53.55, 10.00, "Hamburg"}, {48.13, 11.57, "Munich"}, {50.94, 6.96, "Köln"}, {48.21, 16.37, "Wien"},
}

// km returns how many kilometres a number of pixels are in the middle.
func (v View) km(pixels float64) float64 { return pixels / v.scale * kmPerDegree }

// North is up, east is right, and distances are true: 255 km from Berlin to Hamburg,
// 504 from Berlin to Munich.
func TestView(t *testing.T) {
	for name, v := range map[string]View{
		"over the towns":  Over(towns, 240, 150, 210, 18, 2),
		"around a middle": Around(51, 11, 600, 700, 640),
	} {
		at := func(i int) (x, y float64) { return v.XY(towns[i].Latitude, towns[i].Longitude) }
		bx, by := at(0)
		hx, hy := at(1)
		mx, my := at(2)
		if !(hy < by && by < my && hx < mx && mx < bx) {
			t.Errorf("%s: north is not up, or east not right", name)
		}
		for what, d := range map[float64]float64{255: math.Hypot(hx-bx, hy-by), 504: math.Hypot(mx-bx, my-by)} {
			if km := v.km(d); math.Abs(km-what) > 20 {
				t.Errorf("%s: %v km are drawn as %.0f", name, what, km)
			}
		}
		for _, p := range towns {
			if x, y := v.XY(p.Latitude, p.Longitude); x < 12 || x > v.Width-12 || y < 12 || y > v.Height-12 {
				t.Errorf("%s: %s is not on it", name, p.Name)
			}
		}
	}
}

// A view over the date line, at a pole, or of next to nothing is one still.
func TestViewAtTheEnds(t *testing.T) {
	for _, v := range []View{
		Around(0, 179.9, 500, 700, 640), Around(90, 0, 100, 700, 640), Around(-90, 180, 20038, 700, 640), Around(52, 13, 0, 700, 640),
		Over([]Point{{89.5, -180, "N"}}, 240, 150, 210, 18, 2), Over([]Point{{10, 180, ""}, {10, -180, ""}}, 240, 150, 210, 18, 2),
	} {
		if path := v.Circle(v.latitude, v.longitude, 100); strings.Contains(path, "NaN") || strings.Contains(path, "Inf") {
			t.Error(path)
		}
	}
	v := Around(0, 179.9, 500, 700, 640)
	if x, _ := v.XY(0, -179.9); math.Abs(v.km(x-350)-22.2) > 1 {
		t.Errorf("a place beyond the date line is %.1f km east", v.km(x-350))
	}
}

// The circle passes through places at its radius.
func TestCircle(t *testing.T) {
	v := Around(52.52, 13.405, 60, 700, 640)
	corners := strings.Split(strings.TrimSuffix(strings.TrimPrefix(v.Circle(52.52, 13.405, 50), "M"), "Z"), "L")
	if len(corners) != 120 {
		t.Fatalf("%d corners", len(corners))
	}
	for _, c := range corners {
		var x, y float64
		if _, err := fmt.Sscan(c, &x, &y); err != nil {
			t.Fatal(c, err)
		}
		if km := v.km(math.Hypot(x-350, y-320)); math.Abs(km-50) > 0.5 {
			t.Errorf("a place 50 km away is drawn %.1f km away", km)
		}
	}
}

// One town under two names is one dot, wherever the squares end that points are
// sorted into.
func TestGather(t *testing.T) {
	for shift := range 40 {
		lat := 50 + float64(shift)*0.013
		points := []Point{
			{lat, 7, "Köln"}, {lat + 0.01, 7.01, "Cologne"}, {lat, 7, "Köln"}, {lat, 7, ""}, {lat, 7, ""}, {lat, 7, ""}, {lat + 3, 11, "Hof"}, {lat + 3, 11, ""},
		}
		v := Over(points, 320, 320, 320, 24, 0.05)
		dots := v.Gather(points, 6)
		if got := fmt.Sprint(len(dots), dots[0].Name, dots[0].Points, dots[1].Name, dots[1].Points); got != "2Köln[0 1 2 3 4 5]Hof[6 7]" {
			t.Fatalf("from %.3f: %s", lat, got)
		}
		if x, y := v.XY(lat, 7); dots[0].X != x || dots[0].Y != y {
			t.Errorf("the dot is at %v, %v", dots[0].X, dots[0].Y)
		}
	}
	if dots := (View{}).Gather(nil, 6); len(dots) != 0 {
		t.Error(dots)
	}
}

// A dot has the most frequent name of its points, whatever their order.
func TestCommonName(t *testing.T) {
	points := []Point{{Name: "Vienna"}, {Name: "Wien"}, {}, {}, {}, {Name: "Wien"}, {Name: "Vienna"}, {Name: "Beč"}}
	random := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	for range 20 {
		if name := commonName(points, random.Perm(len(points))); name != "Vienna" {
			t.Errorf("%q", name)
		}
	}
	if name := commonName(points, []int{0, 1, 5}); name != "Wien" {
		t.Errorf("%q", name)
	}
	if name := commonName(points, []int{2, 3}); name != "" {
		t.Errorf("%q", name)
	}
}

// A dot's name stands right, left, below or above of it, on the first side that is
// free.
func TestSidesOfALabel(t *testing.T) {
	l := Labels{Width: 240, Height: 240}
	for _, inTheWay := range []struct {
		want Label
		box  box // blocks only this side
	}{
		{Label{128, 124, "start"}, box{130, 118, 131, 119}},
		{Label{112, 124, "end"}, box{110, 118, 111, 119}},
		{Label{120, 137, "middle"}, box{120, 136, 121, 137}},
		{Label{120, 111, "middle"}, box{120, 104, 121, 105}},
	} {
		again := Labels{Width: 240, Height: 240, taken: append([]box(nil), l.taken...)}
		if got, ok := again.Beside(120, 120, 5, 30); !ok || got != inTheWay.want {
			t.Errorf("%+v, want %+v", got, inTheWay.want)
		}
		l.take(inTheWay.box)
	}
	if got, ok := l.Beside(120, 120, 5, 30); ok {
		t.Errorf("there is no room, and yet %+v", got)
	}
}

// No name stands on another one, on a dot, or beyond the edge, however close the dots
// are.
func TestLabelsDoNotOverprint(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		l := Labels{Width: 320, Height: 320}
		type spot struct{ x, y, r, width float64 }
		var spots []spot
		var dots, names []box
		for range 60 {
			s := spot{320 * r.Float64(), 320 * r.Float64(), 3 + 6*r.Float64(), 20 + 80*r.Float64()}
			spots = append(spots, s)
			l.TakeDot(s.x, s.y, s.r)
			dots = append(dots, box{s.x - s.r, s.y - s.r, s.x + s.r, s.y + s.r})
		}
		for _, s := range spots {
			label, ok := l.Beside(s.x, s.y, s.r, s.width)
			if !ok {
				continue
			}
			left := map[string]float64{"start": label.X, "middle": label.X - s.width/2 + 1, "end": label.X - s.width + 2}[label.Anchor]
			at := box{left, label.Y - 8, left + s.width - 2, label.Y + 1}
			for _, other := range append(names, dots...) {
				if at.meets(other) {
					t.Fatalf("seed %d: a name at %+v stands on %+v", seed, at, other)
				}
			}
			if at.Left < 0 || at.Top < 0 || at.Right > 320 || at.Bottom > 320 {
				t.Errorf("seed %d: %+v is beyond the edge", seed, at)
			}
			names = append(names, at)
		}
		if len(names) < 8 {
			t.Errorf("seed %d: %d names", seed, len(names))
		}
	}
}
