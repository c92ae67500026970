package places

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/places/internal/placename"
	"github.com/jobboard-sdk/jobboard-go/places/postal"
)

// Find returns the place that a text names, and false if it names none. Of several places with a name
// it is the largest, so show the name of the place that was found. Find reads names as addresses and
// advertisements have them:
//
//   - A river or region may be abbreviated and stand in any form: Bad Homburg v.d.H., Offenbach/Main,
//     Halle (Westf.), Weiden i.d.OPf. If it fits several towns, Find returns false.
//   - A title may stand before or after the name (Hansestadt Rostock; Haan, Stadt), and a district
//     after a hyphen or after OT or Ortsteil (Hamburg-Altona, Senftenberg OT Brieske).
//   - A country or a state may follow after a comma or in brackets, or a Swiss canton after a space
//     (Freiburg, Switzerland; Springfield, IL; Zell LU). It tells places with the same name apart. If
//     a word names a country and a state, Find looks in the country first, and then in the state:
//     Ontario, CA is in California.
//   - A postal code of Germany, Austria or Switzerland beside the name decides which town of that name
//     is meant (15234 Frankfurt, Frankfurt D-15234). A code that lies more than 20 km from each of
//     them, or 30 km from a city of a million, wins over the name: Find then returns the place of the
//     code, which has the digits as its Name and no Population, and [Contradicted] returns the town. A
//     code beside a name that no place has is enough, if it has five digits or a country's letter. A
//     code that is in no list, or is of two countries, does not count.
//
// With any other text beside the name Find returns false, because the text may name another place.
func Find(text string) (Place, bool) {
	a := find(text)
	return a.place, a.place.Name != ""
}

// Contradicted returns the town that a text names though the text's postal code lies elsewhere, as in
// 10117 München, and false if there is no such contradiction. [Find] then returns the place of the
// code; tell the person who wrote the text.
func Contradicted(text string) (town Place, ok bool) {
	a := find(text)
	return a.contradicted, a.contradicted.Name != ""
}

// answer is what a text names: a place with an empty name means none.
type answer struct{ place, contradicted Place }

func find(text string) answer {
	if len(text) > maxName {
		return answer{}
	}
	idx := load()
	if all := idx.called(text); len(all) > 0 {
		return answer{place: idx.towns[all[0].place].Place}
	}
	parts := strings.Split(text, ",")
	for i, part := range parts {
		q := parse(part)
		if i > 0 && !q.leads {
			continue // what stands before may be a street, if a code leads the part with the town
		}
		q.addAreas(parts[i+1:])
		if a := idx.answer(q); a.place.Name != "" {
			return a
		}
	}
	return answer{}
}

// query is one reading of a text.
type query struct {
	town    string        // the words around the code, without a district after OT
	codes   []postal.Code // places of the code
	short   []postal.Code // its places in Germany if the code has lost a zero at its beginning
	leads   bool          // the code stands before the town
	certain bool          // the code has a country's letter
	agree   bool          // the code must lie where the town is, because something else is not understood
	areas   []area        // where to look for the town, in this order
}

func (q *query) coded() bool { return len(q.codes)+len(q.short) > 0 }

// parse reads the part of a text in which the name of the town stands, up to the next comma.
func parse(part string) *query {
	q := &query{areas: []area{{}}}
	words := strings.Fields(dashes.Replace(part))
	if len(words) > 0 && strings.EqualFold(strings.TrimSuffix(words[0], ":"), "PLZ") {
		words = words[1:]
	}
	for n := min(3, len(words)-1); n > 0 && !q.coded(); n-- {
		if q.addCode(strings.Join(words[:n], " ")) {
			words, q.leads = words[n:], true
			break
		}
		if end := len(words) - n; q.addCode(strings.Join(words[end:], " ")) {
			words = words[:end]
			break
		}
	}
	q.town = withoutCodes(words)
	if at := district.FindStringIndex(q.town); at != nil && at[0] > 0 {
		q.town = q.town[:at[0]]
	}
	return q
}

// dashes replaces the characters that are typed for a hyphen.
var dashes = strings.NewReplacer("\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-")

// addCode takes a word, such as D-15234, and reports whether it is a postal code in a list.
func (q *query) addCode(typed string) bool {
	if !postal.Looks(typed) {
		return false
	}
	q.codes = postal.Find(typed, "")
	q.certain = len(q.codes) > 0 && typed != q.codes[0].Code
	if len(typed) == 4 {
		q.short = postal.Find("0"+typed, "DE")
	}
	return q.coded()
}

// district matches the word that says that a district follows.
var district = regexp.MustCompile(`(?:^|[\s/(-]+)(?:OT|(?i:ortsteil|stadtteil|gemeindeteil|ortschaft))(?:[\s.:]|$)`)

// withoutCodes removes words with a digit, which are postal codes, from both ends.
func withoutCodes(words []string) string {
	isCode := func(word string) bool { return strings.ContainsAny(word, "0123456789") }
	for len(words) > 0 && isCode(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && isCode(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// addAreas takes what stands after the comma behind the town.
func (q *query) addAreas(parts []string) {
	var rest []string
	for _, part := range parts {
		key := placename.Fold(part)
		at := district.FindStringIndex(part)
		switch {
		case at != nil && at[0] == 0:
		case key != "" && withoutTitle(key) == "":
		case !q.coded() && q.addCode(strings.TrimSpace(part)):
			q.agree = !q.certain
		default:
			rest = append(rest, part)
		}
	}
	if q.areas = areasIn(strings.Join(rest, ",")); !q.coded() {
		return
	}
	if len(q.areas) == 0 {
		q.areas, q.agree = []area{{}}, true
	}
	elsewhere := func(c postal.Code) bool {
		return !slices.ContainsFunc(q.areas, func(a area) bool { return a.country == "" || a.country == c.Country })
	}
	q.codes, q.short = slices.DeleteFunc(slices.Clone(q.codes), elsewhere), slices.DeleteFunc(slices.Clone(q.short), elsewhere)
}

func withoutTitle(key string) string { return placename.WithoutTitle(key, isTown) }

// isTown reports whether a place has a folded name.
func isTown(key string) bool { return len(load().named(key)) > 0 }

// answer returns what a reading names.
func (x *index) answer(q *query) answer {
	var first []int32 // the places of the likeliest reading of the name
	for found := range x.readings(q) {
		if !q.coded() {
			if found.guessed && len(found.places) > 1 {
				return answer{}
			}
			return answer{place: x.towns[found.places[0]].Place}
		}
		if t, ok := x.nearest(found.places, q); ok {
			return answer{place: t}
		}
		if first == nil {
			first = found.places
		}
	}
	if !q.coded() {
		return answer{}
	}
	words := strings.Fields(placename.Fold(q.town))
	for n := len(words) - 1; n > 0; n-- { // words beside the town do no harm if the code shows that it is meant
		if t, ok := x.nearest(placesOf(x.named(strings.Join(words[:n], " "))), q); ok {
			return answer{place: t}
		}
	}
	return x.decide(first, q)
}

// decide returns what a name and a code mean that do not lie together. found are the places of the
// name.
func (x *index) decide(found []int32, q *query) answer {
	if len(found) == 0 {
		code := q.codes
		if len(code) != 1 || q.agree || !q.certain && len(code[0].Code) != 5 || placename.Fold(q.town) == "" {
			return answer{}
		}
		return answer{place: codePlace(code[0])}
	}
	town := x.towns[found[0]].Place
	all := q.codes
	own := slices.DeleteFunc(slices.Clone(all), func(c postal.Code) bool {
		return !slices.ContainsFunc(found, func(i int32) bool { return x.towns[i].Country == c.Country })
	})
	if len(own) > 0 {
		all = own
	}
	switch foreign := len(own) == 0 && !slices.Contains(coded, town.Country); {
	case q.agree:
		return answer{}
	case len(all) == 0, foreign && !q.certain: // the code may be of the town's country, whose codes are not known
		return answer{place: town}
	case len(all) > 1:
		return answer{}
	}
	return answer{place: codePlace(all[0]), contradicted: town}
}

// coded lists the countries whose postal codes are known.
var coded = []string{"DE", "AT", "CH"}

func codePlace(c postal.Code) Place {
	return Place{Name: c.Code, Country: c.Country, Latitude: c.Latitude, Longitude: c.Longitude}
}

// How far a postal code may lie from the middle of its town.
const (
	codeKm   = 20
	cityKm   = 30
	citySize = 1_000_000
)

// nearest returns the place that is nearest to the code, if it is near enough to have this code.
func (x *index) nearest(found []int32, q *query) (town Place, ok bool) {
	least := 0.0
	for _, i := range found {
		t := x.towns[i].Place
		reach := float64(codeKm)
		if t.Population >= citySize {
			reach = cityKm
		}
		for _, codes := range [...][]postal.Code{q.codes, q.short} {
			for _, c := range codes {
				km := kilometres(t, codePlace(c))
				if c.Country == t.Country && km <= reach && (!ok || km < least) {
					town, least, ok = t, km, true
				}
			}
		}
	}
	return town, ok
}

// kilometres returns the distance of two places that are not far from each other.
func kilometres(a, b Place) float64 {
	const degree = 111.2 // kilometres
	shorter := math.Cos((a.Latitude + b.Latitude) / 2 * math.Pi / 180)
	return degree * math.Hypot(a.Latitude-b.Latitude, (a.Longitude-b.Longitude)*shorter)
}
