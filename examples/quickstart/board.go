package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// board is a service to talk to. Settings come from flags, then from the environment:
// JOBBOARD_BASE_URL, JOBBOARD_JOBDB_URL, JOBBOARD_CLIENT_ID or JOBBOARD_TOKEN,
// JOBBOARD_USER_TOKEN, JOBBOARD_CHANNEL, JOBBOARD_JOB. Tokens have no flag, because a
// command line can be read by others.
type board struct {
	config  jobboard.Config
	channel string
	job     string
	user    oauth2.TokenSource   // nil: no applicant
	fake    *jobboardtest.Server // nil: the service that the settings name
}

// addFlags adds the settings to a flag set.
func (b *board) addFlags(f *flag.FlagSet) {
	add := func(to *string, name, variable, help string) {
		f.StringVar(to, name, os.Getenv(variable), help+" ("+variable+")")
	}
	add(&b.config.BaseURL, "base-url", "JOBBOARD_BASE_URL", "base `address` of the service; empty: the embedded fake")
	add(&b.config.JobDBURL, "jobdb-url", "JOBBOARD_JOBDB_URL", "`address` of the job information lookup")
	add(&b.config.ClientID, "client-id", "JOBBOARD_CLIENT_ID", "client `identifier` for Basic")
	add(&b.channel, "channel", "JOBBOARD_CHANNEL", "`channel` to search")
	add(&b.job, "job", "JOBBOARD_JOB", "job `identifier`")
}

// open reads the tokens, once the flags are parsed, and starts the fake if no service is
// named. close ends it.
func (b *board) open() error {
	if token := os.Getenv("JOBBOARD_TOKEN"); token != "" {
		b.config.TokenSource = jobboard.StaticToken(token)
	}
	if token := os.Getenv("JOBBOARD_USER_TOKEN"); token != "" {
		b.user = jobboard.StaticToken(token)
	}
	if b.config.BaseURL != "" || b.config.JobDBURL != "" {
		return nil
	}
	if b.config.ClientID != "" || b.config.TokenSource != nil || b.user != nil {
		return errors.New("a credential is set and no address: set JOBBOARD_BASE_URL too, or neither")
	}
	b.fake = jobboardtest.NewServer(jobboardtest.WithDemo())
	demo := b.fake.Demo
	b.config.BaseURL, b.config.JobDBURL, b.config.ClientID = b.fake.BaseURL, b.fake.JobDBURL, demo.ClientID
	b.user = jobboard.StaticToken(demo.ApplicantToken)
	b.channel = cmp.Or(b.channel, demo.Channel)
	b.job = cmp.Or(b.job, fmt.Sprint(demo.OpenJob))
	return nil
}

// name returns the name of the board that the program talks to.
func (b *board) name() string {
	if b.fake != nil {
		return "the embedded fake"
	}
	return cmp.Or(b.config.BaseURL, b.config.JobDBURL)
}

// close ends the fake, if there is one.
func (b *board) close() {
	if b.fake != nil {
		b.fake.Close()
	}
}
