package jobboard

import (
	"runtime/debug"
	"strings"
	"sync"
)

const modulePath = "github.com/jobboard-sdk/jobboard-go"

// agent is the library's name for itself in User-Agent, with the version that
// the program was built with where it is known.
var agent = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return agentOf(info)
})

func agentOf(info *debug.BuildInfo) string {
	const name = "jobboard-go"
	version := moduleVersion(info)
	if !strings.HasPrefix(version, "v") || strings.ContainsFunc(version, notInToken) {
		return name // none, or "(devel)"
	}
	return name + "/" + version
}

// moduleVersion is this module's version in a program: that of the program where
// it is one of ours, else that of what it depends on. A checkout that stands in
// for it has none.
func moduleVersion(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	if info.Main.Path == modulePath {
		return info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == modulePath {
			if m.Replace != nil {
				m = m.Replace
			}
			return m.Version
		}
	}
	return ""
}

// notInToken is for what a version cannot have in a header.
func notInToken(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-+_", r))
}
