// Package postal knows where the postal codes of Germany, Austria and Switzerland are, some
// 16 000 of them, without a network:
//
//	for _, at := range postal.Find("10117", "") {
//		near := jobboard.Near(at.Latitude, at.Longitude, 25)
//	}
//
// The list is embedded, 0.1 MB compressed, and read at the first call. Programs that do not import
// this package do not contain the list. All functions can be called from several goroutines.
//
// The data is from GeoNames (https://www.geonames.org), as of March 2026, under the licence
// CC BY 4.0; a program that shows the data must name the source, see [Attribution].
package postal

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Attribution names the source of the data. The licence demands this line where the data is shown.
const Attribution = "Postal codes: geonames.org, CC BY 4.0"

// Code describes a postal code.
type Code struct {
	Country   string  // ISO 3166 code: "DE", "AT" or "CH"
	Code      string  // five digits in Germany, else four
	Latitude  float64 // in degrees, of the centre of the places with this code
	Longitude float64 // in degrees
}

// letters holds the letters of each country before a code in an address.
var letters = map[string]string{"DE": "D", "AT": "A", "CH": "CH"}

// String returns the code in the form of international addresses, such as A-1010.
func (c Code) String() string { return letters[c.Country] + "-" + c.Code }

// Find returns the places of a postal code as a person types it: 10117, D-10117, A-1010, AT 1010,
// CH8001. About 900 codes of four digits exist in Austria and in Switzerland. Letters before the
// code, or else country, an ISO 3166 code, select the country; without both Find returns the two
// places, the Austrian first. It returns nil for an unknown code and for any other text.
func Find(typed, country string) []Code {
	said, digits := split(typed)
	if digits == "" {
		return nil
	}
	if said == "" {
		said = strings.ToUpper(country)
	}
	var found []Code
	all := load()
	at, _ := slices.BinarySearchFunc(all, digits, func(c Code, digits string) int { return strings.Compare(c.Code, digits) })
	for ; at < len(all) && all[at].Code == digits; at++ {
		if c := all[at]; said == "" || said == c.Country || said == letters[c.Country] {
			found = append(found, c)
		}
	}
	return found
}

// Looks reports whether a text has the form of a postal code, even if no such code exists.
func Looks(typed string) bool {
	_, digits := split(typed)
	return digits != ""
}

// split returns the letters and the digits of a code. For any other text digits is empty.
func split(typed string) (said, digits string) {
	if len(typed) > 20 {
		return "", ""
	}
	text := strings.ToUpper(strings.TrimSpace(typed))
	digits = strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	said = text[:len(text)-len(digits)]
	if said != "" {
		digits = strings.TrimLeft(digits, " -")
	}
	length := map[string]int{"D": 5, "DE": 5, "A": 4, "AT": 4, "CH": 4, "": len(digits)}[said]
	isOther := func(r rune) bool { return r < '0' || r > '9' }
	if n := len(digits); n != length || n != 4 && n != 5 || strings.ContainsFunc(digits, isOther) {
		return "", ""
	}
	return said, digits
}

//go:embed codes.csv.gz
var list []byte

var load = sync.OnceValue(func() []Code {
	codes, err := read(list)
	if err != nil {
		panic(err) // every test of the package would say so
	}
	return codes
})

// read returns the codes of a compressed table, sorted by their digits and countries.
func read(compressed []byte) ([]Code, error) {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("postal: %w", err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("postal: %w", err)
	}
	codes := make([]Code, 0, bytes.Count(text, []byte("\n")))
	_, rows, _ := strings.Cut(string(text), "\n") // the first line has the names of the columns
	for row := range strings.Lines(rows) {
		column := strings.Split(strings.TrimSpace(row), ",")
		if len(column) != 4 {
			return nil, fmt.Errorf("postal: a row of %d columns", len(column))
		}
		latitude, err1 := strconv.ParseFloat(column[2], 64)
		longitude, err2 := strconv.ParseFloat(column[3], 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("postal: the code %s is nowhere", column[1])
		}
		codes = append(codes, Code{Country: column[0], Code: column[1], Latitude: latitude, Longitude: longitude})
	}
	slices.SortFunc(codes, func(a, b Code) int {
		return cmp.Or(strings.Compare(a.Code, b.Code), strings.Compare(a.Country, b.Country))
	})
	return codes, nil
}
