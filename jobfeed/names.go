package jobfeed

// maxName bounds the names that are looked at.
const maxName = 256

// nameByte tells which bytes a name may consist of.
var nameByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '_' || c == ':' || c == '.' || c == '-' || c >= 0x80
	}
	return t
}()

// nameIn returns the name that b begins with, or its first maxName bytes.
func nameIn(b []byte) []byte {
	b = b[:min(len(b), maxName)]
	for i, c := range b {
		if !nameByte[c] {
			return b[:i]
		}
	}
	return b
}

// isOpening reports whether a name, whatever its prefix and case, is that of an
// entry.
func isOpening(name []byte) bool {
	const want = "positionopening"
	prefix := len(name) - len(want)
	return prefix >= 0 && equalFold(name[prefix:], want) && (prefix == 0 || name[prefix-1] == ':')
}

// equalFold compares a name with lower-case letters, in ASCII only.
func equalFold[T string | []byte](name T, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i := range len(name) {
		if lowerByte(name[i]) != lower[i] {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c |= 0x20
	}
	return c
}
