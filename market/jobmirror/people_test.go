package jobmirror_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// peopleBoard returns a server whose channel has the postings of testdata/people-board.txt.
func peopleBoard(t *testing.T) *jobboardtest.Server {
	t.Helper()
	text, err := os.ReadFile("testdata/people-board.txt")
	if err != nil {
		t.Fatal(err)
	}
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	n := 0
	for line := range strings.Lines(string(text)) {
		part := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		srv.AddPosting(jobboardtest.Posting{
			Channels: []string{"people"}, Title: part[0], Language: "de",
			Config: map[string][]string{
				"ProjectCompanyNameGerman": {part[1]}, "ProjectLocationGerman": {part[2]},
				"platform_internalAdText": {"<p>" + part[3] + "</p>"}, "jobcategory": {fmt.Sprint(30 + n%7)},
			},
		})
	}
	return srv
}

// searchesOfPeople has what people type, parts of the titles that must come first, in any order and separated
// by " | ", and how many postings are found in all.
var searchesOfPeople = []struct {
	text, first string
	total       int
}{
	{"Kaufmann", "Kaufleute im E-Commerce | Kauffrau im Einzelhandel | Kaufmann/-frau für Büromanagement", 6},
	{"Kauffrau", "Kaufleute im E-Commerce | Kauffrau im Einzelhandel | Kaufmann/-frau für Büromanagement", 6},
	{"Pflegefachmann", "Pflegefachmann für die Intensivstation | Pflegefachfrau/-mann", 5},
	{"Pflegefachfrau", "Pflegefachmann für die Intensivstation | Pflegefachfrau/-mann", 5},
	{"Pflege", "Pflegehelfer | Altenpfleger*in | Krankenschwester / Krankenpfleger | Gesundheits- und Krankenpfleger | Pflegefachkraft | Pflegefachmann für die Intensivstation | Pflegefachfrau/-mann", 8},
	{"Krankenschwester", "Krankenschwester / Krankenpfleger | Gesundheits- und Krankenpfleger", 5},
	{"Altenpflegerin", "Altenpfleger*in", 2},
	{"Koch", "Koch / Köchin", 3},
	{"Koch in München", "Koch / Köchin", 1},
	{"Köchin", "Koch / Köchin", 3},
	{"Verkäufer", "Verkäufer Textil | Verkäuferin", 3},
	{"LKW Fahrer", "Lkw Fahrer CE | LKW-Fahrer", 3},
	{"LKW-Fahrer", "Lkw Fahrer CE | LKW-Fahrer", 3},
	{"Fahrer Minijob", "Auslieferungsfahrer Minijob", 1},
	{"Mitarbeiter Lager", "Mitarbeiter Lager und Versand | Lagermitarbeiter", 2},
	{"fullstack", "Full-Stack-Entwickler | Fullstack Developer", 2},
	{"full stack", "Full Stack Engineer | Full-Stack-Entwickler | Fullstack Developer", 3},
	{"Full-Stack", "Full Stack Engineer | Full-Stack-Entwickler | Fullstack Developer", 3},
	{"nodejs", "Nodejs Developer | Node.js Backend", 2},
	{"node.js", "Nodejs Developer | Node.js Backend", 3},
	{"C#", "C# / .NET", 1},
	{"C++", "C++", 1},
	{".NET", "C# / .NET", 1},
	{"IT", "Projektmanager IT | IT Support | IT-Systemadministrator", 3},
	{"Frontend", "Front-End Developer | Frontend-Entwickler", 2},
	{"Software Entwickler", "Softwareentwickler Java", 2},
	{"Softwareentwikler", "Softwareentwickler Java", 1},
	{"Elektiker", "Elektriker", 1},
	{"Soziale Arbeit", "Sozialpädagoge / Soziale Arbeit | Sozialarbeiter", 2},
	{"Stelle als Erzieherin", "Erzieher (m/w/d) Ganztag | Erzieher/in für Kita", 2},
	{"Job als Koch in Hamburg", "Jungkoch", 1},
	{"suche Arbeit als Reinigungskraft", "Reinigungskraft in Teilzeit | Reinigungskraft (m/w/d) Minijob", 2},
	{"Buchhalter", "Buchhalter:in", 3},
	{"Steuerfachangestellter", "Steuerfachangestellte/r", 1},
	{"Ärztin", "Arzt / Ärztin", 4},
	{"Arzt", "Arzt / Ärztin", 4},
	{"Buerokauffrau", "Bürokauffrau", 2},
	{"Projekt Manager", "Projektmanager IT", 2},
	{"Hausmeister Köln", "Hausmeister", 1},
	{"Hamburginnen", "", 0},
	{"31", "", 0},
	{"Koch -Hamburg", "Koch / Köchin", 2},
}

// What people type finds what they mean, and that comes first.
func TestSearchesOfPeople(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := peopleBoard(t)
		opts := optionsOf(srv)
		opts.Config.ClientID, opts.Feeds = "10", nil
		opts.LookupEvery = -1
		opts.Channels = []jobmirror.Channel{{ID: "people", Languages: []string{"de"}}}
		m := open(t, address, opts)
		refresh(t, m)
		for _, c := range searchesOfPeople {
			page, err := m.Search(t.Context(), jobmirror.Query{Text: c.text, Facets: true})
			if err != nil {
				t.Fatal(err)
			}
			var titles []string
			for _, p := range page.Postings {
				titles = append(titles, p.Posting.Title)
			}
			var first []string
			if c.first != "" {
				first = strings.Split(c.first, " | ")
			}
			begin := titles[:min(len(first), len(titles))]
			for _, part := range first {
				if !slices.ContainsFunc(begin, func(title string) bool { return strings.Contains(title, part) }) {
					t.Errorf("%q does not begin with %q, but with %q", c.text, part, begin)
				}
			}
			if page.Facets.Total != c.total {
				t.Errorf("%q finds %d, not %d: %q", c.text, page.Facets.Total, c.total, titles)
			}
		}
	})
}
