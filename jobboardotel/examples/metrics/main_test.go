package main

import (
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, "", true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`jobboard_call_duration_seconds_count{jobboard_operation="Search",jobboard_outcome="ok"`,
		`jobboard_retry_budget`,
		`http_response_status_code="503"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "nurse") {
		t.Error("the search text is on the page")
	}
}
