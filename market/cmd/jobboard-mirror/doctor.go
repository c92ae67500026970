package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/doctor"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/internal/feedaddress"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

func newDoctorCommand(p *cli.Program, db *database) *cobra.Command {
	var (
		asJSON bool
		feeds  []string
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a copy does not work",
		Long: `doctor checks the database: whether one is named and can be opened, whether its
tables are of this version, how old the copy of each source is and what fails,
whether lookups pile up, and whether a process keeps it up to date. On SQLite it
has the database check the search index. With --feed, as run has it, it says of
each feed whether run would take it and whether the copy has it. It only reads.
For what is wrong with the board itself there is jobboard doctor.

It ends with 0 where nothing failed and with 7 where something did.`,
		Example: "  jobboard-mirror doctor --db jobs.db",
		Args:    cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.Settings.UsesFake() {
				if err := db.needed(true); err != nil {
					return err
				}
			}
			return runDoctor(cmd.Context(), &p.Console, db, feeds, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	addFeedFlag(cmd, &feeds)
	return cmd
}

func runDoctor(ctx context.Context, c *term.Console, db *database, feeds []string, asJSON bool) error {
	report := doctor.NewReport(c)
	if m, s := examineDatabase(ctx, report, db.address); m != nil {
		defer m.Close()
		examineCopy(report, s, c.Now())
		examineFeeds(report, s, feeds)
		if !onServer(db.address) {
			within, cancel := context.WithTimeout(ctx, checking)
			defer cancel()
			addIndex(report, m.CheckIndex(within))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return report.Write(asJSON, cli.Version())
}

// The checks of a database, in their order.
const (
	checkDatabase  = "database"
	checkIndex     = "index"
	checkSource    = "source"
	checkFeed      = "feed"
	checkLookups   = "lookups"
	checkProcesses = "processes"
)

const (
	waiting  = 15 * time.Second // bounds the time for the database's answer
	checking = time.Minute      // bounds the time for the check of the search index
)

// examineDatabase checks the database and returns the mirror and its status, or nil if it
// cannot read it.
func examineDatabase(ctx context.Context, r *doctor.Report, address string) (*jobmirror.Mirror, *jobmirror.Status) {
	if address == "" {
		r.Add(checkDatabase, doctor.Fail, "no database is named", "name it with --db, or set JOBBOARD_MIRROR_DB")
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, waiting)
	defer cancel()
	var s *jobmirror.Status
	m, err := jobmirror.Open(ctx, address, jobmirror.Options{ReadOnly: true})
	if err == nil {
		if s, err = m.Status(ctx); err != nil {
			_ = m.Close()
		}
	}
	if err != nil {
		r.Add(checkDatabase, doctor.Fail, err.Error(), databaseNext(address, err))
		return nil, nil
	}
	kind := "SQLite"
	if onServer(address) {
		kind = "PostgreSQL"
	}
	addDatabase(r, kind, s)
	return m, s
}

// onServer reports whether an address is a server's, and no file.
func onServer(address string) bool { return strings.Contains(address, "://") }

// addIndex adds the finding of SQLite's check of the search index.
func addIndex(r *doctor.Report, err error) {
	switch {
	case err == nil:
		r.Add(checkIndex, doctor.OK, "SQLite finds nothing wrong", "")
	case errors.Is(err, context.DeadlineExceeded):
		r.Add(checkIndex, doctor.Warn, fmt.Sprintf("SQLite has not checked it within %s", checking), "try again when the disk has less to do")
	default:
		r.Add(checkIndex, doctor.Fail, err.Error(), "jobboard-mirror rebuild indexes all postings anew; then look for what damaged it: the disk, the memory")
	}
}

// addDatabase adds the finding of a database that can be read.
func addDatabase(r *doctor.Report, kind string, s *jobmirror.Status) {
	detail := fmt.Sprintf("%s, of this version, %s", kind, term.Count(s.Postings, "posting"))
	if s.Standby {
		r.Add(checkDatabase, doctor.Warn, detail+"; a standby, or set to be read only: nothing can be written to it",
			"search, serve, status, changes and doctor work here; for run, refresh, migrate and rebuild name the primary with --db")
		return
	}
	r.Add(checkDatabase, doctor.OK, detail, "")
}

// makeRoom is what to do about a full disk.
const makeRoom = "the disk of the database is full: make room there; the copy goes on by itself then"

// isFull reports whether a problem is that a disk is full, in SQLite's words, or the system's, which PostgreSQL
// repeats.
func isFull(problem string) bool {
	return strings.Contains(problem, "database or disk is full") || strings.Contains(strings.ToLower(problem), "no space left on device")
}

// databaseNext returns what to do about an error of the database at an address.
func databaseNext(address string, err error) string {
	_, unreached := errors.AsType[*net.OpError](err)
	switch {
	case isFull(err.Error()):
		return makeRoom
	case unreached && onServer(address): // by a socket's address the error may be that of a file
		return "check the address, and whether the server is up"
	case errors.Is(err, jobmirror.ErrNewer):
		return "a newer version of this program changed the tables: run that one"
	case errors.Is(err, jobmirror.ErrNotMirror):
		return "this is another program's database: name the mirror's with --db"
	case errors.Is(err, jobmirror.ErrNoSchema):
		return "run jobboard-mirror migrate, with a role that may create tables"
	case errors.Is(err, os.ErrNotExist):
		return "check the path; jobboard-mirror run makes the file"
	case errors.Is(err, os.ErrPermission):
		return "check who owns the file and its folder"
	case errors.Is(err, context.DeadlineExceeded):
		return "the database does not answer: check its host and port, and whether it is busy"
	}
	return "check the address, the role and its password, and whether the server is up"
}

// examineCopy judges the status of the copy's sources and processes.
func examineCopy(r *doctor.Report, s *jobmirror.Status, now time.Time) {
	if len(s.Sources) == 0 {
		r.Add(checkSource, doctor.Fail, "nothing is copied", "start jobboard-mirror run with --channels or --feed")
	}
	for _, source := range s.Sources {
		name := strings.TrimSpace(source.Kind + " " + source.Name + " " + source.Language)
		detail := fmt.Sprintf("%s: %s, copied %s", name, term.Count(source.Rows, "row"), ago(source.Complete))
		switch {
		case source.Refused:
			// The last problem may be newer than the refusal: perhaps the board is down now.
			r.Add(checkSource, doctor.Fail, detail+": the board refuses it; the last problem: "+source.Problem,
				"check the channel's name, and whether the credential may search it; one that is not named any more goes with --remove-sources; "+
					"whether the board answers at all says jobboard doctor")
		case isFull(source.Problem):
			r.Add(checkSource, doctor.Fail, detail+": "+source.Problem, makeRoom)
		case source.Problem != "":
			detail += ": " + source.Problem
			r.Add(checkSource, doctor.Fail, detail, "jobboard doctor says what is wrong with the board; what the copy waits for stands in the problem")
		case source.Complete.IsZero():
			r.Add(checkSource, doctor.Warn, detail, "wait for the first copy, or start jobboard-mirror run")
		case source.Held > 0:
			r.Add(checkSource, doctor.Warn, fmt.Sprintf("%s, pending removals: %d", detail, source.Held),
				"look on the board whether these are gone: if they are, jobboard-mirror refresh --accept-removals; if all are, check its name and the credential")
		case now.Sub(source.Complete) > 2*time.Hour:
			r.Add(checkSource, doctor.Warn, detail, "look whether jobboard-mirror run is at work")
		case source.Rows == 0:
			r.Add(checkSource, doctor.Warn, detail+": it shows nothing",
				"check its name, and whether the credential may see its postings: some boards answer an unknown channel with none")
		default:
			r.Add(checkSource, doctor.OK, detail, "")
		}
	}
	examineLookups(r, s, now)
	if len(s.Processes) == 0 {
		r.Add(checkProcesses, doctor.Warn, "none keeps the copy up to date",
			"start jobboard-mirror run, or run refresh by a timer; a daily one with --lookup-every 20h")
		return
	}
	r.Add(checkProcesses, doctor.OK, fmt.Sprintf("processes that keep the copy up to date: %d", len(s.Processes)), "")
}

// examineFeeds says of feeds whether run would take them, and whether the copy has them.
func examineFeeds(r *doctor.Report, s *jobmirror.Status, feeds []string) {
	for _, feed := range feeds {
		name := feedaddress.Public(feed)
		if feedaddress.Parse(feed) == nil {
			if info, err := os.Stat(feed); err != nil || info.IsDir() {
				detail := name + ": there is no such file"
				if feedaddress.IsMistyped(feed) { // and may hold a password
					detail = "a feed's address is neither http or https with a host, nor the path of a file"
				}
				r.Add(checkFeed, doctor.Fail, detail, "check the path, or the address, of --feed")
				continue
			}
		}
		if !slices.ContainsFunc(s.Sources, func(source jobmirror.SourceStatus) bool { return source.Kind == "feed" && source.Name == name }) {
			r.Add(checkFeed, doctor.Warn, name+": the copy does not have it", "start jobboard-mirror run with this --feed")
			continue
		}
		r.Add(checkFeed, doctor.OK, name+": the copy has it", "")
	}
}

// fewUnconfirmed is how many ends of jobs may be unconfirmed before a person should look: fewer wait for their second lookup.
const fewUnconfirmed = 3

// examineLookups judges the status of the copy's lookups.
func examineLookups(r *doctor.Report, s *jobmirror.Status, now time.Time) {
	detail := fmt.Sprintf("due: %d, without an answer the last time: %d", s.Due, s.Failing)
	switch {
	case s.Failing > 0 && s.Failing >= s.Due && s.Due > 0:
		r.Add(checkLookups, doctor.Fail, detail, "check JOBBOARD_JOBDB_URL: jobboard doctor")
	case !s.DueSince.IsZero() && now.Sub(s.DueSince) > 24*time.Hour:
		r.Add(checkLookups, doctor.Warn, detail+", the first since "+ago(s.DueSince),
			"let it ask more often with --rate, if the board permits")
	case s.Unconfirmed > fewUnconfirmed:
		r.Add(checkLookups, doctor.Warn, fmt.Sprintf("%s; unconfirmed ends of jobs: %d", detail, s.Unconfirmed),
			"look some of these jobs up on the board: if they have ended, jobboard-mirror refresh --accept-removals")
	default:
		r.Add(checkLookups, doctor.OK, detail, "")
	}
}

func newMigrateCommand(p *cli.Program, db *database) *cobra.Command {
	moved, board := false, ""
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Set up the tables, or bring them up to this version's",
		Long: `migrate sets up the tables of a mirror, or brings them up to those of this
version. It needs a role that may create tables. On SQLite run does the same by
itself.

A copy belongs to one board, known by its addresses or by the name of --board,
and run refuses another. With --board-moved migrate notes that the board has the
addresses of the settings, and the name of --board, from now on.`,
		Example: `  jobboard-mirror migrate --db postgres://owner@db/mirror
  JOBBOARD_BASE_URL=https://new.example jobboard-mirror migrate --db jobs.db --board-moved`,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := db.needed(p.Settings.UsesFake()); err != nil {
				return err
			}
			if err := jobmirror.Migrate(cmd.Context(), db.address); err != nil {
				return db.openError(err, jobboard.Config{})
			}
			p.Out.Line("the tables are up to date")
			if !moved {
				return p.Out.Err
			}
			b, err := p.Board(cmd)
			if err != nil {
				return err
			}
			opts := jobmirror.Options{Board: board}
			if opts.Config, err = b.Config(jobboard.Config{}); err != nil {
				return err
			}
			if err := jobmirror.MoveBoard(cmd.Context(), db.address, opts); err != nil {
				return db.openError(err, opts.Config)
			}
			p.Out.Line("the settings' addresses are now the board's")
			return p.Out.Err
		},
	}
	cmd.Flags().BoolVar(&moved, "board-moved", false, "note that the board has other addresses from now on")
	addBoardFlag(cmd, &board)
	return cmd
}
