package control

import (
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// TestSwitchesOfTwoServers shows what two servers serve on pages that are drawn
// at the same time.
func TestSwitchesOfTwoServers(t *testing.T) {
	chosen := func(all []variantSwitch) (values []string) {
		for _, s := range all {
			for _, w := range s.Words {
				if w.Selected {
					values = append(values, w.Value)
				}
			}
		}
		return values
	}
	first := switches(jobboardtest.Variants{Missing: jobboardtest.MissingAbsent})
	before := chosen(first)
	switches(jobboardtest.Variants{})
	if after := chosen(first); !slices.Equal(after, before) || !slices.Contains(before, "absent") {
		t.Errorf("one page chose %q, and %q after the other was drawn", before, after)
	}
}

// TestPresets holds each button against the fault that it plants.
func TestPresets(t *testing.T) {
	want := []preset{
		{"500", `{"status":500}`},
		{"503", `{"status":503}`},
		{"503, retry after 2 s", `{"status":503,"header":{"Retry-After":["2"]}}`},
		{"429", `{"status":429,"header":{"Retry-After":["1"]}}`},
		{"2 s late", `{"delay":"2s"}`},
		{"Slow drip", `{"drip_bytes":64,"drip_every":"50ms"}`},
		{"Never answers", `{"break":"stall-before"}`},
		{"Stalls in the body", `{"break":"stall-body"}`},
		{"Connection reset", `{"break":"reset-before"}`},
		{"Reset in the body", `{"break":"reset-body"}`},
		{"Body cut off", `{"break":"cut-body"}`},
		{"Login page", `{"name":"login page","header":{"Content-Type":["text/html"]},"body":"\u003c!DOCTYPE html\u003e\u003ctitle\u003eSign in\u003c/title\u003e"}`},
		{"Wrong content type", `{"header":{"Content-Type":["text/plain"]}}`},
		{"Redirect elsewhere", `{"status":302,"header":{"Location":["https://login.example.com/"]}}`},
		{"Endless body", `{"size":-1}`},
		{"Gzip bomb, 1 GiB", `{"size":1073741824,"encoding":"gzip"}`},
		{"Broken gzip", `{"encoding":"broken-gzip"}`},
		{"Clock 1 h ahead", `{"skew":"1h0m0s"}`},
	}
	got := presets()
	if len(got) != len(want) {
		t.Fatalf("%d buttons, want %d", len(got), len(want))
	}
	for i, p := range got {
		if p != want[i] {
			t.Errorf("the button %q plants %s\nwant %q with %s", p.Label, p.Fault, want[i].Label, want[i].Fault)
		}
	}
}
