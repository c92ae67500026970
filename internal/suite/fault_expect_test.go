package suite_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

// faultColumns are the operations as the table has them: search (both forms),
// applied check, application identifier, job information, subscribe, confirm,
// unsubscribe.
const faultColumns = "SAPJ+CD"

// A cell of the table reads
//
//	requests outcome[*][ or outcome[*]] [, note]...
//
// where requests is a number, ≤ and a number, or R: repeated within the
// policy, which is 5 requests if the fault stays and success with the second
// if it does not. The star says that the service may have executed the call.
// A note is why there was no further attempt. "=" is the cell to the left,
// "-" no cell. A cell for the search may have another one for its streamed
// form behind it: "R timeout (Postings: 1 timeout)".
type faultCell struct {
	none     bool
	repeated bool
	min, max int
	outcomes []faultOutcome
	stopped  jobboard.StopReason // "": what the outcome implies
	text     string
}

type faultOutcome struct {
	name string
	star bool
}

// sentinels by the name they have in a cell.
var faultSentinels = []struct {
	name string
	err  error
}{
	{"ErrPostingNotFound", jobboard.ErrPostingNotFound},
	{"ErrPostingNotAccessible", jobboard.ErrPostingNotAccessible},
	{"ErrPostingInactive", jobboard.ErrPostingInactive},
	{"ErrProjectNotAvailable", jobboard.ErrProjectNotAvailable},
	{"ErrProjectNotAccessible", jobboard.ErrProjectNotAccessible},
	{"ErrApplicationNotFound", jobboard.ErrApplicationNotFound},
	{"ErrJobInactive", jobboard.ErrJobInactive},
	{"ErrJobUnavailable", jobboard.ErrJobUnavailable},
	{"ErrPostingUnavailable", jobboard.ErrPostingUnavailable},
	{"ErrUnauthorized", jobboard.ErrUnauthorized},
	{"ErrForbidden", jobboard.ErrForbidden},
	{"ErrServer", jobboard.ErrServer},
	{"ErrRateLimited", jobboard.ErrRateLimited},
	{"ErrRedirect", jobboard.ErrRedirect},
	{"ErrResponseTooLarge", jobboard.ErrResponseTooLarge},
	{"ErrDecode", jobboard.ErrDecode},
	{"transport", jobboard.ErrTransport},
	{"timeout", jobboard.ErrTimeout},
	{"ErrToken", jobboard.ErrToken},
	{"ErrInvalidInput", jobboard.ErrInvalidInput},
}

// matched names what errors.Is finds in an error.
func faultMatched(err error) (names []string) {
	for _, s := range faultSentinels {
		if errors.Is(err, s.err) {
			names = append(names, s.name)
		}
	}
	if errors.Is(err, context.Canceled) {
		names = append(names, "context.Canceled")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		names = append(names, "context.DeadlineExceeded")
	}
	return names
}

// expected names what errors.Is must find for an outcome, and nothing else.
func (o faultOutcome) expected() []string {
	switch o.name {
	case "ok", "Error":
		return nil
	case "canceled":
		return []string{"context.Canceled"}
	case "deadline":
		return []string{"timeout", "context.DeadlineExceeded"}
	}
	return []string{o.name}
}

// parseFaultRow parses the seven cells of a row, for Search and for Postings.
func parseFaultRow(s string) (cells map[string]faultCell, err error) {
	parts := strings.Split(s, "|")
	if len(parts) != len(faultColumns) {
		return nil, fmt.Errorf("%d cells, not %d", len(parts), len(faultColumns))
	}
	cells = map[string]faultCell{}
	var left faultCell
	for i, part := range parts {
		column := faultColumns[i : i+1]
		part = strings.TrimSpace(part)
		streamed := ""
		if before, after, ok := strings.Cut(part, "(Postings:"); ok && column == "S" {
			part, streamed = strings.TrimSpace(before), strings.TrimSuffix(strings.TrimSpace(after), ")")
		}
		if part == "=" {
			if i == 0 {
				return nil, errors.New("nothing stands left of the first cell")
			}
			cells[column] = left
			continue
		}
		if left, err = parseFaultCell(part); err != nil {
			return nil, fmt.Errorf("column %s: %w", column, err)
		}
		cells[column] = left
		if column == "S" {
			cells["Postings"] = left
		}
		if streamed != "" {
			if cells["Postings"], err = parseFaultCell(streamed); err != nil {
				return nil, fmt.Errorf("column %s: %w", column, err)
			}
		}
	}
	return cells, nil
}

func parseFaultCell(s string) (c faultCell, err error) {
	c.text = strings.TrimSpace(s)
	if c.text == "-" {
		return faultCell{none: true, text: "-"}, nil
	}
	what, note, noted := strings.Cut(c.text, ",")
	if noted {
		c.stopped = jobboard.StopReason(strings.TrimSpace(note))
		if !slices.Contains([]jobboard.StopReason{
			jobboard.StopFinal, jobboard.StopAttempts, jobboard.StopBudget, jobboard.StopDeadline,
			jobboard.StopNotIdempotent, jobboard.StopRetryAfter, jobboard.StopCanceled,
		}, c.stopped) {
			return c, fmt.Errorf("%q is no reason to stop", c.stopped)
		}
	}
	requests, rest, ok := strings.Cut(what, " ")
	if !ok {
		return c, fmt.Errorf("%q has no outcome", s)
	}
	switch most, ok := strings.CutPrefix(requests, "≤"); {
	case requests == "R":
		c.repeated = true
	case ok:
		c.min = 1
		c.max, err = strconv.Atoi(most)
	default:
		c.max, err = strconv.Atoi(requests)
		c.min = c.max
	}
	if err != nil {
		return c, fmt.Errorf("%q is no number of requests", requests)
	}
	for name := range strings.SplitSeq(rest, " or ") {
		name, star := strings.CutSuffix(strings.TrimSpace(name), "*")
		known := slices.Contains([]string{"ok", "Error", "canceled", "deadline"}, name)
		for _, s := range faultSentinels {
			known = known || s.name == name
		}
		if !known {
			return c, fmt.Errorf("%q is no outcome", name)
		}
		c.outcomes = append(c.outcomes, faultOutcome{name, star})
	}
	return c, nil
}

func TestParseFaultRow(t *testing.T) {
	cells, err := parseFaultRow("R transport (Postings: 1 transport) | = | 2 ok or ErrUnauthorized | ≤4 ErrRedirect | 1 timeout*, not idempotent | = | -")
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]string{
		"S":        "{none:false repeated:true min:0 max:0 outcomes:[{name:transport star:false}] stopped: text:R transport}",
		"Postings": "{none:false repeated:false min:1 max:1 outcomes:[{name:transport star:false}] stopped: text:1 transport}",
		"A":        "{none:false repeated:true min:0 max:0 outcomes:[{name:transport star:false}] stopped: text:R transport}",
		"P":        "{none:false repeated:false min:2 max:2 outcomes:[{name:ok star:false} {name:ErrUnauthorized star:false}] stopped: text:2 ok or ErrUnauthorized}",
		"J":        "{none:false repeated:false min:1 max:4 outcomes:[{name:ErrRedirect star:false}] stopped: text:≤4 ErrRedirect}",
		"+":        "{none:false repeated:false min:1 max:1 outcomes:[{name:timeout star:true}] stopped:not idempotent text:1 timeout*, not idempotent}",
		"C":        "{none:false repeated:false min:1 max:1 outcomes:[{name:timeout star:true}] stopped:not idempotent text:1 timeout*, not idempotent}",
		"D":        "{none:true repeated:false min:0 max:0 outcomes:[] stopped: text:-}",
	} {
		if got := fmt.Sprintf("%+v", cells[column]); got != want {
			t.Errorf("column %s:\n%s, want\n%s", column, got, want)
		}
	}
	for _, bad := range []string{
		"1 ok", "= | 1 ok | = | = | = | = | =", "1 | = | = | = | = | = | =", "x ok | = | = | = | = | = | =",
		"1 ErrSomething | = | = | = | = | = | =", "1 ok, weary | = | = | = | = | = | =", "1 ok | = | = | = | = | = | = | =",
	} {
		if _, err := parseFaultRow(bad); err == nil {
			t.Errorf("%q is taken for a row", bad)
		}
	}
}
