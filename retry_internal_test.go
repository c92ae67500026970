package jobboard

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// repeatTable is the rule of repeats as docs/retries.md shows it.
func repeatTable() string {
	var b strings.Builder
	b.WriteString("| what happened | GET | PUT, DELETE | POST |\n|---|---|---|---|\n")
	says := map[bool]string{true: "repeated", false: "not repeated"}
	for _, rule := range slices.Concat(repeatRules[1:], repeatRules[:1]) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", rule.what, says[rule.get], says[rule.put], says[rule.post])
	}
	return b.String()
}

func TestRepeatTableIsDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/retries.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := repeatTable(); !strings.Contains(string(text), want) {
		t.Errorf("docs/retries.md does not have the table of repeatRules:\n%s", want)
	}
}

// The defaults that RetryPolicy promises, and the edges of what it takes.
func TestRetryDefaults(t *testing.T) {
	want := RetryPolicy{
		MaxAttempts: 5, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, MaxRetryAfter: 30 * time.Second,
		AttemptTimeout: 15 * time.Second, StallTimeout: 10 * time.Second, Budget: 2,
	}
	if got, err := (RetryPolicy{}).withDefaults(); got != want || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	own := RetryPolicy{
		MaxAttempts: 1, MinWait: 1, MaxWait: 1, MaxRetryAfter: 1, AttemptTimeout: time.Millisecond, StallTimeout: time.Millisecond, Budget: -1,
	}
	if got, err := own.withDefaults(); got != own || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	own.MinWait = 2
	if _, err := own.withDefaults(); !errors.Is(err, ErrInvalidInput) {
		t.Errorf("MinWait above MaxWait: %v", err)
	}
}

// A wait doubles up to the longest, and has at least half of itself for sure. What
// the service asks for comes with at most a quarter more, and half a second.
func TestWaits(t *testing.T) {
	p := RetryPolicy{MinWait: 200, MaxWait: 5000, MaxRetryAfter: time.Minute}
	for _, test := range []struct {
		repeat          int
		asked, from, to time.Duration
	}{
		{0, 0, 100, 200},
		{1, 0, 200, 400},
		{4, 0, 1600, 3200},
		{5, 0, 2500, 5000},
		{100, 0, 2500, 5000},
		{100, 100, 100, 125},
		{0, time.Second, time.Second, 1250 * time.Millisecond},
		{0, time.Minute, time.Minute, time.Minute + 500*time.Millisecond},
		{0, time.Minute + 1, 100, 200},
	} {
		least, most := time.Duration(math.MaxInt64), time.Duration(0)
		for range 1000 {
			wait := p.wait(test.repeat, test.asked)
			least, most = min(least, wait), max(most, wait)
		}
		spread := (test.to - test.from) / 20
		if least < test.from || most > test.to || least > test.from+spread || most < test.to-spread {
			t.Errorf("repeat %d, asked for %v: %v to %v, want %v to %v", test.repeat, test.asked, least, most, test.from, test.to)
		}
	}
	own := RetryPolicy{MinWait: 3, MaxWait: 4}
	if wait := own.wait(1, 0); wait < 2 || wait > 4 {
		t.Errorf("3 ns doubled, but at most 4: %v", wait)
	}
}
