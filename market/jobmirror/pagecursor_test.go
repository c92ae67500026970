package jobmirror

import (
	"encoding/base64"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// A cursor says where its page ended, and nothing else is taken for one: nobody gets beyond the
// bounds of a search by an address that he wrote himself.
func TestPageCursors(t *testing.T) {
	q := Query{Text: "altenpflgee kellnr", Channel: "extern", Limit: 3}
	for _, want := range []search.Position{
		{Tier: 0, Row: 1},
		{Tier: 3, Row: math.MaxInt64},
		{Tier: 1, Row: 7, Corrected: []search.Correction{{Word: "altenpflgee", Nearest: []string{"altenpflege"}}}},
		{Tier: 5, Row: 7, Corrected: []search.Correction{
			{Word: "a", Nearest: []string{"b", "c", "größe", "ёлка", "看"}}, {Word: "b", Nearest: []string{"a"}}, {Word: "c", Nearest: []string{"a"}}, {Word: "d", Nearest: []string{"a"}},
		}},
	} {
		at := q
		at.After = q.next(0, pageStart{behind: want})
		if got, err := at.cursor(0, 0); err != nil || !reflect.DeepEqual(got.behind, want) {
			t.Errorf("after %+v the cursor is %q, read as %+v, %v", want, at.After, got, err)
		}
	}
	if got, err := q.cursor(0, 0); err != nil || !reflect.DeepEqual(got.behind, search.Position{}) {
		t.Errorf("without a cursor: %+v, %v", got, err)
	}

	other := q
	other.After = q.next(0, pageStart{behind: search.Position{Row: 7}})
	if _, err := other.cursor(1, 0); !errors.Is(err, ErrPageCursor) {
		t.Errorf("the cursor of another list of synonyms: %v", err)
	}
	own := q.signature(0)
	for name, text := range map[string]string{
		"nothing": "", "a signature alone": own, "no row": own + ".0", "an empty row": own + ".0.", "an empty tier": own + "..7",
		"row 0": own + ".0.0", "a row below 0": own + ".0.-7", "tier -1": own + ".-1.7", "both below 0": own + ".-1.-7",
		"a tier that is none": own + ".x.7", "a row that is none": own + ".0.x", "a row of 20 digits": own + ".0.10000000000000000000",
		"a tier of 20 digits": own + ".10000000000000000000.7", "a space": own + ".0. 7",
		"another signature": own + "x.0.7", "no signature": ".0.7", "of the text nurse": Query{Text: "nurse", Channel: "extern"}.signature(0) + ".0.7",
		"an empty correction": own + ".0.7.", "a correction of nothing": own + ".0.7.-b", "by an empty word": own + ".0.7.a-",
		"by one and an empty word": own + ".0.7.a-b-", "by six words": own + ".0.7.a-b-c-d-e-f-g", "by two words in one": own + ".0.7.a-b c", "by a sign": own + `.0.7.a-b"`,
		"by capital letters": own + ".0.7.a-B", "by a long word": own + ".0.7.a-" + strings.Repeat("x", 65), "of capital letters": own + ".0.7.A-b",
		"thirteen corrections": own + ".0.7" + strings.Repeat(".a-b", 13), "six words left out": own + ".0.7" + strings.Repeat(".a", 6),
	} {
		at := q
		at.After = PageCursor(base64.RawURLEncoding.EncodeToString([]byte(text)))
		if text == "" {
			at.After = "Lg" // which is a point
		}
		got, err := at.cursor(0, 0)
		if !errors.Is(err, ErrPageCursor) || jobboard.HTTPStatus(err) != 400 || !reflect.DeepEqual(got.behind, search.Position{}) {
			t.Errorf("%s, %q: %+v, %v", name, text, got, err)
		}
	}
	good := string(q.next(0, pageStart{behind: search.Position{Tier: 1, Row: 7}}))
	for _, text := range []PageCursor{PageCursor(good + "="), PageCursor(good + "!"), " ", "!", PageCursor(good[:len(good)-1] + "\n.")} {
		at := q
		at.After = text
		if _, err := at.cursor(0, 0); !errors.Is(err, ErrPageCursor) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A cursor fits pages of other sizes, with other facets and snippets, and fits no other query.
func TestPageCursorsOfOtherQueries(t *testing.T) {
	q := Query{Text: "nurse", Near: jobboard.Near(50, 10, 20), Channel: "extern", Language: "de", Category: "7", Place: "Köln", Order: Newest}
	last := pageStart{behind: search.Position{Tier: 0, Row: 7}}
	edited := map[string]bool{}
	for name, edit := range map[string]struct {
		of   func(*Query)
		good bool
	}{
		"the limit":     {func(q *Query) { q.Limit = 99 }, true},
		"facets":        {func(q *Query) { q.Facets = true }, true},
		"snippets":      {func(q *Query) { q.Snippets = true }, true},
		"the text":      {func(q *Query) { q.Text = "nurses" }, false},
		"the circle":    {func(q *Query) { q.Near.RadiusKm++ }, false},
		"its middle":    {func(q *Query) { q.Near.Latitude++ }, false},
		"the channel":   {func(q *Query) { q.Channel = "" }, false},
		"the language":  {func(q *Query) { q.Language = "en" }, false},
		"the category":  {func(q *Query) { q.Category = "" }, false},
		"the place":     {func(q *Query) { q.Place = "Bonn" }, false},
		"the company":   {func(q *Query) { q.Company = "Koch" }, false},
		"remote":        {func(q *Query) { q.Remote = jobboard.RemoteFully }, false},
		"since":         {func(q *Query) { q.Since = 7 }, false},
		"counts":        {func(q *Query) { q.CountSince = true }, true},
		"once a job":    {func(q *Query) { q.OncePerJob = true }, false},
		"the preferred": {func(q *Query) { q.Prefer = "en" }, true},
		"all":           {func(q *Query) { q.All = true }, false},
		"the mark":      {func(q *Query) { q.ChangedAfter = "1" }, false},
		"the order":     {func(q *Query) { q.Order = Oldest }, false},
		"another order": {func(q *Query) { q.Order = Relevance }, false},
	} {
		other := q
		edit.of(&other)
		for i := range reflect.TypeFor[Query]().NumField() {
			if !reflect.DeepEqual(reflect.ValueOf(other).Field(i).Interface(), reflect.ValueOf(q).Field(i).Interface()) {
				edited[reflect.TypeFor[Query]().Field(i).Name] = true
			}
		}
		other.After = q.next(0, last)
		if _, err := other.cursor(0, 0); (err == nil) != edit.good || err != nil && !errors.Is(err, ErrPageCursor) {
			t.Errorf("with another value of %s: %v", name, err)
		}
	}
	for field := range reflect.TypeFor[Query]().Fields() {
		if field.Name != "After" && !edited[field.Name] {
			t.Errorf("no query differs in %s", field.Name)
		}
	}
}

// A query has as many tiers as its hits may be in, and refuses a cursor of a later tier: one
// tier in the orders by age, four or five by relevance, and as many again where its text is
// corrected.
func TestPageCursorsBehindTheLastTier(t *testing.T) {
	t.Parallel()
	m := guarded(t)
	m.db.search.Synonyms = nil // of which the cursors are
	turn := beginTurn(t, m, m.sources[0])
	save(t, m, m.sources[0], turn, &jobboard.JobPosting{JobPostingID: 1, Title: "Kellner"})
	if err := errors.Join((&refresher{m, m.sources[0], turn}).finish(t.Context(), true, ""), m.index(t.Context())); err != nil {
		t.Fatal(err)
	}
	meant := []search.Correction{{Word: "kelner", Nearest: []string{"kellner"}}}
	for _, test := range []struct {
		q         Query
		corrected []search.Correction
		tiers     int
	}{
		{Query{}, nil, 1},
		{Query{Order: Newest}, nil, 1},
		{Query{Text: "kellner", Order: Oldest}, nil, 1},
		{Query{Text: "!?"}, nil, 1},
		{Query{Text: "kellner"}, nil, 4},
		{Query{Text: "kellner koch"}, nil, 5},
		{Query{Text: "kelner"}, meant, 8},
		{Query{Text: "kelner koch"}, meant, 10},
		{Query{Text: "kelner", Order: Newest}, meant, 2},
		{Query{Text: "kelner"}, nil, 4},
		{Query{Text: "kelner"}, []search.Correction{{Word: "kelner"}}, 0}, // all is left out
		{Query{Text: "kelner"}, []search.Correction{{Word: "pflege"}}, 0}, // a word that it does not have
	} {
		for tier := range test.tiers + 2 {
			q := test.q
			q.After = signed(q).next(0, pageStart{behind: search.Position{Tier: tier, Row: 7, Corrected: test.corrected}})
			_, err := m.Search(t.Context(), q)
			if good := tier < test.tiers; (err == nil) != good || err != nil && !errors.Is(err, ErrPageCursor) {
				t.Errorf("%+v, tier %s: %v", test.q, strconv.Itoa(tier), err)
			}
		}
	}
}

// signed returns a query as Search signs it.
func signed(q Query) Query {
	if strings.TrimSpace(q.Text) == "" && q.Order == Relevance {
		q.Order = Newest
	}
	return q
}
