package jobfeed

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/jobboard-sdk/jobboard-go/internal/atomicfile"
)

// ErrIndexFile reports that the bytes are not those of a whole index in a version
// that this release knows.
var ErrIndexFile = errors.New("not a usable index")

// The file of an index is indexMagic, whose last byte is the version; the
// numbers of entries and of broken ones; for postings and then for versions the
// number of pairs and the pairs; the SHA-256 of all that. Numbers are unsigned
// varints. A pair is what its identifier is above the one before, and its job as
// a signed varint, less the job before.
const indexMagic = "jobfeed index\x001"

// WriteTo writes the index, so that ReadIndex can read it.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	if x == nil {
		x = new(Index)
	}
	out := &indexWriter{w: bufio.NewWriter(w), sum: sha256.New()}
	out.write([]byte(indexMagic))
	out.uvarint(uint64(x.entries))
	out.uvarint(uint64(x.broken))
	for _, ps := range [...][]pair{x.postings.list, x.versions.list} {
		out.uvarint(uint64(len(ps)))
		var last pair
		for _, p := range ps {
			out.uvarint(uint64(p.id - last.id))
			out.varint(p.job - last.job)
			last = p
		}
	}
	out.write(out.sum.Sum(nil))
	if err := out.w.Flush(); err != nil {
		return out.n - int64(out.w.Buffered()), fmt.Errorf("jobfeed: writing an index: %w", err)
	}
	return out.n, nil
}

// indexWriter counts and sums what it writes. An error is kept by w until Flush.
type indexWriter struct {
	w   *bufio.Writer
	sum hash.Hash
	n   int64
	buf [binary.MaxVarintLen64]byte
}

func (w *indexWriter) write(b []byte) {
	n, _ := w.w.Write(b)
	w.n += int64(n)
	w.sum.Write(b)
}

func (w *indexWriter) uvarint(v uint64) { w.write(binary.AppendUvarint(w.buf[:0], v)) }
func (w *indexWriter) varint(v int64)   { w.write(binary.AppendVarint(w.buf[:0], v)) }

// SaveFile writes the index to a file in one step: whoever stops the program
// meanwhile leaves the old file or the new one.
func (x *Index) SaveFile(name string) error {
	return atomicfile.Write(name, func(w io.Writer) error {
		_, err := x.WriteTo(w)
		return err
	})
}

// ReadIndex reads what WriteTo wrote, up to its end. It needs memory for what
// arrives, whatever the bytes claim. The error of bytes that are no index is
// [ErrIndexFile].
func ReadIndex(r io.Reader) (*Index, error) {
	b, err := readSealed(r)
	if err != nil {
		return nil, fmt.Errorf("jobfeed: reading an index: %w", err)
	}
	in := &indexReader{rest: b}
	x := &Index{entries: int(in.uvarint()), broken: int(in.uvarint()), postings: in.pairs(), versions: in.pairs()}
	if in.broken || len(in.rest) > 0 {
		return nil, fmt.Errorf("jobfeed: reading an index: %w: its numbers are those of none", ErrIndexFile)
	}
	return x, nil
}

// readSealed returns what stands between the magic and the checksum of a file
// where both are right.
func readSealed(r io.Reader) ([]byte, error) {
	magic := make([]byte, len(indexMagic))
	version := len(magic) - 1
	switch _, err := io.ReadFull(r, magic); {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, fmt.Errorf("%w: it ends too early", ErrIndexFile)
	case err != nil:
		return nil, err
	case string(magic[:version]) != indexMagic[:version]:
		return nil, fmt.Errorf("%w: it does not begin like one", ErrIndexFile)
	case magic[version] != indexMagic[version]:
		return nil, fmt.Errorf("%w: version %q, not %q", ErrIndexFile, magic[version], indexMagic[version])
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	end := max(0, len(b)-sha256.Size)
	sum := sha256.New()
	sum.Write(magic)
	sum.Write(b[:end])
	if !bytes.Equal(sum.Sum(nil), b[end:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrIndexFile)
	}
	return b[:end], nil
}

// ReadIndexFile reads the file that SaveFile wrote.
func ReadIndexFile(name string) (*Index, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x, err := ReadIndex(f)
	if err != nil {
		return nil, fmt.Errorf("%w (file %s)", err, name)
	}
	return x, nil
}

// indexReader takes numbers from the rest of a file. Once that is broken they are 0.
type indexReader struct {
	rest   []byte
	broken bool
}

func (r *indexReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.broken = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *indexReader) varint() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *indexReader) pairs() (ps pairs) {
	n := r.uvarint()
	if n > uint64(len(r.rest)) { // a pair takes two bytes or more
		r.broken = true
		return pairs{}
	}
	ps.list = make([]pair, n)
	var last pair
	for i := range ps.list {
		next := pair{last.id + int64(r.uvarint()), last.job + r.varint()}
		if next.id < 1 || next.job < 1 || last.compare(next) >= 0 {
			r.broken = true
		}
		ps.list[i], last = next, next
	}
	ps.setTops()
	return ps
}
