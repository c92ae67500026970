package refusal

import "strings"

// authParameters calls found for each parameter of the challenges in a header value (RFC 9110,
// section 11.6.1): schemes, and comma-separated parameters name=token or name="text". name is in
// lower case. A value without quotes ends at the next comma or space, even if the server forgot the
// quotes. The work is linear.
//
// written is the text between the quotes with its backslashes, except those before quotes. Secrets
// are searched in written, because a secret may contain backslashes.
func authParameters(value string, found func(name, value, written string)) {
	r := challengeReader{text: value}
	r.parameters(found)
}

func (r *challengeReader) parameters(found func(name, value, written string)) {
	for r.at < len(r.text) {
		r.steps++
		name := r.token()
		if name == "" {
			r.at++ // a comma, a space, or another byte outside of tokens
			continue
		}
		before := r.at
		r.skip(" \t")
		if !r.take('=') {
			r.at = before // a scheme's name or its credential
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

// value reads a quoted string, or the text before the next comma or space.
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
