package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobmirror"
)

// said runs a command to its end.
func said(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errOut bytes.Buffer
	err := run(ctx, args, &out, &errOut)
	return out.String(), err
}

func TestEveryCommandWithNothingSetUp(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"refresh", "--fake"}, "feed demo "},
		{[]string{"status", "--fake"}, "channel 27828_extern de"},
		{[]string{"status", "--fake", "-json"}, `"sources": [`},
		{[]string{"search", "--fake", "-language", "en", "nurses"}, "Registered Nurse"},
		{[]string{"search", "--fake", "-json", "-near", "52.52::13.37::50"}, `"evidence": "feed"`},
		{[]string{"changes", "--fake"}, `"cause":"lookup"`},
	} {
		out, err := said(t, c.args...)
		if err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%q: %v, without %q:\n%s", c.args, err, c.want, out)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	t.Setenv("JOBBOARD_MIRROR_DB", "")
	t.Setenv("JOBBOARD_CHANNEL", "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"walk"}, `no command "walk"`},
		{[]string{"status"}, "-db"},
		{[]string{"refresh", "-db", filepath.Join(t.TempDir(), "a.db")}, "-channel"},
		{[]string{"status", "-db", filepath.Join(t.TempDir(), "none.db")}, "no such file"},
		{[]string{"status", "-db", "mysql://root:secret@h/db"}, "mysql://"},
		{[]string{"status", "-db", "postgres://u:secret@127.0.0.1:1/x"}, "postgres://u:xxxxx@127.0.0.1:1/x"},
		{[]string{"run", "--fake", "x"}, "flags"},
	} {
		_, err := said(t, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, without %q", c.args, err, c.want)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the password is in %v", c.args, err)
		}
	}
}

// lockedBuffer is written and read at the same time.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestOthersReadBesideTheOneThatRuns(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	db := filepath.Join(t.TempDir(), "jobs.db")
	t.Setenv("JOBBOARD_BASE_URL", srv.BaseURL)
	t.Setenv("JOBBOARD_JOBDB_URL", srv.JobDBURL)
	t.Setenv("JOBBOARD_CLIENT_ID", srv.Demo.ClientID)
	t.Setenv("JOBBOARD_MIRROR_DB", db)
	settings := []string{"-channel", srv.Demo.Channel, "-feed", srv.FeedURL, "-limit", "-1"}

	p := start(t, srv, append([]string{"run", "-addr", "127.0.0.1:0"}, settings...)...)
	answers(t, p.said(t, "serving at ")+"/mirror/ready", http.StatusOK)
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		out, err := said(t, "status", "-json")
		var s jobmirror.Status
		if err == nil {
			err = json.Unmarshal([]byte(out), &s)
		}
		if err != nil || time.Since(began) > 20*time.Second {
			t.Fatal(out, err)
		}
		if s.Due == 0 && s.Unindexed == 0 && s.Jobs[jobmirror.StateOpen] > 40 {
			break
		}
	}
	if out, err := said(t, "search", "nurse"); err != nil || !strings.Contains(out, "Nurse") {
		t.Errorf("search beside run: %v\n%s", err, out)
	}
	if _, err := said(t, append([]string{"refresh"}, settings...)...); !errors.Is(err, jobmirror.ErrLocked) {
		t.Errorf("refresh beside run: %v", err)
	}
}
