package filters

import (
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
)

func at(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return t
}

func posting(lists map[string][]string) *Posting {
	return &Posting{Config: jobboard.NewPostingConfig(lists)}
}

// Of a posting each filter reads what a page shows.
func TestWhatAFilterFinds(t *testing.T) {
	now := at("2026-03-10 09:00")
	listed := func(text string) map[string][]string {
		return map[string][]string{jobboard.KeyListingStartDate: {strconv.FormatInt(at(text).UnixMilli(), 10)}}
	}
	seen := posting(listed("2026-01-01 00:00"))
	seen.FirstSeen = at("2026-03-08 23:59")
	version := &Posting{VersionStart: jobboard.Millis(at("2026-03-09 00:00").UnixMilli())}
	both := posting(listed("2026-03-01 12:00"))
	both.VersionStart = version.VersionStart
	named := posting(map[string][]string{jobboard.KeyCompanyName: {"  Koch \t GmbH "}})
	ofJob := &Posting{JobCompany: "KOCH gmbh"}
	overruled := posting(map[string][]string{jobboard.KeyCompanyName: {"Ulmer"}})
	overruled.JobCompany = "Koch GmbH"
	for _, c := range []struct {
		what   string
		chosen Chosen
		of     *Posting
		want   bool
	}{
		{"nothing chosen", Chosen{}, &Posting{}, true},
		{"its company", Chosen{Company: "koch  GMBH"}, named, true},
		{"its job's", Chosen{Company: "Koch GmbH"}, ofJob, true},
		{"its own before its job's", Chosen{Company: "Koch GmbH"}, overruled, false},
		{"a part of a company", Chosen{Company: "Koch"}, named, false},
		{"no company", Chosen{Company: "Koch"}, &Posting{}, false},
		{"ß is ss", Chosen{Company: "GROSS"}, &Posting{JobCompany: "Groß"}, true},
		{"letters and marks apart", Chosen{Company: "Ka\u0308se"}, &Posting{JobCompany: "Käse"}, true},
		{"a category", Chosen{Category: "2"}, posting(map[string][]string{jobboard.KeyJobCategory: {"1", "2"}}), true},
		{"another category", Chosen{Category: "3"}, posting(map[string][]string{jobboard.KeyJobCategory: {"1", "2"}}), false},
		{"a place", Chosen{Place: "Ulm"}, posting(map[string][]string{jobboard.KeyLocationName: {"Ulm"}}), true},
		{"another place", Chosen{Place: "ulm"}, posting(map[string][]string{jobboard.KeyLocationName: {"Ulm"}}), false},
		{"remote", Chosen{Remote: "FULLY_REMOTE"}, posting(map[string][]string{jobboard.KeyRemoteStatus: {"FULLY_REMOTE"}}), true},
		{"not remote", Chosen{Remote: "FULLY_REMOTE"}, posting(map[string][]string{jobboard.KeyRemoteStatus: {"NO"}}), false},
		{"today", Chosen{Since: 1}, posting(listed("2026-03-10 08:00")), true},
		{"the day before", Chosen{Since: 1}, posting(listed("2026-03-09 00:00")), true},
		{"a minute earlier", Chosen{Since: 1}, posting(listed("2026-03-08 23:59")), false},
		{"over a month's end", Chosen{Since: 14}, posting(listed("2026-02-24 00:00")), true},
		{"before that", Chosen{Since: 14}, posting(listed("2026-02-23 23:59")), false},
		{"seen later than listed", Chosen{Since: 3}, seen, true},
		{"the day of that is over", Chosen{Since: 1}, seen, false},
		{"by its version", Chosen{Since: 1}, version, true},
		{"listed before its version", Chosen{Since: 3}, both, false},
		{"no day known", Chosen{Since: 90}, &Posting{}, false},
		{"two filters, one of another", Chosen{Company: "Koch GmbH", Since: 1}, ofJob, false},
	} {
		if got := c.chosen.Finds(c.of, now); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
	if name := (&Posting{JobCompany: strings.Repeat("ß", 999)}).Company(); len(name) != 400 || company.Fold(name) != company.Fold(name+"x") {
		t.Errorf("a long name becomes one of %d bytes", len(name))
	}
}

// What is chosen is read from an address again, each filter alone can be dropped, and a wrong number of days is none.
func TestParametersOfFilters(t *testing.T) {
	every := Chosen{Category: "1 & 2", Place: "Köln", Company: "Koch GmbH", Remote: "FULLY_REMOTE", Since: 90}
	values := url.Values{"text": {"nurse"}}
	for _, name := range every.Names() {
		values.Set(name, every.Get(name))
	}
	if got, err := Parse(values); err != nil || got != every {
		t.Errorf("%+v, %v", got, err)
	}
	fields := reflect.TypeFor[Chosen]().NumField()
	for _, f := range All {
		others := every.With(f.Name, "")
		if others.Get(f.Name) != "" || len(others.Names()) != fields-1 {
			t.Errorf("without %s: %+v", f.Name, others)
		}
	}
	for _, days := range []string{"0", "-1", "91", "x", "1.5", "99999999999999999999"} {
		c, err := Parse(url.Values{Since: {days}, Place: {" Ulm\xff "}})
		if !errors.Is(err, ErrSince) || c != (Chosen{Place: "Ulm\uFFFD"}) {
			t.Errorf("%q: %+v, %v", days, c, err)
		}
	}
}
