package jobboard

import (
	"runtime/debug"
	"strings"
	"sync"
)

// userAgent returns the caller's name for itself, followed by the library's.
func userAgent(own string) (string, error) {
	for i := range len(own) {
		if own[i] < ' ' || own[i] >= 0x7f {
			return "", &ConfigError{"UserAgent", "holds a character that no header may hold"}
		}
	}
	if own = strings.TrimSpace(own); own == "" {
		return agent(), nil
	}
	return own + " " + agent(), nil
}

const modulePath = "github.com/jobboard-sdk/jobboard-go"

// agent returns the library's part of User-Agent: its name, and its version if
// the program's build information has it.
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

// moduleVersion returns this module's version in a program: the main module's if
// the program is one of ours, else the dependency's. It returns "" for a checkout
// that replaces the module.
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

// languageMistake returns what keeps s from being an Accept-Language, such as
// "de", "de-AT,de;q=0.9" or "*"; empty: nothing.
func languageMistake(s string) string {
	if len(s) > 200 {
		return "is longer than 200 bytes"
	}
	if strings.ContainsFunc(s, notInLanguage) {
		return "holds a character that Accept-Language cannot hold"
	}
	return ""
}

func notInLanguage(r rune) bool {
	return !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || strings.ContainsRune("-,;=.* ", r))
}
