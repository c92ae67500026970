package jobmcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/internal/filters"
	"github.com/jobboard-sdk/jobboard-go/market/internal/nearby"
	"github.com/jobboard-sdk/jobboard-go/market/internal/part"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp/internal/foreign"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// searchArgs holds the arguments that search_jobs and what_changed share.
type searchArgs struct {
	Text     string  `json:"text,omitempty" max:"500" jsonschema:"words to search for; empty: any"`
	Near     string  `json:"near,omitempty" max:"200" jsonschema:"a town by its name, such as Berlin, a postal code of Germany, Austria or Switzerland, such as 10117 or A-1010, or latitude,longitude such as 52.52,13.405; empty: anywhere"`
	RadiusKm float64 `json:"radius_km,omitempty" min:"1" max:"20000" default:"50" jsonschema:"kilometres around near"`
	Channel  string  `json:"channel,omitempty" max:"200" jsonschema:"channel of postings; empty: the settings' channel"`
	Language string  `json:"language,omitempty" max:"100" jsonschema:"language of the results, such as de or en; empty: the settings' language"`
}

// whereabouts is the circle of a search, with its town.
type whereabouts struct {
	Town      string  `json:"town,omitempty" jsonschema:"the town that the name was taken for, or the postal code"`
	Country   string  `json:"country,omitempty" jsonschema:"code of the town's country"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	RadiusKm  float64 `json:"radius_km"`
	Source    string  `json:"source,omitempty" jsonschema:"source of the town's coordinates: name it beside the result"`
	Note      string  `json:"note,omitempty" jsonschema:"what contradicts itself in near: tell the person"`
	Others    []other `json:"others,omitempty" jsonschema:"other towns of this name: the person may mean one of them"`
}

// other is a town that the name in near may mean as well.
type other struct {
	Near    string `json:"near" jsonschema:"what near takes for this town"`
	Town    string `json:"town"`
	Country string `json:"country"`
}

// sought tells in a result which channel and circle the search used.
type sought struct {
	Channel string       `json:"channel"`
	Near    *whereabouts `json:"near,omitempty"`
}

// searcher is a client or an applicant that makes searches.
type searcher interface {
	PostingStream(ctx context.Context, channel jobboard.ChannelID, q jobboard.Query) *jobboard.PostingStream
}

// ErrNoChannel is the error, for Options.Failed and Options.NextStep, of a search without
// a channel when Options and Board have no default channel.
var ErrNoChannel = errors.New("no channel is set")

// seek returns the client or applicant that makes the search, the channel and the query.
// It fills in told with the channel and the place.
func (s *Server) seek(ctx context.Context, in searchArgs, told *sought) (searcher, jobboard.ChannelID, jobboard.Query, error) {
	q, near, err := in.query()
	if err != nil {
		return nil, "", q, err
	}
	b, err := s.ask(ctx, NeedSearch, 1)
	if err != nil {
		return nil, "", q, err
	}
	ch := cmp.Or(jobboard.ChannelID(in.Channel), b.Channel)
	if ch == "" {
		return nil, "", q, ErrNoChannel
	}
	told.Channel, told.Near = foreign.Token(string(ch)), near
	if b.SearchAsApplicant {
		return b.Applicant, ch, q, nil
	}
	return b.Client, ch, q, nil
}

// query returns the query and its circle; nil means anywhere.
func (s searchArgs) query() (jobboard.Query, *whereabouts, error) {
	q := jobboard.Query{Text: s.Text, Language: s.Language}
	if strings.TrimSpace(s.Near) == "" {
		return q, nil, nil
	}
	circle, town, err := nearby.Parse(s.Near, s.RadiusKm)
	if err != nil {
		return q, nil, &advised{
			err, "give near as a town's name with its country, such as Berlin, Germany, or as latitude,longitude",
		}
	}
	q.Near = circle
	around := &whereabouts{Latitude: circle.Latitude, Longitude: circle.Longitude, RadiusKm: circle.RadiusKm}
	if town.Name != "" {
		around.Town, around.Country, around.Source = town.Name, town.Country, places.Attribution
	}
	for _, p := range nearby.Others(s.Near, town) {
		around.Others = append(around.Others, other{nearby.Typed(p), p.Name, p.Country})
	}
	around.Note = nearby.Contradiction(s.Near)
	return q, around, nil
}

type searchJobsArgs struct {
	searchArgs
	Category      string `json:"category,omitempty" max:"200" jsonschema:"only postings of this category, by its identifier; empty: any"`
	Place         string `json:"place,omitempty" max:"200" jsonschema:"only postings that name this place; empty: any. near finds what is around a town"`
	Company       string `json:"company,omitempty" max:"200" jsonschema:"only postings of this company, whole and in capitals or not; empty: any"`
	Remote        string `json:"remote,omitempty" max:"50" jsonschema:"only postings with this status of remote work, such as FULLY_REMOTE; empty: any"`
	Since         int    `json:"since,omitempty" min:"0" max:"90" jsonschema:"only postings that are there since so many days at most; 0: any"`
	Limit         int    `json:"limit,omitempty" min:"1" max:"50" default:"10" jsonschema:"most postings to return"`
	Offset        int    `json:"offset,omitempty" min:"0" max:"1000000" jsonschema:"postings to pass over: next_offset of the call before"`
	Advertisement int    `json:"advertisement_characters,omitempty" min:"0" max:"20000" jsonschema:"how much of each advertisement's text to return; 0: none"`
	Posting       string `json:"posting,omitempty" pattern:"^[0-9]{1,19}$" jsonschema:"return only this posting of the search, such as to read its whole advertisement"`

	page func(jobboard.JobID, string) string // Server.page
}

// entry is a posting in the list of search_jobs.
type entry struct {
	Posting       string   `json:"posting" jsonschema:"identifier"`
	Job           string   `json:"job,omitempty" jsonschema:"identifier of the job, from the posting's link; absent where the link has none"`
	Since         string   `json:"since,omitempty" jsonschema:"first day of the posting"`
	Until         string   `json:"until,omitempty" jsonschema:"last day of the posting"`
	Starts        string   `json:"starts,omitempty" jsonschema:"first day of work"`
	Remote        bool     `json:"remote,omitempty" jsonschema:"fully remote"`
	Title         string   `json:"foreign_title"`
	Company       string   `json:"foreign_company,omitempty"`
	Locations     []string `json:"foreign_locations,omitempty"`
	Page          string   `json:"foreign_page,omitempty" jsonschema:"page of the job on this site: show it to the person"`
	Link          string   `json:"foreign_apply_link,omitempty" jsonschema:"where a person applies online"`
	Advertisement string   `json:"foreign_advertisement,omitempty"`
	Cut           bool     `json:"advertisement_cut,omitempty" jsonschema:"the advertisement is longer than this part"`
}

type searchJobsResult struct {
	Tell string `json:"tell" jsonschema:"what to tell the person in one line"`
	sought
	Total      int     `json:"total" jsonschema:"postings that the service counts, also those that are left out because not everybody may see them"`
	Incomplete bool    `json:"incomplete,omitempty" jsonschema:"the service counts more postings than it gives: narrow the search to see the others"`
	Postings   []entry `json:"postings"`
	Next       int     `json:"next_offset,omitempty" jsonschema:"offset of the next page; absent on the last one"`
	Note       string  `json:"note,omitempty"`
	Advice     string  `json:"next,omitempty" jsonschema:"what to try next"`
}

// notListed lists the config keys that entries leave out.
var notListed = []string{
	jobboard.KeyProjectLocation, jobboard.KeyLocation, jobboard.KeyProjectNumber, jobboard.KeyAudience,
	jobboard.KeyInternalPostingName,
}

// chosen returns what the filters narrow the search to.
func (in *searchJobsArgs) chosen() filters.Chosen {
	return filters.Chosen{Category: in.Category, Place: in.Place, Company: in.Company, Remote: in.Remote, Since: in.Since}
}

// wanted returns the part of a search's answer that a page of so many entries is made of: one posting
// more tells whether there is another page.
func (in *searchJobsArgs) wanted(entries int) part.Wanted {
	w := part.Wanted{Ads: in.Advertisement > 0, Filters: in.chosen()}
	if in.Posting == "" {
		w.Skip, w.Take = in.Offset, entries+1
	} else {
		w.Posting, _ = strconv.ParseInt(in.Posting, 10, 64) // a number beyond int64 becomes the largest, which is of none
	}
	return w
}

func (s *Server) searchJobs(ctx context.Context, in searchJobsArgs) (searchJobsResult, error) {
	out := searchJobsResult{Postings: []entry{}}
	in.page = s.page
	from, ch, q, err := s.seek(ctx, in.searchArgs, &out.sought)
	if err != nil {
		return out, err
	}
	q.OmitConfig = notListed
	if in.Advertisement == 0 {
		q.OmitConfig = append(slices.Clone(notListed), jobboard.KeyAdText)
	}
	most := min(in.Limit, maxPostings)
	ctx, answer := part.Ask(ctx, in.wanted(most))
	stream := from.PostingStream(ctx, ch, q)
	count, err := in.list(stream, answer, most, &out)
	if err != nil {
		return out, err
	}
	page, _ := stream.Page()
	out.Total = max(page.TotalNumberOfJobs, count.given)
	out.Incomplete = page.TotalNumberOfJobs > count.given && !answer.Given()
	if in.chosen() != (filters.Chosen{}) && !answer.Given() {
		out.Total = count.found // the service knows no filters
	}
	if count.hidden > 0 {
		out.Note = fmt.Sprintf("total is larger than what can be listed: "+
			"not everybody may see %d of these postings, which are left out", count.hidden)
	}
	told := part.ReadTold(page.Unknown)
	if out.Total == 0 {
		out.Note = cmp.Or(foreign.Line(told.Why, maxTitle), "nothing matches; the answer is the same for a channel that does not exist")
	}
	out.Note = strings.TrimPrefix(out.Note+corrections(told.Corrected), "; ")
	if page.Unreadable > 0 {
		unreadable := fmt.Sprintf("%d of the answer's postings could not be read and are left out", page.Unreadable)
		out.Note = strings.TrimPrefix(out.Note+"; "+unreadable, "; ")
	}
	out.Advice = out.advice(&in)
	out.Tell = out.summary()
	return out, nil
}

// corrections says which words a copy has searched for in place of others, behind other notes.
func corrections(list []part.Correction) (note string) {
	for _, c := range list {
		word := foreign.Line(c.Word, maxName)
		if len(c.Nearest) == 0 {
			note += fmt.Sprintf("; %q was left out of the search", word)
			continue
		}
		note += fmt.Sprintf("; no posting has %q: searched for %s too", word, foreign.Line(strings.Join(c.Nearest, ", "), maxName))
	}
	return note
}

// counts counts the postings of a stream.
type counts struct {
	given  int // all of them
	found  int // by the filters
	hidden int // not everybody may see them
}

// list puts the page of postings that was asked for into a result, and counts those of the stream.
func (in *searchJobsArgs) list(
	stream *jobboard.PostingStream, answer *part.Answer, most int, out *searchJobsResult,
) (count counts, err error) {
	space, found := newRoom(), 0
	chosen, now := in.chosen(), time.Now()
	for p, err := range stream.All() {
		if _, unreadable := errors.AsType[*jobboard.UnreadableError](err); unreadable {
			break // the last item of a whole answer
		}
		if err != nil {
			return count, err
		}
		count.given++
		if !answer.Given() && !chosen.Finds(&filters.Posting{Config: p.Config, VersionStart: p.PostingVersionStartDate}, now) {
			continue
		}
		count.found++
		if !p.Config.VisibleToAll() {
			count.hidden++
			continue
		}
		if in.Posting != "" && in.Posting != fmt.Sprint(p.JobPostingID) {
			continue
		}
		if found++; answer.Given() && found == 1 && in.Posting == "" {
			found += in.Offset // the answer begins behind them
		}
		if found <= in.Offset || out.Next != 0 {
			continue
		}
		e := entryOf(p, min(in.Advertisement, maxAdText))
		if job, ok := p.LinkedJob(); ok {
			e.Page = in.page(job, p.Title)
		}
		if len(out.Postings) == 0 { // a page needs at least one entry, or the next page would begin at the same posting
			e = space.cut(e, p)
		}
		if len(out.Postings) < most && space.takes(e) {
			out.Postings = append(out.Postings, e)
		} else {
			out.Next = found - 1
		}
	}
	return count, nil
}

func entryOf(p *jobboard.JobPosting, advertisement int) entry {
	e := entry{
		Posting: fmt.Sprint(p.JobPostingID),
		Since:   shown.Day(p.PostingVersionStartDate),
		Until:   shown.Day(p.PostingVersionEndDate),
		Starts:  shown.Day(p.JobStartDate),
		Title:   foreign.Line(p.Title, maxTitle), Company: foreign.Line(company.Of(p, nil), maxName),
		Locations: listed(p.Config.Get(jobboard.KeyLocationName), maxName), Link: linkOf(p.ApplyURL()),
	}
	if id, ok := p.LinkedJob(); ok {
		e.Job = id.String()
	}
	e.Remote = p.Config.RemoteStatus() == jobboard.RemoteFully
	if advertisement > 0 {
		e.Advertisement, e.Cut = foreign.Text(p.Config.First(jobboard.KeyAdText), advertisement)
	}
	return e
}

// listed returns the names of locations, cut to limit characters each and to
// maxLocations names.
func listed(names []string, limit int) (list []string) {
	for _, name := range names[:min(len(names), maxLocations)] {
		if name = foreign.Line(name, limit); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// linkOf returns a link as text, or "" for an invalid link or one longer than
// maxLink.
func linkOf(link *url.URL, err error) string {
	if text := shown.Link(link, err); len(text) <= maxLink {
		return foreign.Line(text, maxLink)
	}
	return ""
}

// page returns the address of the page of a job on the site of the server, or "".
func (s *Server) page(job jobboard.JobID, title string) string {
	if s.o.JobURL == nil || job <= 0 {
		return ""
	}
	return linkOf(url.Parse(s.o.JobURL(job, title)))
}

// room counts the bytes left in a result for the entries of its lists.
type room struct{ left int }

func newRoom() *room { return &room{maxAnswer - 4<<10} } // 4 KiB are for the members besides the lists

// put appends an entry to a list if it fits, and otherwise increments leftOut.
func put[T any](r *room, list *[]T, x T, leftOut *int) {
	if r.takes(x) {
		*list = append(*list, x)
	} else {
		*leftOut++
	}
}

// takes reports whether an entry fits, and subtracts its size from the room.
func (r *room) takes(x any) bool {
	size := sizeOf(x)
	if size > r.left {
		return false
	}
	r.left -= size
	return true
}

// sizeOf returns the size of a list entry as JSON, with its comma, in bytes.
func sizeOf(x any) int {
	body, err := json.Marshal(x)
	if err != nil {
		panic(err) // cannot happen: entries hold only texts, numbers and lists of them
	}
	return len(body) + 1
}

// cut shortens the advertisement in an entry until the entry fits.
func (r *room) cut(e entry, p *jobboard.JobPosting) entry {
	for n := utf8.RuneCountInString(e.Advertisement) / 2; n > 0 && sizeOf(e) > r.left; n /= 2 {
		page := e.Page
		e = entryOf(p, n)
		e.Page = page
	}
	return e
}
