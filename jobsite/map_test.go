package jobsite_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
	"github.com/jobboard-sdk/jobboard-go/jobsite"
)

// drawn counts the elements of a drawing, which must be well-formed.
func drawn(t *testing.T, svg string) map[string]int {
	t.Helper()
	n := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			n[e.Name.Local]++
		}
	}
}

func TestMap(t *testing.T) {
	at := func(title, city string, latitude, longitude float64) jobmirror.Posting {
		return jobmirror.Posting{Posting: jobboard.JobPosting{Title: title}, Locations: []jobboard.Location{
			{GeoCity: city, GeoLat: fmt.Sprint(latitude), GeoLong: fmt.Sprint(longitude)}, {GeoCity: "nowhere"},
		}}
	}
	postings := []jobmirror.Posting{
		at("Nurse", "Berlin", 52.52, 13.405), at("Cook", "Berlin", 52.5201, 13.4051), at("</title><script>x</script>", `<b>"Potsdam"&`, 52.39, 13.06),
		at("Clerk", "", 53.55, 9.99),
	}
	svg := string(jobsite.Map(postings, jobboard.GeoLocation{}, `"Jobs" & <more>`))
	if n := drawn(t, svg); n["circle"] != 3 || n["text"] != 2 || n["path"] != 0 || n["script"] != 0 || n["b"] != 0 {
		t.Errorf("%v: %s", n, svg)
	}
	if !strings.Contains(svg, "<title>Berlin: Nurse; Cook</title>") || !strings.Contains(svg, `aria-label="&#34;Jobs&#34; &amp; &lt;more&gt;"`) {
		t.Error(svg)
	}
	if strings.Count(svg, ` r="6"><title>Berlin:`) != 1 || strings.Count(svg, ` r="5">`) != 2 {
		t.Errorf("dots of two and of one job: %s", svg)
	}
	if many := string(jobsite.Map(slices.Repeat(postings[:1], 10), jobboard.GeoLocation{}, "Jobs")); strings.Count(many, ` r="9">`) != 1 {
		t.Errorf("a dot of ten jobs: %s", many)
	}
	edge := jobboard.Near(52, 13, 1)
	edge.RadiusKm = postings[0].Locations[0].DistanceKm(edge)
	if n := drawn(t, string(jobsite.Map(postings[:1], edge, "Jobs"))); n["circle"] != 1 {
		t.Error("a job on the circle is not in it")
	}
	near := string(jobsite.Map(postings, jobboard.Near(52.52, 13.405, 50), "Jobs"))
	if n := drawn(t, near); n["circle"] != 2 || n["path"] != 1 || strings.Contains(near, "Clerk") {
		t.Errorf("%v: %s", n, near)
	}
	if empty := string(jobsite.Map(nil, jobboard.Near(0, 0, 50), "Jobs")); drawn(t, empty)["path"] != 1 {
		t.Errorf("a circle without jobs: %s", empty)
	}
	if nothing := jobsite.Map([]jobmirror.Posting{{}}, jobboard.GeoLocation{}, "Jobs"); nothing != "" {
		t.Errorf("nothing to draw: %s", nothing)
	}
}
