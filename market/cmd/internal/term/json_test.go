package term

import (
	"bytes"
	"encoding/json"
	"testing"
)

// JSON has every character that a terminal acts on escaped, and means the same.
func TestWriteJSON(t *testing.T) {
	for text, want := range map[string]string{
		"plain <b> & ü 👍 \ufffd": `"plain <b> & ü 👍 ` + "\ufffd" + `"`,
		"\x1b\u007f\u0085\u200f": `"\u001b\u007f\u0085\u200f"`,
		"\U000e0001 tag\n":       `"\udb40\udc01 tag\n"`,
		"":                       `""`,
	} {
		var b bytes.Buffer
		var back string
		if err := WriteJSON(&b, text, false); err != nil || b.String() != want+"\n" || json.Unmarshal(b.Bytes(), &back) != nil || back != text {
			t.Errorf("%q became %s, %v", text, b.String(), err)
		}
	}
	for indent, want := range map[bool]string{false: "{\"a\":[1]}\n", true: "{\n  \"a\": [\n    1\n  ]\n}\n"} {
		var b bytes.Buffer
		if err := WriteJSON(&b, map[string][]int{"a": {1}}, indent); err != nil || b.String() != want {
			t.Errorf("%t: %q, %v", indent, b.String(), err)
		}
	}
	if err := WriteJSON(new(bytes.Buffer), make(chan int), false); err == nil {
		t.Error("a channel is written")
	}
}

// Spaces of any width part words, and what moves the cursor or reorders a line is left out.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		" a\u00a0b\u202fc\u2007d\u3000e\n": "a b c d e", "a\r\n\tb": "a   b", "a\x1b[2Jb\u202ec\u200bd": "a[2Jbcd", "\xff": "\ufffd", "a\x00\x01b": "ab", "\u202f\u200f": "",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
