package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func newReindexCommand(p *cli.Program, db *database) *cobra.Command {
	return &cobra.Command{
		Use:   "reindex",
		Short: "Build the search index anew, while the old one answers",
		Long: `reindex builds the search index anew from the copied postings, after a disk or
a memory module has damaged it: doctor --index says whether that is so, and
nothing cheaper does. Searches are answered from the old index meanwhile, and
other processes may run. If it is interrupted, the next one goes on.

On PostgreSQL the server's own indexes are built anew as well, which needs the
role that owns the tables.`,
		Example: `  jobboard-mirror doctor --db jobs.db --index
  jobboard-mirror reindex --db jobs.db`,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.Settings.UsesFake() {
				return setup.Usage("--fake copies into a database of its own, whose index is new").Next("name the database with --db")
			}
			if err := db.needed(); err != nil {
				return err
			}
			return runReindex(cmd.Context(), &p.Console, db)
		},
	}
}

func runReindex(ctx context.Context, c *term.Console, db *database) error {
	// A database that is not there must not be made.
	m, err := jobmirror.Open(ctx, db.address, jobmirror.Options{ReadOnly: true})
	if err == nil {
		err = m.Close()
	}
	if err == nil {
		m, err = jobmirror.Open(ctx, db.address, jobmirror.Options{})
	}
	if err != nil {
		return openError(err, jobboard.Config{})
	}
	err = errors.Join(m.Reindex(ctx), m.Close())
	if errors.Is(err, jobmirror.ErrNotOwner) {
		return setup.Usage("%w", err).Next("run it once more with the role that owns the tables, as migrate is run")
	}
	if err != nil {
		return err
	}
	c.Out.Line("the index is built anew")
	return c.Out.Err
}

const checkIndex = "index"

// examineIndex compares the index with the postings.
func examineIndex(ctx context.Context, r *doctor.Report, address string) {
	m, err := jobmirror.Open(ctx, address, jobmirror.Options{ReadOnly: true})
	if err != nil {
		r.Add(checkIndex, doctor.Fail, err.Error(), databaseNext(err))
		return
	}
	defer m.Close()
	found, err := m.CheckIndex(ctx)
	if err != nil {
		r.Add(checkIndex, doctor.Fail, err.Error(), "try again later, with the newest version that runs")
		return
	}
	judgeIndex(r, found)
}

// judgeIndex judges what was found in the index.
func judgeIndex(r *doctor.Report, found *jobmirror.IndexCheck) {
	const next = "jobboard-mirror reindex builds it anew; then look for what damaged it: the disk, the memory"
	if found.Unreadable != "" {
		r.Add(checkIndex, doctor.Fail, "the database cannot read it: "+found.Unreadable, next)
		return
	}
	detail := "compared with " + term.Count(found.Postings, "posting")
	if found.Waiting > 0 {
		detail += fmt.Sprintf("; waiting to be indexed: %d", found.Waiting)
	}
	if !found.Damaged() {
		r.Add(checkIndex, doctor.OK, detail, "")
		return
	}
	if found.Differ > 0 {
		detail += fmt.Sprintf("; it holds otherwise: %s (%s)", term.Count(found.Differ, "posting"), differences(found))
	}
	if found.Words > 0 {
		detail += fmt.Sprintf("; words that corrections and suggestions lack: %d", found.Words)
	}
	if found.Tokens > 0 {
		detail += fmt.Sprintf("; words whose lists do not agree with what is found: %d", found.Tokens)
	}
	r.Add(checkIndex, doctor.Fail, detail, next)
}

// differences names the first postings that the index holds otherwise.
func differences(found *jobmirror.IndexCheck) string {
	var list []string
	for _, d := range found.First {
		if d.Posting == 0 {
			list = append(list, fmt.Sprintf("row %d, which is no posting's", d.Row))
		} else {
			list = append(list, strings.TrimSpace(strconv.FormatInt(int64(d.Posting), 10)+" "+d.Language))
		}
	}
	if found.Differ > len(list) {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}
