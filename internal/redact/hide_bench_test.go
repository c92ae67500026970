package redact

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkHide shows what hiding costs in 64 KiB of texts that are ugly, for a
// call that has a token, and for one that has nothing to hide.
func BenchmarkHide(b *testing.B) {
	token := "eyJhbGciOiJSUzI1NiJ9." + strings.Repeat("s3cret-Token_", 60)
	for _, unit := range []string{
		"posting ", "a", `\`, `\\`, `\\u005c`, `\u005c`, `\U0000005c`, `\x5c`, `\ud83d\ude00`, "%", "%25", "%5C", "%2525", "&", "&amp;", "&#37;", "&#x25;", "&bsol;",
		`%25\u005c&#37;`, `%5C&amp;\\x41`, "&%\\", token[:30], "%65%79",
	} {
		text := strings.Repeat(unit, 64<<10/len(unit))
		for name, secrets := range map[string][]string{"nothing": nil, "token": {token}, "two": {token, "27828_extern"}} {
			b.Run(fmt.Sprintf("%q/%s", unit[:min(len(unit), 14)], name), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Hide(text, secrets)
				}
			})
		}
	}
}
