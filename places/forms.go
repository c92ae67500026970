package places

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/places/internal/placename"
)

// reading is what one way to read a name finds.
type reading struct {
	places  []int32 // at least one; the largest first
	guessed bool    // by an abbreviation, or by a region around the town, which may fit several
}

// maxHyphens bounds the hyphens behind which a district is looked for.
const maxHyphens = 8

// readings returns what the ways to read the town's name find, the likeliest first.
func (x *index) readings(q *query) iter.Seq[reading] {
	return func(yield func(reading) bool) {
		town := q.town
		for range maxHyphens {
			for r := range x.forms(town, q.areas) {
				if !yield(r) {
					return
				}
			}
			district := strings.LastIndexByte(town, '-')
			if district < 0 {
				return
			}
			town = town[:district]
		}
	}
}

// forms returns the readings of a name in areas: as it is, without its title, with a state after it, and
// with a river or region.
func (x *index) forms(town string, areas []area) iter.Seq[reading] {
	return func(yield func(reading) bool) {
		key := placename.Fold(town)
		plain := withoutTitle(key)
		in := func(names []name, areas []area, guessed bool) (more bool) {
			for _, a := range areas {
				found := slices.DeleteFunc(placesOf(names), func(i int32) bool {
					return !area{x.towns[i].Country, x.towns[i].state}.within(a)
				})
				if len(found) > 0 && !yield(reading{found, guessed}) {
					return false
				}
			}
			return true
		}
		if !in(x.called(town), areas, false) || !in(x.named(key), areas, false) {
			return
		}
		if plain != key && (!in(x.named(withoutTitle(placename.Fold(placename.Spelt(town)))), areas, false) || !in(x.named(plain), areas, false)) {
			return
		}
		if short, states := withState(town); len(states) > 0 && !in(x.named(placename.Fold(short)), both(areas, states), false) {
			return
		}
		if in(x.abbreviated(plain), areas, true) && in(x.beginningWith(town), areas, true) {
			in(x.besideRegion(plain), areas, true)
		}
	}
}

// withState returns a name without the country or state in brackets behind it, or without the canton, of
// which only the code may stand there without brackets: Zell LU.
func withState(town string) (short string, states []area) {
	if short, inside, ok := strings.Cut(town, "("); ok {
		inside, _, _ = strings.Cut(inside, ")")
		if placename.Fold(inside) == "" {
			return "", nil
		}
		return short, areasIn(inside)
	}
	space := strings.LastIndexByte(town, ' ')
	if space < 0 || len(town)-space != len(" LU") || strings.ToUpper(town) == town {
		return "", nil
	}
	for _, a := range areas()[placename.Fold(town[space:])] {
		if a.country == "CH" && a.state == town[space+1:] {
			states = append(states, a)
		}
	}
	return town[:space], states
}

// called returns the names that are the town's, those with its umlauts alone if there are any: Gmünd is
// not Gmund.
func (x *index) called(town string) []name {
	if spelt := placename.Spelt(town); spelt != town {
		if found := x.named(placename.Fold(spelt)); len(found) > 0 {
			return found
		}
	}
	return x.named(placename.Fold(town))
}

// named returns the names that have a key, those of larger places first.
func (x *index) named(key string) []name {
	if key == "" {
		return nil
	}
	from := x.first(key)
	to := from
	for to < len(x.names) && x.names[to].key == key {
		to++
	}
	return x.names[from:to]
}

// longer returns the names that begin with a key and have more words.
func (x *index) longer(key string) []name {
	from := x.first(key + " ")
	to := from
	for to < len(x.names) && strings.HasPrefix(x.names[to].key, key+" ") {
		to++
	}
	return x.names[from:to]
}

// placesOf returns the places of names, each once, the largest first.
func placesOf(names []name) []int32 {
	var found []int32
	for _, n := range names {
		found = append(found, n.place)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// has reports whether one of the names is the place's.
func has(names []name, place int32) bool {
	return slices.ContainsFunc(names, func(n name) bool { return n.place == place })
}

// abbreviated returns the names that consist of the name of a town and a river or region, which the key
// has in other words: bad homburg v d h, offenbach main. Names whose river or region the key has in
// full are returned alone.
func (x *index) abbreviated(key string) (found []name) {
	words := strings.Fields(key)
	full := false
	for k := 1; k < len(words); k++ {
		short := x.named(strings.Join(words[:k], " "))
		if len(short) == 0 {
			continue
		}
		for _, long := range x.longer(short[0].key) {
			if !has(short, long.place) {
				continue
			}
			second := strings.Fields(long.key[len(short[0].key):])
			if !fits(words[k:], second) {
				continue
			}
			if same := slices.Equal(core(words[k:]), core(second)); same && !full {
				found, full = []name{long}, true
			} else if same || !full {
				found = append(found, long)
			}
		}
	}
	return found
}

// fits reports whether the typed words can stand for the second part of a name. Each word may be
// abbreviated, prepositions and articles may be missing, and may be joined with the next word: vdh
// for vor der hohe.
func fits(typed, second []string) bool {
	switch {
	case len(typed) == 0 || len(second) == 0:
		return len(typed) == len(second)
	case placename.Abbreviates(typed[0], second[0]) && fits(typed[1:], second[1:]):
		return true
	case !placename.Joins(second[0]):
		return placename.Joins(typed[0]) && fits(typed[1:], second)
	case fits(typed, second[1:]):
		return true
	}
	first, rest := typed[0][:1], typed[0][1:]
	return rest != "" && !placename.Joins(typed[0]) && first == second[0][:1] && fits(append([]string{rest}, typed[1:]...), second[1:])
}

// beginningWith returns the names whose first word is abbreviated with a point: Wr. Neustadt.
func (x *index) beginningWith(town string) (found []name) {
	short, rest, ok := strings.Cut(town, ".")
	short, rest = placename.Fold(short), " "+placename.Fold(rest)
	if !ok || rest == " " || len(short) < 2 || strings.Contains(short, " ") {
		return nil
	}
	for i := x.first(short[:1]); i < len(x.names) && x.names[i].key[0] == short[0]; i++ {
		if first, ok := strings.CutSuffix(x.names[i].key, rest); ok && !strings.Contains(first, " ") && placename.Abbreviates(short, first) {
			found = append(found, x.names[i])
		}
	}
	return found
}

// core returns the words after the prepositions and articles at the beginning.
func core(words []string) []string {
	for len(words) > 1 && placename.Joins(words[0]) {
		words = words[1:]
	}
	return words
}

// regionKm is how far a town may lie from another one that is named after the same river or region.
const regionKm = 50

// besideRegion returns the names of towns that the list has without a river or region, while the key has
// one after which another town near by is named: Weiden i.d.OPf., because Königstein (Oberpfalz) is near.
func (x *index) besideRegion(key string) (found []name) {
	words := strings.Fields(key)
	for k := 1; k < len(words); k++ {
		short := x.named(strings.Join(words[:k], " "))
		typed := core(words[k:])
		if len(short) == 0 || len(typed[0]) < 2 {
			continue
		}
		for _, r := range regions() {
			if !fits(typed, r.words) {
				continue
			}
			for _, n := range short {
				near := slices.ContainsFunc(r.towns, func(i int32) bool {
					return x.towns[i].Country == x.towns[n.place].Country && kilometres(x.towns[i].Place, x.towns[n.place].Place) < regionKm
				})
				if near && !x.hasRegion(n) {
					found = append(found, n)
				}
			}
		}
	}
	return found
}

// hasRegion reports whether a place has a longer name that begins with this one.
func (x *index) hasRegion(short name) bool { return has(x.longer(short.key), short.place) }

// region is a river or region after which towns are named.
type region struct {
	words []string
	towns []int32
}

// regions returns the rivers and regions that stand in names behind the name of a town.
var regions = sync.OnceValue(func() (all []region) {
	x := load()
	for i, n := range x.names {
		for space := strings.IndexByte(n.key, ' '); space > 0; space = nextSpace(n.key, space) {
			if short := x.named(n.key[:space]); has(short, n.place) {
				all = append(all, region{core(strings.Fields(n.key[space:])), []int32{x.names[i].place}})
			}
		}
	}
	slices.SortFunc(all, func(a, b region) int {
		return cmp.Or(slices.Compare(a.words, b.words), cmp.Compare(a.towns[0], b.towns[0]))
	})
	distinct := all[:0]
	for _, r := range all {
		if last := len(distinct) - 1; last >= 0 && slices.Equal(distinct[last].words, r.words) {
			distinct[last].towns = append(distinct[last].towns, r.towns...)
		} else {
			distinct = append(distinct, r)
		}
	}
	return slices.Clone(distinct)
})

// nextSpace returns the index of the next space behind one, or -1.
func nextSpace(s string, space int) int {
	next := strings.IndexByte(s[space+1:], ' ')
	if next < 0 {
		return -1
	}
	return space + 1 + next
}
