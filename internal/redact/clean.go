// Package redact makes foreign text fit to be shown: without control
// characters, bounded, and without the secrets that it may repeat.
package redact

import (
	"strings"
	"unicode"
)

// Clean makes foreign text fit for a log line: valid UTF-8, no control
// characters, at most limit bytes.
func Clean(s string, limit int) string {
	s = s[:min(len(s), 4*limit)]
	s = strings.Map(func(r rune) rune {
		// A mark that reorders the rest of the line becomes a space as well. Without the
		// space the halves of a secret around it would be joined.
		if unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.TrimSpace(s)
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
