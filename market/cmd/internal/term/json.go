package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// SafeJSON escapes the characters in JSON that a terminal would act on. The
// meaning stays the same, because JSON has such characters only in strings.
func SafeJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, needsEscape) {
		return b
	}
	var out []byte
	for _, r := range string(b) {
		if !needsEscape(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

func needsEscape(r rune) bool {
	return r != '\n' && !strconv.IsPrint(r)
}

// WriteJSON writes v as JSON, indented or on one line.
func WriteJSON(w io.Writer, v any, indent bool) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(SafeJSON(buf.Bytes()))
	return err
}
