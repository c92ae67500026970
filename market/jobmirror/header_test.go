package jobmirror

import (
	"testing"
	"time"
)

// An answer comes in the language that the client prefers among the copied ones, and in the
// first of these if the client prefers none, or sends a header that cannot be read.
func TestPreferredLanguages(t *testing.T) {
	for header, want := range map[string]string{
		"": "de", "de": "de", "en": "en", "fr": "fr", "en-GB": "en", "EN": "en", "de-AT, en": "de", "fr;q=0.5, en;q=0.8": "en", "en;q=0.1, fr": "fr",
		"it": "de", "it, fr": "fr", "*": "de", "not a header;;": "de", "it;q=0.9, en;q=0.1": "en",
	} {
		list := []string{"de", "en", "fr"}
		if got := list[preferred(header, list)]; got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	if i := preferred("de", []string{"en"}); i != 0 {
		t.Errorf("of one language the choice is %d", i)
	}
	if i := preferred("en", []string{"", "en"}); i != 1 {
		t.Errorf("beside the board's own language the choice is %d", i)
	}
}

// A circle that is larger than the Earth holds every place, and one that is none is an error.
func TestCirclesOfAddresses(t *testing.T) {
	for text, want := range map[string]float64{"50::10::20": 20, "50::10::20038": 20038, "50::10::20039": 20038, "50::10::1e9": 20038} {
		if got, err := parseCircle(text); err != nil || got.RadiusKm != want || got.Latitude != 50 || got.Longitude != 10 {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "50", "50::10", "50::10::", "50::10::x", "50::10::-1", "91::10::20", "50::181::20", "30000", "::::30000", "x::y::30000"} {
		if got, err := parseCircle(text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for age, want := range map[time.Duration]string{0: "0", 999 * time.Millisecond: "0", time.Second: "1", 1999 * time.Millisecond: "1", time.Hour: "3600"} {
		if got := seconds(age); got != want {
			t.Errorf("%s is told as %s", age, got)
		}
	}
}
