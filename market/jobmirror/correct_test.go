package jobmirror_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// wordBoard returns a board with a channel of postings that have a title and an
// advertisement each, and what adds one.
func wordBoard(t *testing.T) (srv *jobboardtest.Server, add func(title, ad string) jobboard.JobPostingID) {
	srv = jobboardtest.New(t)
	srv.AddChannel(jobboardtest.Channel{ID: "1_words"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	return srv, func(title, ad string) jobboard.JobPostingID {
		return jobboard.JobPostingID(srv.AddPosting(jobboardtest.Posting{
			Title: title, Language: "de", Channels: []string{"1_words"}, Config: map[string][]string{"platform_internalAdText": {ad}},
		}).ID)
	}
}

// For a word that no posting has, the nearest words of postings are searched, after the hits
// that have it as a part.
func TestTypingErrorsAreCorrected(t *testing.T) {
	t.Parallel()
	for kind := range jobmirror.Databases {
		t.Run(kind, func(t *testing.T) {
			srv, add := wordBoard(t)
			ad := add("Kellner", "<p>Erfahrung in der Altenpflege")
			title := add("Altenpflege in Bremen", "")
			part := add("Altenpflegxhilfe", "")
			cook := add("Köchin", "Küche")
			add("Berater", "")
			m := mirrorOf(t, kind, srv, "1_words", "de")
			type ids = []jobboard.JobPostingID
			for _, c := range []struct {
				text  string
				want  ids
				meant []jobmirror.Correction
			}{
				{"altenpflege", ids{title, ad}, nil},
				{"Altenpflgee", ids{title, ad}, []jobmirror.Correction{{Word: "altenpflgee", Nearest: []string{"altenpflege"}}}},
				{"altenpflegx", ids{part, title, ad}, []jobmirror.Correction{{Word: "altenpflegx", Nearest: []string{"altenpflege"}}}},
				{"altenpflegx bermen", ids{title}, []jobmirror.Correction{
					{Word: "altenpflegx", Nearest: []string{"altenpflege"}}, {Word: "bermen", Nearest: []string{"bremen"}},
				}},
				{"altenpflegx -bermen", ids{part, title, ad}, []jobmirror.Correction{{Word: "altenpflegx", Nearest: []string{"altenpflege"}}}},
				{"kuecje", ids{cook}, []jobmirror.Correction{{Word: "kuecje", Nearest: []string{"küche"}}}},
				{`"altenpflgee"`, nil, nil},
				{"altn", nil, nil},
				{"wolkenkratzer", nil, nil},
				{"wolkenkratzer OR altenpflgee", ids{title, ad}, []jobmirror.Correction{{Word: "altenpflgee", Nearest: []string{"altenpflege"}}}},
				{manyMistakes(11) + "altenpflgee", ids{title, ad}, []jobmirror.Correction{{Word: "altenpflgee", Nearest: []string{"altenpflege"}}}},
				{manyMistakes(12) + "altenpflgee", nil, nil}, // so much is no mistake
			} {
				for _, limit := range []int{1, 2, 20} {
					if got, total := all(t, m, jobmirror.Query{Text: c.text, Limit: limit}); !slices.Equal(got, c.want) || total != len(c.want) {
						t.Errorf("%q, %d a page: %v (%d), want %v", c.text, limit, got, total, c.want)
					}
				}
				page, err := m.Search(t.Context(), jobmirror.Query{Text: c.text})
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(page.Corrected) != fmt.Sprint(c.meant) {
					t.Errorf("%q is corrected to %v, want %v", c.text, page.Corrected, c.meant)
				}
			}
			for _, order := range []jobmirror.Order{jobmirror.Newest, jobmirror.Oldest} {
				want := ids{part, title, ad}
				if order == jobmirror.Oldest {
					want = ids{part, ad, title}
				}
				if got, _ := all(t, m, jobmirror.Query{Text: "altenpflegx", Limit: 1, Order: order}); !slices.Equal(got, want) {
					t.Errorf("in order %d: %v, want %v", order, got, want)
				}
			}

			// The parts fill the first page, and nothing is corrected yet; the pages after tell.
			q := jobmirror.Query{Text: "altenpflegx", Limit: 1, Snippets: true}
			for i, want := range []int{0, 1, 1} {
				page, err := m.Search(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if len(page.Corrected) != want {
					t.Errorf("page %d is corrected to %v", i, page.Corrected)
				}
				if s := page.Postings[0].Snippet.Text; i == 2 && s != "Erfahrung in der Altenpflege" {
					t.Errorf("the snippet is %q", s)
				}
				q.After = page.Next
			}
			// The board's own search takes the text as it stands.
			if got := searchAsBoard(t, m, "altenpflgee"); got.TotalNumberOfJobs != 0 {
				t.Errorf("4.1 finds %d", got.TotalNumberOfJobs)
			}
		})
	}
}

// A posting that a visitor may not see is treated as missing from the copy: it is not found,
// counted, suggested or meant, and not known where it is typed.
func TestHiddenWordsDoNotLeak(t *testing.T) {
	t.Parallel()
	for kind := range jobmirror.Databases {
		t.Run(kind, func(t *testing.T) {
			srv, add := wordBoard(t)
			open := add("Dachdecker", "")
			for _, hidden := range []string{"Dachdeckar Geheimplan", "Dachdecket Geheimplan", "Dachdecker Geheimplan"} {
				srv.AddPosting(jobboardtest.Posting{
					Title: hidden, Language: "de", Channels: []string{"1_words"},
					Config: map[string][]string{
						jobboard.KeyVisibility: {"internal"}, jobboard.KeyLocationName: {"Schattenstadt"}, jobboard.KeyJobCategory: {"7"},
					},
				})
			}
			m := mirrorOf(t, kind, srv, "1_words", "de")
			for _, c := range []struct {
				text                 string
				found, inAll, hidden int
				meant, ofAll         string
			}{
				{"", 1, 4, 3, "[]", "[]"},
				{"dachdecker", 1, 2, 1, "[]", "[]"},
				{"dachdeckar", 1, 1, 1, "[{dachdeckar [dachdecker]}]", "[]"},
				{"dachdeckex", 1, 4, 3, "[{dachdeckex [dachdecker]}]", "[{dachdeckex [dachdecker dachdecket dachdeckar]}]"},
				{"geheimplan", 0, 3, 3, "[]", "[]"},
				{"geheimplam", 0, 3, 3, "[]", "[{geheimplam [geheimplan]}]"},
				{"schattenstadt", 0, 3, 3, "[]", "[]"},
				{"schattenstatt", 0, 3, 3, "[]", "[{schattenstatt [schattenstadt]}]"},
			} {
				for _, q := range []jobmirror.Query{{Text: c.text, Facets: true}, {Text: c.text, Facets: true, All: true}} {
					want, meant, hidden := c.found, c.meant, 0
					if q.All {
						want, meant, hidden = c.inAll, c.ofAll, c.hidden
					}
					page, err := m.Search(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					if got := fmt.Sprint(page.Corrected); len(page.Postings) != want || page.Facets.Total != want || got != meant {
						t.Errorf("%q, all %t: %d, %d in all, corrected to %s, want %d and %s", c.text, q.All, len(page.Postings), page.Facets.Total, got, want, meant)
					}
					places, categories := page.Facets.Places, page.Facets.Categories
					if places["Schattenstadt"] != hidden || categories["7"] != hidden || !q.All && len(places)+len(categories) > 0 {
						t.Errorf("%q, all %t: %v", c.text, q.All, page.Facets)
					}
					if want == 1 && !q.All && page.Postings[0].Posting.JobPostingID != open {
						t.Errorf("%q finds %d", c.text, page.Postings[0].Posting.JobPostingID)
					}
				}
			}
			for typed, want := range map[string][2]string{
				"dachd": {"[Dachdecker]", "[Dachdecker Dachdeckar Dachdecket Dachdeckar Geheimplan Dachdecker Geheimplan Dachdecket Geheimplan]"},
				"gehe":  {"[]", "[Geheimplan Dachdeckar Geheimplan Dachdecker Geheimplan Dachdecket Geheimplan]"},
				"plan":  {"[]", "[Geheimplan]"}, "dachdecker gehe": {"[]", "[dachdecker Geheimplan Dachdecker Geheimplan]"},
				"schatt": {"[]", "[]"}, // no title has it
			} {
				for i, all := range []bool{false, true} {
					if list, err := m.Suggest(t.Context(), jobmirror.Query{Text: typed, All: all}); err != nil || fmt.Sprint(list) != want[i] {
						t.Errorf("%q, all %t: %v, %v, want %s", typed, all, list, err, want[i])
					}
				}
			}
			if got := searchAsBoard(t, m, "geheimplan"); got.TotalNumberOfJobs != 3 {
				t.Errorf("the board's own search finds %d", got.TotalNumberOfJobs)
			}
		})
	}
}

// manyMistakes returns so many words that no posting has, each with OR behind it.
func manyMistakes(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "braten%d OR ", i)
	}
	return text.String()
}

// Of words with typing errors, the one that was meant is among those that are looked for.
func TestMeantWordIsAmongTheNearest(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		vocabulary, _, err := jobmirror.Vocabulary(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		tried, among := 0, 0
		for tried < whole(75, 300) {
			meant := vocabulary[r.IntN(len(vocabulary))]
			typed := mistyped(r, meant)
			if utf8.RuneCountInString(meant) < 5 || utf8.RuneCountInString(typed) < 5 || slices.Contains(vocabulary, typed) {
				continue
			}
			page, err := m.Search(t.Context(), jobmirror.Query{Text: typed, Limit: 1000, All: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Corrected) == 0 && len(page.Postings) > 0 {
				continue // the word is a form, or another spelling
			}
			tried++
			if len(page.Corrected) == 1 && slices.Contains(page.Corrected[0].Nearest, meant) {
				among++
			}
		}
		t.Logf("figure: of %d typed words with errors, %d have the meant word among the nearest", tried, among)
		if among*100 < tried*95 {
			t.Errorf("of %d typed words %d have the meant word among the nearest, fewer than 95 %%", tried, among)
		}
	})
}

// What is suggested are titles, and their words, that begin or end as what was typed and have hits.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	srv, add := wordBoard(t)
	for _, title := range []string{"Altenpflege in Berlin", "Altenpflege in Köln", "Altenpfleger", "Alternative Küche", "Kinderpflege", "Pflegen in Bern"} {
		add(title, "")
	}
	srv.AddChannel(jobboardtest.Channel{ID: "2_words"})
	m := mirrorOf(t, "sqlite", srv, "1_words", "de")
	for _, c := range []struct {
		q    jobmirror.Query
		want string
	}{
		{jobmirror.Query{Text: "alte"}, "[Altenpflege Alternative Alternative Küche Altenpflege in Köln Altenpflege in Berlin]"},
		{jobmirror.Query{Text: "Pfleg"}, "[Pflegen Pflegen in Bern]"},
		{jobmirror.Query{Text: "pflege"}, "[Altenpflege Pflegen Kinderpflege Pflegen in Bern]"},
		{jobmirror.Query{Text: "kue"}, "[Küche Alternative Küche]"},
		{jobmirror.Query{Text: "Altenpflege ber"}, "[Altenpflege Berlin Altenpflege in Berlin]"},
		{jobmirror.Query{Text: "altenpflege -ber"}, "[altenpflege -Berlin]"},
		{jobmirror.Query{Text: "alte", Channel: "2_words"}, "[]"},
		{jobmirror.Query{Text: "alte", Channel: "1_words", Language: "de"}, "[Altenpflege Alternative Alternative Küche Altenpflege in Köln Altenpflege in Berlin]"},
		{jobmirror.Query{Text: "al"}, "[]"},
		{jobmirror.Query{Text: "alte "}, "[]"},
		{jobmirror.Query{Text: `"*&|!' alter`}, `["*&|!' Alternative Alternative Küche]`},
		{jobmirror.Query{}, "[]"},
		{jobmirror.Query{Text: "altenpflege in in in in in in in in in ber"}, "[altenpflege in in in in in in in in in Berlin Altenpflege in Berlin]"},
		{jobmirror.Query{Text: "altenpflege a OR b OR c OR d OR e OR f OR g OR in ber"}, "[]"}, // nine words before it
		{jobmirror.Query{Text: "altenpflege b OR c OR d OR e OR f OR g OR in ber"}, "[altenpflege b OR c OR d OR e OR f OR g OR in Berlin Altenpflege in Berlin]"},
	} {
		got, err := m.Suggest(t.Context(), c.q)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%q suggests %v, want %s: %v", c.q.Text, got, c.want, err)
		}
	}
	if _, err := m.Suggest(t.Context(), jobmirror.Query{Text: strings.Repeat("a", 1001)}); !errors.Is(err, jobboard.ErrInvalidInput) {
		t.Error(err)
	}
}
