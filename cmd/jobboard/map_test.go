package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/internal/worldmap"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// shapes reads a picture: how often an element of a class occurs, and all text.
func shapes(t *testing.T, picture string) (classes map[string]int, text string) {
	t.Helper()
	classes = map[string]int{}
	var all strings.Builder
	dec := xml.NewDecoder(strings.NewReader(picture))
	style := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return classes, all.String()
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			style = e.Name.Local == "style"
			switch e.Name.Local {
			case "script", "a", "image", "use", "foreignObject":
				t.Errorf("a picture with <%s>", e.Name.Local)
			}
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					classes[a.Value]++
				}
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if !style {
				all.Write(e)
				all.WriteString("\n")
			}
		}
	}
}

func TestSearchMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "berlin.svg")
	newProcess().run(t, "search", "--fake", "--near", "52.52,13.405", "--radius", "50", "--map", path).want(t, setup.ExitOK, "11 of 11").
		wantErr(t, "11 postings at known places; at unknown places, which it lists: 0")
	picture := read(t, path)
	classes, text := shapes(t, picture)
	if classes["circle"] != 1 || classes["centre"] != 1 || classes["hit"] != 1 || classes["town"] < 5 {
		t.Errorf("%v", classes)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o111 != 0 {
		t.Errorf("%v, %v", info, err)
	}
	for _, want := range []string{"within 50 km of", "Berlin (7)", "Pflegefachkraft (m/w/d)", "Potsdam", "20 km", "Beyond the map", "Wien (3)", "no coordinates"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if !strings.Contains(picture, "prefers-color-scheme:dark") {
		t.Error("the picture knows no dark scheme")
	}

	newProcess().run(t, "search", "--fake", "--jsonl", "--map", path).want(t, setup.ExitOK)
	if classes, _ := shapes(t, read(t, path)); classes["circle"] != 0 || classes["hit"] != 6 {
		t.Errorf("without a place: %v", classes)
	}
	newProcess().run(t, "search", "--fake", "--map", "x.png").want(t, setup.ExitUsage)
}

func posting(title string, places ...string) *jobboard.JobPosting {
	return &jobboard.JobPosting{Title: title, Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyLocationName: places})}
}

func TestMapOfHostileAndStrangePostings(t *testing.T) {
	for _, near := range []jobboard.GeoLocation{
		{}, jobboard.Near(52.52, 13.405, 0.01), jobboard.Near(90, 0, 100), jobboard.Near(-90, 180, 20038), jobboard.Near(0, 179.9, 500), jobboard.Near(48.2, 16.4, 20038),
	} {
		m := newMapData(near)
		m.title = "<b>&\x01 " + strings.Repeat("x", 200)
		m.add(posting("</title><script>alert(1)</script>\x1b[2J", "Berlin"))
		m.add(posting("", "<svg onload=alert(1)>"))
		m.add(posting("no place"))
		for range 300 {
			m.add(posting("many", "Hamburg"))
		}
		var b bytes.Buffer
		if err := m.write(&b); err != nil {
			t.Fatal(err)
		}
		_, text := shapes(t, b.String())
		for _, want := range []string{"Not on the map", "<svg onload=alert(1)> (1)", "no location named (1)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q", near, want)
			}
		}
		if m.placed != 301 || m.unplaced != 2 {
			t.Errorf("%d placed, %d not", m.placed, m.unplaced)
		}
	}
}

// The scale of a map of any size is a round number of kilometres, and what is said of its
// places stands there from top to bottom.
func TestMapScales(t *testing.T) {
	scale := regexp.MustCompile(`>(\d+ km)</text>`)
	said := regexp.MustCompile(`y="([0-9.]+)">(Placed by|The search|Places: geo)`)
	var scales []string
	for km := 2.0; km < 20038; km *= 1.2 {
		var b bytes.Buffer
		if err := newMapData(jobboard.Near(48.2, 16.4, km)).write(&b); err != nil {
			t.Fatal(err)
		}
		if got := scale.FindStringSubmatch(b.String()); got == nil {
			t.Errorf("a circle of %.0f km has no scale", km)
		} else if !slices.Contains(scales, got[1]) {
			scales = append(scales, got[1])
		}
		last, lines := 0.0, said.FindAllStringSubmatch(b.String(), -1)
		for _, m := range lines {
			y, err := strconv.ParseFloat(m[1], 64)
			if err != nil || y <= last {
				t.Errorf("%q stands at %s, below %g: %v", m[2], m[1], last, err)
			}
			last = y
		}
		if len(lines) != 3 {
			t.Errorf("of its places is said %q", lines)
		}
	}
	if got := strings.Join(scales, ", "); got != "1 km, 2 km, 5 km, 10 km, 20 km, 50 km, 100 km, 200 km, 500 km, 1000 km, 2000 km, 5000 km" {
		t.Error(got)
	}
}

func TestMapOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := newMapData(jobboard.GeoLocation{}).write(&b); err != nil {
		t.Fatal(err)
	}
	if classes, _ := shapes(t, b.String()); classes["hit"] != 0 || classes["town"] < 10 {
		t.Errorf("%v", classes)
	}
}

// Two towns that are close to each other have their names apart, and the place of both
// spellings of one is one hit.
func TestMapNamesDoNotOverprint(t *testing.T) {
	m := newMapData(jobboard.GeoLocation{})
	for _, name := range []string{"Köln", "Cologne", "Bonn", "Leverkusen", "Siegburg", "Wien", "Vienna", "München", "Munich"} {
		m.add(posting("Nurse", name))
	}
	if len(m.sites) != 6 {
		t.Errorf("%d places", len(m.sites))
	}
	p := &picture{labels: worldmap.Labels{Width: mapWidth, Height: mapHeight}}
	p.hits(m.view(), m.sorted())
	type line struct{ left, right, y float64 }
	var lines []line
	for _, h := range p.Hits {
		if h.Name.Text == "" {
			continue
		}
		width := 7.6 * float64(len([]rune(h.Name.Text)))
		left := map[string]float64{"start": h.Name.X, "middle": h.Name.X - width/2, "end": h.Name.X - width}[h.Name.Anchor]
		for _, o := range lines {
			if math.Abs(o.y-h.Name.Y) < 11 && left < o.right && o.left < left+width {
				t.Errorf("%s is written onto another name", h.Name.Text)
			}
		}
		lines = append(lines, line{left, left + width, h.Name.Y})
	}
	if len(lines) < 4 {
		t.Errorf("%d names of %d", len(lines), len(p.Hits))
	}
}

func TestNearByName(t *testing.T) {
	for _, name := range []string{"Berlin", "10117 berlin, Germany"} {
		newProcess().run(t, "search", "--fake", "--near", name, "--radius", "50").
			want(t, setup.ExitOK, "11 of 11 postings within 50 km of 52.524, 13.411").wantErr(t, "near Berlin, DE (52.524, 13.411)")
	}
	newProcess().run(t, "search", "--fake", "--near", "Cologne", "--radius", "30").wantErr(t, "near Köln, DE")
	newProcess().run(t, "search", "--fake", "--near", "Müncheberg am Rhein").want(t, setup.ExitUsage).wantErr(t, "no place is known", "--near Berlin")
	newProcess().run(t, "search", "--fake", "--near", "Muench").want(t, setup.ExitUsage).wantErr(t, "is it München (DE) or")
}

// The pictures are drawn as somebody has seen them: a circle with hits beyond it, all of Europe,
// and more places, titles and unknown names than there is room for.
func TestPicturesAsSeen(t *testing.T) {
	near, wide, crowded := newMapData(jobboard.Near(52.52, 13.405, 50)), newMapData(jobboard.GeoLocation{}), newMapData(jobboard.Near(51, 10, 300))
	for i, town := range []string{"Berlin", "Potsdam", "Oranienburg", "Magdeburg", "Wien", "Lissabon", "Berlin", "Stockholm", "Palermo", "Nowhere", "Hamburg"} {
		near.add(posting(fmt.Sprint("Nurse ", i), town))
		if i != 5 {
			wide.add(posting(fmt.Sprint("Cook ", i), town, "Berlin"))
		}
	}
	for i, town := range []string{"Köln", "Bonn", "Leipzig", "Dresden", "Hamburg", "Bremen", "Kassel", "Erfurt", "Mainz", "Rom", "Oslo", "Madrid", "Athen", "London", "Paris"} {
		for n := range 12 - min(i, 11) {
			crowded.add(posting(fmt.Sprintf("Nurse for nights and weekends, with a long title %d", n), town))
		}
		crowded.add(posting("Cook", fmt.Sprint("Nowhere ", i%7)))
	}
	for name, m := range map[string]*mapData{"near": near, "wide": wide, "crowded": crowded} {
		m.title = "Channel 27828_extern, a search of many words that go on for more than a line"
		var b bytes.Buffer
		if err := m.write(&b); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "map-"+name+".svg"), b.String()) // look at what -update writes
	}
}

// Hits are beyond the circle from 15 km on, because the list of towns is good to a few.
func TestHitsBeyondTheCircle(t *testing.T) {
	at := jobboard.Near(52.52437, 13.41053, 10) // Berlin's own place in the list
	far := jobboard.DistanceKm(at, placeOf(t, "Potsdam"))
	for _, test := range []struct {
		radius float64
		names  string
		n      int
	}{
		{far - 15.1, "Potsdam", 2}, {far - 14.9, "", 0}, {far, "", 0},
	} {
		m := newMapData(jobboard.Near(at.Latitude, at.Longitude, test.radius))
		m.add(posting("a", "Berlin"))
		m.add(posting("b", "Potsdam"))
		m.add(posting("c", "Potsdam"))
		if names, n := m.beyondCircle(); strings.Join(names, " ") != test.names || n != test.n {
			t.Errorf("%g km: %q, %d", test.radius, names, n)
		}
	}
	if names, n := newMapData(jobboard.GeoLocation{}).beyondCircle(); names != nil || n != 0 {
		t.Errorf("without a circle: %q, %d", names, n)
	}
}

func placeOf(t *testing.T, name string) jobboard.GeoLocation {
	t.Helper()
	p, ok := places.Find(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return jobboard.GeoLocation{Latitude: p.Latitude, Longitude: p.Longitude}
}
