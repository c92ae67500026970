package credential

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestLibraryName(t *testing.T) {
	other := debug.Module{Path: "example.com/partner", Version: "v9.9.9"}
	dep := func(m debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: "golang.org/x/oauth2", Version: "v0.1.0"}, &m}}
	}
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no information", nil, "jobboard-go"},
		{"a program without us", &debug.BuildInfo{Main: other}, "jobboard-go"},
		{"a dependency", dep(debug.Module{Path: modulePath, Version: "v1.2.3"}), "jobboard-go/v1.2.3"},
		{"a dependency between versions", dep(debug.Module{Path: modulePath, Version: "v0.0.0-20260131083000-0123456789ab"}), "jobboard-go/v0.0.0-20260131083000-0123456789ab"},
		{"a module of ours with another path", dep(debug.Module{Path: modulePath + "/cmd/jobboard", Version: "v1.2.3"}), "jobboard-go"},
		{"a checkout in its place", dep(debug.Module{Path: modulePath, Version: "v0.0.0", Replace: &debug.Module{Path: "../jobboard-go"}}), "jobboard-go"},
		{"another version in its place", dep(debug.Module{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: modulePath, Version: "v1.2.4"}}), "jobboard-go/v1.2.4"},
		{"a program of ours", &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.3.0+dirty"}}, "jobboard-go/v1.3.0+dirty"},
		{"a program of ours from a checkout", &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, "jobboard-go"},
		{"what no header may hold", dep(debug.Module{Path: modulePath, Version: "v1\r\nX: y"}), "jobboard-go"},
	} {
		if got := libraryName(c.info); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A version takes the listed characters and refuses every other.
func TestVersionCharacters(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for r := range rune(300) {
		if got, want := notInToken(r), !strings.ContainsRune(letters+".-+_", r); got != want {
			t.Errorf("a version may not hold %q: %v", r, got)
		}
	}
}
