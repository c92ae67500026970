package jobboard

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// allocations returns the allocation budget for an answer of n bytes, in bytes: 2.2n + 256 KiB. A page
// of real postings takes less than 2n; only an attacker builds an answer that takes more. Unknown
// members may take another quarter; those that do not fit are left out.
func allocations(n int64) int64 {
	const floor = 256 << 10
	if n <= 0 || n > math.MaxInt64/16 {
		return math.MaxInt64
	}
	return n/5*11 + floor
}

// A decoder reads JSON into values. Types that need more state while they are read, such as
// JobPosting, have their own decoder, which embeds this one. Each kind of decoder has a pool.
type decoder struct {
	jsonread.Reader
	item jsonread.Text // the strings of the item that is being read
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// newDecoder returns a decoder for the document b.
func newDecoder(b []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.start(b)
	return d
}

// release keeps the decoder for the next document.
func (d *decoder) release() {
	d.forget()
	decoders.Put(d)
}

// start makes the decoder ready for the document b, with no bound on what it
// allocates.
func (d *decoder) start(b []byte) {
	d.Allow(math.MaxInt64)
	d.Path, d.Flaw = "", jsonread.Flaw{}
	d.ResetBytes(b)
	d.item.Reset()
}

// forget drops the document and its strings.
func (d *decoder) forget() {
	d.ResetBytes(nil)
	d.item.Reset()
}

// err returns the scanner's error for the caller of the decoder: an error of the
// underlying reader unchanged, all others with the field, such as results[3].title,
// and the place. It holds no part of the answer.
func (d *decoder) err() error {
	err := d.Err()
	if err == nil {
		return nil
	}
	kind := ErrDecode
	var reason jsonscan.Error
	switch {
	case errors.Is(err, window.ErrTooLarge):
		kind, reason = ErrResponseTooLarge, "over its bound"
	case !errors.As(err, &reason):
		return err
	}
	at := " at byte " + strconv.FormatInt(d.Offset(), 10)
	return &failure{kind: kind, detail: strings.TrimSpace(d.Path + " " + string(reason) + at)}
}

// end reads to the end of the document and returns its error.
func (d *decoder) end() error {
	d.End()
	return d.err()
}

// decode reads a document with read and refuses bytes after the value. Beside an error it returns
// the zero value.
func decode[T any](b []byte, read func(*decoder) T) (value T, err error) {
	d := newDecoder(b)
	defer d.release()
	v := read(d)
	if err := d.end(); err != nil {
		return value, err
	}
	return v, nil
}

// text reads a text, number, true or false, and any other value as "".
func (d *decoder) text() jsonread.Piece {
	p, _ := d.TryText(&d.item)
	return p
}

// optText reads a text, number, true or false, or null for "", and fails for any other value.
func (d *decoder) optText() jsonread.Piece { return d.OptText(&d.item) }

// refuseFlaw fails for an item that cannot be used and stands alone, not in a list.
func (d *decoder) refuseFlaw() {
	if d.Flaw.Reason != "" && d.Err() == nil {
		d.Fail(d.Flaw.Reason)
		if d.Flaw.Member != "" {
			d.Within(d.Flaw.Member)
		}
	}
}
