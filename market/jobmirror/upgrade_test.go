package jobmirror_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// later lists what a later version would add to the tables. In one transaction it would
// wait for programs at work that wait for it.
const later = `ALTER TABLE jobs ADD COLUMN salary TEXT NOT NULL DEFAULT '';
ALTER TABLE postings ADD COLUMN salary TEXT;
ALTER TABLE sources ADD COLUMN salaries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE limits ADD COLUMN burst BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_salary ON jobs (salary);
CREATE TABLE salaries (job BIGINT PRIMARY KEY, amount BIGINT NOT NULL);
`

func TestOlderVersionWorksBesideANewerSchema(t *testing.T) {
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		opts.RefreshEvery = time.Second
		m := open(t, address, opts)
		refresh(t, m) // its statements are prepared
		stop := run(t, m)
		processes(t, m, 1)
		other := open(t, address, jobmirror.Options{})
		if err := jobmirror.MigrateLater(t.Context(), other, later); err != nil {
			t.Fatal(err)
		}
		knows := func(m *jobmirror.Mirror, title string) {
			t.Helper()
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: title, Language: "de"})
			until(t, time.Minute, title+" is found, and its job known", func() bool {
				page, err := m.Search(t.Context(), jobmirror.Query{Text: title})
				return err == nil && len(page.Postings) > 0 && len(page.Postings[0].Locations) > 0
			})
		}
		knows(m, "Hebamme") // while it runs
		stop()
		checkReplay(t, m) // of a mirror that changes nothing any more
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		m = open(t, address, opts)
		stop = run(t, m)
		knows(m, "Kranführer") // and after a restart
		stop()
		checkReplay(t, m)
		if err := m.Close(); err != nil {
			t.Error(err)
		}

		// A release later the newer version takes something away, and says so.
		if err := jobmirror.Exec(t.Context(), other, "UPDATE mirror SET value = '90000' WHERE name = 'oldest'"); err != nil {
			t.Fatal(err)
		}
		if _, err := jobmirror.Open(t.Context(), address, opts); !errors.Is(err, jobmirror.ErrNewer) {
			t.Errorf("a schema without what it needs: %v", err)
		}
	})
}
