package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// program is what a command has: its settings and the open mirror.
type program struct {
	out, errOut io.Writer
	args        []string

	db          string
	fake        bool
	fakeJobs    int
	channels    string
	languages   string
	feeds       list
	limit       float64
	concurrency int
	accept      bool
	retire      bool
	json        bool
	addr        string
	allow       networks
	monitor     string
	query       jobmirror.Query
	channel     string
	after       string
	since       string
	follow      bool

	mirror    *jobmirror.Mirror
	telemetry *telemetry
	board     *jobboardtest.Server
	temp      string
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func (p *program) flags(f *flag.FlagSet) {
	f.StringVar(&p.db, "db", os.Getenv("JOBBOARD_MIRROR_DB"), "`address` of the database: a file, or postgres://... (JOBBOARD_MIRROR_DB)")
	f.BoolVar(&p.fake, "fake", false, "copies a stand-in of the board that runs in this process; without -db the copy is temporary")
	f.IntVar(&p.fakeJobs, "fake-jobs", 0, "further jobs that the stand-in has")
	f.StringVar(&p.channels, "channels", os.Getenv("JOBBOARD_CHANNEL"), "`channels` to copy, with commas (JOBBOARD_CHANNEL)")
	f.StringVar(&p.languages, "languages", "", "`languages` to copy each channel in, such as de,en")
	f.Var(&p.feeds, "feed", "`file or address` of a job feed to copy; may be repeated")
	f.Float64Var(&p.limit, "limit", 0, "requests a second to the board; 0: 20, below 0: no limit")
	f.IntVar(&p.concurrency, "concurrency", 0, "lookups at once; 0: 16")
	f.BoolVar(&p.accept, "accept", false, "removes what is missing, however much it is")
	f.BoolVar(&p.retire, "retire", false, "removes at once what channels and feeds show that are not named any more; else that takes 7 days")
	f.BoolVar(&p.json, "json", false, "prints JSON")
	f.StringVar(&p.addr, "addr", "", "`address` to serve at, such as 127.0.0.1:8080")
	f.Var(&p.allow, "allow", "`networks` of callers that are served, such as 10.0.0.0/8,fd00::/8; none: this machine")
	f.StringVar(&p.monitor, "monitor", "", "`address` to serve /live, /ready and /metrics at, to anybody who can reach it")
	f.TextVar(&p.query.Near, "near", jobboard.GeoLocation{}, "`circle` to search in: latitude::longitude::kilometres")
	f.StringVar(&p.query.Language, "language", "", "`language` of the postings to find")
	f.StringVar(&p.channel, "channel", "", "`channel` of the postings to find, or to copy")
	f.IntVar(&p.query.Limit, "n", 20, "postings on a page")
	f.StringVar(&p.after, "after", "", "`cursor` of the page before")
	f.BoolVar(&p.query.Facets, "facets", false, "counts all hits, in all and by category and place")
	f.StringVar(&p.since, "since", "", "`cursor` after which changes are told; empty: all that the log has")
	f.BoolVar(&p.follow, "follow", false, "waits for further changes")
}

var errNoDatabase = errors.New("name the database with -db, or try --fake")

// open opens the mirror that the flags name, and prepares it as they say.
func (p *program) open(ctx context.Context, reads bool) error {
	opts, err := p.options(reads)
	if err != nil {
		return err
	}
	if p.telemetry, err = startTelemetry(ctx, &opts, p.monitor != ""); err != nil {
		return err
	}
	if p.mirror, err = jobmirror.Open(ctx, p.db, opts); err != nil {
		return err
	}
	if p.accept {
		err = p.mirror.Accept(ctx)
	}
	if err == nil && p.retire {
		err = p.mirror.Retire(ctx)
	}
	if err == nil && p.fake && reads {
		err = p.mirror.Refresh(ctx)
	}
	return err
}

// options returns the mirror's options by flags and environment.
func (p *program) options(reads bool) (jobmirror.Options, error) {
	opts := jobmirror.Options{
		Config: jobboard.Config{
			BaseURL: os.Getenv("JOBBOARD_BASE_URL"), JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL"),
			ClientID: os.Getenv("JOBBOARD_CLIENT_ID"), UserAgent: "jobboard-mirror",
		},
		Limit: p.limit, Concurrency: p.concurrency, ReadOnly: reads && !p.fake, Authorize: p.allow.authorize(),
		Logger: slog.New(slog.NewTextHandler(p.errOut, nil)),
	}
	if token := os.Getenv("JOBBOARD_TOKEN"); token != "" {
		opts.Config.TokenSource = jobboard.StaticToken(token)
	}
	if p.fake {
		if err := p.startFake(&opts); err != nil {
			return opts, err
		}
	}
	if p.db == "" {
		return opts, errNoDatabase
	}
	if !reads {
		p.addSources(&opts)
		if len(opts.Channels)+len(opts.Feeds) == 0 {
			return opts, errors.New("name what to copy with -channel or -feed, or try --fake")
		}
	}
	return opts, nil
}

// addSources adds the channels and feeds that the flags name.
func (p *program) addSources(opts *jobmirror.Options) {
	for channel := range strings.SplitSeq(p.channels+","+p.channel, ",") {
		if channel = strings.TrimSpace(channel); channel == "" {
			continue
		}
		c := jobmirror.Channel{ID: jobboard.ChannelID(channel)}
		if p.languages != "" {
			for language := range strings.SplitSeq(p.languages, ",") {
				c.Languages = append(c.Languages, strings.TrimSpace(language))
			}
		}
		opts.Channels = append(opts.Channels, c)
	}
	for _, feed := range p.feeds {
		opts.Feeds = append(opts.Feeds, jobmirror.Feed{Address: feed})
	}
}

// startFake starts the stand-in, and lets the options name it.
func (p *program) startFake(opts *jobmirror.Options) error {
	p.board = jobboardtest.NewServer(jobboardtest.WithDemo())
	demo := p.board.Demo
	for i := range p.fakeJobs {
		p.board.Publish(demo.Channel, jobboardtest.Job{
			Title: fmt.Sprintf("Nurse %d", i), Language: "en",
			Location: jobboardtest.Location{Lat: "52.52", Long: "13.37", City: "Berlin"},
		})
	}
	opts.Config.BaseURL, opts.Config.JobDBURL, opts.Config.ClientID = p.board.BaseURL, p.board.JobDBURL, demo.ClientID
	opts.Config.TokenSource = nil
	opts.Channels = []jobmirror.Channel{{ID: jobboard.ChannelID(demo.Channel), Languages: []string{"de", "en"}}}
	opts.Feeds = []jobmirror.Feed{{Name: "demo", Address: p.board.FeedURL}}
	opts.Limit = cmp.Or(opts.Limit, 500)
	if p.db != "" {
		return nil
	}
	var err error
	p.temp, err = os.MkdirTemp("", "jobboard-mirror-")
	p.db = filepath.Join(p.temp, "jobs.db")
	return err
}

func (p *program) close() error {
	var err error
	if p.mirror != nil {
		err = p.mirror.Close()
	}
	if p.telemetry != nil {
		err = errors.Join(err, p.telemetry.close())
	}
	if p.board != nil {
		p.board.Close()
	}
	if p.temp != "" {
		err = errors.Join(err, os.RemoveAll(p.temp))
	}
	return err
}
