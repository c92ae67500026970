// Package mask hides secrets in texts that the program did not write itself.
package mask

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Hidden stands in place of a secret.
const Hidden = "[hidden]"

const (
	// leastCut is how much of a secret is hidden where a text ends inside it.
	leastCut = 6
	// leastBase64 keeps the few letters that are certain of a short secret from ruining words.
	leastBase64 = 8
)

// Secrets holds secrets in the forms in which texts show them. It is safe for concurrent use.
type Secrets struct {
	whole    []string
	replacer *strings.Replacer
}

// New returns the secrets; empty ones are ignored. A secret of one or two characters is hidden only
// after the name of an authentication scheme, as in "Bearer x": elsewhere it would ruin every text.
func New(secrets ...string) *Secrets {
	s := &Secrets{}
	forms := map[string]bool{}
	for _, secret := range secrets {
		switch {
		case secret == "":
		case len(secret) < 3:
			for _, scheme := range [...]string{"Bearer ", "bearer ", "Basic ", "basic "} {
				forms[scheme+secret] = true
			}
		default:
			s.whole = append(s.whole, secret)
			addForms(forms, secret)
		}
	}
	all := slices.SortedFunc(maps.Keys(forms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) // a secret that begins with another goes first
	})
	var pairs []string
	for _, form := range all {
		pairs = append(pairs, form, Hidden)
	}
	s.replacer = strings.NewReplacer(pairs...)
	return s
}

// Hide returns the text with [hidden] in place of each secret: unencoded, in hexadecimal, in base64
// at any offset, and quoted once or twice for a URL, JSON, Go or HTML. If the text ends inside a
// secret, and has six characters of it or more, these are hidden too. The time is linear in the
// length of the text.
func (s *Secrets) Hide(text string) string {
	text = s.replacer.Replace(text)
	for _, secret := range s.whole {
		for n := min(len(secret)-1, len(text)); n >= leastCut; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				return text[:len(text)-n] + Hidden
			}
		}
	}
	return text
}

// addForms adds a secret's forms.
func addForms(forms map[string]bool, secret string) {
	forms[secret] = true
	for once := range quoted(secret) {
		forms[once] = true
		for twice := range quoted(once) {
			forms[twice] = true
		}
	}
	digits := hex.EncodeToString([]byte(secret))
	forms[digits], forms[strings.ToUpper(digits)] = true, true
	for offset := range 3 {
		for _, encoding := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte("\x00\x00"[:offset] + secret))
			certain := text[(offset*8+5)/6 : (offset+len(secret))*8/6] // not the letters that neighbours share
			if len(certain) >= leastBase64 {
				forms[certain] = true
			}
		}
	}
}

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

// quoted returns the ways in which a text is quoted in others.
func quoted(s string) map[string]bool {
	query, path, web := url.QueryEscape(s), url.PathEscape(s), html.EscapeString(s)
	all := map[string]bool{
		query: true, path: true, web: true,
		percent.ReplaceAllStringFunc(query, strings.ToLower): true,
		percent.ReplaceAllStringFunc(path, strings.ToLower):  true,
		strings.ReplaceAll(s, "/", `\/`):                     true,
	}
	for _, literal := range [...]string{strconv.Quote(s), strconv.QuoteToASCII(s), asJSON(s, true), asJSON(s, false)} {
		all[literal[1:len(literal)-1]] = true
	}
	return all
}

// asJSON returns the text as a JSON string, with or without the characters of HTML escaped.
func asJSON(s string, escapeHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(s) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
