package jobboard

import (
	"errors"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/isotime"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// Millis holds a time of a posting in milliseconds since the epoch (2.2). The
// interface does not say what 0 means; [Millis.Time] takes it for "not set".
// Millis decodes from a number, a number in quotes, or an ISO 8601 date or
// date-time, in UTC unless it has an offset, and encodes to a number.
type Millis int64

// Time returns m in UTC. It reports false for 0.
func (m Millis) Time() (t time.Time, ok bool) {
	if m == 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(m)).UTC(), true
}

// UnmarshalJSON reads a number, a number in quotes, or an ISO 8601 date or
// date-time, in UTC unless it has an offset; null gives 0. It returns [ErrDecode] for anything else.
func (m *Millis) UnmarshalJSON(b []byte) error {
	v, err := decode(b, (*decoder).millis)
	if err == nil {
		*m = v
	}
	return err
}

// millis reads a time in milliseconds, or 0 for null.
func (d *decoder) millis() Millis {
	m, ok := d.tryMillis()
	if !ok {
		d.Fail(errNotTime)
	}
	return m
}

// tryMillis reads what millis reads. It skips any other value and reports false.
func (d *decoder) tryMillis() (Millis, bool) {
	if d.Peek() != '"' {
		n, ok := d.tryOptInt()
		return Millis(n), ok
	}
	var buf [timeRoom]byte
	m, ok := isotime.ParseMillis(d.shortText(buf[:0]))
	return Millis(m), ok
}

// millisOrZero reads what millis reads, and any other value as 0.
func (d *decoder) millisOrZero() Millis {
	if m, ok := d.tryMillis(); ok {
		return m
	}
	return 0
}

const errNotTime = jsonscan.Error("neither milliseconds nor an ISO 8601 time")

// Timestamp holds the time of a job information, in UTC (2.5). It decodes from
// an ISO 8601 text with Z or a numeric offset, or from milliseconds since the
// epoch as [Millis] does, and encodes to an ISO 8601 text with milliseconds.
// The zero value means that the answer had no timestamp, or null, or 0; it
// encodes to null.
type Timestamp struct{ time.Time }

const timestampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON returns the time in UTC with milliseconds, such as
// "2026-01-31T08:30:00.000Z", or null for the zero value. A year beyond 9999
// is an error.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	u := t.UTC()
	if !isotime.CanWrite(u) {
		return nil, errors.New("jobboard: timestamp with a year outside 0 to 9999")
	}
	return u.AppendFormat(make([]byte, 0, len(timestampLayout)+2), `"`+timestampLayout+`"`), nil
}

// UnmarshalJSON reads an ISO 8601 text with an offset, a number, or a number in
// quotes; null and 0 give the zero value. It returns [ErrDecode] for anything
// else, and for a year outside 0 to 9999.
func (t *Timestamp) UnmarshalJSON(b []byte) error {
	v, err := decode(b, (*decoder).timestamp)
	if err == nil {
		*t = v
	}
	return err
}

// timestamp reads an ISO 8601 text or milliseconds, or the zero value for null
// and 0.
func (d *decoder) timestamp() Timestamp {
	t, ok := d.tryTimestamp()
	if !ok {
		d.Fail(errNotTime)
	}
	return t
}

// tryTimestamp reads what timestamp reads. It skips any other value and reports false.
func (d *decoder) tryTimestamp() (Timestamp, bool) {
	var m int64
	var ok bool
	if d.Peek() == '"' {
		var buf [timeRoom]byte
		text := d.shortText(buf[:0])
		if t, ok := isotime.Parse(text); ok {
			return Timestamp{t}, true // keeps digits beyond milliseconds
		}
		m, ok = jsonscan.ParseInt(text)
	} else {
		m, ok = d.tryOptInt()
	}
	t, _ := Millis(m).Time()
	if !ok || !isotime.CanWrite(t) {
		return Timestamp{}, false
	}
	return Timestamp{t}, true
}

// tryOptInt reads an integer, or null for 0. It skips any other value and reports false.
func (d *decoder) tryOptInt() (n int64, ok bool) {
	if d.Null() {
		return 0, true
	}
	n, reason := d.TryInt()
	return n, reason == ""
}

// timeRoom is the size in bytes of the buffer in which shortText reads a time.
const timeRoom = isotime.MaxLen + 1 + jsonscan.TextRoom

// shortText reads a string, and keeps only the part that fits into buf.
func (d *decoder) shortText(buf []byte) []byte {
	if !d.Quote() {
		return buf
	}
	buf, done := d.Scanner.Text(buf)
	if !done {
		d.SkipText()
	}
	return buf
}
