package redact

import (
	"bytes"
	"html"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquoted holds a text without its quotings, and the place of each byte in the
// original.
type unquoted struct {
	text   string
	folded string
	at     []span // span in text of each byte of folded; nil: text has no quotings
	bytes  []byte // bytes of folded during unquote
	steps  int    // counts work, for the test that unquote is linear
}

// unquote undoes the quotings of URLs, JSON, Go and HTML in text, also nested quotings: the result
// of an undone quoting may complete another. The work is linear, because each byte is added once
// and each undone quoting leaves fewer bytes.
func unquote(text string) *unquoted {
	u := &unquoted{text: text}
	if !strings.ContainsAny(text, `%&\`) {
		u.finish()
		return u
	}
	u.bytes = make([]byte, 0, len(text))
	u.at = make([]span, 0, len(text))
	for i := range len(text) {
		u.push(text[i], span{i, i + 1})
	}
	u.finish()
	return u
}

// push adds a byte, and undoes the quoting that it completes. It loops, because the unquoted byte
// may complete another quoting, up to as often as the text has bytes: "%3%3%35" is "5".
func (u *unquoted) push(c byte, at span) {
	for {
		u.steps++
		n := len(u.bytes)
		if c == '\\' && n > 0 && u.bytes[n-1] == '\\' {
			u.at[n-1].to = at.to // a run of backslashes counts as one
			return
		}
		u.bytes, u.at = append(u.bytes, c), append(u.at, at)
		from, plain := u.quoting()
		if plain == "" {
			return
		}
		at = span{u.at[from].from, at.to}
		u.bytes, u.at = u.bytes[:from], u.at[:from]
		last := len(plain) - 1
		for i := range last { // a character beyond ASCII, or an entity for two characters
			u.push(plain[i], at)
		}
		c = plain[last]
	}
}

// quoting returns the start of the quoting that the last byte completes, and the unquoted text;
// empty: the byte completes no quoting.
func (u *unquoted) quoting() (from int, plain string) {
	switch c := u.bytes[len(u.bytes)-1]; {
	case c == ';':
		return u.entity()
	case hexValue(c) >= 0:
		return u.hex()
	}
	return 0, ""
}

// hex reads %XX, \xXX, \uXXXX and \UXXXXXXXX that end with the last byte.
func (u *unquoted) hex() (from int, plain string) {
	b := u.bytes
	last := len(b) - 1
	switch {
	case last >= 2 && b[last-2] == '%':
		return u.digits(last-2, last-1)
	case last >= 3 && b[last-2] == 'x' && b[last-3] == '\\':
		return u.digits(last-3, last-1)
	case last >= 5 && b[last-4] == 'u' && b[last-5] == '\\':
		return u.digits(last-5, last-3)
	case last >= 9 && b[last-8] == 'U' && b[last-9] == '\\':
		return u.digits(last-9, last-7)
	}
	return 0, ""
}

// digits reads a quoting of hexadecimal digits. Two digits encode a byte, more digits a character.
func (u *unquoted) digits(from, digits int) (begin int, plain string) {
	v := rune(0)
	for _, c := range u.bytes[digits:] {
		u.steps++
		digit := hexValue(c)
		if digit < 0 || v > utf8.MaxRune {
			return 0, ""
		}
		v = v<<4 | digit
	}
	switch {
	case len(u.bytes)-digits == 2:
		return from, string([]byte{byte(v)})
	case utf16.IsSurrogate(v):
		return u.surrogate(from, v)
	case v <= utf8.MaxRune:
		return from, string(v)
	}
	return 0, ""
}

// surrogate reads one half of a character beyond 16 bits. It returns the first half as three bytes,
// and with the second half the whole character.
func (u *unquoted) surrogate(from int, r rune) (begin int, plain string) {
	const half = 3 // bytes that a half takes, as UTF-8 would write it
	if from >= half && u.bytes[from-half] == 0xed {
		high := rune(0xd000) | rune(u.bytes[from-2]&0x3f)<<6 | rune(u.bytes[from-1]&0x3f)
		if whole := utf16.DecodeRune(high, r); whole != utf8.RuneError {
			return from - half, string(whole)
		}
	}
	return from, string([]byte{0xed, 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
}

// Bounds of the length of an HTML entity that is undone, in bytes.
const (
	minEntity = len("&gt;")
	maxEntity = 12
)

// entity reads an entity of HTML that ends with the last byte.
func (u *unquoted) entity() (from int, plain string) {
	start := max(0, len(u.bytes)-maxEntity)
	i := bytes.LastIndexByte(u.bytes[start:], '&')
	u.steps += len(u.bytes) - start
	if i < 0 || len(u.bytes)-start-i < minEntity {
		return 0, ""
	}
	entity := string(u.bytes[start+i:])
	if plain := html.UnescapeString(entity); plain != entity && len(plain) < len(entity) {
		return start + i, plain
	}
	return 0, ""
}

// hexValue returns the value of a hexadecimal digit, -1 for another byte.
func hexValue(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// finish makes equivalent characters equal: a plus sign in a URL and a space, a control character
// and its letter in JSON. It removes backslashes, because each only quotes the next character.
func (u *unquoted) finish() {
	if u.bytes == nil {
		u.folded = fold(u.text)
		return
	}
	kept := 0
	for i, c := range u.bytes {
		if c == '\\' {
			continue
		}
		u.bytes[kept], u.at[kept] = foldByte(c), u.at[i]
		kept++
	}
	u.folded, u.bytes, u.at = string(u.bytes[:kept]), nil, u.at[:kept]
}

func foldByte(c byte) byte {
	switch {
	case c == '+':
		return ' '
	case '\a' <= c && c <= '\r':
		return "abtnvfr"[c-'\a']
	}
	return c
}

// fold folds each byte of a text without quotings.
func fold(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = foldByte(c)
	}
	return string(b)
}

// span returns the part of the text that stands for a part of folded.
func (u *unquoted) span(from, to int) span {
	if u.at == nil {
		return span{from, to}
	}
	return span{u.at[from].from, u.at[to-1].to}
}

// before returns the length of folded that belongs to the text before place.
func (u *unquoted) before(place int) int {
	if u.at == nil {
		return place
	}
	return sort.Search(len(u.at), func(i int) bool { return u.at[i].to > place })
}
