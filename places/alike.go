package places

import (
	"strings"

	"github.com/jobboard-sdk/jobboard-go/places/internal/spelling"
)

// Alike returns the places with the names most similar to a mistyped name, such as Berlin for
// Berlni: at most limit places, the largest first. The names may differ in one letter, or in two if
// name has six letters or more. It ignores text after a comma. It looks at every place, which takes
// some milliseconds: ask Find first.
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
