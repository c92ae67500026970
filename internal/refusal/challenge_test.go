package refusal

import (
	"strings"
	"testing"
)

func TestAuthParameters(t *testing.T) {
	for value, want := range map[string]string{
		"":                                          "",
		"Bearer":                                    "",
		`Bearer error="invalid_token"`:              "error=invalid_token;",
		`Bearer error=invalid_token`:                "error=invalid_token;",
		`Bearer ERROR = "x" , Realm=y`:              "error=x;realm=y;",
		`Bearer realm="a,error=x", error="y"`:       "realm=a,error=x;error=y;",
		`Bearer realm="a \"b\" \\", error="y"`:      `realm=a "b" \;error=y;`,
		`Basic realm="x", Bearer error="y"`:         "realm=x;error=y;",
		`Negotiate abc==, Bearer error="y"`:         "abc==;error=y;",
		`Bearer error="cut off`:                     "error=cut off;",
		`Bearer error="cut off\"`:                   `error=cut off";`,
		`Bearer xerror="a", error_uri="b"`:          "xerror=a;error_uri=b;",
		`Bearer error="invalid token",,;error="no"`: "error=invalid token;error=no;",
	} {
		var got strings.Builder
		authParameters(value, func(name, value, _ string) { got.WriteString(name + "=" + value + ";") })
		if got.String() != want {
			t.Errorf("%q: %q, want %q", value, got.String(), want)
		}
	}
}

// A value is also given with what quotes it, apart from quoted quotes.
func TestAuthParametersAsWritten(t *testing.T) {
	for value, want := range map[string]string{
		`a="\u0041\\u0042 \"c\""`: `\u0041\\u0042 "c"`, `a=b\c`: `b\c`, `a="cut off\`: `cut off\`,
	} {
		authParameters(value, func(_, _, written string) {
			if written != want {
				t.Errorf("%q: %q, want %q", value, written, want)
			}
		})
	}
}

// FuzzAuthParameters: no parameter holds more than stands in the header, and all of
// them together no more either: nothing is read twice.
func FuzzAuthParameters(f *testing.F) {
	f.Add(`Bearer error="a\"b", realm=x`)
	f.Add(`===,,,"""\\\`)
	f.Fuzz(func(t *testing.T, value string) {
		total := 0
		authParameters(value, func(name, v, written string) {
			total += len(name) + len(written)
			if len(v) > len(written) {
				t.Errorf("%q: %q was read as %q", value, written, v)
			}
		})
		if total > len(value) {
			t.Errorf("%q: %d bytes of parameters", value, total)
		}
	})
}

// FuzzAuthParametersSteps: twice the header takes at most 2.5 times the steps, and
// none takes more than a few for each byte.
func FuzzAuthParametersSteps(f *testing.F) {
	for _, part := range []string{
		`Bearer error="invalid_token", `, `"`, `\`, `a="\\`, "=", ",", " ", "a", "a ", "a=", "a =", "a= ", `a="`, `a="b"`, "a=b,", ";", "\xff", `a="\"`,
	} {
		f.Add("", part, "")
		f.Add(`Bearer realm="`, part, `"`)
	}
	f.Fuzz(func(t *testing.T, start, part, end string) {
		if part == "" || len(start)+len(part)+len(end) > 1000 {
			return
		}
		steps := func(size int) int {
			r := challengeReader{text: start + strings.Repeat(part, size/len(part)) + end}
			r.parameters(func(string, string, string) {})
			if r.steps > 4*len(r.text)+4 {
				t.Errorf("%q, %q, %q: %d steps for %d bytes", start, part, end, r.steps, len(r.text))
			}
			return r.steps
		}
		if once, twice := steps(10_000), steps(20_000); twice > once*5/2+1000 {
			t.Errorf("%q, %q, %q: %d steps, for twice the text %d", start, part, end, once, twice)
		}
	})
}

func TestIsToken(t *testing.T) {
	const signs = "!#$%&'*+-.^_`|~" // RFC 9110, section 5.6.2
	const tokens = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + signs
	for c := range 256 {
		if got, want := isToken(byte(c)), strings.IndexByte(tokens, byte(c)) >= 0; got != want {
			t.Errorf("%q: %v", byte(c), got)
		}
	}
}
