package jobboard

import (
	"net/url"
	"strconv"
	"strings"
)

// segment escapes one path segment, in the one place where it is done. What
// would leave its segment, or cannot be a name at all, is refused.
func segment(what, s string) (string, error) {
	switch {
	case s == "":
		return "", invalid("%s is empty", what)
	case s == "." || s == "..":
		return "", invalid("%s would leave its place in the path", what)
	case len(s) > 1024:
		return "", invalid("%s is longer than 1024 bytes", what)
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return "", invalid("%s holds a control character", what)
		}
	}
	return url.PathEscape(s), nil
}

// pathOf fills a template's one place with an identifier.
func pathOf(template, what, id string) (path, raw string, err error) {
	escaped, err := segment(what, id)
	if err != nil {
		return "", "", err
	}
	before, rest, _ := strings.Cut(template, "{")
	_, after, _ := strings.Cut(rest, "}")
	path = before + id + after
	if escaped != id {
		raw = before + escaped + after
	}
	return path, raw, nil
}

// jobPath is pathOf for a job identifier, which needs no escaping.
func jobPath(before string, job JobID, after string) (string, error) {
	if job < 1 {
		return "", invalid("job identifier %d is not positive", int64(job))
	}
	b := make([]byte, 0, 64)
	b = append(b, before...)
	b = strconv.AppendInt(b, int64(job), 10)
	b = append(b, after...)
	return string(b), nil
}
