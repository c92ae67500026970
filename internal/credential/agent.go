package credential

import (
	"runtime/debug"
	"strings"
	"sync"
)

const modulePath = "github.com/jobboard-sdk/jobboard-go"

// LibraryName returns the library's part of User-Agent, "jobboard-go/v1.2.3", without the version
// if the program's build information lacks it.
var LibraryName = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return libraryName(info)
})

func libraryName(info *debug.BuildInfo) string {
	const name = "jobboard-go"
	version := moduleVersion(info)
	if !strings.HasPrefix(version, "v") || strings.ContainsFunc(version, notInToken) {
		return name // none, or "(devel)"
	}
	return name + "/" + version
}

// moduleVersion returns this module's version in a program: the main module's in a program of this
// module, else the dependency's. It returns "" if go.mod replaces the module with a folder.
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

// notInToken reports whether a version in a header must not hold r.
func notInToken(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(".-+_", r))
}
