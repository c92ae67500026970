package jobmirror_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// mirrorOf opens a mirror of a channel in one language on a new database of a kind, and
// fills it.
func mirrorOf(t *testing.T, kind string, srv *jobboardtest.Server, channel, language string) *jobmirror.Mirror {
	t.Helper()
	opts := optionsOf(srv)
	opts.Config.ClientID, opts.Feeds = "10", nil
	opts.Channels = []jobmirror.Channel{{ID: jobboard.ChannelID(channel), Languages: []string{language}}}
	m := open(t, jobmirror.Databases[kind](t), opts)
	refresh(t, m)
	return m
}

// all returns the postings of every page of a query, and the facets of the first.
func all(t *testing.T, m *jobmirror.Mirror, q jobmirror.Query) (ids []jobboard.JobPostingID, total int) {
	t.Helper()
	q.Facets = true
	for {
		page, err := m.Search(t.Context(), q)
		if err != nil {
			t.Fatalf("%q: %v", q.Text, err)
		}
		for _, p := range page.Postings {
			ids = append(ids, p.Posting.JobPostingID)
		}
		if q.Facets {
			total, q.Facets = page.Facets.Total, false
		}
		if q.After = page.Next; q.After == "" {
			return ids, total
		}
	}
}

// shortTexts returns the texts of a posting in which a part of a word finds it.
func shortTexts(p *jobboard.JobPosting) string {
	text := p.Title
	for _, key := range []string{jobboard.KeyJobCategory, jobboard.KeyLocationName, jobboard.KeyCompanyName, "company"} {
		text += "\n" + strings.Join(p.Config.Get(key), "\n")
	}
	return strings.ToLower(text)
}

// Whatever stands inside the words of a title, a category, a place or a company finds
// the posting, on both databases.
func TestPartsOfWordsAreFound(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		opts.Channels[0].Languages = []string{"de"}
		m := open(t, address, opts)
		refresh(t, m)
		postings := find(t, m, jobmirror.Query{Language: "de", Limit: 1000})
		r := rand.New(rand.NewPCG(1, 2))
		for range size(150, 1000) {
			p := postings[r.IntN(len(postings))].Posting
			runs := strings.FieldsFunc(shortTexts(&p), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			word := []rune(runs[r.IntN(len(runs))])
			if len(word) < 4 {
				continue
			}
			begin := r.IntN(len(word) - 3)
			part := string(word[begin : begin+4+r.IntN(len(word)-begin-3)])
			got, total := all(t, m, jobmirror.Query{Text: part, Language: "de", Limit: 50})
			if len(got) != total {
				t.Errorf("%q: %d postings and a total of %d", part, len(got), total)
			}
			for _, p := range postings {
				if strings.Contains(shortTexts(&p.Posting), part) && !slices.Contains(got, p.Posting.JobPostingID) {
					t.Errorf("%q does not find %q", part, p.Posting.Title)
				}
			}
		}
	})
}

// Both databases find the same postings in the same order, whatever is typed.
func TestDatabasesAgree(t *testing.T) {
	if jobmirror.Databases["postgres"] == nil {
		t.Skip("there is no PostgreSQL server")
	}
	srv := jobboardtest.New(t)
	srv.AddChannel(jobboardtest.Channel{ID: "1_words"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields(`Pflegefachkraft Krankenpfleger Ärztin Arzt Größe groesse grosse Bauer Bäuerin infirmière infirmiere ёлка елка Straße
		Entwickler Softwareentwicklerin Koch Köln koeln koln IT SAP 看護師 พยาบาล café naïve C++ it's a_b x\y 100%`)
	word := func() string {
		letters := []rune(vocabulary[r.IntN(len(vocabulary))])
		return string(letters[r.IntN(len(letters))*r.IntN(2):])
	}
	some := func(most int) string {
		var words []string
		for range 1 + r.IntN(most) {
			words = append(words, word())
		}
		return strings.Join(words, " ")
	}
	for range 60 {
		srv.AddPosting(jobboardtest.Posting{
			Title: some(4), Language: "de", Channels: []string{"1_words"},
			Config: map[string][]string{"platform_internalAdText": {"<p>" + some(8)}, jobboard.KeyCompanyName: {some(2)}},
		})
	}
	lite, postgres := mirrorOf(t, "sqlite", srv, "1_words", "de"), mirrorOf(t, "postgres", srv, "1_words", "de")
	signs := []string{"%s", "%s", "%s", "-%s", `"%s"`, "%s OR", `"%s`}
	for range size(150, 2000) {
		var text strings.Builder
		for range r.IntN(4) {
			fmt.Fprintf(&text, signs[r.IntN(len(signs))]+" ", word())
		}
		q := jobmirror.Query{Text: text.String(), Limit: 7, Order: jobmirror.Order(r.IntN(3))}
		one, total := all(t, lite, q)
		other, otherTotal := all(t, postgres, q)
		if !slices.Equal(one, other) || total != otherTotal || total != len(one) {
			t.Errorf("%q: %v (%d) on SQLite, %v (%d) on PostgreSQL", q.Text, one, total, other, otherTotal)
		}
	}
}

// The postings that fit best come first, and a line shows why each was found.
func TestWhatFitsComesFirst(t *testing.T) {
	for kind := range jobmirror.Databases {
		srv := jobboardtest.New(t)
		srv.AddChannel(jobboardtest.Channel{ID: "1_words"})
		srv.AddClient(jobboardtest.ClientApp{ID: "10"})
		add := func(title, company, ad string) int64 {
			return srv.AddPosting(jobboardtest.Posting{
				Title: title, Language: "de", Channels: []string{"1_words"},
				Config: map[string][]string{"platform_internalAdText": {ad}, jobboard.KeyCompanyName: {company}},
			}).ID
		}
		want := make([]jobboard.JobPostingID, 7)
		want[6] = jobboard.JobPostingID(add("Großküchenkochhilfe", "", "<p>Wir arbeiten in M&uuml;nchen."))
		want[1] = jobboard.JobPostingID(add("Koch in München", "", ""))
		want[0] = jobboard.JobPostingID(add("Köchin in Muenchen", "", ""))
		want[3] = jobboard.JobPostingID(add("Koch", "Gasthaus München", ""))
		want[2] = jobboard.JobPostingID(add("Beikochstelle", "Gasthaus München", ""))
		want[5] = jobboard.JobPostingID(add("Kellner", "", "<p>Neben unserer K<b>öchin</b> in <i>Mün</i>chen &lt;b&gt; arbeiten Sie."))
		want[4] = jobboard.JobPostingID(add("Koch", "", "<p>In München"))
		add("Koch in Köln", "", "")
		m := mirrorOf(t, kind, srv, "1_words", "de")
		for _, limit := range []int{1, 3, 20} {
			if got, total := all(t, m, jobmirror.Query{Text: "koch münchen", Limit: limit}); total != len(want) || !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", kind, got, want)
			}
		}
		q := jobmirror.Query{Text: "köche muenchen", Snippets: true}
		for _, p := range find(t, m, q) {
			if p.Posting.JobPostingID != want[5] {
				continue
			}
			var marked []string
			for _, mark := range p.Snippet.Marks {
				marked = append(marked, p.Snippet.Text[mark.Begin:mark.End])
			}
			if p.Snippet.Text != "Neben unserer Köchin in München <b> arbeiten Sie." || !slices.Equal(marked, []string{"Köchin", "München"}) {
				t.Errorf("%s: the snippet is %q with %q", kind, p.Snippet.Text, marked)
			}
		}
		// The board's own search takes a text as it stands, and gives the newest first.
		for text, count := range map[string]int{`"koch" -kellner`: 1, "koch münchen": 7, "koch OR kellner": 0} {
			answer := searchAsBoard(t, m, text)
			if answer.TotalNumberOfJobs != count || !slices.IsSortedFunc(answer.Results, func(a, b jobboard.JobPosting) int {
				return int(b.JobPostingID - a.JobPostingID)
			}) {
				t.Errorf("%s: %q finds %d: %v", kind, text, answer.TotalNumberOfJobs, answer.Results)
			}
		}
	}
}

// searchAsBoard searches through the mirror's handler, as a client of the board does.
func searchAsBoard(t *testing.T, m *jobmirror.Mirror, text string) (result jobboard.JobSearchResult) {
	t.Helper()
	w := answer(t, m, "/api/rest/v2/frontend/jobboards/1_words/jobs?search="+url.QueryEscape(text))
	if err := json.Unmarshal(w.Body.Bytes(), &result); err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return result
}
