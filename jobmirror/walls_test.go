package jobmirror_test

import (
	"os/exec"
	"strings"
	"testing"
)

// The rooms of the mirror know of each other only what they must: those who pace
// requests, find words and cover circles know nothing of a mirror or a database of it, the
// store nothing of what is kept in it, and the text index nothing of where jobs are.
func TestWalls(t *testing.T) {
	t.Parallel()
	const mirror = "github.com/jobboard-sdk/jobboard-go/jobmirror"
	for room, never := range map[string][]string{
		"grid":      {mirror, "database/sql", "github.com/jackc/", "modernc.org/"},
		"pace":      {mirror, "github.com/jackc/", "modernc.org/"},
		"words":     {mirror, "database/sql", "github.com/jobboard-sdk/jobboard-go"},
		"store":     {mirror, "github.com/jobboard-sdk/jobboard-go"},
		"textindex": {mirror + "/internal/grid", mirror + "/internal/pace"},
	} {
		own := mirror + "/internal/" + room
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", own).Output()
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.Lines(string(out)) {
			name = strings.TrimSpace(name)
			for _, wall := range never {
				if strings.HasPrefix(name, wall) && name != own {
					t.Errorf("%s reaches %s", room, name)
				}
			}
		}
	}
}
