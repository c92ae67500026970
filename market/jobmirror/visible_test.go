package jobmirror

import (
	"maps"
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// A visitor may see a posting that is visible, has begun, has not ended, and whose job is not known
// to be over. What nobody knows hides nothing.
func TestWhatAVisitorMaySee(t *testing.T) {
	config := func(values ...string) jobboard.PostingConfig {
		return jobboard.NewPostingConfig(map[string][]string{jobboard.KeyVisibility: values})
	}
	listed := func(date string) jobboard.PostingConfig {
		return jobboard.NewPostingConfig(map[string][]string{jobboard.KeyListingStartDate: {date}})
	}
	const now = 1000
	for _, c := range []struct {
		what        string
		config      jobboard.PostingConfig
		begin, ends jobboard.Millis
		job         State
		want        bool
		next        int64
	}{
		{"visible", config("visible"), 0, 0, StateOpen, true, 0},
		{"without a word about it", jobboard.PostingConfig{}, 0, 0, StateOpen, true, 0},
		{"an empty word", config(""), 0, 0, StateOpen, true, 0},
		{"internal", config("internal"), 0, 0, StateOpen, false, 0},
		{"two words", config("visible", "internal"), 0, 0, StateOpen, false, 0},
		{"no job", config("visible"), 0, 0, "", true, 0},
		{"unknown", config("visible"), 0, 0, StateUnknown, true, 0},
		{"closed", config("visible"), 0, 0, StateClosed, false, 0},
		{"inactive", config("visible"), 0, 0, StateInactive, false, 0},
		{"unavailable", config("visible"), 0, 0, StateUnavailable, false, 0},
		{"not begun", config("visible"), 1001, 0, StateOpen, false, 1001},
		{"listed later", listed("1001"), 0, 0, StateOpen, false, 1001},
		{"listed before its version", listed("999"), 2000, 0, StateOpen, true, 0},
		{"listed on no day", listed("soon"), 1001, 0, StateOpen, false, 1001},
		{"begins", config("visible"), 1000, 0, StateOpen, true, 0},
		{"ends later", config("visible"), 1, 1001, StateOpen, true, 1001},
		{"ends", config("visible"), 1, 1000, StateOpen, false, 0},
		{"ended", config("visible"), 1, -7, StateOpen, false, 0},
	} {
		r := &PostingRecord{Config: c.config, VersionStart: c.begin, VersionEnd: c.ends}
		_, next := r.lasts(now)
		if got := r.shown(c.job, now); got != c.want || next != c.next {
			t.Errorf("%s: %t, until %d", c.what, got, next)
		}
	}
}

// Answers that end a job or open it again take its postings from the searches of visitors and give
// them back, and so do the dates of a posting when they come.
func TestSearchesOfVisitors(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		const later = 99_999_999_999_999
		turn := beginTurn(t, m, m.sources[0])
		save(t, m, m.sources[0], turn,
			&jobboard.JobPosting{JobPostingID: 1, Title: "Nurse", ApplyOnlineLink: "https://jobs.example/job/7/x"},
			&jobboard.JobPosting{JobPostingID: 2, Title: "Nurse", PostingVersionEndDate: later},
			&jobboard.JobPosting{JobPostingID: 3, Title: "Nurse", PostingVersionStartDate: later})
		shown := func(when string, want ...jobboard.JobPostingID) {
			t.Helper()
			if err := m.index(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, q := range []Query{{Facets: true}, {Text: "nurse", Facets: true}} {
				page, err := m.Search(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				var got []jobboard.JobPostingID
				for _, p := range page.Postings {
					got = append(got, p.Posting.JobPostingID)
				}
				if slices.Sort(got); !slices.Equal(got, want) || page.Facets.Total != len(want) {
					t.Errorf("%s: %d are found, %d counted", when, got, page.Facets.Total)
				}
			}
			if page, err := m.Search(t.Context(), Query{All: true}); err != nil || len(page.Postings) != 3 {
				t.Errorf("%s: %d are found in all, %v", when, len(page.Postings), err)
			}
		}
		shown("at first", 1, 2)
		info := &jobboard.JobInformation{JobID: 7, JobTitle: "Nurse", ApplyPossible: true}
		answered(t, m, nextAnswer(t, m), info, nil)
		shown("open", 1, 2)
		info.ApplyPossible = false
		answered(t, m, nextAnswer(t, m), info, nil)
		shown("closed", 2)
		info.ApplyPossible = true
		answered(t, m, nextAnswer(t, m), info, nil)
		shown("open again", 1, 2)
		answered(t, m, nextAnswer(t, m), nil, jobboard.ErrJobInactive)
		shown("inactive", 2)

		// As if the dates had come since: the record has them.
		do(t, m, func(t *tx) error {
			return t.DoAll(nil, "UPDATE postings SET record = replace(record, '99999999999999', '1'), visibility_due = 1 WHERE posting > 1")
		})
		shown("after the dates", 3)
		waiting := 0
		do(t, m, func(t *tx) error {
			return t.Row("SELECT count(*) FROM postings WHERE visibility_due <> 0", nil, &waiting)
		})
		if waiting != 0 {
			t.Errorf("%d postings wait for a date", waiting)
		}
	})
}

// Facets and the filter count every place of a job, and in a circle the places inside it.
func TestEachPlaceOfAJob(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		at := func(city, latitude, longitude string) jobboard.Location {
			return jobboard.Location{GeoCity: city, GeoLat: latitude, GeoLong: longitude}
		}
		turn := beginTurn(t, m, m.sources[0])
		named := func(names ...string) jobboard.PostingConfig {
			return jobboard.NewPostingConfig(map[string][]string{jobboard.KeyLocationName: names, jobboard.KeyJobCategory: {"31"}})
		}
		save(t, m, m.sources[0], turn,
			&jobboard.JobPosting{JobPostingID: 1, Title: "Nurse", ApplyOnlineLink: "https://jobs.example/job/7/x", Config: named("Bonn", "Rhineland")},
			&jobboard.JobPosting{JobPostingID: 2, Title: "Cook", Config: named("Ulm")})
		answered(t, m, nextAnswer(t, m), &jobboard.JobInformation{
			JobID: 7, JobTitle: "Nurse", ApplyPossible: true, Location: at("Bonn", "50.73", "7.1"),
			AdditionalLocations: []jobboard.Location{at("Berlin", "52.52", "13.4"), at("Berlin", "52.4", "13.5"), at("", "48", "11"), at("Hamburg", "", "")},
		}, nil)
		if err := m.index(t.Context()); err != nil {
			t.Fatal(err)
		}
		near := jobboard.Near(52.5, 13.3, 50)
		for _, c := range []struct {
			q    Query
			want map[string]int
		}{
			{Query{}, map[string]int{"Bonn": 1, "Rhineland": 1, "Berlin": 1, "Ulm": 1}},
			{Query{Place: "Berlin"}, map[string]int{"Bonn": 1, "Rhineland": 1, "Berlin": 1}},
			{Query{Near: near}, map[string]int{"Rhineland": 1, "Berlin": 1}},
			{Query{Near: near, Place: "Berlin"}, map[string]int{"Rhineland": 1, "Berlin": 1}},
			{Query{Near: near, Place: "Rhineland"}, map[string]int{"Rhineland": 1, "Berlin": 1}},
			{Query{Near: near, Place: "Bonn"}, map[string]int{}},
			{Query{Near: near, Place: "Ulm"}, map[string]int{}},
			{Query{Text: "31"}, map[string]int{}}, // an identifier of a category
		} {
			c.q.Facets = true
			page, err := m.Search(t.Context(), c.q)
			if err != nil {
				t.Fatal(err)
			}
			total := min(len(c.want), 1)
			if c.q.Near.IsZero() && c.q.Place == "" && c.q.Text == "" {
				total = 2
			}
			if !maps.Equal(page.Facets.Places, c.want) || page.Facets.Total != total || len(page.Postings) != total {
				t.Errorf("%+v: %v, %d in all, %d found", c.q, page.Facets.Places, page.Facets.Total, len(page.Postings))
			}
		}
	})
}
