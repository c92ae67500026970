package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// queryFlags are what search and watch ask for.
type queryFlags struct {
	text   string
	near   string
	radius float64
}

func (q *queryFlags) add(f *pflag.FlagSet) {
	f.StringVar(&q.text, "text", "", "search `text`")
	f.StringVar(&q.near, "near", "", "`place`: a town, latitude,longitude or a geo: URI")
	f.Float64Var(&q.radius, "radius", 50, "`km` around the place")
}

// query returns what the flags ask for. It tells on stderr which town a name
// was taken for.
func (q *queryFlags) query(f *pflag.FlagSet, stderr io.Writer) (jobboard.Query, error) {
	out := jobboard.Query{Text: q.text}
	if q.near == "" {
		if f.Changed("radius") {
			return out, usage("--radius needs a place: --near PLACE")
		}
		return out, nil
	}
	circle, town, err := locate(q.near, q.radius)
	if err != nil {
		return out, badPlace(err)
	}
	if town.Name != "" {
		fmt.Fprintf(stderr, "near %s, %s (%g, %g)\n", town.Name, town.Country, town.Latitude, town.Longitude)
	}
	out.Near = circle
	return out, nil
}

// locate returns the circle around a place, and the town that its name was taken
// for, if it has one.
func locate(near string, radius float64) (circle jobboard.GeoLocation, town places.Place, err error) {
	place := near
	isURI := strings.HasPrefix(strings.ToLower(place), "geo:")
	if !isURI && strings.ContainsFunc(place, unicode.IsLetter) {
		var ok bool
		if town, ok = places.Find(place); !ok {
			return circle, town, unknownPlace(place)
		}
		place = fmt.Sprintf("%g,%g", town.Latitude, town.Longitude)
	}
	if !isURI {
		place = "geo:" + strings.ReplaceAll(place, " ", "")
	}
	if circle, err = jobboard.ParseGeoURI(place, radius); err != nil {
		// It speaks of the URI that was made of what was typed.
		err = plain{errors.New(strings.ReplaceAll(err.Error(), strconv.Quote(place), strconv.Quote(near)))}
	}
	return circle, town, err
}

// unknownPlace says that no town has the name, and which it may be the beginning of.
func unknownPlace(name string) error {
	text := fmt.Sprintf("no place is known by the name %.60q", name)
	var similar []string
	for _, p := range places.Search(name, 3) {
		similar = append(similar, p.Name+" ("+p.Country+")")
	}
	if len(similar) > 0 {
		text += "; is it " + strings.Join(similar, " or ") + "?"
	}
	return errors.New(text)
}

func badPlace(err error) error {
	return &exitError{
		code: exitUsage, err: fmt.Errorf("--near: %w", err),
		hint: "such as --near Berlin, --near 52.52,13.405 --radius 50, or --near geo:52.52,13.405",
	}
}

type searchFlags struct {
	queryFlags
	json, jsonl bool
	picture     string
}

func (a *app) searchCommand() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Search the postings of a channel",
		Long: `search prints the postings of a channel that match, as a table that fits the
terminal, as one JSON document (--json) or as one JSON object a line as they
arrive (--jsonl). An answer that breaks off is asked for again, but not once
--jsonl has written a line of it.

--map FILE.svg also draws them as a picture with the search's circle. The answer
of a search names locations and has no coordinates, so a hit is drawn where a
built-in list of places knows its location's name; what it does not know is listed
beside the map. A posting that was found for a further location may be
drawn outside of the circle, at the location that its config names.`,
		Example: "  jobboard search --fake --near Berlin --radius 50\n  jobboard search --text nurse --language en --map hits.svg",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.search(cmd.Context(), cmd.Flags(), &f) },
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.json, "json", false, "print the answer as one JSON document")
	cmd.Flags().BoolVar(&f.jsonl, "jsonl", false, "print one posting a line as JSON, as they arrive")
	cmd.Flags().StringVar(&f.picture, "map", "", "draw the hits to `file`.svg")
	cmd.MarkFlagsMutuallyExclusive("json", "jsonl")
	_ = cmd.MarkFlagFilename("map", "svg")
	return cmd
}

func (a *app) search(ctx context.Context, flags *pflag.FlagSet, f *searchFlags) error {
	q, err := f.query(flags, a.stderr)
	if err != nil {
		return err
	}
	if f.picture != "" && !strings.EqualFold(filepath.Ext(f.picture), ".svg") {
		return usage("--map: the picture is an SVG file, so its name ends with .svg")
	}
	ch, err := a.settings.needChannel(nil)
	if err != nil {
		return err
	}
	s, err := a.searcher()
	if err != nil {
		return err
	}
	drawn := newMapData(q.Near)
	page, shown := jobboard.JobSearchResult{}, 0
	if f.jsonl {
		stream := s.PostingStream(ctx, ch, q)
		for p, err := range stream.All() {
			if err != nil {
				return err
			}
			drawn.add(p)
			shown++
			if err := writeJSON(a.stdout, p, false); err != nil {
				return err
			}
		}
		page, _ = stream.Page()
	} else {
		if !f.json {
			q.OmitConfig = []string{jobboard.KeyAdText}
		}
		result, err := s.Search(ctx, ch, q)
		if err != nil {
			return err
		}
		for i := range result.Results {
			drawn.add(&result.Results[i])
		}
		page, shown = *result, len(result.Results)
		if !f.json {
			a.printPostings(result, q.Near, drawn)
		} else if err := writeJSON(a.stdout, result, true); err != nil {
			return err
		}
	}
	if page.TotalNumberOfJobs > shown {
		fmt.Fprintf(a.stderr,
			"jobboard: the service gave %d of %d postings; the interface has no way to ask for the others. Narrow the search with --text or --near.\n",
			shown, page.TotalNumberOfJobs)
	}
	if f.picture == "" {
		return nil
	}
	var picture bytes.Buffer
	drawn.title = pictureTitle(ch, q)
	if err := drawn.write(&picture); err != nil {
		return err
	}
	if err := os.WriteFile(f.picture, picture.Bytes(), 0o644); err != nil {
		return fmt.Errorf("--map: %w", err)
	}
	fmt.Fprintf(a.stderr, "map: %s, %d postings at known places, %d at none that is known\n", f.picture, drawn.placed,
		drawn.unplaced)
	return nil
}

// printPostings writes the table and what it says in all.
func (a *app) printPostings(result *jobboard.JobSearchResult, near jobboard.GeoLocation, drawn *mapData) {
	shown := len(result.Results)
	if shown > 0 {
		rows := make([][]string, shown)
		for i := range result.Results {
			rows[i] = postingRow(&result.Results[i])
		}
		writeTable(a.stdout, a.outTerminal, searchColumns, rows)
		fmt.Fprintln(a.stdout)
	}
	fmt.Fprintf(a.stdout, "%d of %d postings%s\n", shown, max(result.TotalNumberOfJobs, shown), describeNear(near))
	if names, n := drawn.beyondCircle(); n > 0 {
		fmt.Fprintf(a.stdout,
			"%d of them name a place beyond the circle (%s): the service found them for a further location, which its answer does not name\n",
			n, strings.Join(names, ", "))
	}
}

func describeNear(g jobboard.GeoLocation) string {
	if g.IsZero() {
		return ""
	}
	return fmt.Sprintf(" within %g km of %g, %g", g.RadiusKm, g.Latitude, g.Longitude)
}

func pictureTitle(ch jobboard.ChannelID, q jobboard.Query) string {
	title := "Channel " + string(ch)
	if q.Text != "" {
		title += fmt.Sprintf(", %q", q.Text)
	}
	return title + strings.Replace(describeNear(q.Near), " within", ", within", 1)
}

var searchColumns = []column{
	{head: "POSTING"},
	{head: "TITLE", flex: 5},
	{head: "LOCATION", flex: 3},
	{head: "COMPANY", flex: 3},
	{head: "SINCE"},
}

func postingRow(p *jobboard.JobPosting) []string {
	place := printable(strings.Join(p.Config.Get(jobboard.KeyLocationName), ", "))
	if status, err := p.Config.RemoteStatus(); err == nil {
		word := "remote"
		if status != jobboard.RemoteFully {
			word = printable(strings.ToLower(strings.ReplaceAll(string(status), "_", " ")))
		}
		place = strings.TrimPrefix(place+", "+word, ", ")
	}
	since := ""
	if t, ok := p.PostingVersionStartDate.Time(); ok {
		since = t.Format("2006-01-02")
	}
	return []string{
		fmt.Sprint(int64(p.JobPostingID)), cmp.Or(printable(p.Title), "(no title)"), place,
		printable(p.Config.First(jobboard.KeyCompanyName)), since,
	}
}

// isInterrupted says whether a failure is the end of the command's own context.
func isInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
