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
