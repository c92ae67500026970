package jobmirror_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
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

// wordChannel is a channel of postings made of words that are hard to search for.
type wordChannel struct {
	r        *rand.Rand
	srv      *jobboardtest.Server
	add      func(title, ad string) jobboard.JobPostingID
	postings []jobboard.JobPostingID
}

var hardWords = strings.Fields(`Pflegefachkraft Krankenpfleger Ärztin Arzt Größe groesse grosse Bauer Bäuerin infirmière infirmiere ёлка елка Straße
	Entwickler Softwareentwicklerin Koch Köln koeln koln IT SAP 看護師 พยาบาล café naïve C++ it's a_b x\y 100%`)

func newWordChannel(t *testing.T) *wordChannel {
	c := &wordChannel{r: rand.New(rand.NewPCG(1, 2))}
	c.srv, c.add = wordBoard(t)
	for range 60 {
		c.addOne()
	}
	return c
}

func (c *wordChannel) addOne() { c.postings = append(c.postings, c.add(c.some(4), "<p>"+c.some(8))) }

// word returns a word, an end of one, or one with a typing error.
func (c *wordChannel) word() string {
	word := hardWords[c.r.IntN(len(hardWords))]
	letters := []rune(word)
	switch c.r.IntN(4) {
	case 0:
		return string(letters[c.r.IntN(len(letters)):])
	case 1:
		return mistyped(c.r, word)
	}
	return word
}

func (c *wordChannel) some(most int) string {
	var words []string
	for range 1 + c.r.IntN(most) {
		words = append(words, c.word())
	}
	return strings.Join(words, " ")
}

// query returns a query whose text has words with signs.
func (c *wordChannel) query() jobmirror.Query {
	signs := []string{"%s", "%s", "%s", "-%s", `"%s"`, "%s OR", `"%s`}
	var text strings.Builder
	for range c.r.IntN(4) {
		fmt.Fprintf(&text, signs[c.r.IntN(len(signs))]+" ", c.word())
	}
	return jobmirror.Query{Text: text.String(), Limit: 7, Order: jobmirror.Order(c.r.IntN(3))}
}

// mistyped returns a word with one letter missing, too many, wrong, or swapped with its
// neighbour; or, in a long word, with two such errors.
func mistyped(r *rand.Rand, word string) string {
	letters := []rune(word)
	for range 1 + r.IntN(1+min(len(letters)/9, 1)) {
		i := r.IntN(len(letters))
		other := []rune("abcdefghijklmnopqrstuvwxyzäöü")[r.IntN(29)]
		switch r.IntN(4) {
		case 0:
			letters = slices.Delete(letters, i, min(i+1, len(letters)-1))
		case 1:
			letters = slices.Insert(letters, i, other)
		case 2:
			letters[i] = other
		default:
			j := min(i+1, len(letters)-1)
			letters[i], letters[j] = letters[j], letters[i]
		}
	}
	return string(letters)
}

func found(t *testing.T, m *jobmirror.Mirror, q jobmirror.Query) *jobmirror.Page {
	t.Helper()
	page, err := m.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	return page
}

// Both databases find the same postings in the same order, and mean the same words, whatever is typed, also while postings
// come and go between two pages; a posting that stays comes once.
func TestDatabasesAgree(t *testing.T) {
	t.Parallel()
	if jobmirror.Databases["postgres"] == nil {
		t.Skip("there is no PostgreSQL server")
	}
	c := newWordChannel(t)
	lite, postgres := mirrorOf(t, "sqlite", c.srv, "1_words", "de"), mirrorOf(t, "postgres", c.srv, "1_words", "de")
	corrected := 0
	for i := range whole(40, size(150, 2000)) {
		q := c.query()
		q.Limit = 3
		stay, total := all(t, lite, q)
		if _, other := all(t, postgres, q); total != len(stay) || other != total {
			t.Errorf("%q: %d postings and a total of %d on SQLite, %d on PostgreSQL", q.Text, len(stay), total, other)
		}
		corrected += min(len(found(t, lite, q).Corrected), 1)
		seen := map[jobboard.JobPostingID]int{}
		for after := q; ; {
			one, other := found(t, lite, q), found(t, postgres, after)
			if !slices.Equal(idsOf(one), idsOf(other)) || !reflect.DeepEqual(one.Corrected, other.Corrected) ||
				(one.Next == "") != (other.Next == "") {
				t.Fatalf("%q: %v for %v on SQLite, %v for %v on PostgreSQL",
					q.Text, idsOf(one), one.Corrected, idsOf(other), other.Corrected)
			}
			for _, id := range idsOf(one) {
				seen[id]++
			}
			if q.After, after.After = one.Next, other.Next; q.After == "" {
				break
			}
			if i%10 > 0 || len(seen) > 9 { // changes cost more than queries
				continue
			}
			c.addOne()
			gone := c.r.IntN(len(c.postings))
			c.srv.RemovePosting(int64(c.postings[gone]))
			stay = slices.DeleteFunc(stay, func(id jobboard.JobPostingID) bool { return id == c.postings[gone] })
			c.postings = slices.Delete(c.postings, gone, gone+1)
			refresh(t, lite)
			refresh(t, postgres)
		}
		for _, id := range stay {
			if seen[id] != 1 {
				t.Errorf("%q: posting %d, which stays, comes %d times", q.Text, id, seen[id])
			}
		}
	}
	if corrected == 0 {
		t.Error("no query is corrected")
	}
}

func idsOf(page *jobmirror.Page) (ids []jobboard.JobPostingID) {
	for _, p := range page.Postings {
		ids = append(ids, p.Posting.JobPostingID)
	}
	return ids
}

// The postings that fit best come first, and a line shows why each was found.
func TestWhatFitsComesFirst(t *testing.T) {
	t.Parallel()
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
	m := mirrorOf(t, "sqlite", srv, "1_words", "de")
	for _, limit := range []int{1, 3, 20} {
		if got, total := all(t, m, jobmirror.Query{Text: "koch münchen", Limit: limit}); total != len(want) || !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
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
			t.Errorf("the snippet is %q with %q", p.Snippet.Text, marked)
		}
	}
	// The board's own search takes a text as it stands, and gives the newest first.
	for text, count := range map[string]int{`"koch" -kellner`: 1, "koch münchen": 7, "koch OR kellner": 0} {
		answer := searchAsBoard(t, m, text)
		if answer.TotalNumberOfJobs != count || !slices.IsSortedFunc(answer.Results, func(a, b jobboard.JobPosting) int {
			return int(b.JobPostingID - a.JobPostingID)
		}) {
			t.Errorf("%q finds %d: %v", text, answer.TotalNumberOfJobs, answer.Results)
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
