package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/internal/part"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
	"github.com/jobboard-sdk/jobboard-go/market/internal/towns"
	"github.com/jobboard-sdk/jobboard-go/places"
)

type searchFlags struct {
	cli.QueryFlags
	form cli.FormFlags
	list cli.ListFlags
}

func newSearchCommand(p *cli.Program) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search [TEXT]",
		Short: "Search the postings of a channel",
		Long: `search prints the postings of a channel that match: as a table, cut to the width
of the terminal, as CSV, as one JSON document, or as one JSON object a line as
they arrive. An answer that breaks off is asked for again, but not once --jsonl
has written a line of it. The job of a posting is read from the posting's link;
without such a link none is shown.`,
		Example: `  jobboard search --fake --near Berlin --radius 50
  jobboard search nurse --language en --csv > nurses.csv
  jobboard search --fake --limit 5 --fields title,job,place`,
		ValidArgsFunction: cli.Nothing,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runSearch(cmd.Context(), &p.Console, b, cmd.Flags(), args, &f)
		},
	}
	f.Add(cmd)
	f.form.Add(cmd, cli.Form{Name: "csv", Help: "print a line per posting as CSV"},
		cli.Form{Name: "json", Help: "print the answer as one JSON document"},
		cli.Form{Name: "jsonl", Help: "print one posting a line as JSON, as they arrive"})
	cli.AddListFlags(&f.list, cmd, hitFields)
	return cmd
}

func runSearch(ctx context.Context, c *term.Console, b *setup.Board, flags *pflag.FlagSet, args []string,
	f *searchFlags,
) error {
	q, err := f.Query(flags, args, c)
	if err != nil {
		return err
	}
	fields, err := cli.Chosen(&f.list, hitFields)
	if err != nil {
		return err
	}
	s, ch, err := b.Searcher()
	if err != nil {
		return err
	}
	found := &hits{near: q.Near, fields: fields, limit: f.list.Limit}
	if form := f.form.Form(); form == "jsonl" {
		err = found.stream(s.PostingStream(ctx, ch, q), c.Out)
	} else {
		if form == "" {
			q.OmitConfig = []string{jobboard.KeyAdText}
		}
		var page *jobboard.JobSearchResult
		if page, err = s.Search(ctx, ch, q); err == nil {
			err = found.page(c, page, form)
		}
	}
	if err != nil {
		return err
	}
	noteHits(c, found, q)
	return nil
}

// noteHits writes notes to standard error: the number of hits that the service did not
// send, and that an unknown channel looks like an empty one.
func noteHits(c *term.Console, found *hits, q jobboard.Query) {
	if found.unreadable != nil {
		c.Note("%s of the answer could not be read, and the others are all there; the first: %s",
			term.Count(found.unreadable.Count, "posting"), strings.TrimPrefix(found.unreadable.Errors[0].Error(), "jobboard: "))
	}
	if found.total > found.given() && (found.limit == 0 || found.shown < found.limit) {
		c.Note("the service gave %d of %d postings; the interface has no way to ask for the others. Narrow the search with a text or --near.",
			found.shown, found.total)
	}
	if found.shown == 0 && found.told.Why != "" {
		c.Note("%s", term.Printable(found.told.Why))
	} else if found.total == 0 && found.shown == 0 && q.Text == "" && q.Near.IsZero() {
		c.Note("the service says the same of a channel that does not exist: jobboard doctor tells more")
	}
}

// hits collects the postings of a search, and counts the shown ones.
type hits struct {
	near         jobboard.GeoLocation
	fields       []cli.Field[*jobboard.JobPosting] // chosen by --fields; nil: the default fields
	limit        int                               // most postings to show; 0: all
	shown, total int
	told         part.Told                 // by a copy in place of the board
	unreadable   *jobboard.UnreadableError // nil: the answer's postings could all be read
}

// given returns how many postings the service gave, readable or not, where all were taken.
func (h *hits) given() int {
	if h.unreadable == nil {
		return h.shown
	}
	return h.shown + h.unreadable.Count
}

// asJSON returns the JSON value to write for a posting: the chosen fields, or the
// service's whole posting, with the job's identifier if the link names it.
func (h *hits) asJSON(p *jobboard.JobPosting) (any, error) {
	if h.fields != nil {
		return cli.Object(h.fields, p)
	}
	addJob(p)
	return p, nil
}

// addJob adds the member job with the identifier from the link, unless the
// service sent such a member.
func addJob(p *jobboard.JobPosting) {
	job, ok := p.LinkedJob()
	if _, given := p.Unknown["job"]; given || !ok {
		return
	}
	if p.Unknown == nil {
		p.Unknown = map[string]json.RawMessage{}
	}
	p.Unknown["job"] = json.RawMessage(job.String())
}

// stream writes each posting on a line as it arrives.
func (h *hits) stream(postings *jobboard.PostingStream, w io.Writer) error {
	for p, err := range postings.All() {
		if errors.As(err, &h.unreadable) {
			break // the last item of a whole answer
		}
		if err != nil {
			return err
		}
		h.shown++
		line, err := h.asJSON(p)
		if err != nil {
			return err
		}
		if err := term.WriteJSON(w, line, false); err != nil {
			return err
		}
		if h.shown == h.limit {
			break
		}
	}
	page, _ := postings.Page()
	h.total, h.told = page.TotalNumberOfJobs, part.ReadTold(page.Unknown)
	return nil
}

// page writes a whole answer.
func (h *hits) page(c *term.Console, page *jobboard.JobSearchResult, form string) error {
	h.total, h.told = page.TotalNumberOfJobs, part.ReadTold(page.Unknown)
	if page.Unreadable > 0 {
		h.unreadable = &jobboard.UnreadableError{Count: page.Unreadable, Errors: page.UnreadableErrors}
	}
	if h.limit > 0 && len(page.Results) > h.limit {
		page.Results = page.Results[:h.limit]
	}
	postings := make([]*jobboard.JobPosting, len(page.Results))
	for i := range page.Results {
		postings[i] = &page.Results[i]
	}
	h.shown = len(postings)
	switch form {
	case "json":
		return h.writeJSON(page, postings, c.Out)
	case "csv":
		fields := h.fields
		if fields == nil {
			fields = hitFields
		}
		return cli.WriteCSV(c.Out, fields, postings)
	}
	h.print(c, postings)
	return nil
}

// writeJSON writes the service's answer, with the job added to each posting, or with only
// the chosen fields.
func (h *hits) writeJSON(page *jobboard.JobSearchResult, postings []*jobboard.JobPosting, w io.Writer) error {
	if h.fields == nil {
		for _, p := range postings {
			addJob(p)
		}
		return term.WriteJSON(w, page, true)
	}
	results := []json.RawMessage{}
	for _, p := range postings {
		object, err := cli.Object(h.fields, p)
		if err != nil {
			return err
		}
		results = append(results, object)
	}
	return term.WriteJSON(w, map[string]any{"totalNumberOfJobs": page.TotalNumberOfJobs, "results": results}, true)
}

// hitFields lists the fields of a posting for --fields, in the order of the columns of CSV.
var hitFields = []cli.Field[*jobboard.JobPosting]{
	{Name: "posting", Value: func(p *jobboard.JobPosting) any { return p.JobPostingID }},
	{Name: "version", Value: func(p *jobboard.JobPosting) any { return p.PostingVersionID }},
	{Name: "title", Flex: 5, Least: 30, Value: func(p *jobboard.JobPosting) any { return p.Title }},
	{Name: "place", Flex: 3, Least: 8, Value: func(p *jobboard.JobPosting) any { return placesOf(p) }},
	{Name: "company", Flex: 3, Least: 8, Value: func(p *jobboard.JobPosting) any { return company.Of(p, nil) }},
	{Name: "remote", Value: func(p *jobboard.JobPosting) any {
		return string(p.Config.RemoteStatus())
	}},
	{Name: "since", Value: func(p *jobboard.JobPosting) any { return shown.Day(p.PostingVersionStartDate) }},
	{Name: "until", Value: func(p *jobboard.JobPosting) any { return shown.Day(p.PostingVersionEndDate) }},
	{Name: "apply_link", Flex: 5, Value: func(p *jobboard.JobPosting) any { return shown.Link(p.ApplyURL()) }},
	{Name: "job", Value: func(p *jobboard.JobPosting) any {
		if job, ok := p.LinkedJob(); ok {
			return job
		}
		return nil
	}},
}

func placesOf(p *jobboard.JobPosting) string {
	return strings.Join(p.Config.Get(jobboard.KeyLocationName), ", ")
}

// tableFields returns the columns of a table without --fields. The column place also
// mentions remote work, and a posting without a title shows "(no title)". On a narrow
// terminal the title stays readable: the posting's identifier is left out first, and the
// job's, which other commands take, last.
func tableFields() []cli.Field[*jobboard.JobPosting] {
	fields := cli.Named(hitFields, "posting", "job", "title", "place", "company", "since")
	fields[0].Yields, fields[5].Yields, fields[4].Yields, fields[1].Yields = 4, 3, 2, 1
	fields[2].Value = func(p *jobboard.JobPosting) any { return cmp.Or(term.Printable(p.Title), "(no title)") }
	fields[3].Value = func(p *jobboard.JobPosting) any {
		place := placesOf(p)
		if status := p.Config.RemoteStatus(); status != "" {
			word := "remote"
			if status != jobboard.RemoteFully {
				word = strings.ToLower(strings.ReplaceAll(string(status), "_", " "))
			}
			place = strings.TrimPrefix(place+", "+word, ", ")
		}
		return place
	}
	return fields
}

// print writes the table and a summary.
func (h *hits) print(c *term.Console, postings []*jobboard.JobPosting) {
	if h.shown > 0 {
		fields := h.fields
		if fields == nil {
			fields = tableFields()
		}
		cli.WriteTable(c, fields, postings)
		c.Out.Line("")
	}
	c.Out.Line("%d of %d postings%s", h.shown, max(h.total, h.shown), describeNear(h.near))
	if names, n := beyondCircle(h.near, postings); n > 0 {
		c.OutTerminal.Say(c.Out, "", fmt.Sprintf(
			"%d of them name a place beyond the circle (%s): the service found them for a further location, which its answer does not name",
			n, strings.Join(names, ", ")))
	}
}

func describeNear(g jobboard.GeoLocation) string {
	if g.IsZero() {
		return ""
	}
	return fmt.Sprintf(" within %g km of %g, %g", g.RadiusKm, g.Latitude, g.Longitude)
}

// beyondCircle returns the places of postings outside the search's circle, those with the
// most postings first, and the number of these postings. The service finds such a posting
// by a location that its answer does not include. Without a circle the result is empty.
func beyondCircle(near jobboard.GeoLocation, postings []*jobboard.JobPosting) (names []string, n int) {
	if near.IsZero() {
		return nil, 0
	}
	at := map[places.Place]int{}
	for _, p := range postings {
		beyond := false
		for _, name := range p.Config.Get(jobboard.KeyLocationName) {
			place, ok := towns.Named(name)
			// Coordinates in the list of towns are a few kilometres off.
			if ok && jobboard.DistanceKm(near, jobboard.Near(place.Latitude, place.Longitude, 0)) > near.RadiusKm+15 {
				at[place]++
				beyond = true
			}
		}
		if beyond {
			n++
		}
	}
	for _, place := range slices.SortedFunc(maps.Keys(at), func(a, b places.Place) int {
		return cmp.Or(cmp.Compare(at[b], at[a]), cmp.Compare(a.Name, b.Name))
	}) {
		names = append(names, place.Name)
	}
	return names, n
}

// isInterrupted reports whether the command failed because its context ended.
func isInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
