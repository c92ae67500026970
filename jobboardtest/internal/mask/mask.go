// Package mask replaces the values of credentials in texts for the journal.
package mask

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	maxText   = 8 << 10  // longest text in bytes
	maxFields = 64 << 10 // most bytes of all fields together
	minSecret = 4        // shortest credential in bytes that is masked inside texts
)

// Mask replaces credentials by their kinds, in brackets.
type Mask struct {
	presented []string // the value of Authorization, in every encoding in which an answer may repeat it
	kind      string
	known     func(string) string
}

// New returns the mask for a request with these Authorization headers. kind
// describes their credential, such as "client token". known returns the kind of
// any other credential, or "" for other text.
func New(authorization []string, kind string, known func(string) string) *Mask {
	m := &Mask{kind: kind, known: known}
	for _, h := range authorization {
		scheme, v, _ := strings.Cut(h, " ")
		if v == "" {
			v = scheme
		}
		if v = strings.TrimSpace(v); len(v) >= minSecret {
			m.presented = append(m.presented, v)
		}
		if raw, err := base64.StdEncoding.DecodeString(v); err == nil && strings.EqualFold(scheme, "Basic") {
			if _, password, _ := strings.Cut(string(raw), ":"); len(password) >= minSecret {
				m.presented = append(m.presented, password)
			}
		}
	}
	return m
}

// PresentedIn reports whether a text contains a credential of the request.
func (m *Mask) PresentedIn(text string) bool {
	return slices.ContainsFunc(m.presented, func(v string) bool { return strings.Contains(text, v) })
}

// Text masks the credentials in a text. It cuts a text after 8 KiB, and drops
// the last part, in which a cut credential could escape the mask.
func (m *Mask) Text(s string) string {
	if len(s) <= maxText {
		return m.Whole(s)
	}
	longest := 1 << 10
	for _, v := range m.presented {
		longest = max(longest, len(v))
	}
	masked := m.Whole(s[:maxText])
	return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(masked[:max(0, len(masked)-longest)], ""), len(s))
}

// Whole masks the credentials in a text of any length, without cutting it.
func (m *Mask) Whole(s string) string {
	for _, v := range m.presented {
		s = strings.ReplaceAll(s, v, "["+m.kind+"]")
	}
	for _, v := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" /,;=&\"'{}[]:?", r) }) {
		if len(v) >= minSecret {
			if kind := m.known(v); kind != "" {
				s = strings.ReplaceAll(s, v, "["+kind+"]")
			}
		}
	}
	return s
}

// secretNames are the parameters and headers whose values are always masked.
var secretNames = []string{
	"authorization", "proxy-authorization", "cookie", "session", "x-api-key", "x-auth-token",
	"access_token", "refresh_token", "id_token", "token", "jwt", "assertion", "code", "code_verifier",
	"client_secret", "secret", "apikey", "api_key", "key", "password", "passwd", "pass", "pwd",
}

// Fields masks parameters or headers: all values of secret names, and credentials
// in other values. Beyond 64 KiB it drops the rest in alphabetical order.
func (m *Mask) Fields(in map[string][]string) map[string][]string {
	out := map[string][]string{}
	room := maxFields
	for _, k := range slices.Sorted(maps.Keys(in)) {
		if room <= 0 {
			out["..."] = []string{"there were more"}
			break
		}
		masked := make([]string, len(in[k]))
		for i, v := range in[k] {
			masked[i] = m.field(k, v)
			room -= len(masked[i]) + 16
		}
		room -= len(k) + 16
		out[m.Text(k)] = masked
	}
	return out
}

func (m *Mask) field(name, value string) string {
	switch {
	case strings.EqualFold(name, "Authorization"):
		return "[" + m.kind + "]"
	case slices.Contains(secretNames, strings.ToLower(name)):
		return "[masked]"
	}
	return m.Text(value)
}
