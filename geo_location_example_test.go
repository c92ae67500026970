package jobboard_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
)

func ExampleLocation_Near() {
	office := jobboard.Location{GeoLat: "52.520014", GeoLong: "13.373006", GeoCity: "Berlin"}
	around, err := office.Near(50)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(around)
	// Output:
	// 52.520014::13.373006::50
}

func ExampleLocation_DistanceKm() {
	home := jobboard.Near(52.52, 13.405, 50)
	locations := []jobboard.Location{
		{GeoCity: "anywhere in Germany"},
		{GeoLat: "48.137", GeoLong: "11.575", GeoCity: "Munich"},
		{GeoLat: "52.4", GeoLong: "13.06", GeoCity: "Potsdam"},
	}
	slices.SortFunc(locations, func(a, b jobboard.Location) int {
		return cmp.Compare(a.DistanceKm(home), b.DistanceKm(home))
	})
	for _, l := range locations {
		fmt.Printf("%s %.0f km\n", l.GeoCity, l.DistanceKm(home))
	}
	// Output:
	// Potsdam 27 km
	// Munich 504 km
	// anywhere in Germany +Inf km
}
