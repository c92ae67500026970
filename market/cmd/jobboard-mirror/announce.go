package main

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
	"github.com/jobboard-sdk/jobboard-go/market/jobsite"
)

// announcing holds the flags that say of which site's pages search engines are told.
type announcing struct {
	site     string // empty: of none
	page     string
	language string
	jobpublish.AnnouncerConfig
}

func (a *announcing) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.site, "announce", "", "`address` of the site with the jobs, of whose changed pages search engines are told by IndexNow")
	f.StringVar(&a.page, "announce-page", "", "`path` of a job's page there; empty: /job/{job}/{words...}")
	f.StringVar(&a.language, "announce-language", "", "`language` of the titles in these paths; empty: the first that is copied, else de")
	f.StringVar(&a.Key, "announce-key", "", "`key` of IndexNow, which the site serves at /KEY.txt")
	f.IntVar(&a.PerDay, "announce-most", 0, "`pages` that are announced in a day at most; 0: 10000")
	f.StringVar(&a.Endpoint, "announce-to", "", "`address` that takes announcements; empty: IndexNow's own")
	for _, name := range []string{"announce", "announce-page", "announce-key", "announce-most", "announce-to"} {
		cli.Complete(cmd, name, cli.Nothing)
	}
	cli.Complete(cmd, "announce-language", cli.OneOf("de", "en"))
}

// announce returns a function that announces until its context ends; nil: the flags ask for none.
func (a *announcing) announce(m *copied, logger *slog.Logger) (func(context.Context) error, error) {
	if a.site == "" {
		if a.Key != "" {
			return nil, setup.Usage("--announce-key is of no use without --announce")
		}
		return nil, nil
	}
	cfg := a.AnnouncerConfig
	cfg.URL, cfg.Store, cfg.Logger = a.site, m.Announced(), logger
	announcer, err := jobpublish.NewAnnouncer(cfg)
	if err != nil {
		return nil, setup.Usage("--announce: %w", err)
	}
	language := a.language
	if copied := m.Languages(); language == "" && len(copied) > 0 {
		language = copied[0]
	}
	site, err := jobsite.New(m.Mirror, jobsite.Config{
		URL: a.site, Page: a.page, Languages: []string{cmp.Or(language, "de")}, Logger: logger,
	})
	if err != nil {
		return nil, setup.Usage("--announce: %w", err)
	}
	return func(ctx context.Context) error { return site.Announce(ctx, announcer) }, nil
}
