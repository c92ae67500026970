package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/internal/part"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

type searchFlags struct {
	cli.QueryFlags
	form  cli.FormFlags
	list  cli.ListFlags
	query jobmirror.Query // as flags of its own set it
}

func newSearchCommand(p *cli.Program, db *database) *cobra.Command {
	o := &opening{p: p, db: db}
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search [TEXT]",
		Short: "Find postings in the copy",
		Long: `search prints a page of the postings in the copy that match: as a table, as CSV,
or as one JSON document. TEXT is words in any form, "in quotes" as they are
written, -word leaves out, OR joins. --channel and --language narrow it, as do
--category, --place, --company, --remote and --since. Words of German titles
that mean the same find each other; --synonyms names a file with others. A job
is shown once, in a language in which it matches: in yours (JOBBOARD_LANGUAGE,
else the locale's) if it does. Postings that a visitor should not see are left
out, but for --all.`,
		Example: `  jobboard-mirror search --fake --near Berlin --radius 50 nurse
  jobboard-mirror search --db jobs.db --fields title,job --csv nurse > nurses.csv`,
		ValidArgsFunction: cli.Nothing,
		RunE: func(cmd *cobra.Command, args []string) error {
			fields, err := cli.Chosen(&f.list, hitFields)
			if err != nil {
				return err
			}
			asked, err := f.Query(cmd.Flags(), args, &p.Console)
			if err != nil {
				return err
			}
			q := f.query
			q.Text, q.Near, q.Limit, q.CountSince, q.OncePerJob = asked.Text, asked.Near, f.list.Limit, q.Facets, true
			q.Channel, q.Language = jobboard.ChannelID(fromFlag(cmd, "channel")), fromFlag(cmd, "language")
			return o.with(cmd, func(ctx context.Context, m *copied) error {
				stored, err := m.StoredLanguages(ctx)
				if err != nil {
					return err
				}
				reader := readerLanguage(p.Settings.Getenv)
				if i := slices.IndexFunc(stored, func(language string) bool { return baseOf(language) == reader }); i >= 0 {
					q.Prefer = stored[i]
				}
				page, err := m.Search(ctx, q)
				if errors.Is(err, jobmirror.ErrPageCursor) && q.After != "" {
					p.Note("--after: the cursor is of another search or of other synonyms; this is the first page")
					q.After = ""
					page, err = m.Search(ctx, q)
				}
				if errors.Is(err, jobmirror.ErrPageCursor) {
					return setup.Usage("--changed-after: the mark is not of this database").
						Next("give the mark of an earlier page, which --json shows")
				}
				if err != nil {
					return err
				}
				return showPage(ctx, &p.Console, m, page, f.form.Form(), fields, q)
			})
		},
	}
	f.Add(cmd)
	f.form.Add(cmd, cli.Form{Name: "csv", Help: "print a line per posting as CSV"},
		cli.Form{Name: "json", Help: "print the page as one JSON document"})
	cli.AddListFlags(&f.list, cmd, hitFields)
	cmd.Flags().Lookup("limit").Usage = "`postings` on a page; 0: 20"
	fl, q := cmd.Flags(), &f.query
	fl.StringVar((*string)(&q.After), "after", "", "`cursor` of the page before")
	fl.StringVar((*string)(&q.ChangedAfter), "changed-after", "",
		"only postings that came or changed since the page with this `mark`, which --json shows")
	fl.BoolVar(&q.Facets, "facets", false, "count all hits, in all and by category, place, company, remote work and days")
	fl.BoolVar(&q.All, "all", false, "find also what a visitor should not see: not visible, not begun, ended or closed")
	fl.StringVar(&q.Category, "category", "", "only postings of a category, by its `identifier`")
	fl.StringVar(&q.Place, "place", "", "only postings of a `place`")
	fl.StringVar(&q.Company, "company", "", "only postings of a `company`")
	fl.StringVar((*string)(&q.Remote), "remote", "", "only postings with a `status` of remote work, such as FULLY_REMOTE")
	fl.IntVar(&q.Since, "since", 0, "only postings that are there since so many `days` at most; 0: any")
	for _, name := range []string{"after", "changed-after", "category", "place", "company", "remote", "since"} {
		cli.Complete(cmd, name, cli.Nothing)
	}
	o.addSynonymsFlag(cmd)
	return cmd
}

// hitFields lists the fields of a posting for --fields, in the order of the columns of CSV.
var hitFields = []cli.Field[jobmirror.Posting]{
	{Name: "posting", Value: func(p jobmirror.Posting) any { return p.Posting.JobPostingID }},
	{Name: "job", Value: func(p jobmirror.Posting) any {
		if p.Job == 0 {
			return nil
		}
		return p.Job
	}},
	{Name: "language", Value: func(p jobmirror.Posting) any { return p.Language }},
	{Name: "km", Value: func(p jobmirror.Posting) any {
		if km, ok := p.Distance(); ok {
			return int(km + 0.5)
		}
		return nil
	}},
	{Name: "title", Flex: 5, Least: 30, Value: func(p jobmirror.Posting) any { return p.Posting.Title }},
	{Name: "place", Flex: 3, Least: 8, Value: func(p jobmirror.Posting) any {
		return strings.Join(p.Posting.Config.Get(jobboard.KeyLocationName), ", ")
	}},
	{Name: "company", Flex: 3, Value: func(p jobmirror.Posting) any {
		return p.Company
	}},
	{Name: "evidence", Value: func(p jobmirror.Posting) any { return string(p.Evidence) }},
	{Name: "seen", Value: func(p jobmirror.Posting) any { return p.Seen.UTC().Format(time.RFC3339) }},
}

// showPage writes a page in a form, and for people notes what a search corrected, and why it found nothing.
func showPage(ctx context.Context, c *term.Console, m *copied, page *jobmirror.Page, form string,
	fields []cli.Field[jobmirror.Posting], q jobmirror.Query,
) error {
	switch form {
	case "csv":
		if fields == nil {
			fields = hitFields
		}
		return cli.WriteCSV(c.Out, fields, page.Postings)
	case "json":
		reasons, err := whyEmpty(ctx, m, q, page)
		if err != nil {
			return err
		}
		return printJSON(c, page, fields, reasons)
	}
	if fields == nil {
		fields = tableFields(!q.Near.IsZero())
	}
	printPage(c, page, fields, q.Language == "")
	noteCorrected(c, page.Corrected)
	return noteEmpty(ctx, c, m, q, page)
}

// printPage writes a table, and below it the facets, which may count a posting in several languages, and the next page.
func printPage(c *term.Console, page *jobmirror.Page, fields []cli.Field[jobmirror.Posting], inEachLanguage bool) {
	to := c.Out
	if len(page.Postings) > 0 {
		cli.WriteTable(c, fields, page.Postings)
	}
	if page.Facets != nil {
		languages := ""
		if inEachLanguage {
			languages = ", counted once in each language"
		}
		to.Line("\n%d in all%s", page.Facets.Total, languages)
		for _, facet := range []map[string]int{page.Facets.Categories, page.Facets.Places, page.Facets.Companies} {
			for _, value := range slices.Sorted(maps.Keys(facet)) {
				to.Line("  %6d %s", facet[value], term.Printable(value))
			}
		}
		for _, value := range slices.Sorted(maps.Keys(page.Facets.Remote)) {
			to.Line("  %6d %s", page.Facets.Remote[value], term.Printable(string(value)))
		}
		for _, days := range slices.Sorted(maps.Keys(page.Facets.Since)) {
			to.Line("  %6d since %s", page.Facets.Since[days], term.Count(days, "day"))
		}
	}
	if page.Next != "" {
		to.Line("\nmore with --after %s", page.Next)
	}
}

// tableFields returns the columns of a table without --fields; measured says that the search
// was around a place. On a narrow terminal the title stays readable: the posting's identifier
// is left out first, and the job's, which other commands take, last.
func tableFields(measured bool) []cli.Field[jobmirror.Posting] {
	fields := cli.Named(hitFields, "posting", "job", "language", "km", "title", "place")
	fields[0].Yields, fields[2].Yields, fields[1].Yields = 3, 2, 1
	if !measured {
		fields = slices.Delete(fields, 3, 4)
	}
	return fields
}

// wirePage is a page as JSON: with --fields its postings have these alone. Why and corrected are as in the answers
// of run and serve.
type wirePage struct {
	part.Told
	Postings   []any                `json:"postings"`
	Next       jobmirror.PageCursor `json:"next"`
	Mark       jobmirror.ChangeMark `json:"mark"`
	Facets     *wireFacets          `json:"facets"`
	Building   bool                 `json:"building"`
	AgeSeconds int                  `json:"ageSeconds"`
}

type wireFacets struct {
	Total      int                           `json:"total"`
	Categories map[string]int                `json:"categories"`
	Places     map[string]int                `json:"places"`
	Companies  map[string]int                `json:"companies"`
	Remote     map[jobboard.RemoteStatus]int `json:"remote"`
	Since      map[int]int                   `json:"since"`
}

// wirePosting is a hit as JSON: the board's posting, and the mirror's data
// about it.
type wirePosting struct {
	Posting      jobboard.JobPosting `json:"posting"`
	Language     string              `json:"language,omitempty"`
	TextLanguage string              `json:"textLanguage,omitempty"`
	Sources      []string            `json:"sources,omitempty"`
	Job          jobboard.JobID      `json:"jobId,omitempty"`
	Evidence     jobmirror.Evidence  `json:"evidence,omitempty"`
	Confirmed    bool                `json:"confirmed"`
	Company      string              `json:"company,omitempty"`
	Km           *float64            `json:"km,omitempty"`
	FirstSeen    time.Time           `json:"firstSeen,omitzero"`
	Seen         time.Time           `json:"seen"`
	MissingSince time.Time           `json:"missingSince,omitzero"`
	ShownAgain   int                 `json:"shownAgain,omitempty"`
}

func printJSON(c *term.Console, page *jobmirror.Page, fields []cli.Field[jobmirror.Posting], why []string) error {
	out := wirePage{
		Told: part.Told{Why: strings.Join(why, "; ")}, Postings: make([]any, len(page.Postings)),
		Next: page.Next, Mark: page.Mark, Facets: (*wireFacets)(page.Facets), Building: page.Building,
		AgeSeconds: int(page.Age.Seconds()),
	}
	for _, x := range page.Corrected {
		out.Corrected = append(out.Corrected, part.Correction(x))
	}
	for i, p := range page.Postings {
		if fields != nil {
			object, err := cli.Object(fields, p)
			if err != nil {
				return err
			}
			out.Postings[i] = object
			continue
		}
		w := wirePosting{
			Posting: p.Posting, Language: p.Language, TextLanguage: p.TextLanguage, Sources: p.Sources, Job: p.Job,
			Evidence: p.Evidence, Confirmed: p.Confirmed, Company: p.Company, FirstSeen: p.FirstSeen, Seen: p.Seen,
			MissingSince: p.MissingSince, ShownAgain: p.ShownAgain,
		}
		if km, ok := p.Distance(); ok {
			w.Km = &km
		}
		out.Postings[i] = w
	}
	return term.WriteJSON(c.Out, out, true)
}
