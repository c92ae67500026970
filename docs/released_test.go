package docs_test

import (
	"slices"
	"testing"
)

// No package of a module that is released beside the root imports an internal package of the
// root: a root of another version would not compile with it. Their tests may import what exists
// for tests alone.
func TestReleasedModulesUseExportedNames(t *testing.T) {
	released := []string{"jobboardotel", "market"}
	for _, tests := range []bool{false, true} {
		seen := map[string]bool{}
		for dir, imports := range importsOf(t, "..", tests) {
			i := slices.IndexFunc(released, func(part string) bool { return below(dir, part) })
			if i < 0 {
				continue
			}
			seen[released[i]] = true
			for _, imported := range imports {
				if below(imported, "internal") && !(tests && below(imported, "internal/suite")) {
					t.Errorf("%s imports %s of the root, in tests: %t", dir, imported, tests)
				}
			}
		}
		if len(seen) != len(released) {
			t.Errorf("there is code in %v alone, in tests: %t", seen, tests)
		}
	}
}
