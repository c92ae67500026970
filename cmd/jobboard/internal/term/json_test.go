package term

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestSafeJSON(t *testing.T) {
	for _, s := range []string{"plain", "\u007f\u0085\u200f", "\U000e0001 tag", "ok 👍 ü\n", ""} {
		in, _ := json.Marshal(s)
		var back string
		if out := SafeJSON(in); json.Unmarshal(out, &back) != nil || back != s || bytes.ContainsFunc(out, needsEscape) {
			t.Errorf("%q became %q", in, out)
		}
	}
}

// Spaces of any width part words, and what moves the cursor or reorders a line is left out.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		" a\u00a0b\u202fc\u2007d\u3000e\n": "a b c d e", "a\r\n\tb": "a   b", "a\x1b[2Jb\u202ec\u200bd": "a[2Jbcd", "\xff": "\ufffd", "\u202f\u200f": "",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
