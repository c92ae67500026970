package places_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/places"
	"github.com/jobboard-sdk/jobboard-go/places/postal"
)

// answerOf returns what Find and Contradicted say of a text: the place's name, its country and, of a
// name that several have, the latitude in full degrees; and after an exclamation mark the town that
// the code contradicts.
func answerOf(text string) string {
	p, ok := places.Find(text)
	if !ok {
		return ""
	}
	said := p.Name + " " + p.Country
	if town, ok := places.Contradicted(text); ok {
		said += " !" + town.Name
	}
	return said
}

func checkAnswers(t *testing.T, answers map[string]string) {
	t.Helper()
	for text, want := range answers {
		if got := answerOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A postal code beside a town decides which town, wherever and however it is written.
func TestPostalCodeDecides(t *testing.T) {
	checkAnswers(t, map[string]string{
		"15234 Frankfurt": "Frankfurt (Oder) DE", "Frankfurt 15234": "Frankfurt (Oder) DE", "D-15234 Frankfurt": "Frankfurt (Oder) DE",
		"Frankfurt D-15234": "Frankfurt (Oder) DE", "D 15234 Frankfurt": "Frankfurt (Oder) DE", "D - 15234 Frankfurt": "Frankfurt (Oder) DE",
		"d–15234 frankfurt": "Frankfurt (Oder) DE", "DE-15234 Frankfurt, Germany": "Frankfurt (Oder) DE", "PLZ: 15234 Frankfurt": "Frankfurt (Oder) DE",
		"Frankfurt, 15234": "Frankfurt (Oder) DE", "60311 Frankfurt": "Frankfurt am Main DE", "15234 Frankfurt-Nuhnen": "Frankfurt (Oder) DE",
		"Berliner Str. 5, 15234 Frankfurt": "Frankfurt (Oder) DE", "15234 Frankfurt Nuhnenvorstadt": "Frankfurt (Oder) DE",
		"06108 Halle": "Halle (Saale) DE", "33790 Halle": "Halle DE", "91413 Neustadt": "Neustadt an der Aisch DE", "67433 Neustadt": "Neustadt DE",
		"92660 Neustadt a.d.W.": "Neustadt an der Waldnaab DE", "Neustadt a.d.W. 67433": "Neustadt DE",

		"01968 Senftenberg OT x": "Senftenberg DE", "01968 Senftenberg, OT Brieske": "Senftenberg DE", "OT Brieske, 01968 Senftenberg": "Senftenberg DE",
		"Senftenberg/OT Brieske": "Senftenberg DE", "Senftenberg-OT Brieske": "Senftenberg DE", "Senftenberg (Ortsteil Brieske)": "Senftenberg DE",
		"10117 Berlin (Mitte)": "Berlin DE", "10117 Berlin, Mitte": "Berlin DE", "Friedrichstr. 67, 10117 Berlin, 2. OG": "Berlin DE",

		"8001 Zürich": "Zürich CH", "CH-8001 Zürich": "Zürich CH", "A-8010 Graz": "Graz AT", "8010 Graz": "Graz AT", "3400 Burgdorf": "Burgdorf CH",
		"6020 Innsbruck": "Innsbruck AT", "8400 Winterthur ZH": "Winterthur CH", "Wien 1010": "Wien AT",

		// A zero that a table of numbers has lost.
		"1067 Dresden": "Dresden DE", "4109 Leipzig": "Leipzig DE",
	})
}

// If code and town contradict each other, the code wins and the answer says so.
func TestPostalCodeContradicts(t *testing.T) {
	checkAnswers(t, map[string]string{
		"10117 München": "10117 DE !München", "München 10117": "10117 DE !München", "80331 Hamburg": "80331 DE !Hamburg", "D-10117 Paris": "10117 DE !Paris",
		"10117 Potsdam": "10117 DE !Potsdam", "10117 Wien": "10117 DE !Wien", "A-1010 München": "1010 AT !München",
		"München, D-10117": "10117 DE !München", "Friedrichstr. 67, 10117 München": "10117 DE !München",
		// A village that has the name of a town.
		"77871 Ulm": "77871 DE !Ulm",

		// The name alone is not known: the code is enough, but not four digits, which may be a year or a salary.
		"17379 Heinrichsruh": "17379 DE", "A-6343 Niemandsdorf": "6343 AT", "6343 Niemandsdorf": "", "2024 Sommerjob": "",
		// What is not understood may be another place.
		"München, 10117": "", "10117 München, Xyz": "", "17379 Heinrichsruh, Xyz": "",
		// Two countries have the code, and the town is in neither.
		"8010 Berlin": "",
		// Codes that no list has, or whose towns are elsewhere, do not count.
		"99999 Berlin": "Berlin DE", "75015 Paris": "Paris FR", "75116 Paris": "Paris FR", "1012 Amsterdam": "Amsterdam NL", "9490 Vaduz": "Vaduz LI",
		"FL-9490 Vaduz": "Vaduz LI", "10115-10119 Berlin": "Berlin DE", "10117 Paris, France": "Paris FR", "F-75001 Paris": "Paris FR",
		// A code alone is the matter of package postal.
		"10117": "", "D-10117": "", "10117,": "", "10117 10119": "",
	})
	for _, text := range []string{"10117 Berlin", "München", "17379 Heinrichsruh", "", strings.Repeat("10117 ", 100)} {
		if town, ok := places.Contradicted(text); ok {
			t.Errorf("%.40q contradicts %+v", text, town)
		}
	}
	p, _ := places.Find("10117 München")
	at := postal.Find("10117", "")[0]
	if want := (places.Place{Name: "10117", Country: "DE", Latitude: at.Latitude, Longitude: at.Longitude}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}

// The forms in which addresses have the names of towns.
func TestForms(t *testing.T) {
	checkAnswers(t, map[string]string{
		// Rivers and regions.
		"Bad Homburg v.d.H.": "Bad Homburg vor der Höhe DE", "Bad Homburg v. d. Höhe": "Bad Homburg vor der Höhe DE", "Bad Homburg vdH": "Bad Homburg vor der Höhe DE",
		"Offenbach/Main": "Offenbach DE", "Offenbach a.M.": "Offenbach DE", "Offenbach a. Main": "Offenbach DE", "Offenbach am Main": "Offenbach DE",
		"Ludwigshafen a. Rh.": "Ludwigshafen am Rhein DE", "Ludwigshafen/Rh.": "Ludwigshafen am Rhein DE", "Rothenburg o.d.T.": "Rothenburg ob der Tauber DE",
		"Weiden i.d.OPf.": "Weiden DE", "Weiden i. d. Opf.": "Weiden DE", "Weiden in der Oberpfalz": "Weiden DE", "Weiden/Opf.": "Weiden DE",
		"Mülheim a.d.R.": "Mülheim DE", "Mülheim/Ruhr": "Mülheim DE", "Mülheim (Ruhr)": "Mülheim DE", "Mülheim an der Ruhr": "Mülheim DE",
		"Neustadt a.d. Weinstr.": "Neustadt DE", "Neustadt/Weinstraße": "Neustadt DE", "Neustadt i. Holst.": "Neustadt in Holstein DE", "Neustadt/Aisch": "Neustadt an der Aisch DE",
		"Neustadt b. Coburg": "Neustadt bei Coburg DE", "Neustadt (Sachs.)": "Neustadt in Sachsen DE", "Halle (Westf.)": "Halle DE", "Halle/Westfalen": "Halle DE",
		"Halle Westfalen": "Halle DE", "Halle a.d. Saale": "Halle (Saale) DE", "Halle/S.": "Halle (Saale) DE", "Frankfurt/M.": "Frankfurt am Main DE", "Frankfurt a/M": "Frankfurt am Main DE",
		"Frankfurt/O.": "Frankfurt (Oder) DE", "Frankfurt a.d.O.": "Frankfurt (Oder) DE", "Frankfurt-Oder": "Frankfurt (Oder) DE", "Freiburg i.Br.": "Freiburg im Breisgau DE",
		"Ottobrunn b. München": "Ottobrunn bei München DE", "Garching b.München": "Garching DE", "Kempten i. Allg.": "Kempten (Allgäu) DE", "Reichenbach i.V.": "Reichenbach/Vogtland DE",
		"Kirchheim u.T.": "Kirchheim unter Teck DE", "Königstein i.Ts.": "Königstein im Taunus DE", "Nienburg/Weser": "Nienburg DE", "Nienburg (Saale)": "Nienburg/Saale DE",
		"Krems/Donau": "Krems an der Donau AT", "Klagenfurt/WS": "Klagenfurt am Wörthersee AT", "Zell a. See": "Zell am See AT", "Ulm/Donau": "Ulm DE", "Linz/Donau": "Linz AT",

		// Titles.
		"Hansestadt Rostock": "Rostock DE", "Rostock, Hanse- und Universitätsstadt": "Rostock DE", "Universitäts- und Hansestadt Greifswald": "Greifswald DE",
		"Freie und Hansestadt Hamburg": "Hamburg DE", "Landeshauptstadt München": "München DE", "München, Landeshauptstadt": "München DE", "Stadt Haan": "Haan DE",
		"Haan, Stadt": "Haan DE", "Große Kreisstadt Freising": "Freising DE", "Klingenstadt Solingen": "Solingen DE", "Lutherstadt Eisleben": "Eisleben Lutherstadt DE",
		"Eisleben": "Eisleben Lutherstadt DE", "Binz": "Ostseebad Binz DE", "Gemeinde Haar": "Haar DE", "Landeshauptstadt Magdeburg, 39104": "Magdeburg DE",
		"Neustadt Dosse Xyz": "", "Stadt": "", "Hansestadt": "", "Neustadt": "Neustadt DE",

		// Abbreviated beginnings, and umlauts.
		"Wr. Neustadt": "Wiener Neustadt AT", "Schwäb. Gmünd": "Schwäbisch Gmünd DE", "Berg. Gladbach": "Bergisch Gladbach DE", "Hann. Münden": "Hannoversch Münden DE",
		"Kgs. Wusterhausen": "Königs Wusterhausen DE", "Gr.-Gerau": "Groß-Gerau DE", "Gmünd": "Gmünd AT", "Gmund": "Gmund am Tegernsee DE", "GMU\u0308ND": "Gmünd AT",

		// Countries, states and cantons.
		"Zell LU": "Zell CH", "Zell (LU)": "Zell CH", "Zell (ZH)": "", "Wald (ZH)": "Wald CH", "Wil SG": "Wil CH", "Bern, BE": "Bern CH", "Freiburg (CH)": "Fribourg CH", "Berlin (Germany)": "Berlin DE",
		"Frankfurt, Brandenburg": "Frankfurt (Oder) DE", "Frankfurt, Hessen": "Frankfurt am Main DE", "Frankfurt (Brandenburg)": "Frankfurt (Oder) DE", "Hamburg, Bayern": "",
		"Berlin (Wisconsin)": "", "Berlin XX": "",

		// Districts: the whole name in front of the hyphen counts.
		"Baden-Baden-Lichtental": "Baden-Baden DE", "Frankfurt am Main-Höchst": "Frankfurt am Main DE", "Halle-Neustadt": "Halle Neustadt DE",
	})
	for text, latitude := range map[string]float64{"Halle (Westf.)": 52.1, "Zell LU": 47.1, "Weiden i.d.OPf.": 49.7, "Winsen (Luhe)": 53.4, "Winsen/Aller": 52.7, "33790 Halle": 52.1} {
		if p, ok := places.Find(text); !ok || math.Abs(p.Latitude-latitude) > 0.1 {
			t.Errorf("%s is %+v", text, p)
		}
	}
}

// An abbreviation that fits several towns names none of them, unless one has it in full.
func TestAmbiguousForms(t *testing.T) {
	checkAnswers(t, map[string]string{
		"Neustadt a.d.W.": "", "Neustadt i.H.": "", "Kirchdorf a.d.": "", "Mühldorf X": "", "Neuhaus a.": "",
		"Neustadt an der Waldnaab": "Neustadt an der Waldnaab DE", "Ulm/Renchen": "", "Bad H.": "", "B. Homburg": "",
	})
}

// The rules lead from no form of a name to another town: over the whole list, each form of a town's own
// name finds that town, or one of exactly the same name that is larger, or none.
func TestFormsStayApart(t *testing.T) {
	tried, found := 0, 0
	for p := range places.All() {
		if !slices.Contains([]string{"DE", "AT", "CH", "LI", "LU"}, p.Country) {
			continue
		}
		for _, form := range formsOf(p.Name) {
			tried++
			got, ok := places.Find(form)
			if !ok {
				continue
			}
			found++
			want := p
			if strings.Contains(form, "Stadt") { // says no more than the name
				want, _ = places.Find(p.Name)
			}
			if got != want && got.Name != p.Name {
				t.Errorf("%s, a form of %s (%s), is %+v", form, p.Name, p.Country, got)
			}
		}
	}
	if tried < 5000 || found < tried*9/10 {
		t.Errorf("of %d forms %d were found", tried, found)
	}
}

// formsOf returns forms of a name whose second part begins with a preposition, and others with a title.
func formsOf(name string) []string {
	var forms []string
	if !strings.Contains(name, "Stadt") && !strings.Contains(name, "Gemeinde") {
		forms = []string{"Stadt " + name, name + ", Stadt"}
	}
	words := strings.Fields(name)
	at := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"am", "an", "im", "in", "bei", "ob", "unter"}, w) })
	if at < 1 {
		return forms
	}
	town, second := strings.Join(words[:at], " "), words[at:]
	rest := second[1:]
	short := second[0][:1] + "."
	if slices.Contains([]string{"der", "den", "dem"}, rest[0]) {
		short, rest = short+"d.", rest[1:]
	}
	region := strings.Join(rest, " ")
	forms = append(forms, town+"/"+region, town+" ("+region+")", town+" "+region, town+" "+short+region, town+" "+strings.ReplaceAll(short, ".", ". ")+region, town+"-"+region)
	if r := []rune(region); len(rest) == 1 && len(r) > 5 {
		forms = append(forms, town+" "+short+string(r[:4])+".", town+"/"+string(r[:4])+".")
	}
	return forms
}

// Every town can be found by its postal code and its name, if the code is where the town is.
func TestPostalCodesOfTowns(t *testing.T) {
	for typed, town := range map[string]string{"10117": "Berlin", "A-1010": "Wien", "CH-8001": "Zürich", "D-80331": "München", "20095": "Hamburg", "A-8010": "Graz", "CH-3011": "Bern"} {
		at := postal.Find(typed, "")
		p, ok := places.Find(town)
		if len(at) != 1 || !ok || math.Hypot(at[0].Latitude-p.Latitude, (at[0].Longitude-p.Longitude)*0.65) > 0.08 {
			t.Errorf("%s is at %+v, %s at %+v", typed, at, town, p)
		}
		if got, _ := places.Find(typed + " " + town); got != p {
			t.Errorf("%s %s is %+v", typed, town, got)
		}
	}
}
