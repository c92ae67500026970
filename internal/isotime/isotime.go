// Package isotime reads times in milliseconds since the epoch, and as ISO 8601 text.
package isotime

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// MaxLen limits the text of a time, in bytes.
const MaxLen = 40

const (
	withColon    = "2006-01-02T15:04:05Z07:00"
	withoutColon = "2006-01-02T15:04:05Z0700"
)

// Parse reads a date, a time and an offset, such as 2026-01-31T08:30:00.123Z: the form of RFC 3339,
// where the offset may lack its colon. It returns the time in UTC. It reports false for any other
// text, and for a year outside 0 to 9999.
func Parse[T []byte | string](text T) (t time.Time, ok bool) {
	if len(text) > MaxLen || !hasClock(text) {
		return time.Time{}, false
	}
	layout := withoutColon
	if text[len(text)-1] == 'Z' || text[len(text)-3] == ':' {
		layout = withColon
	}
	t, err := time.Parse(layout, string(text))
	// time.Parse also accepts offsets of 24 hours and of 60 minutes.
	_, offset := t.Zone()
	if err != nil || offset <= -24*60*60 || offset >= 24*60*60 || text[len(text)-2] == '6' && text[len(text)-1] != 'Z' {
		return time.Time{}, false
	}
	t = t.UTC() // the offset may turn the year 9999 into 10000
	return t, CanWrite(t)
}

// CanWrite reports whether the year of t has four digits, as ISO 8601 needs it.
func CanWrite(t time.Time) bool { return 0 <= t.Year() && t.Year() <= 9999 }

// hasClock reports whether text begins with a date and a time and goes on, but
// not with a comma. time.Parse would also take an hour of one digit.
func hasClock[T []byte | string](text T) bool {
	const clock = "0000-00-00T00:00:00"
	if len(text) <= len(clock) || text[len(clock)] == ',' {
		return false
	}
	for i := range len(clock) {
		if c := clock[i]; c == '0' && text[i]-'0' > 9 || c != '0' && text[i] != c {
			return false
		}
	}
	return true
}

// ParseMillis reads milliseconds since the epoch, an integer, or a time by Parse. A date alone and a
// time without an offset are in UTC. It reports false for any other text.
func ParseMillis[T []byte | string](text T) (int64, bool) {
	if v, ok := jsonscan.ParseInt(text); ok {
		return v, true
	}
	t, ok := Parse(text)
	if !ok && len(text) <= MaxLen {
		t, ok = parseLocal(string(text))
	}
	return t.UnixMilli(), ok
}

// parseLocal reads a date, or a date and a time without an offset, as one in UTC.
func parseLocal(text string) (time.Time, bool) {
	layout := time.DateOnly
	if len(text) > len(layout) {
		if layout = "2006-01-02T15:04:05"; !hasClock(text + "Z") {
			return time.Time{}, false
		}
	}
	t, err := time.Parse(layout, text)
	return t, err == nil
}
