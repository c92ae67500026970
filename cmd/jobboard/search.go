package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
)

type searchFlags struct {
	cli.QueryFlags
	output  cli.OutputFlags
	picture string
}

func newSearchCommand(p *cli.Program, known *lastSearch) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search [TEXT]",
		Short: "Search the postings of a channel",
		Long: `search prints the postings of a channel that match: as a table, cut to the width
of the terminal, as CSV, as one JSON document, or as one JSON object a line as
they arrive. TEXT is the search text, as --text is. An answer that breaks off is
asked for again, but not once --jsonl has written a line of it.

--map FILE.svg also draws them as a picture with the search's circle. The answer
of a search names locations and has no coordinates, so a hit is drawn where a
built-in list of places knows its location's name; what it does not know is
listed beside the map. A posting that was found for a further location may be
drawn outside of the circle, at the location that its config names.`,
		Example: `  jobboard search --fake --near Berlin --radius 50
  jobboard search nurse --language en --output nurses.csv`,
		ValidArgsFunction: cli.Nothing,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && f.Text != "" {
				return setup.Usage("%q and --text are both the text: give one of them", args[0])
			}
			f.Text += strings.Join(args, " ")
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			return runSearch(cmd.Context(), &p.Console, b, known, cmd.Flags(), &f)
		},
	}
	f.Add(cmd)
	f.output.Add(cmd, cli.Form{Name: "csv", Extension: "csv", Help: "print a line per posting as CSV"},
		cli.Form{Name: "json", Extension: "json", Help: "print the answer as one JSON document"},
		cli.Form{Name: "jsonl", Extension: "jsonl", Help: "print one posting a line as JSON, as they arrive"})
	cmd.Flags().StringVar(&f.picture, "map", "", "draw the hits to `file`.svg")
	_ = cmd.MarkFlagFilename("map", "svg")
	return cmd
}

func runSearch(ctx context.Context, c *term.Console, b *setup.Board, known *lastSearch, flags *pflag.FlagSet,
	f *searchFlags,
) error {
	q, err := f.Query(flags, c)
	if err != nil {
		return err
	}
	if f.picture != "" && !strings.EqualFold(filepath.Ext(f.picture), ".svg") {
		return setup.Usage("--map: the picture is an SVG file, so its name ends with .svg")
	}
	form, err := f.output.Form()
	if err != nil {
		return err
	}
	s, ch, err := b.Searcher(nil)
	if err != nil {
		return err
	}
	// A file that is there is not emptied for a search that fails.
	var page *jobboard.JobSearchResult
	if form != "jsonl" {
		if form == "" {
			q.OmitConfig = []string{jobboard.KeyAdText}
		}
		if page, err = s.Search(ctx, ch, q); err != nil {
			return err
		}
	}
	found := &hits{near: q.Near, drawn: newMapData(q.Near), seen: newMemory(b, ch)}
	err = f.output.WriteTo(c.Out, func(to *term.Output) error {
		if form == "jsonl" {
			return found.stream(s.PostingStream(ctx, ch, q), to)
		}
		return found.page(c, page, form, to)
	})
	if err != nil {
		return err
	}
	known.remember(found.seen)
	noteHits(c, found, f, q)
	if f.picture == "" {
		return nil
	}
	return drawMap(c, f.picture, pictureTitle(ch, q), found.drawn)
}

// noteHits tells what the output does not.
func noteHits(c *term.Console, found *hits, f *searchFlags, q jobboard.Query) {
	if f.output.File != "" {
		c.Note("%d postings in %s", found.shown, f.output.File)
	}
	if found.total > found.shown {
		c.Note("the service gave %d of %d postings; the interface has no way to ask for the others. Narrow the search with --text or --near.",
			found.shown, found.total)
	}
	if found.total == 0 && q.Text == "" && q.Near.IsZero() {
		c.Note("the service says the same of a channel that does not exist: jobboard doctor tells more")
	}
}

// drawMap writes the picture of --map.
func drawMap(c *term.Console, file, title string, hits *mapData) error {
	var picture bytes.Buffer
	hits.title = title
	if err := hits.write(&picture); err != nil {
		return err
	}
	if err := os.WriteFile(file, picture.Bytes(), 0o644); err != nil {
		return fmt.Errorf("--map: %w", err)
	}
	c.Note("%s shows %d postings at known places and lists %d at none that is known", file, hits.placed, hits.unplaced)
	return nil
}

// hits are what a search found.
type hits struct {
	near         jobboard.GeoLocation
	drawn        *mapData
	seen         *memory
	shown, total int
}

func (h *hits) add(p *jobboard.JobPosting) {
	h.shown++
	h.drawn.add(p)
	h.seen.add(p)
}

// stream writes a posting a line, as they arrive.
func (h *hits) stream(postings *jobboard.PostingStream, w io.Writer) error {
	for p, err := range postings.All() {
		if err != nil {
			return err
		}
		h.add(p)
		if err := term.WriteJSON(w, p, false); err != nil {
			return err
		}
	}
	page, _ := postings.Page()
	h.total = page.TotalNumberOfJobs
	return nil
}

// page writes a whole answer.
func (h *hits) page(c *term.Console, page *jobboard.JobSearchResult, form string, w io.Writer) error {
	for i := range page.Results {
		h.add(&page.Results[i])
	}
	h.total = page.TotalNumberOfJobs
	switch form {
	case "json":
		return term.WriteJSON(w, page, true)
	case "csv":
		return writePostingsCSV(w, page.Results)
	}
	printPostings(c, page, h)
	return nil
}

// writePostingsCSV writes a line per posting, after one with the names of the columns.
func writePostingsCSV(w io.Writer, postings []jobboard.JobPosting) error {
	lines := csv.NewWriter(w) // Flush has its errors
	_ = lines.Write([]string{
		"posting", "version", "title", "location", "company", "remote", "since", "until", "apply_link",
	})
	for i := range postings {
		p := &postings[i]
		status, _ := p.Config.RemoteStatus()
		_ = lines.Write([]string{
			fmt.Sprint(p.JobPostingID), fmt.Sprint(p.PostingVersionID), cell(p.Title),
			cell(strings.Join(p.Config.Get(jobboard.KeyLocationName), ", ")), cell(p.Config.First(jobboard.KeyCompanyName)),
			cell(string(status)), day(p.PostingVersionStartDate), day(p.PostingVersionEndDate), cell(usable(p.ApplyURL())),
		})
	}
	lines.Flush()
	return lines.Error()
}

// cell keeps a spreadsheet from taking a foreign text for a formula.
func cell(s string) string {
	if s = term.Printable(s); s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

// printPostings writes the table and what it says in all.
func printPostings(c *term.Console, page *jobboard.JobSearchResult, h *hits) {
	if h.shown > 0 {
		rows := make([][]string, h.shown)
		for i := range page.Results {
			rows[i] = postingRow(&page.Results[i])
		}
		term.WriteTable(c.Out, c.OutTerminal, searchColumns, rows)
		c.Out.Line("")
	}
	c.Out.Line("%d of %d postings%s", h.shown, max(h.total, h.shown), describeNear(h.near))
	if names, n := h.drawn.beyondCircle(); n > 0 {
		c.OutTerminal.Say(c.Out, "", fmt.Sprintf(
			"%d of them name a place beyond the circle (%s): the service found them for a further location, which its answer does not name",
			n, strings.Join(names, ", ")))
	}
}

func day(m jobboard.Millis) string {
	if t, ok := m.Time(); ok {
		return t.UTC().Format(time.DateOnly)
	}
	return ""
}

// usable returns a link that can be followed, and "" for any other.
func usable(link *url.URL, err error) string {
	if err != nil {
		return ""
	}
	return link.String()
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

var searchColumns = []term.Column{
	{Head: "POSTING"},
	{Head: "TITLE", Flex: 5},
	{Head: "LOCATION", Flex: 3},
	{Head: "COMPANY", Flex: 3},
	{Head: "SINCE"},
}

func postingRow(p *jobboard.JobPosting) []string {
	place := term.Printable(strings.Join(p.Config.Get(jobboard.KeyLocationName), ", "))
	if status, err := p.Config.RemoteStatus(); err == nil {
		word := "remote"
		if status != jobboard.RemoteFully {
			word = term.Printable(strings.ToLower(strings.ReplaceAll(string(status), "_", " ")))
		}
		place = strings.TrimPrefix(place+", "+word, ", ")
	}
	return []string{
		fmt.Sprint(p.JobPostingID), cmp.Or(term.Printable(p.Title), "(no title)"), place,
		term.Printable(p.Config.First(jobboard.KeyCompanyName)), day(p.PostingVersionStartDate),
	}
}

// isInterrupted reports whether a failure is the end of the command's own context.
func isInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}
