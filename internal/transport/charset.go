package transport

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// charsetOf returns the charset of the answer's Content-Type, or "". Unlike mime.ParseMediaType it
// takes no allocation and reads sloppy headers.
func charsetOf(header http.Header) string {
	_, params, _ := strings.Cut(header.Get("Content-Type"), ";")
	for params != "" {
		var param string
		param, params, _ = strings.Cut(params, ";")
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "charset") {
			return strings.Trim(value, " \t\"'")
		}
	}
	return ""
}

// isWindows1252 reports whether a charset is windows-1252, or ISO-8859-1: whoever writes that means
// windows-1252, which has characters where ISO-8859-1 has control characters.
func isWindows1252(charset string) bool {
	return charset != "" && slices.ContainsFunc(windows1252Names[:], func(name string) bool {
		return strings.EqualFold(name, charset)
	})
}

var windows1252Names = [...]string{
	"ISO-8859-1", "ISO8859-1", "ISO_8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252", "x-cp1252",
}

// NotUTF8 returns the name of the charset, UTF-16 or UTF-32, that an answer is in by its first bytes
// or by its label, or "".
func NotUTF8(header http.Header, head []byte) string {
	for _, bom := range [...]struct{ bytes, name string }{
		{"\xff\xfe\x00\x00", "UTF-32"}, {"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"},
	} {
		if bytes.HasPrefix(head, []byte(bom.bytes)) {
			return bom.name
		}
	}
	label := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(charsetOf(header)))
	switch {
	case strings.HasPrefix(label, "utf16"), strings.HasSuffix(label, "ucs2"):
		return "UTF-16"
	case strings.HasPrefix(label, "utf32"), strings.HasSuffix(label, "ucs4"):
		return "UTF-32"
	}
	return ""
}

// A utf8Reader turns bytes of src that are no UTF-8 into their windows-1252 characters, and leaves
// valid UTF-8 as it is: some services label UTF-8 as ISO-8859-1.
type utf8Reader struct {
	src io.Reader
	raw []byte // read from src: the beginning of a character, whose rest has not come yet
	out []byte // UTF-8 for the caller
	buf []byte // the memory of out
	err error  // of src
}

func (r *utf8Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.out) == 0 && r.err == nil {
		r.fill()
	}
	if len(r.out) > 0 || r.err == nil {
		n := copy(p, r.out)
		r.out = r.out[n:]
		return n, nil
	}
	return 0, r.err
}

// fill reads once from src.
func (r *utf8Reader) fill() {
	if r.buf == nil {
		r.raw = make([]byte, 0, 4<<10)
		r.buf = make([]byte, 0, 3*cap(r.raw))
	}
	n, err := r.src.Read(r.raw[len(r.raw):cap(r.raw)])
	raw, out := r.raw[:len(r.raw)+n], r.buf[:0]
	r.err = err
	for len(raw) > 0 && (err != nil || utf8.FullRune(raw)) {
		c, size := utf8.DecodeRune(raw)
		if c == utf8.RuneError && size == 1 {
			c = windows1252(raw[0])
		}
		out, raw = utf8.AppendRune(out, c), raw[size:]
	}
	r.out, r.raw = out, r.raw[:copy(r.raw[:cap(r.raw)], raw)]
}

// windows1252 returns the character of a byte from 0x80.
func windows1252(b byte) rune {
	if b < 0xa0 {
		return upper1252[b-0x80]
	}
	return rune(b)
}

// upper1252 holds the characters of the bytes 0x80 to 0x9f. The five that windows-1252 leaves open
// are control characters, as in ISO-8859-1.
var upper1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}
