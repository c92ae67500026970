package refusal

import "strings"

// authParameters calls found for each parameter of the challenges in a header
// value, as RFC 9110, section 11.6.1 writes them: schemes, and names with a
// token or a quoted string behind an equals sign, apart by commas. A name comes
// in small letters. Servers that quote nothing are read as far as they can be:
// the value of a broken parameter ends at the next comma or space. Every byte is
// looked at once.
//
// written is the value between its quotes as it stands in the header, apart from
// backslashes in front of quotes. Secrets are also looked for in that form, because
// its other backslashes may be their own.
func authParameters(value string, found func(name, value, written string)) {
	r := challengeReader{text: value}
	r.parameters(found)
}

func (r *challengeReader) parameters(found func(name, value, written string)) {
	for r.at < len(r.text) {
		r.steps++
		name := r.token()
		if name == "" {
			r.at++ // a comma, a space, or nothing that a parameter begins with
			continue
		}
		before := r.at
		r.skip(" \t")
		if !r.take('=') {
			r.at = before // a scheme, or a credential of one
			continue
		}
		r.skip(" \t")
		value, written := r.value()
		found(strings.ToLower(name), value, written)
	}
}

// challengeReader reads the parameters of one header value, byte by byte.
type challengeReader struct {
	text  string
	at    int
	steps int // bytes looked at, for the test that the work is linear
}

func (r *challengeReader) skip(set string) {
	for r.at < len(r.text) && strings.IndexByte(set, r.text[r.at]) >= 0 {
		r.at++
		r.steps++
	}
}

func (r *challengeReader) take(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

// token reads the longest token, which may be empty.
func (r *challengeReader) token() string {
	from := r.at
	for r.at < len(r.text) && isToken(r.text[r.at]) {
		r.at++
		r.steps++
	}
	return r.text[from:r.at]
}

// value reads a quoted string, or what stands before the next comma or space.
func (r *challengeReader) value() (value, written string) {
	if !r.take('"') {
		from := r.at
		for r.at < len(r.text) && strings.IndexByte(", \t", r.text[r.at]) < 0 {
			r.at++
			r.steps++
		}
		return r.text[from:r.at], r.text[from:r.at]
	}
	var plain, quoted strings.Builder
	for ; r.at < len(r.text); r.at++ {
		r.steps++
		c := r.text[r.at]
		if c == '"' {
			r.at++
			break
		}
		if c == '\\' && r.at+1 < len(r.text) {
			r.at++
			c = r.text[r.at]
			if c != '"' {
				quoted.WriteByte('\\')
			}
		}
		plain.WriteByte(c)
		quoted.WriteByte(c)
	}
	return plain.String(), quoted.String()
}

func isToken(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
