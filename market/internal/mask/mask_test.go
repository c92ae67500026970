package mask

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

func TestHide(t *testing.T) {
	s := New("s3cr3t/key", `quo"te<&>`, "", "ab", "s3cr3t/key-and-more", "größe-geheim")
	for text, want := range map[string]string{
		"":                               "",
		"nothing to hide":                "nothing to hide",
		"s3cr3t/key":                     "[hidden]",
		"a s3cr3t/key, s3cr3t/key.":      "a [hidden], [hidden].",
		"s3cr3t/key-and-more":            "[hidden]",
		"s3cr3t/key-and-less":            "[hidden]-and-less",
		"s3cr3t%2Fkey s3cr3t%2fkey":      "[hidden] [hidden]",
		"s3cr3t%252Fkey":                 "[hidden]",
		`{"client_secret":"s3cr3t\/key"`: `{"client_secret":"[hidden]"`,
		`"quo\"te<&>"`:                   `"[hidden]"`,
		`quo\"te\u003c\u0026\u003e`:      "[hidden]",
		`quo\\\"te\\u003c\\u0026\\u003e`: "[hidden]",
		"quo&#34;te&lt;&amp;&gt;":        "[hidden]",
		"gr%C3%B6%C3%9Fe-geheim":         "[hidden]",
		`gr\u00f6\u00dfe-geheim`:         "[hidden]",
		"ends in s3cr3t":                 "ends in [hidden]",
		"ends in s3cr3":                  "ends in s3cr3",
		"ends in s3cr3t/ke":              "ends in [hidden]",
		"s3cr3t in the middle":           "s3cr3t in the middle",
		"cab, lab and ab":                "cab, lab and ab",
		"Authorization: Bearer ab":       "Authorization: [hidden]",
		"7333637233742f6b6579":           "[hidden]",
		"7333637233742F6B6579":           "[hidden]",
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// However a secret is written into a text, nothing that leads back to it is left.
func TestHideWhateverStandsAround(t *testing.T) {
	const secret = "Wq7/x+Zz9~kL3mN8"
	s := New(secret)
	for before := range 4 {
		for after := range 4 {
			whole := strings.Repeat("a", before) + secret + strings.Repeat("b", after)
			for how, text := range map[string]string{
				"plain": whole, "query": url.QueryEscape(whole), "path": url.PathEscape(whole), "go": strconv.Quote(whole), "html": html.EscapeString(whole),
				"json": fmt.Sprintf("%q", whole), "hex": hex.EncodeToString([]byte(whole)),
				"base64": base64.StdEncoding.EncodeToString([]byte(whole)), "base64 of addresses": base64.URLEncoding.EncodeToString([]byte(whole)),
				"json in json": inJSON(inJSON(whole)), "a query in a query": url.QueryEscape(url.QueryEscape(whole)), "json in a query": url.QueryEscape(inJSON(whole)),
			} {
				got := s.Hide(text)
				if !strings.Contains(got, Hidden) || len(got) > len(Hidden)+3*(before+after)+14 {
					t.Errorf("%s, %d before, %d after: %s becomes %s", how, before, after, text, got)
				}
			}
		}
	}
	if got := New().Hide(secret); got != secret {
		t.Errorf("without secrets: %s", got)
	}
}

func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
