package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// forgetting says what is to be erased; 0: none.
type forgetting struct{ job, posting int64 }

// numbers is the next step after a wrong number.
const numbers = "jobboard-mirror search shows the numbers of postings and jobs"

func newForgetCommand(p *cli.Program, db *database) *cobra.Command {
	var f forgetting
	cmd := &cobra.Command{
		Use:   "forget",
		Short: "Erase a job or a posting from the copy, for good",
		Long: `forget erases a job with its postings, or one posting in all languages: what is
copied of it, its words in the search index, and what the log of changes says of
it. The copy does not take it from the board again. A change "forgotten" in the
log tells who follows it to do the same.

Other processes may run meanwhile. Where forget is interrupted or ends with an
error, call it again; run and refresh also go on with it. What the copy does not
have is noted as well, so that it is not copied later. Backups, and for a while
the files of the database, still hold what they held.`,
		Example: `  jobboard-mirror forget --db jobs.db --job 12345
  jobboard-mirror forget --db jobs.db --posting 67890`,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			switch {
			case !flags.Changed("job") && !flags.Changed("posting"):
				return setup.Usage("nothing is named that is to be erased").Next("jobboard-mirror forget --job NUMBER, or --posting NUMBER, or both")
			case flags.Changed("job") && f.job <= 0:
				return setup.Usage("--job %d: no job has this number", f.job).Next(numbers)
			case flags.Changed("posting") && f.posting <= 0:
				return setup.Usage("--posting %d: no posting has this number", f.posting).Next(numbers)
			}
			if err := db.needed(p.Settings.UsesFake()); err != nil {
				return err
			}
			return runForget(cmd.Context(), &p.Console, db, f)
		},
	}
	cmd.Flags().Int64Var(&f.job, "job", 0, "`number` of a job, which is erased with its postings")
	cmd.Flags().Int64Var(&f.posting, "posting", 0, "`number` of a posting, of which the job stays")
	cli.Complete(cmd, "job", cli.Nothing)
	cli.Complete(cmd, "posting", cli.Nothing)
	return cmd
}

func runForget(ctx context.Context, c *term.Console, db *database, f forgetting) error {
	m, err := openThere(ctx, db)
	if err != nil {
		return err
	}
	if f.job != 0 {
		if err = m.Forget(ctx, jobboard.JobID(f.job)); err == nil {
			c.Out.Line("job %d is erased, with its postings", f.job)
		}
	}
	if err == nil && f.posting != 0 {
		if err = m.ForgetPosting(ctx, jobboard.JobPostingID(f.posting)); err == nil {
			c.Out.Line("posting %d is erased", f.posting)
		}
	}
	if err := errors.Join(err, m.Close()); err != nil {
		return err
	}
	return c.Out.Err
}

// openThere opens an existing database to write to it, and makes none.
func openThere(ctx context.Context, db *database) (*jobmirror.Mirror, error) {
	m, err := jobmirror.Open(ctx, db.address, jobmirror.Options{ReadOnly: true})
	if err == nil {
		err = m.Close()
	}
	if err == nil {
		m, err = jobmirror.Open(ctx, db.address, jobmirror.Options{})
	}
	if err != nil {
		return nil, db.openError(err, jobboard.Config{})
	}
	return m, nil
}
