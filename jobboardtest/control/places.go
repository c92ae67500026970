package control

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// foundPlace is a place that a new job may have.
type foundPlace struct {
	Name     string                `json:"name"`
	Location jobboardtest.Location `json:"location"`
}

// maxFound bounds the places that the page suggests while somebody types.
const maxFound = 8

// findPlaces answers with places whose names begin with the parameter q: first
// places of the board's jobs, then towns of the world.
func (c *Control) findPlaces(r *http.Request) (any, error) {
	typed := strings.TrimSpace(r.URL.Query().Get("q"))
	if typed == "" {
		return list("places", []foundPlace{}), nil
	}
	var found []foundPlace
	add := func(name string, l jobboardtest.Location) {
		same := func(f foundPlace) bool { return strings.EqualFold(f.Name, name) }
		if len(found) < maxFound && !slices.ContainsFunc(found, same) {
			found = append(found, foundPlace{name, l})
		}
	}
	jobs := c.srv.Snapshot().Jobs
	spell := spelling(jobs)
	for _, j := range jobs {
		if name := spell.name(j.Location); strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed)) {
			add(name, j.Location)
		}
	}
	towns := places.Search(typed, maxFound)
	if p, ok := places.Find(typed); ok && len(towns) == 0 { // a full suggestion such as "Name, Country"
		towns = append(towns, p)
	}
	for _, p := range towns {
		degrees := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
		name := p.Name + ", " + p.Country
		add(name, jobboardtest.Location{
			Lat: degrees(p.Latitude), Long: degrees(p.Longitude), Name: name, City: p.Name, Country: p.Country,
		})
	}
	return list("places", found), nil
}
