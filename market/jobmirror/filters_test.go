package jobmirror

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
)

const dayMillis = 24 * 60 * 60 * 1000

// filteredPosting returns a posting with an identifier and some values, of which some are missing.
func filteredPosting(r *rand.Rand, id int, now int64) (text string, of *filters.Posting) {
	lists := map[string][]string{
		jobboard.KeyCompanyName:  {[]string{"Koch GmbH", "KOCH  GmbH", "Koch GmbH", "Ulmer & Söhne", ""}[r.IntN(5)]},
		jobboard.KeyRemoteStatus: {[]string{"FULLY_REMOTE", "PARTLY", ""}[r.IntN(3)]},
		jobboard.KeyJobCategory:  {[]string{"1", "2"}[r.IntN(2)]},
		jobboard.KeyLocationName: {[]string{"Ulm", "Bonn", ""}[r.IntN(3)]},
	}
	if days := r.IntN(40); days > 2 {
		lists[jobboard.KeyListingStartDate] = []string{strconv.FormatInt(now-int64(days-3)*dayMillis, 10)}
	}
	config, err := json.Marshal(lists)
	if err != nil {
		panic(err)
	}
	of = &filters.Posting{Config: jobboard.NewPostingConfig(lists)}
	if r.IntN(4) == 0 {
		of.VersionStart = jobboard.Millis(now - 9*dayMillis)
	}
	title := []string{"Nurse", "Cook", "Nurse and cook"}[r.IntN(3)]
	return fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":1,"title":%q,"postingVersionStartDate":%d,"config":%s}`,
		id, title, of.VersionStart, config), of
}

// Each filter, alone and with others, finds the postings that a plain reading of them finds, and the counts are how many
// there are of each value.
func TestFilters(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		shown, postings := pages{}, map[jobboard.JobPostingID]*filters.Posting{}
		m, _ := knows(t, address, shown, Channel{ID: "a"})
		now := clock(t, m)
		r := rand.New(rand.NewPCG(5, 6))
		for id := 1; id <= 120; id++ {
			text, of := filteredPosting(r, id, now)
			shown["a"], postings[jobboard.JobPostingID(id)] = append(shown["a"], text), of
		}
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			q := Query{Limit: 1000, Facets: true, CountSince: true}
			if r.IntN(2) == 0 {
				q.Company = []string{"koch gmbh", "Koch  GmbH", "Ulmer", "ULMER & SÖHNE"}[r.IntN(4)]
			}
			if r.IntN(3) == 0 {
				q.Remote = []jobboard.RemoteStatus{jobboard.RemoteFully, "PARTLY"}[r.IntN(2)]
			}
			if r.IntN(3) == 0 {
				q.Category = "2"
			}
			if r.IntN(3) == 0 {
				q.Place = "Ulm"
			}
			if r.IntN(2) == 0 {
				q.Since = 1 + r.IntN(35)
			}
			checkFiltered(t, m, q, postings, time.UnixMilli(clock(t, m)))
		}
	})
}

// checkFiltered compares the page of a query with a plain reading of all postings.
func checkFiltered(t *testing.T, m *Mirror, q Query, all map[jobboard.JobPostingID]*filters.Posting, now time.Time) {
	t.Helper()
	page, err := m.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	want := Facets{
		Categories: map[string]int{}, Places: map[string]int{}, Companies: map[string]int{}, Remote: map[jobboard.RemoteStatus]int{},
		Since: map[int]int{1: 0, 3: 0, 7: 0, 14: 0, 30: 0},
	}
	var ids, got []jobboard.JobPostingID
	for id, of := range all {
		for days := range want.Since {
			if q.chosen().With(filters.Since, strconv.Itoa(days)).Finds(of, now) {
				want.Since[days]++
			}
		}
		if !q.chosen().Finds(of, now) {
			continue
		}
		ids = append(ids, id)
		want.Total++
		for _, c := range of.Config.JobCategories() {
			want.Categories[c]++
		}
		for _, p := range of.Config.LocationNames() {
			want.Places[p]++
		}
		if name := of.Company(); name != "" {
			if strings.HasPrefix(strings.ToUpper(name), "KOCH") {
				name = "Koch" // the writings are looked at below
			}
			want.Companies[name]++
		}
		if status := of.Config.RemoteStatus(); status != "" {
			want.Remote[status]++
		}
	}
	for _, p := range page.Postings {
		got = append(got, p.Posting.JobPostingID)
	}
	for _, writing := range []string{"Koch GmbH", "KOCH GmbH"} {
		if n, ok := page.Facets.Companies[writing]; ok {
			delete(page.Facets.Companies, writing)
			page.Facets.Companies["Koch"] += n
		}
	}
	slices.Sort(ids)
	if slices.Sort(got); !slices.Equal(got, ids) {
		t.Errorf("%+v finds %v, want %v", q, got, ids)
	}
	if fmt.Sprint(*page.Facets) != fmt.Sprint(want) {
		t.Errorf("%+v counts\n%+v, want\n%+v", q, *page.Facets, want)
	}
}

// The twenty largest companies are counted, each by the writing that most postings have, in a circle too.
func TestTheLargestCompanies(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		shown := pages{}
		m, _ := knows(t, address, shown, Channel{ID: "a"})
		add := func(times int, company string) {
			for range times {
				shown["a"] = append(shown["a"], fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":1,"title":"Nurse","config":{"ProjectCompanyNameGerman":[%q]}}`,
					len(shown["a"])+1, company))
			}
		}
		want := map[string]int{"Lindenhof Gruppe": 9}
		add(2, "LINDENHOF GRUPPE")
		add(4, "Lindenhof Gruppe")
		add(3, "lindenhof  gruppe")
		for i := range 24 {
			company := fmt.Sprintf("Company %02d", i)
			add(2+i%2, company) // twelve of three postings, and of the others the first in order
			if i%2 == 1 || i < 14 {
				want[company] = 2 + i%2
			}
		}
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, q := range []Query{{Facets: true}, {Text: `"nurse"`, Facets: true}} {
			page, err := m.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if got := page.Facets.Companies; !maps.Equal(got, want) {
				t.Errorf("%q: %v, want %v", q.Text, got, want)
			}
		}
	})
}

// A company is the job's where the posting has none, as soon as its lookup says so.
func TestCompanyOfTheJob(t *testing.T) {
	onEach(t, func(t *testing.T, m *Mirror) {
		save(t, m, m.sources[0], beginTurn(t, m, m.sources[0]),
			&jobboard.JobPosting{JobPostingID: 1, Title: "Nurse", ApplyOnlineLink: "https://jobs.example/job/7/x"})
		hits := func(company string) int {
			t.Helper()
			if err := m.index(t.Context()); err != nil {
				t.Fatal(err)
			}
			page, err := m.Search(t.Context(), Query{Company: company})
			if err != nil {
				t.Fatal(err)
			}
			return len(page.Postings)
		}
		if n := hits("Lindenhof"); n != 0 {
			t.Errorf("before the lookup: %d", n)
		}
		for _, company := range []string{"Lindenhof", "Seeblick"} {
			info := &jobboard.JobInformation{JobID: 7, JobTitle: "Nurse", ApplyPossible: true, CompanyName: company}
			answered(t, m, nextAnswer(t, m), info, nil)
			if n := hits(company); n != 1 {
				t.Errorf("%s: %d", company, n)
			}
		}
		if n := hits("Lindenhof"); n != 0 {
			t.Errorf("by the name of before: %d", n)
		}
	})
}

// The pages of a search since some days have the day of the first, whenever they are turned.
func TestTheDayOfACursor(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		shown := pages{}
		m, _ := knows(t, address, shown, Channel{ID: "a"})
		now := clock(t, m)
		for id := range 3 {
			shown["a"] = append(shown["a"], fmt.Sprintf(`{"jobPostingId":%d,"postingVersionId":1,"title":"Nurse","postingVersionStartDate":%d}`,
				id+1, now-dayMillis))
		}
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		q := Query{Since: 1, Limit: 2, Order: Newest}
		search := func(now int64) (found int, next PageCursor) {
			t.Helper()
			do(t, m, func(t *tx) error {
				t.Now = now
				at, err := q.cursor(t.db.search.Synonyms.Sum(), t.Now)
				if err != nil {
					return err
				}
				page, err := searchTx{readTx{t}}.search(q, at)
				if err == nil {
					found, next = len(page.Postings), page.Next
				}
				return err
			})
			return found, next
		}
		found, next := search(now)
		if found != 2 || next == "" {
			t.Fatalf("the first page has %d", found)
		}
		if n, _ := search(now + dayMillis); n != 0 {
			t.Errorf("the first page of the day after has %d", n)
		}
		q.After = next
		if n, last := search(now + dayMillis); n != 1 || last != "" {
			t.Errorf("the second page on the day after has %d", n)
		}
	})
}

// Handler takes the filters as parameters of the search, and refuses what is no number of days.
func TestFiltersOfTheHandler(t *testing.T) {
	OnEach(t, func(t *testing.T, address string) {
		r := rand.New(rand.NewPCG(5, 6))
		shown, postings := pages{}, map[int]*filters.Posting{}
		m, _ := knows(t, address, shown, Channel{ID: "a"})
		for id := 1; id <= 60; id++ {
			text, of := filteredPosting(r, id, clock(t, m))
			shown["a"], postings[id] = append(shown["a"], text), of
		}
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		ask := func(parameters string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, "/api/rest/v2/frontend/jobboards/a/jobs?"+parameters, nil)
			r.RemoteAddr = "127.0.0.1:4"
			r.Host = "localhost"
			m.Handler().ServeHTTP(w, r)
			return w
		}
		for _, chosen := range []filters.Chosen{
			{}, {Company: "KOCH GMBH"}, {Remote: "PARTLY"}, {Category: "1"}, {Place: "Bonn"}, {Since: 14}, {Company: "Koch GmbH", Since: 30, Place: "Ulm"},
		} {
			values := url.Values{}
			for _, name := range chosen.Names() {
				values.Set(name, chosen.Get(name))
			}
			want := 0
			for _, of := range postings {
				if chosen.Finds(of, time.UnixMilli(clock(t, m))) {
					want++
				}
			}
			var page jobboard.JobSearchResult
			w := ask(values.Encode())
			if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.TotalNumberOfJobs != want || len(page.Results) != want {
				t.Errorf("%s: %d of %d, %v", values.Encode(), page.TotalNumberOfJobs, want, err)
			}
		}
		if w := ask("since=0"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "since") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if w := ask("company=Nobody"); !strings.Contains(w.Body.String(), `"mirror":{"why":"Nothing matches: without company there would be 60."}`) {
			t.Errorf("%s", w.Body)
		}
	})
}
