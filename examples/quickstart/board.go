package main

import (
	"cmp"
	"errors"
	"flag"
	"os"
	"strconv"

	"golang.org/x/oauth2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// board is the service to talk to.
type board struct {
	config  jobboard.Config
	channel string
	job     string
	user    oauth2.TokenSource   // nil: no applicant
	fake    *jobboardtest.Server // nil: a service that the settings name
}

// flags adds the settings to a flag set. What no flag says the environment does.
// Tokens have no flag, because a command line can be read by others.
func (b *board) flags(f *flag.FlagSet) {
	setting := func(value *string, name, variable, help string) {
		f.StringVar(value, name, os.Getenv(variable), help+" ("+variable+")")
	}
	setting(&b.config.BaseURL, "base-url", "JOBBOARD_BASE_URL", "base `address` of the service; empty: the embedded fake")
	setting(&b.config.JobDBURL, "jobdb-url", "JOBBOARD_JOBDB_URL", "`address` of the job information lookup")
	setting(&b.config.ClientID, "client-id", "JOBBOARD_CLIENT_ID", "client `identifier` for Basic")
	setting(&b.channel, "channel", "JOBBOARD_CHANNEL", "`channel` to search")
	setting(&b.job, "job", "JOBBOARD_JOB", "job `identifier`")
}

// open reads the tokens, once the flags are parsed, and starts the fake where no
// service is named. close ends it.
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
	b.job = cmp.Or(b.job, strconv.FormatInt(demo.OpenJob, 10))
	return nil
}

func (b *board) close() {
	if b.fake != nil {
		b.fake.Close()
	}
}
