package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzHide: a secret does not stay in a text, however it is quoted there.
func FuzzHide(f *testing.F) {
	f.Add("before ", " after", "secret-token", byte(0))
	f.Add("", "", "K\u00f6ln \"x\" & y\\", byte(1))
	f.Add(`\`, `u00`, "a+b/c==", byte(2))
	f.Add("%", "%2", "100 % \U0001f600", byte(3))
	f.Add("", "", "bell\a\b\f\v", byte(1))
	f.Add("", "", "bell\a\b\f\v", byte(5))
	f.Add("secret-", "-token", "secret-secret-token", byte(4))
	f.Fuzz(func(t *testing.T, before, after, secret string, how byte) {
		if len(secret) < 3 || len(secret) > 100 || len(before)+len(after) > 2000 || !utf8.ValidString(secret) || strings.Trim(secret, `\`) == "" ||
			strings.ContainsAny(secret, "[]") || strings.Contains("hidden", secret) {
			return
		}
		if strings.Contains(secret, `\`) && strings.IndexFunc(secret, unicode.IsControl) >= 0 {
			return // how many of the backslashes belong to which is not told
		}
		quoted := []string{secret, quoteJSON(secret), url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), strconv.Quote(secret)}[how%6]
		if got := Hide(before+quoted+after, []string{secret}); strings.Contains(got, quoted) {
			t.Fatalf("%q survives in %q as %q", secret, before+quoted+after, got)
		}
	})
}

func quoteJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// each writes every character of s in a form of its own.
func each(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

// The forms that SECURITY.md names, and the texts around them.
func TestForms(t *testing.T) {
	const secret = "s3cr3t/Tok+en=="
	short := base64.StdEncoding.EncodeToString([]byte("10:"))
	for name, form := range map[string]string{
		"as it is":               secret,
		"URL":                    url.QueryEscape(secret),
		"URL, each":              each(secret, "%%%02x"),
		"URL, twice":             url.QueryEscape(url.QueryEscape(secret)),
		"JSON, each":             each(secret, `\u%04x`),
		"JSON, each, capitals":   each(secret, `\u%04X`),
		"JSON in JSON":           quoteJSON(quoteJSON(each(secret, `\u%04x`))),
		"JSON, slashes":          strings.ReplaceAll(secret, "/", `\/`),
		"Go, each":               each(secret, `\x%02x`),
		"Go, each, long":         each(secret, `\U%08x`),
		"HTML, each":             each(secret, "&#%d;"),
		"HTML, each, hex":        each(secret, "&#x%X;"),
		"HTML, names":            strings.ReplaceAll(secret, "/", "&sol;"),
		"HTML in a URL":          url.QueryEscape(each(secret, "&#%d;")),
		"JSON in a URL":          url.QueryEscape(each(secret, `\u%04x`)),
		"mixed":                  `s%33&#99;r\u0033t/Tok\x2ben%3D=`,
		"base64":                 base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 for a URL":       base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64, one in front":   base64.StdEncoding.EncodeToString([]byte("x" + secret)),
		"base64, two in front":   base64.StdEncoding.EncodeToString([]byte("xy" + secret)),
		"base64, user and token": base64.StdEncoding.EncodeToString([]byte("user:" + secret + " and more")),
		"base64 in a URL":        url.QueryEscape(base64.StdEncoding.EncodeToString([]byte("~~" + secret + "~~"))),
		"hex":                    hex.EncodeToString([]byte(secret)),
		"hex, capitals":          strings.ToUpper(hex.EncodeToString([]byte(secret))),
	} {
		for _, around := range [][2]string{{"", ""}, {`"`, `"`}, {`{"a":"`, `"}`}, {"x=", "&y"}, {"Bearer ", "\n"}, {"100 %", " "}, {`\`, ` \`}, {"&amp;", ";"}} {
			got := Hide(around[0]+form+around[1], []string{"other", secret})
			if !strings.Contains(got, Hidden) || strings.Contains(got, form) || len(got) > len(Hidden)+len(around[0])+len(around[1])+20 {
				t.Errorf("%s between %q: %q stays as %q", name, around, form, got)
			}
		}
	}
	// The character of base64 that the first byte shares with the one before it is
	// hidden too: a letter, a digit or a sign.
	for _, secret := range []string{secret, "\u20acuro-token", "\U0001f600-token"} {
		for before := range byte(4) {
			for _, code := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
				form := code.EncodeToString(append([]byte{before}, secret...))
				if got := Hide(form, []string{secret}); got != Hidden {
					t.Errorf("%q became %q", form, got)
				}
			}
		}
	}
	// At most four characters behind its base64 may still belong to the credential.
	coded := base64.RawStdEncoding.EncodeToString([]byte(secret[:12]))
	if got, want := Hide(coded+"abcdefgh", []string{secret[:12]}), "defgh"; !strings.HasSuffix(got, want) {
		t.Errorf("%q became %q", coded+"abcdefgh", got)
	}
	for text, want := range map[string]string{
		"10 of 10":                "10 of 10",
		"Basic " + short:          Hidden,
		"Basic " + short[:3]:      "Basic " + short[:3],
		"Bearer 10, please":       Hidden + ", please",
		"Basic MTA= has no colon": Hidden + " has no colon",
	} {
		if got := Hide(text, []string{"10"}); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	// Where other bytes stand before it, base64 has too little of a short secret.
	for secret, hidden := range map[string]bool{"abc": false, "abcd": false, "abcde": true} {
		for _, before := range []string{"", "x", "xy", "xyz"} {
			form := base64.StdEncoding.EncodeToString([]byte(before + secret + "z"))
			if got := Hide(form, []string{secret}); strings.Contains(got, Hidden) != (hidden || len(before)%3 == 0) {
				t.Errorf("%q with %q before it: %q became %q", secret, before, form, got)
			}
		}
	}
	for secret, form := range map[string]string{"abcd": "YWJj", "abc": "YWJk"} { // which are abc and abd
		if got := Hide(form, []string{secret}); got != form {
			t.Errorf("base64 that is not that of %s became %q", secret, got)
		}
	}
	for text, want := range map[string]string{
		"cut off: " + secret[:6]:                          "cut off: " + Hidden,
		"cut off: " + each(secret[:8], "%%%02x") + "%2":   "cut off: " + Hidden,
		"cut off: " + each(secret[:7], `\u%04x`) + `\u00`: "cut off: " + Hidden,
		"too short: " + secret[:5]:                        "too short: " + secret[:5],
		secret[:6] + "%4":                                 Hidden,
		"twice " + secret + secret:                        "twice " + Hidden,
		secret[:8] + ", and then more":                    secret[:8] + ", and then more",
		"none":                                            "none",
		// Words behind a whole one stay.
		url.QueryEscape(secret) + `","at":7}`:                 Hidden + `","at":7}`,
		strings.ReplaceAll(secret, "/", `\/`) + `" was wrong`: Hidden + `" was wrong`,
		secret + "&code=401":                                  Hidden + "&code=401",
		secret + " is 9 % bad":                                Hidden + " is 9 % bad",
		url.QueryEscape(secret) + secret[:8] + "%4":           Hidden,
		url.QueryEscape(secret) + " " + secret[:8] + `\u004`:  Hidden + " " + Hidden,
	} {
		if got := Hide(text, []string{secret}); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestIsBase64(t *testing.T) {
	alphabet := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
	for c := range 256 {
		if got, want := isBase64(byte(c)), strings.IndexByte(alphabet, byte(c)) >= 0; got != want {
			t.Errorf("%q: %v", byte(c), got)
		}
	}
}

func TestFormsBeyondASCII(t *testing.T) {
	const secret = "Köln \"\U0001f600\" bei\nNacht"
	for _, form := range []string{
		secret, quoteJSON(secret), strconv.Quote(secret), strconv.QuoteToASCII(secret)[1:], url.QueryEscape(secret), url.PathEscape(secret),
		html.EscapeString(secret), `K&ouml;ln \"\ud83d\ude00\" bei\nNacht`, `K\xc3\xb6ln+&quot;&#128512;&quot;+bei%0ANacht`,
	} {
		if got := Hide("<"+form+">", []string{secret}); strings.Contains(got, "acht") || strings.Contains(got, "ln") {
			t.Errorf("%q stays as %q", form, got)
		}
	}
}

// A character beyond 16 bits is found where its two halves begin the text, too.
func TestHalvesAtTheBeginning(t *testing.T) {
	const secret = "\U0001f600 smiles"
	for _, text := range []string{`\ud83d\ude00 smiles`, `-\ud83d\ude00 smiles`} {
		if got := Hide(text, []string{secret}); strings.Contains(got, "smiles") {
			t.Errorf("%s stays as %s", text, got)
		}
	}
}

// ugly are beginnings of texts that cost too much where work is not linear.
var ugly = []string{
	`\`, "%", "&", "&#", ";", "&amp;", "&#38;#38;", "%25", `\\u005c`, `\u005c`, `\ud83d`, "%5c", "&#x26", "a", "s3cret", "s3cre", "0", "f", `\x5cx`, "&;", "Ab+/",
	"%2525", `\U0000005c`, "&bsol;", "&percnt;25", "=", "c2Vj",
}

// uglySecrets lists the secrets that are looked for in them.
var uglySecrets = []string{"s3cret-token", strings.Repeat("s3cre", 400), strings.Repeat("a", 1000), "10", "MTA6"}

// linear returns why the work of hiding secrets is too much for a text that begins
// with start and repeats part, or for one of twice the length, or nothing.
func linear(start, part string, size int) string {
	once := start + strings.Repeat(part, size/len(part))
	_, steps := hide(once, uglySecrets)
	_, twice := hide(once+strings.Repeat(part, size/len(part)), uglySecrets)
	few := 0
	for _, secret := range uglySecrets {
		few += 8 * len(secret)
	}
	switch {
	case steps < len(once):
		return fmt.Sprintf("%d steps for %d bytes: they are not counted", steps, len(once))
	case twice > steps*5/2:
		return fmt.Sprintf("%d steps, and %d for twice the text", steps, twice)
	case steps > 60*len(once)+few:
		return fmt.Sprintf("%d steps for %d bytes", steps, len(once))
	}
	return ""
}

// The work on a text grows in proportion to it: counted, not timed.
func TestUglyTexts(t *testing.T) {
	for _, part := range ugly {
		for _, start := range []string{"", "&", "%", `\`} {
			if problem := linear(start, part, 32<<10); problem != "" {
				t.Errorf("%q, %q: %s", start, part, problem)
			}
		}
	}
}

func FuzzHideIsLinear(f *testing.F) {
	for _, part := range ugly {
		f.Add("", part)
		f.Add("&", part)
	}
	f.Fuzz(func(t *testing.T, start, part string) {
		if part == "" || len(start)+len(part) > 4000 {
			return
		}
		if problem := linear(start, part, 4000); problem != "" {
			t.Errorf("%.50q, %.50q: %s", start, part, problem)
		}
	})
}

// Quotings that each complete another, as many as a text has room for, take no
// stack: its growth would cost a new goroutine tens of milliseconds and megabytes.
func TestNestedQuotingsTakeNoStack(t *testing.T) {
	const size = 64 << 10
	for _, nested := range []struct{ quoting, end string }{
		{"%3", "5"}, {`\x3`, "5"}, {`\u003`, "5"}, {`\U0000003`, "5"}, {"&#59", ";"}, {"%2", "5"}, {"&amp", ";"},
	} {
		text := strings.Repeat(nested.quoting, size/len(nested.quoting)) + nested.end
		grown := make(chan uint64)
		go func() { // with a small stack
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Hide(text, []string{"secret"})
			runtime.ReadMemStats(&after)
			grown <- after.StackInuse - min(before.StackInuse, after.StackInuse)
		}()
		if n := <-grown; n > 256<<10 {
			t.Errorf("%s...%s: %d KiB of stack", nested.quoting, nested.end, n>>10)
		}
	}
}
