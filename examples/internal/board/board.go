// Package board configures the example programs. It reads the service's address and the credentials
// from environment and flags, and without an address starts a mock server (package jobboardtest) in
// the program.
package board

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

// Board is a service to talk to. Settings come from flags, then from the
// environment: JOBBOARD_BASE_URL, JOBBOARD_JOBDB_URL, JOBBOARD_CLIENT_ID or
// JOBBOARD_TOKEN, JOBBOARD_USER_TOKEN, JOBBOARD_CHANNEL, JOBBOARD_JOB. Tokens
// have no flag, because a command line can be read by others.
type Board struct {
	Config  jobboard.Config
	Channel jobboard.ChannelID
	Job     jobboard.JobID
	User    oauth2.TokenSource // nil: no applicant
	Fake    *jobboardtest.Server

	baseURL, jobDBURL, clientID, channel, job string
}

// Flags adds the settings to a flag set.
func (b *Board) Flags(f *flag.FlagSet) {
	f.StringVar(&b.baseURL, "base-url", "", "base `address` of the service (JOBBOARD_BASE_URL); empty: the embedded mock server")
	f.StringVar(&b.jobDBURL, "jobdb-url", "", "`address` of the job information lookup (JOBBOARD_JOBDB_URL)")
	f.StringVar(&b.clientID, "client-id", "", "client `identifier` for Basic (JOBBOARD_CLIENT_ID)")
	f.StringVar(&b.channel, "channel", "", "`channel` to search (JOBBOARD_CHANNEL)")
	f.StringVar(&b.job, "job", "", "job `identifier` (JOBBOARD_JOB)")
}

// Open reads the settings after the flags were parsed, and starts a mock server if they name no
// service. Close stops it.
func (b *Board) Open() error {
	b.Config.BaseURL = cmp.Or(b.baseURL, os.Getenv("JOBBOARD_BASE_URL"))
	b.Config.JobDBURL = cmp.Or(b.jobDBURL, os.Getenv("JOBBOARD_JOBDB_URL"))
	b.Config.ClientID = cmp.Or(b.clientID, os.Getenv("JOBBOARD_CLIENT_ID"))
	b.Channel = jobboard.ChannelID(cmp.Or(b.channel, os.Getenv("JOBBOARD_CHANNEL")))
	job := cmp.Or(b.job, os.Getenv("JOBBOARD_JOB"))
	if token := os.Getenv("JOBBOARD_TOKEN"); token != "" {
		b.Config.TokenSource = jobboard.StaticToken(token)
	}
	if token := os.Getenv("JOBBOARD_USER_TOKEN"); token != "" {
		b.User = jobboard.StaticToken(token)
	}
	if b.Config.BaseURL == "" && b.Config.JobDBURL == "" {
		if b.Config.ClientID != "" || b.Config.TokenSource != nil || b.User != nil {
			return errors.New("a credential is set and no address: set JOBBOARD_BASE_URL too, or neither")
		}
		b.Fake = jobboardtest.NewServer(jobboardtest.WithDemo())
		demo := b.Fake.Demo
		b.Config.BaseURL, b.Config.JobDBURL, b.Config.ClientID = b.Fake.BaseURL, b.Fake.JobDBURL, demo.ClientID
		b.User = jobboard.StaticToken(demo.ApplicantToken)
		b.Channel = cmp.Or(b.Channel, jobboard.ChannelID(demo.Channel))
		job = cmp.Or(job, fmt.Sprint(demo.OpenJob))
	}
	if job != "" {
		var err error
		if b.Job, err = jobboard.ParseJobID(job); err != nil {
			return err
		}
	}
	return nil
}

// Name returns the name of the board that the example talks to.
func (b *Board) Name() string {
	if b.Fake != nil {
		return "the embedded mock server"
	}
	return cmp.Or(b.Config.BaseURL, b.Config.JobDBURL)
}

// Close stops the mock server if the program started one.
func (b *Board) Close() {
	if b.Fake != nil {
		b.Fake.Close()
	}
}
