package places

import (
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/spelling"
)

// Alike returns the places whose names are nearest to a mistyped one, such as Berlin for
// Berlni, the largest first, at most limit: those that differ by one letter or, where the
// name has six or more, by two. What follows a comma does not count. It looks at every place,
// which takes some milliseconds: ask Find first.
func Alike(name string, limit int) (meant []Place) {
	name, _, _ = strings.Cut(name, ",")
	name = strings.ToLower(strings.TrimSpace(name))
	if len(name) > maxName {
		return nil
	}
	nearest := spelling.Reach(name)
	if nearest == 0 || limit < 1 {
		return nil
	}
	for p := range All() {
		switch d := spelling.Distance(name, strings.ToLower(p.Name), nearest); {
		case d < nearest:
			nearest, meant = d, append(meant[:0], p)
		case d == nearest && len(meant) < limit:
			meant = append(meant, p)
		}
	}
	return meant
}
