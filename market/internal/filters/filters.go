// Package filters has the filters by which a visitor narrows a search. A mirror's queries and facets, the
// parameters of its handler, the arguments of an assistant's tool and the addresses of a site come from its table.
package filters

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
)

// Filter is something by which a search is narrowed.
type Filter struct {
	Name    string                  // the parameter of an address, and the argument of a tool
	Counted bool                    // a search counts its hits by each value
	Of      func(*Posting) []string // the values of a posting; none: only a search without the filter finds it

	get func(*Chosen) string
	set func(*Chosen, string) error
}

// All has every filter, in the order in which a page shows them. The values of since are days, see Day; a
// visitor chooses a number of days.
var All = []Filter{
	{
		Name: Since, Of: func(p *Posting) []string { return nonEmpty(p.Day()) },
		get: func(c *Chosen) string { return number(c.Since) }, set: setSince,
	},
	text(Company, func(c *Chosen) *string { return &c.Company }, func(p *Posting) []string { return nonEmpty(p.Company()) }),
	text(Remote, func(c *Chosen) *string { return &c.Remote }, func(p *Posting) []string {
		return nonEmpty(string(p.Config.RemoteStatus()))
	}),
	text(Category, func(c *Chosen) *string { return &c.Category }, func(p *Posting) []string { return p.Config.JobCategories() }),
	// A mirror adds the towns of the job's locations, by all of their names.
	text(Place, func(c *Chosen) *string { return &c.Place }, func(p *Posting) []string { return p.Config.LocationNames() }),
}

// The names of the filters. Near is no filter of the table: a circle is no value of a posting.
const (
	Since    = "since"
	Company  = "company"
	Remote   = "remote"
	Category = "category"
	Place    = "place"
	Near     = "near"
)

// text returns a filter of which a text is chosen, and by which hits are counted.
func text(name string, field func(*Chosen) *string, of func(*Posting) []string) Filter {
	return Filter{
		Name: name, Counted: true, Of: of,
		get: func(c *Chosen) string { return *field(c) },
		set: func(c *Chosen, value string) error {
			*field(c) = value
			return nil
		},
	}
}

// Posting is what the filters read of a posting and its job.
type Posting struct {
	Config       jobboard.PostingConfig
	VersionStart jobboard.Millis
	FirstSeen    time.Time // when a copy came to know it; zero: not known, or with the first copy of all
	JobCompany   string    // of the lookup of its job; empty: not known
}

// Company returns the company that is shown with the posting, with single spaces and on 200 characters at most; empty:
// none is known.
func (p *Posting) Company() string {
	name := company.Of(&jobboard.JobPosting{Config: p.Config}, &jobboard.JobInformation{CompanyName: p.JobCompany})
	return company.Line(name)
}

// Day returns the day (UTC) since which the posting is there, such as 2026-01-31: that of the later of its start
// and its first sight. It is empty where neither is known.
func (p *Posting) Day() string {
	start := p.Config.ListingStartDate()
	if at, ok := p.VersionStart.Time(); ok && start.IsZero() {
		start = at
	}
	if p.FirstSeen.After(start) {
		start = p.FirstSeen
	}
	if start.IsZero() {
		return ""
	}
	return day(start)
}

func day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// MaxSince is the greatest Chosen.Since.
const MaxSince = 90

// Days returns the days that a search since n days finds: that of a time, and the n before it.
func Days(now time.Time, n int) []string {
	days := make([]string, n+1)
	for i := range days {
		days[i] = day(now.UTC().AddDate(0, 0, -i))
	}
	return days
}

// Chosen has the values that a search is narrowed to. The zero value narrows it to none.
type Chosen struct {
	Category, Place, Company, Remote string

	Since int // days, to MaxSince
}

// ErrSince reports that a number of days is none.
var ErrSince = errors.New("since is not a number of days from 1 to " + strconv.Itoa(MaxSince))

func setSince(c *Chosen, value string) error {
	n, err := strconv.Atoi(value)
	if value != "" && (err != nil || n < 1 || n > MaxSince) {
		return ErrSince
	}
	c.Since = n
	return nil
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Parse returns what the parameters of an address choose, without white space around it. Of a wrong value it
// chooses nothing; its error is then ErrSince.
func Parse(values url.Values) (c Chosen, err error) {
	for _, f := range All {
		err = errors.Join(err, f.set(&c, strings.TrimSpace(strings.ToValidUTF8(values.Get(f.Name), "\uFFFD"))))
	}
	return c, err
}

// Get returns the value of a filter as an address has it; empty: none is chosen.
func (c Chosen) Get(name string) string {
	for _, f := range All {
		if f.Name == name {
			return f.get(&c)
		}
	}
	return ""
}

// With returns the same with another value of a filter; empty: without it. A wrong value changes nothing.
func (c Chosen) With(name, value string) Chosen {
	for _, f := range All {
		if f.Name == name {
			_ = f.set(&c, value)
		}
	}
	return c
}

// Names returns the names of the filters of which something is chosen, in the order of All.
func (c Chosen) Names() (names []string) {
	for _, f := range All {
		if f.get(&c) != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// Finds reports whether a posting is one of those that are searched for at a time.
func (c Chosen) Finds(p *Posting, now time.Time) bool {
	for _, f := range All {
		chosen := f.get(&c)
		if chosen == "" {
			continue
		}
		wanted := []string{chosen}
		if f.Name == Since {
			wanted = Days(now, c.Since)
		}
		has := func(value string) bool {
			return slices.ContainsFunc(wanted, func(w string) bool {
				return w == value || f.Name == Company && company.Fold(w) == company.Fold(value)
			})
		}
		if !slices.ContainsFunc(f.Of(p), has) {
			return false
		}
	}
	return true
}

func nonEmpty(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
