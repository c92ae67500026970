package jobpublish_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Whoever publishes jobs compiles no sessions and no database.
func TestWalls(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		for _, wall := range []string{
			"github.com/alexedwards/scs", "github.com/jackc/", "modernc.org/", "database/sql\n",
			"github.com/jobboard-sdk/jobboard-go/market/jobsite", "github.com/jobboard-sdk/jobboard-go/market/jobmirror",
		} {
			if strings.HasPrefix(name, wall) {
				t.Errorf("it reaches %s", strings.TrimSpace(name))
			}
		}
	}
}
