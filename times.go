package jobboard

import (
	"errors"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/isotime"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// Millis holds a time of a posting in milliseconds since the epoch (2.2). The
// interface does not say what 0 means; [Millis.Time] takes it for "not set".
// Millis decodes from a number, a number in quotes, or an
// ISO 8601 text, and encodes to a number.
type Millis int64

// Time returns m in UTC. It reports false for 0.
func (m Millis) Time() (t time.Time, ok bool) {
	if m == 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(m)).UTC(), true
}

// UnmarshalJSON reads a number, a number in quotes, or an ISO 8601 text with
// an offset; null gives 0. It returns [ErrDecode] for anything else.
func (m *Millis) UnmarshalJSON(b []byte) error {
	v, err := decode(b, (*decoder).millis)
	if err == nil {
		*m = v
	}
	return err
}

// millis reads a time in milliseconds, or 0 for null.
func (d *decoder) millis() Millis {
	if d.Peek() != '"' {
		return Millis(d.OptInt())
	}
	var buf [timeRoom]byte
	m, ok := isotime.ParseMillis(d.shortText(buf[:0]))
	if !ok {
		d.Fail(errNotTime)
	}
	return Millis(m)
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
	var m int64
	if d.Peek() == '"' {
		var buf [timeRoom]byte
		text := d.shortText(buf[:0])
		if t, ok := isotime.Parse(text); ok {
			return Timestamp{t} // keeps digits beyond milliseconds
		}
		var ok bool
		if m, ok = jsonscan.ParseInt(text); !ok {
			d.Fail(errNotTime)
		}
	} else {
		m = d.OptInt()
	}
	t, _ := Millis(m).Time()
	if !isotime.CanWrite(t) {
		d.Fail(errNotTime)
	}
	return Timestamp{t}
}

// timeRoom is the size in bytes of the buffer in which shortText reads a time.
const timeRoom = isotime.MaxLen + 1 + jsonscan.TextRoom

// shortText reads a string into buf, and only the part that fits.
func (d *decoder) shortText(buf []byte) []byte {
	if d.Quote() {
		buf, _ = d.Scanner.Text(buf)
	}
	return buf
}
