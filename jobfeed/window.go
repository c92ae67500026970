package jobfeed

import (
	"bytes"
	"io"
	"math"
)

// window is the part of the text that is in memory. Indexes into it stay good
// while more is read and begin anew when its beginning is discarded.
type window struct {
	src  io.Reader
	buf  []byte
	r, w int   // buf[r:w] is the window
	err  error // why src gives no more; io.EOF at its end
	left int64 // bytes src may still give; negative: no bound

	steps int64 // bytes that were looked at, once for each time: a test that the work is linear counts them

	off  int64 // of the window's beginning
	line int   // lines that end before it
	bol  int64 // where its line begins

	// known holds what is known of the ends of each kind of section. It keeps many
	// sections that share an end, or have none, from being searched many times.
	known [len(sections)]known
}

const minWindow = 64 << 10

func (s *window) bytes() []byte { return s.buf[s.r:s.w] }

// more makes the window longer; false: it cannot be.
func (s *window) more() bool {
	if s.err != nil {
		return false
	}
	s.makeRoom()
	for range 100 {
		n, err := s.src.Read(s.buf[s.w:])
		if s.left >= 0 {
			if int64(n) > s.left {
				n, err = int(s.left), ErrTooLarge
			}
			s.left -= int64(n)
		}
		s.w += n
		s.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// makeRoom moves the window to the front of its buffer if that is full, and to
// a larger buffer if there is little room in front of it.
func (s *window) makeRoom() {
	if s.r == s.w {
		s.r, s.w = 0, 0
	}
	if s.w < len(s.buf) {
		return
	}
	buf := s.buf
	if kept := s.w - s.r; kept > len(buf)-minWindow/2 {
		buf = make([]byte, max(minWindow, min(2*len(buf), len(buf)+1<<20)))
	}
	s.w = copy(buf, s.bytes())
	s.buf, s.r = buf, 0
}

// fill reads until there are n bytes or the text ends.
func (s *window) fill(n int) {
	for len(s.bytes()) < n && s.more() {
	}
}

// discard takes n bytes from the beginning.
func (s *window) discard(n int) {
	p := s.at(n)
	s.line, s.bol = p.Line-1, p.Offset-int64(p.Column-1)
	s.r += n
	s.off = p.Offset
}

var newline = []byte{'\n'}

// at returns the position of the byte at i.
func (s *window) at(i int) Position {
	b := s.looked(s.bytes()[:i])
	p := Position{Line: s.line + 1, Offset: s.off + int64(i)}
	bol := s.bol
	if lines := bytes.Count(b, newline); lines > 0 {
		p.Line += lines
		bol = s.off + int64(bytes.LastIndexByte(b, '\n')) + 1
	}
	p.Column = int(p.Offset-bol) + 1
	return p
}

// looked counts bytes that are looked at.
func (s *window) looked(b []byte) []byte {
	s.steps += int64(len(b))
	return b
}

// index returns where the first such text from i on is in the window, or -1.
func (s *window) index(i int, text []byte) int {
	b := s.bytes()
	i = min(i, len(b))
	k := bytes.Index(b[i:], text)
	if k < 0 {
		s.looked(b[i:])
		return -1
	}
	s.looked(b[i : i+k+len(text)])
	return i + k
}

// byteAt returns the byte at i; long or ended: there is none before the limit.
func (s *window) byteAt(i, limit int) (c byte, why cut) {
	s.steps++
	switch {
	case i >= limit:
		return 0, long
	case i == s.w-s.r && !s.more():
		return 0, ended
	}
	return s.buf[s.r+i], whole
}

// peek returns the byte at i, which is at most the length of the window; 0: the
// text ends there.
func (s *window) peek(i int) byte {
	c, _ := s.byteAt(i, math.MaxInt)
	return c
}

// name returns where the name that begins at i ends, or its first maxName bytes,
// and whether it is that of an entry.
func (s *window) name(i int) (end int, opening bool) {
	for {
		name := nameIn(s.bytes()[i:])
		end = i + len(name)
		if end < len(s.bytes()) || len(name) == maxName || !s.more() {
			return end, isOpening(name)
		}
	}
}
