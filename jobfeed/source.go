package jobfeed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/steady"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxDeclaration bounds the XML declaration, which is read ahead.
const maxDeclaration = 1024

// text returns a reader of the feed as UTF-8 without a byte order mark.
func text(src io.Reader) (io.Reader, error) {
	br, err := decompressed(buffered(src))
	if err != nil {
		return nil, err
	}
	enc, err := encodingOf(br)
	if enc == nil {
		return br, err
	}
	return transform.NewReader(br, enc.NewDecoder()), nil
}

// failing is a reader that repeats its first error, which bufio.Reader.Peek may have consumed.
type failing struct {
	src steady.Reader
	err error
}

func buffered(src io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(&failing{src: steady.Reader{Reader: src}}, 32<<10)
}

func (f *failing) Read(p []byte) (n int, err error) {
	if f.err == nil {
		n, f.err = f.src.Read(p)
	}
	return n, f.err
}

// decompressed returns src, or the decompressed content if src is gzip.
func decompressed(src *bufio.Reader) (*bufio.Reader, error) {
	// encodingOf gets an error of Peek again.
	if head, _ := src.Peek(2); string(head) != "\x1f\x8b" {
		return src, nil
	}
	z, err := gzip.NewReader(src)
	if err != nil {
		return nil, gzipError(err)
	}
	z.Multistream(false)
	return buffered(&members{src: src, z: z}), nil
}

// marks lists the first bytes of feeds in UTF-16, and in UTF-32, which is refused.
var marks = []struct {
	mark string
	enc  encoding.Encoding
}{
	{"\xff\xfe\x00\x00", nil},
	{"\x00\x00\xfe\xff", nil},
	{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
	{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
	{"<\x00", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{"\x00<", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
}

// encodingOf returns the encoding of br; nil means UTF-8, whose byte order mark it removes.
func encodingOf(br *bufio.Reader) (encoding.Encoding, error) {
	head, err := br.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, err := br.Discard(3)
		return nil, err
	}
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			if m.enc == nil {
				return nil, fmt.Errorf("%w: UTF-32", ErrEncoding)
			}
			return m.enc, nil
		}
	}
	return declared(br)
}

// encodingAttribute is an XML declaration up to encoding="value" or encoding='value' in
// it. <?xml-stylesheet is not a declaration.
var encodingAttribute = regexp.MustCompile(`(?s)^\s*<\?xml\s.*?encoding\s*=\s*(?:"([^"]*)"|'([^']*)')`)

// declared returns the encoding of the XML declaration; nil means UTF-8.
func declared(br *bufio.Reader) (encoding.Encoding, error) {
	found := encodingAttribute.FindSubmatch(declaration(br))
	if found == nil {
		return nil, nil
	}
	label := string(found[1]) + string(found[2])
	enc, name := charset.Lookup(label)
	switch {
	case label == "":
		return nil, nil
	case enc == nil, name == "replacement":
		return nil, fmt.Errorf("%w: %.40q", ErrEncoding, label)
	case name == "utf-8", strings.HasPrefix(name, "utf-16"):
		// The declaration was read as single bytes, so the feed cannot be UTF-16.
		return nil, nil
	}
	return enc, nil
}

// declaration returns the XML declaration at the start of br, if any. It peeks byte by byte and no
// further.
func declaration(br *bufio.Reader) []byte {
	begin := []byte("<?xml")
	for n := len(begin); n <= maxDeclaration; n++ {
		head, err := br.Peek(n)
		trimmed := bytes.TrimLeft(head, white)
		switch {
		case err != nil: // Read returns it again
			return nil
		case !bytes.HasPrefix(trimmed, begin) && !bytes.HasPrefix(begin, trimmed):
			return nil
		case bytes.HasSuffix(trimmed, []byte("?>")):
			return head
		}
	}
	return nil
}

// maxEmptyMembers bounds the gzip members without content in a row, which would
// otherwise keep Read busy for as long as they come.
const maxEmptyMembers = 1000

// members reads one gzip member after the other. Bytes after a member that begin no member give an
// error.
type members struct {
	src   *bufio.Reader
	z     *gzip.Reader
	empty int
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if n > 0 {
			m.empty = 0
		}
		switch {
		case err != nil && err != io.EOF:
			return n, gzipError(err)
		case err == nil || n > 0: // the next Read sees the end
			return n, nil
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member; io.EOF: there is none.
func (m *members) next() error {
	if _, err := m.src.Peek(1); err != nil {
		return err
	}
	if m.empty++; m.empty > maxEmptyMembers {
		return gzipError(fmt.Errorf("%w: over %d empty members", ErrTooLarge, maxEmptyMembers))
	}
	if err := m.z.Reset(m.src); err != nil {
		if errors.Is(err, gzip.ErrHeader) {
			err = fmt.Errorf("bytes after the last member: %w", err)
		}
		return gzipError(err)
	}
	m.z.Multistream(false)
	return nil
}

func gzipError(err error) error { return fmt.Errorf("gzip: %w", err) }
