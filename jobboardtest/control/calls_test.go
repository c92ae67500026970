package control

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// TestCalls makes the calls that stand in files, one after the other, and holds
// the whole answers, which stand below them. A line "> METHOD path body" is a call
// of the control interface; one whose path begins with base_url or jobdb_url goes
// to the board itself, with its Authorization in place of a body. $name is the
// member of that name of the last answer that had one, or of what the program prints
// first.
func TestCalls(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			srv := newServer(t, jobboardtest.WithDemo())
			before := srv.Snapshot()
			play(t, srv, "testdata/refused.txt")
			if !reflect.DeepEqual(srv.Snapshot(), before) {
				t.Error("something that was refused changed the state")
			}
			if n := len(reach(srv).Faults()); n != 0 {
				t.Errorf("%d faults were planted by what was refused", n)
			}
			if n := srv.Count(); n != 0 {
				t.Errorf("%d calls of the control interface are in the journal", n)
			}
		})
	})
	t.Run("demo", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { play(t, newServer(t, jobboardtest.WithDemo()), "testdata/demo.txt") })
	})
	t.Run("seen", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { play(t, newServer(t, jobboardtest.WithDemo()), "testdata/seen.txt") })
	})
	t.Run("empty", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { play(t, newServer(t), "testdata/empty.txt") })
	})
}

func newServer(t *testing.T, opts ...jobboardtest.Option) *jobboardtest.Server {
	t.Helper()
	srv := jobboardtest.NewServer(append(opts, jobboardtest.WithoutSockets())...)
	t.Cleanup(srv.Close)
	Mount(srv)
	return srv
}

// made are values that change from run to run: identifiers, tokens and codes.
var made = regexp.MustCompile(`\b([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Z2-7]{26})\b|\b[0-9a-f]{8}…`)

func play(t *testing.T, srv *jobboardtest.Server, file string) {
	t.Helper()
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var names map[string]any
	if err := json.Unmarshal(marshal(New(srv).information()), &names); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(script)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "# ") {
			fmt.Fprintf(&out, "\n%s\n", line)
		}
		what, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		status, text := send(t, srv, os.Expand(what, func(name string) string {
			if n, ok := names[name].(float64); ok {
				return fmt.Sprintf("%.0f", n)
			}
			return fmt.Sprint(names[name])
		}))
		_ = json.Unmarshal([]byte(text), &names) // of a page or a list, nothing
		text = made.ReplaceAllString(text, "[made]")
		fmt.Fprintf(&out, "%s\n%s\n", line, strings.TrimSpace(status+" "+text))
	}
	golden.Compare(t, file, strings.TrimPrefix(out.String(), "\n"))
}

// send makes a call, and returns the status with the headers that tell, and the body.
func send(t *testing.T, srv *jobboardtest.Server, what string) (status, text string) {
	t.Helper()
	method, rest, _ := strings.Cut(what, " ")
	path, last, _ := strings.Cut(rest, " ")
	header := http.Header{}
	address := srv.BaseURL + Path + path
	body := ""
	if p, ok := strings.CutPrefix(path, "base_url"); ok {
		address = srv.BaseURL + p
		header.Set("Authorization", last)
	} else if p, ok := strings.CutPrefix(path, "jobdb_url"); ok {
		address = srv.JobDBURL + p
		header.Set("Authorization", last)
	} else if last != "" {
		body = last
		header.Set("Content-Type", "application/json")
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	res, err := srv.Client().Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	status = fmt.Sprint(res.StatusCode)
	for _, name := range []string{"Allow", "Location"} {
		if v := res.Header.Get(name); v != "" {
			status += " " + name + ": " + v
		}
	}
	newline := "\n"
	switch typ := res.Header.Get("Content-Type"); typ {
	case "application/json":
		newline = ""
	case "":
	default:
		status += " " + typ
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			text += line + newline
		}
	}
	return status, strings.TrimSpace(text)
}
