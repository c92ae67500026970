package jobboard

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scrub takes out of the service's words what it may have been told in
// confidence.
func (c *call) scrub(text string) string {
	for _, secret := range c.secrets {
		if len(secret) >= 3 {
			text = hide(text, secret)
		}
	}
	return text
}

// hide replaces secret in text, however the text quotes it: as it is, escaped
// for a URL, for JSON or Go, or for HTML, each of its characters in a way of
// its own. A text that ends within the secret loses that part too.
func hide(text, secret string) string {
	for _, form := range []string{
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		hex.EncodeToString([]byte(secret)),
	} {
		text = strings.ReplaceAll(text, strings.TrimRight(form, "="), hiddenText)
	}
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text); {
		n := quotedPrefix(text[i:], secret)
		if n == 0 {
			i++
			continue
		}
		b.WriteString(text[kept:i])
		b.WriteString(hiddenText)
		i += n
		kept = i
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// quotedPrefix is how many bytes at the start of text are the secret, or as
// much of it as there is text; 0 where it is something else.
func quotedPrefix(text, secret string) int {
	const part = 6 // so much of a secret at the end of a text is no accident
	i, j := 0, 0
	for j < len(secret) {
		if i == len(text) {
			if j < part {
				return 0
			}
			break
		}
		n, m := quotedRune(text[i:], secret[j:])
		if n == 0 {
			if j >= part && cutEscape(text[i:]) {
				return len(text)
			}
			return 0
		}
		i, j = i+n, j+m
	}
	return i
}

// quotedRune is how many bytes of text stand for the first character of
// secret, or for its first byte, and how many bytes of secret that is.
func quotedRune(text, secret string) (n, m int) {
	r, size := utf8.DecodeRuneInString(secret)
	switch text[0] {
	case '+':
		if r == ' ' {
			return 1, 1
		}
	case '%':
		if v, ok := hexDigits(text[1:], 2); ok && byte(v) == secret[0] {
			return 3, 1
		}
	case '&':
		end := strings.IndexByte(text[:min(len(text), 12)], ';')
		if end > 0 && html.UnescapeString(text[:end+1]) == secret[:size] {
			return end + 1, size
		}
	case '\\':
		if n, m = backslashed(text, secret, r, size); n > 0 {
			return n, m
		}
	}
	if strings.HasPrefix(text, secret[:size]) {
		return size, size
	}
	return 0, 0
}

// backslashed is quotedRune for JSON and Go, escaped once or several times.
func backslashed(text, secret string, r rune, size int) (n, m int) {
	rest := strings.TrimLeft(text, `\`)
	n = len(text) - len(rest)
	if v, ok := unicodeEscape(rest); ok {
		if v == r {
			return n + 5, size
		}
		high, low := utf16.EncodeRune(r)
		if v != high {
			return 0, 0
		}
		rest = strings.TrimLeft(rest[5:], `\`)
		if v, ok := unicodeEscape(rest); ok && v == low {
			return len(text) - len(rest) + 5, size
		}
		return 0, 0
	}
	switch {
	case r == '\\':
		return n, len(secret) - len(strings.TrimLeft(secret, `\`))
	case rest == "":
	case strings.HasPrefix(rest, secret[:size]):
		return n + size, size
	case rest[0] == 'x':
		if v, ok := hexDigits(rest[1:], 2); ok && byte(v) == secret[0] {
			return n + 3, 1
		}
	case rest[0] == 'U':
		if v, ok := hexDigits(rest[1:], 8); ok && rune(v) == r {
			return n + 9, size
		}
	default:
		if i := strings.IndexByte("abfnrtv", rest[0]); i >= 0 && secret[0] == "\a\b\f\n\r\t\v"[i] {
			return n + 1, 1
		}
	}
	return 0, 0
}

func unicodeEscape(text string) (rune, bool) {
	if !strings.HasPrefix(text, "u") {
		return 0, false
	}
	v, ok := hexDigits(text[1:], 4)
	return rune(v), ok
}

func hexDigits(text string, n int) (uint64, bool) {
	if len(text) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(text[:n], 16, 32)
	return v, err == nil
}

// cutEscape says whether all of text is the beginning of one escaped
// character, of two \u at most.
func cutEscape(text string) bool {
	return len(text) < 14 && strings.Trim(text, `\%&#;0123456789abcdefABCDEFuUxltgmpqos`) == "" && strings.ContainsAny(text[:1], `\%&`)
}
