package jobboard

import (
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
)

// Millis is a time as the interface writes it in postings: milliseconds since
// the epoch (2.2). The interface does not say what 0 means; [Millis.Time]
// takes it for "not set", and the value itself is kept. It decodes from a
// number, a number in quotes, or an ISO 8601 text, and encodes to a number.
type Millis int64

// Time is m in UTC. It is not ok for 0.
func (m Millis) Time() (t time.Time, ok bool) {
	if m == 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(m)).UTC(), true
}

// UnmarshalJSON reads a number, a number in quotes, or an ISO 8601 text with
// an offset; null is 0. The error of anything else is [ErrDecode].
func (m *Millis) UnmarshalJSON(b []byte) error {
	d := newDecoder()
	defer d.release()
	d.s.ResetBytes(b)
	v := d.millis()
	d.s.End()
	if err := d.err(); err != nil {
		return err
	}
	*m = v
	return nil
}

// millis reads a time in milliseconds, or 0 for null.
func (d *decoder) millis() Millis {
	s := &d.s
	switch s.Peek() {
	case 'n':
		s.Null()
		return 0
	case '"':
	default:
		return Millis(s.Int())
	}
	var buf [shortText]byte
	s.Quote()
	text, done := s.Text(buf[:0])
	if s.Err() != nil {
		return 0
	}
	if done {
		m, ok := parseMillis(text)
		if ok {
			return m
		}
	}
	s.Fail(jsonscan.Error("neither milliseconds nor an ISO 8601 time"))
	return 0
}

func parseMillis[T []byte | string](text T) (Millis, bool) {
	if v, ok := jsonscan.ParseInt(text); ok {
		return Millis(v), true
	}
	t, ok := parseISO(text)
	return Millis(t.UnixMilli()), ok
}
