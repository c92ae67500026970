package docs_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/control"
)

// The commands that control the mock server do what the page says. They are carried
// out by net/http, because not every machine has curl.
func TestControlCommands(t *testing.T) {
	page, err := os.ReadFile("fake.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- run: with a fake -->\n```sh\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("no commands")
	}
	fake := jobboardtest.New(t, jobboardtest.WithStrict(false), jobboardtest.WithDemo())
	address := strings.TrimSuffix(control.Mount(fake), "/")
	command := regexp.MustCompile(`^curl (?:-X ([A-Z]+) )?(?:--json '([^']*)' )?\$FAKE(/[^ ]*)( > board\.json)?$`)
	for line := range strings.Lines(string(block[1])) {
		line = strings.TrimSpace(line)
		m := command.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%s: not a form this test knows", line)
			continue
		}
		method := m[1]
		if method == "" {
			method = http.MethodGet
			if m[2] != "" {
				method = http.MethodPost
			}
		}
		req, err := http.NewRequestWithContext(t.Context(), method, address+m[3], strings.NewReader(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		if m[2] != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode >= 400 {
			t.Errorf("%s: %s %s", line, resp.Status, body)
		}
		switch {
		case m[4] != "":
			if _, err := jobboardtest.ReadState(bytes.NewReader(body)); err != nil {
				t.Errorf("%s: the file cannot be read: %v", line, err)
			}
		case strings.Contains(line, "/deactivate"):
			if job, _ := fake.Job(4711); job.Status != jobboardtest.Inactive {
				t.Errorf("after %s the job is %+v", line, job)
			}
		case strings.Contains(line, "/faults") && method == http.MethodPost:
			if got := faults(t, address); !strings.Contains(got, `"status":`) {
				t.Errorf("after %s there is no fault: %s", line, got)
			}
		case strings.Contains(line, "/variants"):
			if !fake.Variants().QuotedIDs {
				t.Errorf("after %s: %+v", line, fake.Variants())
			}
		}
	}
	if left := faults(t, address); !strings.Contains(left, `"faults":[]`) {
		t.Errorf("faults are left: %s", left)
	}
}

// The state that the page types by hand is one, and enough for an applied check.
func TestTypedState(t *testing.T) {
	page, err := os.ReadFile("fake.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("no state")
	}
	state, err := jobboardtest.ReadState(bytes.NewReader(block[1]))
	if err != nil {
		t.Fatal(err)
	}
	fake := jobboardtest.New(t, jobboardtest.WithState(state))
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: "10"})
	if err != nil {
		t.Fatal(err)
	}
	jana := client.Applicant(jobboard.StaticToken("jana"))
	if applied, err := jana.HasApplied(t.Context(), 4711); applied || err != nil {
		t.Error(applied, err)
	}
}

// faults returns what the control interface at an address tells of the planted faults.
func faults(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/faults", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
