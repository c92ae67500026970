package address

import (
	"net/url"
	"strings"
)

// Fill returns template with its one {placeholder} replaced by name. escaped is that path with name
// escaped as one segment, empty if it does not differ. wrong says why name cannot be a segment: it
// would move the path elsewhere, or is no name.
func Fill(template, name string) (path, escaped, wrong string) {
	segment, wrong := segment(name)
	if wrong != "" {
		return "", "", wrong
	}
	before, rest, _ := strings.Cut(template, "{")
	_, after, _ := strings.Cut(rest, "}")
	if segment != name {
		escaped = before + segment + after
	}
	return before + name + after, escaped, ""
}

// segment returns s escaped as one segment of a path. No other function escapes
// paths.
func segment(s string) (escaped, wrong string) {
	switch {
	case s == "":
		return "", "is empty"
	case s == "." || s == "..":
		return "", "is . or .., which would change the path"
	case len(s) > 1024:
		return "", "is longer than 1024 bytes"
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", "holds a control character"
	}
	return url.PathEscape(s), ""
}
