package words

import "strings"

// masculine returns the German word from which a feminine title of a job is made, in any of its
// spellings: for "entwicklerin" and "entwicklerinnen" it is "entwickler". It returns other
// words unchanged.
func masculine(word string) string {
	if !mayBeTitle(word) {
		return word
	}
	for _, p := range pairs {
		if before, ok := strings.CutSuffix(word, p.feminine); ok && (before == "" || p.compound) {
			return before + p.masculine
		}
	}
	title, ok := strings.CutSuffix(word, "innen")
	if !ok {
		title, ok = strings.CutSuffix(word, "in")
	}
	if !ok || len(title) < 4 { // short words, such as "wein", are no titles
		return word
	}
	for _, end := range titleEnds {
		if strings.HasSuffix(title, end) {
			return title
		}
	}
	return word
}

// mayBeTitle reports whether a word ends as feminine titles do. Most words do not, and need no
// comparison with each pair.
func mayBeTitle(word string) bool {
	for _, end := range feminineEnds {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// feminineEnds has pairs of endings: those of feminine titles and plurals, and all endings by
// -in.
var feminineEnds = []string{
	"in", "innen", "frau", "frauen", "leute", "leuten", "nner", "nnern", "euse", "eusen", "ess", "essen", "schwester",
	"schwestern",
	"zte", "zten", "che", "chen", "lte", "lten", "äte", "äten", "aete", "aeten",
}

// titleEnds has the ends of words from which a title of a job gets its feminine form
// by -in. Other words, such as "berlin" or "medizin", end so by chance.
var titleEnds = []string{
	"er", "or", "ör", "oer", "eur", "är", "aer", "ar", // Lehrer, Direktor, Frisör, Ingenieur, Sekretär, Notar
	"ist", "ast", "ent", "ant", "at", "et", "ot", "ekt", "eut", // Jurist, Assistent, Diplomat, Pilot, Architekt, Therapeut
	// Psychologe, Logopäde, Ökonom, Chirurg, Dramaturg
	"log", "gog", "päd", "paed", "pad", "nom", "soph", "graf", "graph", "irurg", "aturg",
	"wirt", "wart", "chef", "lleg", "pert", "esell", "kund", // Landwirt, Tankwart, Kollege, Experte, Geselle, Kunde
}

// pair is a title whose genders differ by more than -in.
type pair struct {
	masculine, feminine string
	compound            bool // longer words that end so are titles too, such as "zahnärztin"
}

// pairs has the titles and their plurals in every spelling.
var pairs = spellings([]pair{
	{"arzt", "ärztin", true},
	{"koch", "köchin", true},
	{"anwalt", "anwältin", true},
	{"rat", "rätin", true},
	{"arzt", "ärzte", true}, // plurals, for those who write their umlauts in two letters
	{"koch", "köche", true},
	{"anwalt", "anwälte", true},
	{"rat", "räte", true},
	{"bauer", "bäuerin", true},
	{"beamte", "beamtin", true},
	{"bote", "botin", true},
	{"coach", "coachin", true},
	{"wolf", "wölfin", false},
	{"vogt", "vögtin", false},
	{"pate", "patin", false},
	{"lotse", "lotsin", false},
	{"schöffe", "schöffin", false},
	{"zeuge", "zeugin", false},
	{"boss", "bossin", false},
	{"zimmermann", "zimmerin", false},
	{"kaufmann", "kauffrau", true},
	{"fachmann", "fachfrau", true},
	{"kameramann", "kamerafrau", false},
	{"feuerwehrmann", "feuerwehrfrau", false},
	{"hausmann", "hausfrau", false},
	{"obmann", "obfrau", true},
	{"ombudsmann", "ombudsfrau", false},
	{"vertrauensmann", "vertrauensfrau", false},
	{"geschäftsmann", "geschäftsfrau", false},
	{"amtmann", "amtfrau", true},
	{"steuermann", "steuerfrau", false},
	{"seemann", "seefrau", false},
	{"bergmann", "bergfrau", false},
	{"wachmann", "wachfrau", false},
	{"putzmann", "putzfrau", false},
	{"torwart", "torfrau", false},
	{"sportsmann", "sportsfrau", false},
	{"staatsmann", "staatsfrau", false},
	{"kontaktmann", "kontaktfrau", false},
	{"barmann", "barfrau", false},
	{"milchmann", "milchfrau", false},
	{"kaufmann", "kaufleute", true},
	{"fachmann", "fachleute", true},
	{"feuerwehrmann", "feuerwehrleute", false},
	{"zimmermann", "zimmerleute", false},
	{"kaufmann", "kaufmänner", true},
	{"fachmann", "fachmänner", true},
	{"feuerwehrmann", "feuerwehrmänner", false},
	{"krankenpfleger", "krankenschwester", true},
	{"pfleger", "schwester", false},
	{"friseur", "friseuse", false},
	{"masseur", "masseuse", false},
	{"souffleur", "souffleuse", false},
	{"steward", "stewardess", false},
	{"host", "hostess", false},
})

// spellings adds the plural of each feminine title, and what becomes of both where
// their umlauts are written in two letters or without their dots.
func spellings(titles []pair) (all []pair) {
	for _, p := range titles {
		for _, feminine := range []string{p.feminine, plural(p.feminine)} {
			k, m := keyOf(feminine), keyOf(p.masculine)
			all = append(all, pair{p.masculine, feminine, p.compound})
			if k.plain != feminine {
				all = append(all, pair{m.plain, k.plain, p.compound}, pair{m.spelled, k.spelled, p.compound})
			}
		}
	}
	return all
}

func plural(feminine string) string {
	switch {
	case strings.HasSuffix(feminine, "in"):
		return feminine + "nen"
	case strings.HasSuffix(feminine, "frau"), strings.HasSuffix(feminine, "ess"):
		return feminine + "en"
	case strings.HasSuffix(feminine, "e"), strings.HasSuffix(feminine, "schwester"):
		return feminine + "n"
	}
	return feminine + "n" // of one in the plural: "kaufmännern"
}
