// Package redact makes foreign text safe to show: bounded, without control characters, and with its
// secrets hidden.
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
		// A mark that reorders the rest of the line becomes a space as well. Removing the mark
		// would join two halves of a secret.
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
