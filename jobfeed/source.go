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

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxDeclaration bounds the XML declaration, which is read ahead.
const maxDeclaration = 1024

// text returns a reader of the feed as UTF-8 without a byte order mark.
func text(src io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(src, 32<<10)
	head, err := br.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, gzipError(err)
		}
		z.Multistream(false)
		br = bufio.NewReaderSize(&members{src: br, z: z}, 32<<10)
	}
	head, err = br.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	var enc encoding.Encoding
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err := br.Discard(3)
		return br, err
	case bytes.Equal(head, []byte("\xff\xfe\x00\x00")), bytes.Equal(head, []byte("\x00\x00\xfe\xff")):
		return nil, fmt.Errorf("%w: UTF-32", ErrEncoding)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		enc = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case bytes.HasPrefix(head, []byte("<\x00")):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(head, []byte("\x00<")):
		enc = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	default:
		if enc, err = declared(br); err != nil {
			return nil, err
		}
	}
	if enc == nil {
		return br, nil
	}
	return transform.NewReader(br, enc.NewDecoder()), nil
}

// encodingAttribute is encoding="value" or encoding='value' in an XML
// declaration.
var encodingAttribute = regexp.MustCompile(`encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')`)

// declared returns the encoding of the XML declaration; nil means UTF-8.
func declared(br *bufio.Reader) (encoding.Encoding, error) {
	var decl []byte
	for n := 1; n <= maxDeclaration; n++ {
		head, err := br.Peek(n)
		if len(head) < n {
			if err != io.EOF {
				return nil, err
			}
			break // the rest will say what is wrong
		}
		if trimmed := bytes.TrimLeft(head, " \t\r\n"); n >= 5 && !bytes.HasPrefix(trimmed, []byte("<?xml")) &&
			!bytes.HasPrefix([]byte("<?xml"), trimmed) {
			return nil, nil
		}
		if bytes.HasSuffix(head, []byte("?>")) {
			decl = head
			break
		}
	}
	label := ""
	if found := encodingAttribute.FindSubmatch(decl); found != nil {
		label = string(found[1]) + string(found[2])
	}
	if label == "" {
		return nil, nil
	}
	enc, name := charset.Lookup(label)
	switch {
	case enc == nil, name == "replacement":
		return nil, fmt.Errorf("%w: %.40q", ErrEncoding, label)
	case name == "utf-8", strings.HasPrefix(name, "utf-16"):
		// A declaration that can be read byte by byte is not in UTF-16.
		return nil, nil
	}
	return enc, nil
}

// maxEmptyMembers bounds the gzip members without content in a row, which would
// otherwise keep Read busy for as long as they come.
const maxEmptyMembers = 1000

// members reads one gzip member after the other, and takes anything else after
// one as an error.
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
		if err != io.EOF {
			if err != nil {
				err = gzipError(err)
			}
			return n, err
		}
		if n > 0 {
			return n, nil // the end is told by the next Read
		}
		if _, err := m.src.Peek(1); err != nil {
			return 0, err
		}
		if m.empty++; m.empty > maxEmptyMembers {
			return 0, gzipError(fmt.Errorf("%w: over %d empty members", ErrTooLarge, maxEmptyMembers))
		}
		if err := m.z.Reset(m.src); err != nil {
			if errors.Is(err, gzip.ErrHeader) {
				err = fmt.Errorf("bytes after the last member: %w", err)
			}
			return 0, gzipError(err)
		}
		m.z.Multistream(false)
	}
}

func gzipError(err error) error { return fmt.Errorf("gzip: %w", err) }
