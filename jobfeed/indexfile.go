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
	"github.com/jobboard-sdk/jobboard-go/internal/steady"
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

// maxIndexPairs bounds the pairs of one kind that are read, at 16 bytes each.
const maxIndexPairs = 100_000_000

// WriteTo writes the index, so that ReadIndex can read it.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	if x == nil {
		x = new(Index)
	}
	out := &indexWriter{w: bufio.NewWriterSize(w, 64<<10), sum: sha256.New()}
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
	src := &failing{src: steady.Reader{Reader: r}}
	in := &indexReader{r: bufio.NewReaderSize(src, 64<<10), sum: sha256.New()}
	x, err := in.index()
	switch {
	case src.err == io.EOF && (err == io.EOF || err == io.ErrUnexpectedEOF):
		err = fmt.Errorf("%w: it ends too early", ErrIndexFile)
	case err == nil:
		return x, nil
	}
	return nil, fmt.Errorf("jobfeed: reading an index: %w", err)
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

// indexReader sums what it reads.
type indexReader struct {
	r   *bufio.Reader
	sum hash.Hash
	buf [1]byte
	err error // of r
}

// ReadByte makes it an io.ByteReader for package binary.
func (r *indexReader) ReadByte() (byte, error) {
	b, err := r.r.ReadByte()
	if err != nil {
		r.err = err
		return 0, err
	}
	r.buf[0] = b
	r.sum.Write(r.buf[:])
	return b, nil
}

// uvarint reads a number. An error that is not r's is that of a number with too
// many bytes.
func (r *indexReader) uvarint() (uint64, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil && r.err == nil {
		err = fmt.Errorf("%w: %w", ErrIndexFile, err)
	}
	return n, err
}

func (r *indexReader) varint() (int64, error) {
	n, err := r.uvarint()
	return int64(n>>1) ^ -int64(n&1), err
}

func (r *indexReader) index() (*Index, error) {
	magic := make([]byte, len(indexMagic))
	if _, err := io.ReadFull(r.r, magic); err != nil {
		return nil, err
	}
	r.sum.Write(magic)
	version := len(magic) - 1
	switch {
	case string(magic[:version]) != indexMagic[:version]:
		return nil, fmt.Errorf("%w: it does not begin like one", ErrIndexFile)
	case magic[version] != indexMagic[version]:
		return nil, fmt.Errorf("%w: version %q, not %q", ErrIndexFile, magic[version], indexMagic[version])
	}
	x := new(Index)
	var err error
	if x.entries, err = r.count(); err != nil {
		return nil, err
	}
	if x.broken, err = r.count(); err != nil {
		return nil, err
	}
	for _, ps := range [...]*pairs{&x.postings, &x.versions} {
		if ps.list, err = r.pairs(); err != nil {
			return nil, err
		}
		ps.setTops()
	}
	want := r.sum.Sum(nil)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r.r, got); err != nil {
		return nil, err
	}
	if !bytes.Equal(got, want) {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrIndexFile)
	}
	if _, err := r.r.ReadByte(); err == nil {
		return nil, fmt.Errorf("%w: bytes after its end", ErrIndexFile)
	} else if err != io.EOF {
		return nil, err
	}
	return x, nil
}

// count reads a number of entries or pairs.
func (r *indexReader) count() (int, error) {
	n, err := r.uvarint()
	if err == nil && n > maxIndexPairs {
		err = fmt.Errorf("%w: over %d pairs", ErrIndexFile, maxIndexPairs)
	}
	return int(n), err
}

func (r *indexReader) pairs() ([]pair, error) {
	n, err := r.count()
	if err != nil {
		return nil, err
	}
	ps := make([]pair, 0, min(n, 64<<10)) // the rest when it arrives
	var last pair
	for range n {
		step, err := r.uvarint()
		if err != nil {
			return nil, err
		}
		job, err := r.varint()
		if err != nil {
			return nil, err
		}
		next := pair{last.id + int64(step), last.job + job}
		if next.id < 1 || next.job < 1 || last.compare(next) >= 0 {
			return nil, fmt.Errorf("%w: identifiers out of order", ErrIndexFile)
		}
		ps = append(ps, next)
		last = next
	}
	return ps, nil
}
