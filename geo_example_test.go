package jobboard_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
)

func ExampleNear() {
	berlin := jobboard.Near(52.520014, 13.373006, 50)
	fmt.Println(berlin)
	// Output:
	// 52.520014::13.373006::50
}

func ExampleParseGeoLocation() {
	g, err := jobboard.ParseGeoLocation("52.520014::13.373006::50")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Latitude, g.Longitude, g.RadiusKm)

	_, err = jobboard.ParseGeoLocation("52,5::13,4::50")
	fmt.Println(err)
	// Output:
	// 52.520014 13.373006 50
	// jobboard: geolocation latitude "52,5" is not a decimal number: invalid input
}

func ExampleGeoLocation_Validate() {
	swapped := jobboard.Near(151.21, -33.87, 50)
	err := swapped.Validate()
	fmt.Println(errors.Is(err, jobboard.ErrInvalidInput))
	fmt.Println(err)
	// Output:
	// true
	// jobboard: geolocation latitude is not between -90 and 90 degrees: invalid input
}

func ExampleGeoLocation_IsZero() {
	var anywhere jobboard.GeoLocation
	gulfOfGuinea := jobboard.Near(0, 0, 5)
	fmt.Println(anywhere.IsZero(), gulfOfGuinea.IsZero())
	// Output:
	// true false
}

func ExampleGeoLocation_String() {
	fmt.Println(jobboard.Near(0.0000001, -180, 20000))
	fmt.Printf("%q\n", jobboard.GeoLocation{}.String())
	// Output:
	// 0.0000001::-180::20000
	// ""
}

func ExampleGeoLocation_MarshalText() {
	type savedSearch struct {
		Text string               `json:"text"`
		Near jobboard.GeoLocation `json:"near,omitzero"`
	}
	for _, s := range []savedSearch{
		{Text: "welder", Near: jobboard.Near(48.137, 11.575, 30)},
		{Text: "welder"},
	} {
		b, err := json.Marshal(s)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(b))
	}
	// Output:
	// {"text":"welder","near":"48.137::11.575::30"}
	// {"text":"welder"}
}

func ExampleGeoLocation_UnmarshalText() {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	var near jobboard.GeoLocation
	flags.TextVar(&near, "near", jobboard.GeoLocation{}, "`latitude::longitude::kilometres` to search around")
	if err := flags.Parse([]string{"-near", "53.55::9.99::20"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(near.RadiusKm, "km around", near.Latitude, near.Longitude)
	// Output:
	// 20 km around 53.55 9.99
}

func ExampleDistanceKm() {
	home := jobboard.Near(52.52, 13.405, 50)
	offices := map[string]jobboard.GeoLocation{
		"Munich":  jobboard.Near(48.137, 11.575, 0),
		"Potsdam": jobboard.Near(52.4, 13.06, 0),
		"Hamburg": jobboard.Near(53.55, 9.99, 0),
	}
	names := []string{"Munich", "Potsdam", "Hamburg"}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Compare(jobboard.DistanceKm(home, offices[a]), jobboard.DistanceKm(home, offices[b]))
	})
	for _, name := range names {
		fmt.Printf("%s %.0f km\n", name, jobboard.DistanceKm(home, offices[name]))
	}
	// Output:
	// Potsdam 27 km
	// Hamburg 255 km
	// Munich 504 km
}

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
