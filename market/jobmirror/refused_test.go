package jobmirror_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A channel that is misspelt keeps nobody from the others: the status and the readiness answer
// name it. A job that nobody knows may be one of that channel's, as long as somebody names it.
func TestRefusedChannel(t *testing.T) {
	const misspelt = "27828_extrn"
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo(), jobboardtest.WithVariants(jobboardtest.Variants{UnknownChannel: http.StatusNotFound}))
		opts := optionsOf(srv)
		opts.Config.Retry.MaxAttempts = 1
		opts.Channels = append(opts.Channels, jobmirror.Channel{ID: misspelt})
		m := open(t, address, opts)
		source := func() *jobmirror.SourceStatus {
			t.Helper()
			s, err := m.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, source := range s.Sources {
				if source.Name == misspelt {
					return &source
				}
			}
			return nil
		}

		lift := srv.Fail(jobboardtest.Fault{Status: http.StatusInternalServerError})
		if err := m.Refresh(t.Context()); err == nil || source().Refused {
			t.Errorf("a board that fails: %v, %+v", err, source())
		}
		if err := m.Ready(t.Context()); !errors.Is(err, jobmirror.ErrIncomplete) {
			t.Errorf("while the board fails: %v", err)
		}
		waits := "channels " + srv.Demo.Channel + " de, " + srv.Demo.Channel + " en, " + misspelt + "\n"
		if w := answer(t, m, "/mirror/ready"); w.Code != http.StatusServiceUnavailable || !strings.HasSuffix(w.Body.String(), waits) {
			t.Errorf("what it waits for: %d %s, want %s", w.Code, w.Body, waits)
		}
		lift.Lift()

		alone := opts
		alone.Channels, alone.Feeds = opts.Channels[1:], nil
		lone := open(t, address, alone)
		if err := lone.Refresh(t.Context()); !strings.Contains(err.Error(), misspelt) {
			t.Errorf("refreshed: %v", err)
		}
		if s := source(); !s.Refused || s.Failures == 0 || s.Problem == "" || !s.Complete.IsZero() {
			t.Errorf("its status: %+v", s)
		}
		if err := m.Ready(t.Context()); !errors.Is(err, jobmirror.ErrIncomplete) {
			t.Errorf("before the other channel was copied: %v", err)
		}
		// A board that is being deployed may refuse a channel for a moment.
		if err := m.Refresh(t.Context()); !strings.Contains(err.Error(), misspelt) {
			t.Errorf("refreshed: %v", err)
		}
		if page, err := m.Search(t.Context(), jobmirror.Query{}); err != nil || page.Age >= 0 {
			t.Errorf("a search after a moment answers as if the copy were whole, %v", err)
		}
		if w := answer(t, m, "/mirror/ready"); w.Code != http.StatusServiceUnavailable || !strings.HasSuffix(w.Body.String(), ": channel "+misspelt+"\n") {
			t.Errorf("after a moment: %d %s", w.Code, w.Body)
		}
		refuseForLong(t, m)
		if err := m.Refresh(t.Context()); !strings.Contains(err.Error(), misspelt) || !source().Refused {
			t.Errorf("refreshed: %v, %+v", err, source())
		}

		// A board that fails afterwards takes nothing back.
		lift = srv.Fail(jobboardtest.Fault{Status: http.StatusInternalServerError})
		if err := m.Refresh(t.Context()); err == nil || !source().Refused {
			t.Errorf("the board fails again: %v, %+v", err, source())
		}
		lift.Lift()

		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		for name, m := range map[string]*jobmirror.Mirror{"the one that names it": m, "a reader": reader} {
			if err := m.Ready(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if w := answer(t, m, "/mirror/ready"); w.Code != http.StatusOK || w.Body.String() != "ready, without channel "+misspelt+", which the board refuses\n" {
				t.Errorf("%s is asked whether it is ready: %d %s", name, w.Code, w.Body)
			}
			for channel, known := range map[jobboard.ChannelID]bool{"": true, jobboard.ChannelID(srv.Demo.Channel): true, misspelt: false} {
				if page, err := m.Search(t.Context(), jobmirror.Query{Channel: channel}); err != nil || (page.Age >= 0) != known || (len(page.Postings) > 0) != known {
					t.Errorf("%s searches channel %q: %+v, %v", name, channel, page, err)
				}
			}
			if _, err := m.Job(t.Context(), 1); !errors.Is(err, jobmirror.ErrIncomplete) {
				t.Errorf("%s, of a job that may be the channel's: %v", name, err)
			}
		}
		for name, m := range map[string]*jobmirror.Mirror{"one that names nothing else": lone, "one of nothing": open(t, jobmirror.Databases["sqlite"](t), jobmirror.Options{})} {
			if err := m.Ready(t.Context()); !errors.Is(err, jobmirror.ErrIncomplete) {
				t.Errorf("%s: %v", name, err)
			}
			if w := answer(t, m, "/mirror/ready"); w.Code != http.StatusServiceUnavailable {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
		}

		// The name is mended, and for a day nobody names the channel.
		mended := open(t, address, optionsOf(srv))
		if refresh(t, mended); source() == nil {
			t.Error("a process with other sources removes it")
		}
		if err := jobmirror.Exec(t.Context(), mended, "UPDATE sources SET named = named - 25 * 3600 * 1000"); err != nil {
			t.Fatal(err)
		}
		if refresh(t, mended); source() != nil {
			t.Errorf("after a day there is still %+v", source())
		}
		if _, err := reader.Job(t.Context(), 1); !errors.Is(err, jobmirror.ErrUnknown) {
			t.Errorf("a job that nobody knows, then: %v", err)
		}

		// Now the board has the channel.
		if err := m.Refresh(t.Context()); err == nil || !source().Refused {
			t.Errorf("named again: %v, %+v", err, source())
		}
		srv.AddChannel(jobboardtest.Channel{ID: misspelt})
		if refresh(t, m); source().Refused || source().Complete.IsZero() {
			t.Errorf("once the board has it: %+v", source())
		}
		if w := answer(t, m, "/mirror/ready"); w.Body.String() != "ready\n" {
			t.Errorf("once all is copied: %s", w.Body)
		}
	})
}

// refuseForLong has the board refuse its channels for four minutes longer.
func refuseForLong(t *testing.T, m *jobmirror.Mirror) {
	t.Helper()
	if err := jobmirror.Exec(t.Context(), m, "UPDATE sources SET refused = refused - 241 * 1000 WHERE refused > 0"); err != nil {
		t.Fatal(err)
	}
}

// A channel that is copied is not named without its language where the board refuses it in one.
func TestRefusedLanguage(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	opts := optionsOf(srv)
	next := opts.Config.HTTPClient.Transport
	opts.Config.HTTPClient = &http.Client{Transport: sending(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("Accept-Language") != "fr" {
			return next.RoundTrip(r)
		}
		w := httptest.NewRecorder()
		w.WriteHeader(http.StatusBadRequest)
		return w.Result(), nil
	})}
	opts.Channels = append(opts.Channels, jobmirror.Channel{ID: opts.Channels[0].ID, Languages: []string{"fr"}})
	address := jobmirror.Databases["sqlite"](t)
	m := open(t, address, opts)
	if err := m.Refresh(t.Context()); err == nil {
		t.Error("the board refuses nothing")
	}
	refuseForLong(t, m)
	if err := m.Refresh(t.Context()); err == nil {
		t.Error("the board refuses nothing the second time")
	}
	reader := open(t, address, jobmirror.Options{ReadOnly: true})
	for name, m := range map[string]*jobmirror.Mirror{"the one that names it": m, "a reader": reader} {
		want := "ready, without channel " + srv.Demo.Channel + " fr, which the board refuses\n"
		if w := answer(t, m, "/mirror/ready"); w.Body.String() != want {
			t.Errorf("%s: %s, want %s", name, w.Body, want)
		}
	}
}

// A job is not known where nothing is to be copied.
func TestNothingCopied(t *testing.T) {
	m := open(t, jobmirror.Databases["sqlite"](t), jobmirror.Options{})
	if _, err := m.Job(t.Context(), 1); !errors.Is(err, jobmirror.ErrIncomplete) || !strings.HasSuffix(err.Error(), ": nothing was") {
		t.Errorf("a job of an empty copy: %v", err)
	}
}

// A board that answers a search of an unknown channel like one of an empty channel leaves the site empty: the
// status names the channel, and the log does, once.
func TestEmptyChannel(t *testing.T) {
	const misspelt = "27828_extrn"
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	opts := optionsOf(srv)
	log := &strings.Builder{}
	opts.Logger = slogTo(log)
	opts.Channels = append(opts.Channels, jobmirror.Channel{ID: misspelt})
	m := open(t, jobmirror.Databases["sqlite"](t), opts)
	empty := func() (names []string) {
		t.Helper()
		s, err := m.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range s.Sources {
			if source.Empty {
				names = append(names, source.Name)
			}
		}
		return names
	}
	if names := empty(); len(names) > 0 {
		t.Errorf("before the first copy %v are empty", names)
	}
	refresh(t, m)
	refresh(t, m)
	if names := empty(); !slices.Equal(names, []string{misspelt}) {
		t.Errorf("%v are empty", names)
	}
	if n := strings.Count(log.String(), `"jobmirror: a source shows nothing" source="channel `+misspelt); n != 1 {
		t.Errorf("it is told %d times: %s", n, log)
	}
	srv.AddChannel(jobboardtest.Channel{ID: misspelt})
	srv.Publish(misspelt, jobboardtest.Job{Title: "Nurse"})
	if refresh(t, m); len(empty()) > 0 {
		t.Errorf("with a posting %v are empty", empty())
	}
}

// A process without lookups copies postings and asks for no job.
func TestNoLookups(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	opts := optionsOf(srv)
	opts.Config.JobDBURL, opts.Feeds, opts.LookupEvery = "", nil, -1
	m := open(t, jobmirror.Databases["sqlite"](t), opts)
	refresh(t, m)
	page, err := m.Search(t.Context(), jobmirror.Query{Facets: true})
	if err != nil || page.Facets.Total < 40 {
		t.Errorf("%+v, %v", page, err)
	}
	s, err := m.Status(t.Context())
	if err != nil || s.Failing > 0 || s.Jobs[jobmirror.StateOpen] > 0 {
		t.Errorf("%+v, %v", s, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	if srv.Count(jobboardtest.OpJobInformation) > 0 {
		t.Error("it looks jobs up")
	}
}

// The languages are those of the channels, of this process and of the database.
func TestLanguages(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		opts := optionsOf(srv)
		opts.Channels = []jobmirror.Channel{{ID: "1", Languages: []string{"de", "en"}}, {ID: "2", Languages: []string{"de"}}}
		one := open(t, address, opts)
		opts.Channels = []jobmirror.Channel{{ID: "3"}}
		two := open(t, address, opts)
		reader := open(t, address, jobmirror.Options{ReadOnly: true})
		for _, c := range []struct {
			m    *jobmirror.Mirror
			want []string
		}{{one, []string{"de", "en"}}, {two, []string{""}}, {reader, nil}} {
			if got := c.m.Languages(); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got, err := c.m.StoredLanguages(t.Context()); !slices.Equal(got, []string{"", "de", "en"}) || err != nil {
				t.Errorf("stored: %q, %v", got, err)
			}
		}
	})
}
