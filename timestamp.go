package jobboard

import (
	"errors"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// Timestamp is a time as the interface writes it in a job information: an ISO
// 8601 text (2.5). It reads Z and numeric offsets with or without a colon, is
// in UTC after decoding, and encodes in UTC with milliseconds. The zero value
// is a timestamp that was null or absent, and encodes to null.
type Timestamp struct{ time.Time }

const timestampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON is the time in UTC with milliseconds, such as
// "2026-01-31T08:30:00.000Z", or null for the zero value. A year beyond 9999
// is an error.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	u := t.UTC()
	if y := u.Year(); y < 0 || y > 9999 {
		return nil, errors.New("jobboard: timestamp with a year outside 0 to 9999")
	}
	return u.AppendFormat(make([]byte, 0, len(timestampLayout)+2), `"`+timestampLayout+`"`), nil
}

// UnmarshalJSON reads an ISO 8601 text; null is the zero value. The error of
// anything else is [ErrDecode].
func (t *Timestamp) UnmarshalJSON(b []byte) error {
	d := newDecoder()
	defer d.release()
	d.s.ResetBytes(b)
	v := d.timestamp()
	d.s.End()
	if err := d.err(); err != nil {
		return err
	}
	*t = v
	return nil
}

// shortText is the buffer for the text of a time: the longest there is has 35
// bytes, and a text that does not fit is no time.
const shortText = 40 + jsonscan.TextRoom

func (d *decoder) timestamp() Timestamp {
	s := &d.s
	if s.Null() || !s.Quote() {
		return Timestamp{}
	}
	var buf [shortText]byte
	text, done := s.Text(buf[:0])
	if s.Err() != nil {
		return Timestamp{}
	}
	if done {
		if t, ok := parseISO(text); ok {
			return Timestamp{t}
		}
	}
	s.Fail(jsonscan.Error("not an ISO 8601 time"))
	return Timestamp{}
}

// parseISO reads a date and a time with an offset as RFC 3339 has them; the
// colon in the offset may be missing, which time.RFC3339 does not allow.
func parseISO[T []byte | string](b T) (time.Time, bool) {
	const clock = "0000-00-00T00:00:00"
	if len(b) <= len(clock) {
		return time.Time{}, false
	}
	for i := range len(clock) {
		if c := clock[i]; c == '0' && b[i]-'0' > 9 || c != '0' && b[i] != c {
			return time.Time{}, false
		}
	}
	two := func(i int) int { return int(b[i]-'0')*10 + int(b[i+1]-'0') }
	year, month, day := two(0)*100+two(2), time.Month(two(5)), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}

	i := len(clock)
	nanos := 0
	if b[i] == '.' {
		i++
		start := i
		for unit := 100_000_000; i < len(b) && b[i]-'0' <= 9; unit /= 10 {
			nanos += int(b[i]-'0') * unit
			i++
		}
		if n := i - start; n < 1 || n > 9 {
			return time.Time{}, false
		}
	}

	offset := 0
	switch n := len(b) - i; {
	case n == 1 && b[i] == 'Z':
	case (n == 5 || n == 6 && b[i+3] == ':') && (b[i] == '+' || b[i] == '-'):
		last := len(b) - 2
		if b[i+1]-'0' > 9 || b[i+2]-'0' > 9 || b[last]-'0' > 9 || b[last+1]-'0' > 9 {
			return time.Time{}, false
		}
		h, m := two(i+1), two(last)
		if h > 23 || m > 59 {
			return time.Time{}, false
		}
		offset = (h*60 + m) * 60
		if b[i] == '-' {
			offset = -offset
		}
	default:
		return time.Time{}, false
	}

	t := time.Date(year, month, day, hour, minute, second, nanos, time.UTC)
	if t.Month() != month || t.Day() != day {
		return time.Time{}, false // such as the 30th of February
	}
	t = t.Add(time.Duration(-offset) * time.Second)
	// Near the ends an offset can lead to a year that cannot be written.
	return t, 0 <= t.Year() && t.Year() <= 9999
}
