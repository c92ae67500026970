package places_test

import (
	"fmt"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/places"
)

func ExampleFind() {
	for _, name := range []string{"Koeln", "80331 Munich, Germany", "Freiburg, Schweiz", "Paris, Texas"} {
		place, ok := places.Find(name)
		if !ok {
			fmt.Println(name, "is not known")
			continue
		}
		fmt.Println(place.Name, place.Country, jobboard.Near(place.Latitude, place.Longitude, 25))
	}
	// Output:
	// Köln DE 50.933::6.95::25
	// München DE 48.137::11.575::25
	// Fribourg CH 46.802::7.151::25
	// Paris, Texas is not known
}

func ExampleSearch() {
	for _, place := range places.Search("frankf", 3) {
		fmt.Println(place.Name, place.Country)
	}
	// Output:
	// Frankfurt am Main DE
	// Frankfurt (Oder) DE
}
