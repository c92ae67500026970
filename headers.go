package jobboard

import (
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// headerKind names one of the headers that requests share.
type headerKind int

const (
	plainHeader  headerKind = iota
	searchHeader            // with Accept-Language
	bodyHeader              // with Content-Type
	headerKinds
)

// headers holds a header for each kind of request. Nothing changes them.
type headers [headerKinds]http.Header

// newHeaders returns the headers of a client; language may be empty.
func newHeaders(agent, language string, compressed bool) (all headers) {
	encoding := "gzip"
	if !compressed {
		encoding = "identity" // without a word net/http would ask for gzip itself
	}
	all[plainHeader] = http.Header{
		"Accept":          {"application/json, text/plain;q=0.9, */*;q=0.8"},
		"Accept-Encoding": {encoding},
		"User-Agent":      {agent},
	}
	all[bodyHeader] = all[plainHeader].Clone()
	all[bodyHeader]["Content-Type"] = []string{"application/json"}
	all[searchHeader] = all[bodyHeader].Clone()
	if language != "" {
		all[searchHeader]["Accept-Language"] = []string{language}
	}
	return all
}

// wholeHeaders keeps, for one credential, a complete header of each kind.
type wholeHeaders [headerKinds]atomic.Pointer[wholeHeader]

// wholeHeader holds a complete header that is the same from one call to the
// next.
type wholeHeader struct {
	of     *headers // of the client: several may have one credential
	header http.Header
}

// whole returns the header of a request, made of the observer's, the kind's
// and the credential's, where the later replaces the earlier. It shares one
// header between requests where kept is not nil, nothing is observed, and the
// language is the client's, so that none is given; a transport must not change that header.
func (all *headers) whole(observed http.Header, kind headerKind, language string, authorization []string,
	kept *wholeHeaders,
) http.Header {
	share := kept != nil && observed == nil && language == ""
	if share {
		if w := kept[kind].Load(); w != nil && w.of == all {
			return w.header
		}
	}
	h := make(http.Header, len(observed)+len(all[kind])+2)
	maps.Copy(h, observed)
	maps.Copy(h, all[kind])
	if language != "" {
		h["Accept-Language"] = []string{language}
	}
	delete(h, "Authorization")
	if authorization != nil {
		h["Authorization"] = authorization
	}
	if share {
		kept[kind].Store(&wholeHeader{all, h})
	}
	return h
}

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
