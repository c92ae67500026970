package credential

import (
	"maps"
	"net/http"
	"sync/atomic"
)

// Kind names one of the headers that requests share.
type Kind int

// The kinds.
const (
	Plain    Kind = iota
	Search        // with Accept-Language
	WithBody      // with Content-Type
	kinds
)

// Headers holds a header for each kind of request. Nothing changes them.
type Headers [kinds]http.Header

// NewHeaders returns the headers of a client; language may be empty.
func NewHeaders(agent, language string, compressed bool) (all Headers) {
	encoding := "gzip"
	if !compressed {
		encoding = "identity" // without a word net/http would ask for gzip itself
	}
	all[Plain] = http.Header{
		"Accept":          {"application/json, text/plain;q=0.9, */*;q=0.8"},
		"Accept-Encoding": {encoding},
		"User-Agent":      {agent},
	}
	all[WithBody] = all[Plain].Clone()
	all[WithBody]["Content-Type"] = []string{"application/json"}
	all[Search] = all[WithBody].Clone()
	if language != "" {
		all[Search]["Accept-Language"] = []string{language}
	}
	return all
}

// wholeHeaders keeps, for one credential, a complete header of each kind.
type wholeHeaders [kinds]atomic.Pointer[wholeHeader]

// wholeHeader holds a complete header that is the same from one call to the
// next.
type wholeHeader struct {
	of     *Headers // of the client: several may have one credential
	header http.Header
}

// Whole returns the header of a request, made of the observer's, the kind's and
// the credential's, where the later replaces the earlier. With share it returns
// one header for all requests that observe nothing and give no language, so that
// theirs is the client's; a transport must not change that header.
func (all *Headers) Whole(observed http.Header, kind Kind, language string, auth *Authorization, share bool) http.Header {
	share = share && observed == nil && language == ""
	if share {
		if w := auth.whole[kind].Load(); w != nil && w.of == all {
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
	if auth.values != nil {
		h["Authorization"] = auth.values
	}
	if share {
		auth.whole[kind].Store(&wholeHeader{all, h})
	}
	return h
}
