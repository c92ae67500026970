package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// database holds the address of the copy's database.
type database struct {
	address string // a file, or postgres://...; empty: not set
}

func addDatabaseFlag(root *cobra.Command, getenv func(string) string) *database {
	d := &database{}
	root.PersistentFlags().StringVar(&d.address, "db", getenv(setup.MirrorDB),
		"`address` of the database: a file, or postgres://... (JOBBOARD_MIRROR_DB)")
	// The help does not show the variable's value, which may hold a password.
	root.PersistentFlags().Lookup("db").DefValue = ""
	_ = root.MarkPersistentFlagFilename("db", "db", "sqlite")
	return d
}

// needed fails if no database is named. With fake the command would have one of its own, which ends with it.
func (d *database) needed(fake bool) error {
	switch {
	case d.address == "" && fake:
		return setup.Usage("the database of --fake ends with each command").Next("name one that stays with --db")
	case d.address == "":
		return setup.Usage("no database is named").Next("name it with --db, set JOBBOARD_MIRROR_DB, or try --fake")
	}
	return nil
}

// copying holds the flags that choose the channels and feeds to copy.
type copying struct {
	channels  string
	languages string
	feeds     []string
	accept    bool
	retire    bool
}

// add adds the flags to a command that copies. Board and pace go into o.
func (c *copying) add(cmd *cobra.Command, o *jobmirror.Options) {
	f := cmd.Flags()
	addBoardFlag(cmd, &o.Board)
	f.StringVar(&c.channels, "channels", "", "`channels` to copy, with commas, beside --channel (JOBBOARD_CHANNEL)")
	f.StringVar(&c.languages, "languages", "", "`languages` to copy each channel in, such as de,en")
	addFeedFlag(cmd, &c.feeds)
	f.Float64Var(&o.Limit, "rate", 0, "`requests` a second to the board; 0: 20, below 0: no limit")
	f.BoolVar(&c.accept, "accept-removals", false, "accept pending removals and unconfirmed ends of jobs; run: when it starts")
	f.BoolVar(&c.retire, "remove-sources", false,
		"remove at once what came from channels and feeds that are no longer named; else that takes 7 days")
	cli.Complete(cmd, "channels", cli.Nothing)
	cli.Complete(cmd, "languages", cli.OneOf("de", "en", "de,en"))
	cli.Complete(cmd, "rate", cli.OneOf("5", "20", "50"))
	addIntervals(cmd, o)
}

func addFeedFlag(cmd *cobra.Command, feeds *[]string) {
	cmd.Flags().StringArrayVar(feeds, "feed", nil, "`file or address` of a job feed to copy; may be repeated")
}

func addBoardFlag(cmd *cobra.Command, board *string) {
	cmd.Flags().StringVar(board, "board", "", "`name` of the board, where it has several addresses")
	cli.Complete(cmd, "board", cli.Nothing)
}

// acceptRemovals removes, if a flag says so, rows that their sources no longer show and
// that the copy has kept so far to be safe.
func (c *copying) acceptRemovals(ctx context.Context, m *copied) error {
	if !c.accept {
		return nil
	}
	return m.AcceptRemovals(ctx)
}

// copied is an open mirror with the resources to close after it.
type copied struct {
	*jobmirror.Mirror
	telemetry *telemetry
	channel   jobboard.ChannelID // default channel of assistants; empty: each call names one
	temp      string             // temporary folder with a copy of the mock server; empty: none
}

// opening holds the flags and settings with which a command opens its mirror.
type opening struct {
	p        *cli.Program
	db       *database
	copies   *copying          // nil: the command only reads, while another process writes
	at       listening         // zero: the command does not serve
	options  jobmirror.Options // as flags set them
	synonyms string            // a file; "-": no synonyms; empty: the built-in ones
}

// addSynonymsFlag adds the flag to a command that searches the copy.
func (o *opening) addSynonymsFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.synonyms, "synonyms", "", "`file` with words that find each other, a group on each line, in place of the built-in German ones; -: none")
	_ = cmd.MarkFlagFilename("synonyms", "txt")
}

// readSynonyms reads the file of --synonyms, of which Open refuses more than it takes.
func (o *opening) readSynonyms() (string, error) {
	if o.synonyms == "" || o.synonyms == "-" {
		return o.synonyms, nil
	}
	file, err := os.Open(o.synonyms)
	if err != nil {
		return "", setup.Usage("--synonyms: %w", err)
	}
	defer file.Close()
	const tooMuch = 1<<20 + 1
	list, err := io.ReadAll(io.LimitReader(file, tooMuch))
	if err != nil {
		return "", setup.Usage("--synonyms: %w", err)
	}
	if strings.TrimSpace(string(list)) == "" { // as a list without groups, and not the built-in one
		return "-", nil
	}
	return string(list), nil
}

// open opens the mirror that the settings name. With --fake a command that only reads
// first makes a new copy of the mock server.
func (o *opening) open(ctx context.Context, cmd *cobra.Command) (*copied, error) {
	b := &setup.Board{}
	if o.copies != nil || o.p.Settings.UsesFake() { // a reader uses only the database, and needs no settings of the board
		var err error
		if b, err = o.p.Board(cmd); err != nil {
			return nil, err
		}
	}
	m := &copied{channel: jobboard.ChannelID(fromFlag(cmd, "channel"))}
	if err := m.open(ctx, o, b); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *copied) open(ctx context.Context, o *opening, b *setup.Board) error {
	opts, address, err := m.options(o, b)
	if err != nil {
		return err
	}
	if m.channel == "" && len(opts.Channels) == 1 {
		m.channel = opts.Channels[0].ID
	}
	if m.telemetry, err = startTelemetry(ctx, &opts, o.at.monitor != ""); err != nil {
		return setup.Usage("%w", err)
	}
	if m.Mirror, err = jobmirror.Open(ctx, address, opts); err != nil {
		return o.db.openError(err, opts.Config)
	}
	if o.copies != nil && o.copies.retire {
		err = inUse(m.RemoveSources(ctx))
	}
	if err == nil && o.copies == nil && b.Fake != nil {
		err = m.Refresh(ctx)
	}
	return err
}

// inUse adds to ErrLocked what a person can do while another process runs the mirror. It returns
// other errors unchanged.
func inUse(err error) error {
	if !errors.Is(err, jobmirror.ErrLocked) {
		return err
	}
	return &setup.Error{
		Code: setup.ExitUnexpected, Err: err,
		Hint: "stop the other process, or read beside it: search, status, serve, changes",
	}
}

// openError adds the exit code and the next step to an error of Open: a setting is wrong, or the
// database does not answer.
func (d *database) openError(err error, cfg jobboard.Config) error {
	var mistake *jobboard.ConfigError
	switch {
	case errors.As(err, &mistake):
		return setup.Refused(err, cfg)
	case errors.Is(err, jobboard.ErrInvalidInput):
		return setup.Usage("%w", err).Next("check --channels, --feed and --synonyms")
	case errors.Is(err, jobmirror.ErrOtherBoard):
		return setup.Usage("%w", err).Next("if the board moved, jobboard-mirror migrate --board-moved; if it has several addresses, give it a name with --board")
	case errors.Is(err, jobmirror.ErrLocked):
		return inUse(err)
	}
	wrong := setup.Usage("%w", err).Next(databaseNext(d.address, err))
	if _, unreached := errors.AsType[*net.OpError](err); unreached {
		wrong.Code = setup.ExitNetwork
	}
	return wrong
}

// options returns the options and the database of a mirror.
func (m *copied) options(o *opening, b *setup.Board) (opts jobmirror.Options, address string, err error) {
	opts = o.options
	opts.ReadOnly, opts.Authorize, opts.Hosts = o.copies == nil && b.Fake == nil, o.at.authorize(), o.at.hosts
	opts.Logger = slog.New(slog.NewTextHandler(o.p.Err, nil))
	if !opts.ReadOnly { // a reader sends no requests to the board
		if opts.Config, err = b.Config(jobboard.Config{}); err != nil {
			return opts, "", err
		}
	}
	if opts.Synonyms, err = o.readSynonyms(); err != nil {
		return opts, "", err
	}
	opts.Config.Language = "" // each channel has its own languages
	address = o.db.address
	if o.copies != nil {
		opts.Channels, opts.Feeds = o.copies.sources(b)
	}
	if b.Fake != nil {
		demo := jobmirror.Channel{ID: jobboard.ChannelID(b.Fake.Demo.Channel), Languages: []string{"de", "en"}}
		opts.Channels = append(opts.Channels, demo)
		opts.Feeds = append(opts.Feeds, jobmirror.Feed{Name: "demo", Address: b.Fake.FeedURL})
		opts.Limit = cmp.Or(opts.Limit, 500)
		opts.Board = cmp.Or(opts.Board, "the mock server") // the mock server's address changes with each start
		if address == "" {
			m.temp, err = os.MkdirTemp("", "jobboard-mirror-")
			address = filepath.Join(m.temp, "jobs.db")
		}
	}
	switch {
	case err != nil:
		return opts, "", err
	case address == "":
		return opts, "", o.db.needed(false)
	case o.copies != nil && len(opts.Channels)+len(opts.Feeds) == 0:
		return opts, "", setup.Usage("nothing is named to copy").Next("name it with --channels or --feed, or try --fake")
	}
	return opts, address, nil
}

// sources returns the channels and feeds to copy. The channel of the environment is used
// only if --channels names none.
func (c *copying) sources(b *setup.Board) (channels []jobmirror.Channel, feeds []jobmirror.Feed) {
	named := c.channels
	v := b.Values[setup.Channel]
	if v.Origin == setup.FromFlag || v.Origin == setup.FromFile || v.Origin == setup.FromEnvironment && named == "" {
		named += "," + v.Text
	}
	for channel := range strings.SplitSeq(named, ",") {
		if channel = strings.TrimSpace(channel); channel == "" {
			continue
		}
		x := jobmirror.Channel{ID: jobboard.ChannelID(channel)}
		if c.languages != "" {
			for language := range strings.SplitSeq(c.languages, ",") {
				x.Languages = append(x.Languages, strings.TrimSpace(language))
			}
		}
		channels = append(channels, x)
	}
	for _, feed := range c.feeds {
		feeds = append(feeds, jobmirror.Feed{Address: feed})
	}
	return channels, feeds
}

func (m *copied) close() error {
	var err error
	if m.Mirror != nil {
		err = m.Close()
	}
	if m.telemetry != nil {
		err = errors.Join(err, m.telemetry.close())
	}
	if m.temp != "" {
		err = errors.Join(err, os.RemoveAll(m.temp))
	}
	return err
}

// with opens the mirror, calls run with it, and closes it.
func (o *opening) with(cmd *cobra.Command, run func(ctx context.Context, m *copied) error) error {
	m, err := o.open(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	return errors.Join(inUse(run(cmd.Context(), m)), m.close())
}

// fromFlag returns the value of a flag, or "" if the command line does not set it. Only
// flags narrow a search of the copy; the settings of environment and file name the channel
// to copy.
func fromFlag(cmd *cobra.Command, flag string) string {
	if f := cmd.Flags().Lookup(flag); f != nil && f.Changed {
		return f.Value.String()
	}
	return ""
}
