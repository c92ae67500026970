package main

import (
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"an open job                   ok                                        go on",
		"a deactivated job             status 410, 1 sent, stopped: final        closed: take the job off the page",
		"an outage                     status 503, 2 sent, stopped: attempts     the service has trouble: try later",
		"too many requests             status 429, 1 sent, stopped: Retry-After  the service has trouble: try later",
		"no job at all                 status 0, 0 sent, stopped: final          a mistake of this program: nothing was sent",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
