package jobmcp

import (
	"strings"
	"testing"
)

// The identifier of a message that is too long to be kept is found in whatever parts it comes.
func TestFindsTheIdentifier(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct{ message, want string }{
		{`{"id":7}`, `7`},
		{`{"id":-7.5e3,"method":"x"}`, `-7.5e3`},
		{`{"id":"a"}`, `"a"`},
		{`{ "jsonrpc" : "2.0" , "id" : "a b" , "x":1}`, `"a b"`},
		{"\t{\n\"id\"\r\n:\n7\n}\n", `7`},
		{`{"method":"x","id":"a,}]\"b\\"}`, `"a,}]\"b\\"`},
		{`{"method":"\\","id":7}`, `7`},
		{`{"method":"\"id\":1,","id":7}`, `7`},
		{`{"method":"{[","id":7}`, `7`},
		{`{"params":{"id":1},"id":7}`, `7`},
		{`{"params":[{"id":1},"id"],"id":7}`, `7`},
		{`{"params":[[]],"id":7}`, `7`},
		{`{"id":7,"params":{"id":1},"x":[2,3]}`, `7`},
		{`{"idx":1,"id":7}`, `7`},
		{`{"xid":1,"i":2,"id":7}`, `7`},
		{`{"name":"id","id":7}`, `7`},
		{`{"name":"id"}`, `null`},
		{`{"params":{"id":1}}`, `null`},
		{`[{"id":1}]`, `null`},
		{`"id"`, `null`},
		{``, `null`},
		{`{"id":null}`, `null`},
		{`{"id":true}`, `null`},
		{`{"id":{"id":3}}`, `null`},
		{`{"id":[3]}`, `null`},
		{`{"id":7 8}`, `null`},
		{`{"id":123`, `null`}, // there may be more of it
		{`{"id":"a"`, `null`},
		{`{"id":7,"method":"x`, `7`},
		{`{"id":7,"id":8}`, `8`},
		{`{"id":7,"id":8`, `null`},
		{`{"id":7,"id"`, `7`},
		{`{"id":"` + x(253) + `"}`, `"` + x(253) + `"`},
		{`{"id":"` + x(254) + `"}`, `"` + x(254) + `"`},
		{`{"id":"` + x(255) + `"}`, `null`},
		{`{"id":"` + x(1000) + `"}`, `null`},
		{`{"id":` + strings.Repeat("1", 256) + `}`, strings.Repeat("1", 256)},
		{`{"id":` + strings.Repeat("1", 257) + `}`, `null`},
		{`{"` + x(1000) + `":1,"id":7}`, `7`},
	} {
		for size := 1; size <= len(test.message)+1; size += 1 + len(test.message)/20 {
			f := &idFinder{}
			for rest := test.message; rest != ""; {
				part := rest[:min(size, len(rest))]
				f.see([]byte(part))
				rest = rest[len(part):]
			}
			if got := f.text(); got != test.want {
				t.Errorf("%.80s in parts of %d: %s, want %s", test.message, size, got, test.want)
			}
			if len(f.id) > 257 || len(f.name) > 5 {
				t.Errorf("%.80s: keeps %d and %d bytes", test.message, len(f.id), len(f.name))
			}
		}
	}
}
