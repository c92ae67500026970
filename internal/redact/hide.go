package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Hidden replaces a secret in a text.
const Hidden = "[hidden]"

const (
	// shortSecret is the length of the shortest secret that is hidden everywhere. A shorter secret
	// is hidden only after the name of an authentication scheme, because hiding it elsewhere would
	// ruin every text.
	shortSecret = 3
	// enough is the number of a secret's characters that a text hardly contains by chance. It
	// applies at the end of a truncated text, and to base64 where other bytes precede the secret.
	enough = 6
	// longestQuoting bounds a quoted character that the end of a text may cut.
	longestQuoting = 14
)

// Hide replaces every secret in text: unencoded; with any of its characters quoted for a URL, JSON,
// Go or HTML, once or several times; in base64 at any offset; in hexadecimal of either case. If
// text ends inside a secret, after six or more of its characters, Hide replaces that part too. A
// secret of one or two characters is replaced only after the name of an authentication scheme. The
// work is linear in the text.
func Hide(text string, secrets []string) string {
	hidden, _ := hide(text, secrets)
	return hidden
}

// hide also returns the number of steps, for tests.
func hide(text string, secrets []string) (hidden string, steps int) {
	if len(secrets) == 0 || text == "" {
		return text, 0
	}
	plain := unquote(text)
	var found []span
	for _, secret := range secrets {
		found = plain.find(found, secret)
	}
	return cutOut(text, found), plain.steps + len(found)
}

// span is a part of a text: [from, to).
type span struct{ from, to int }

// cutOut replaces the spans, which may overlap.
func cutOut(text string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	end := 0
	for i, s := range spans {
		if i == 0 || s.from > end {
			b.WriteString(text[end:s.from])
			b.WriteString(Hidden)
		}
		end = max(end, s.to)
	}
	b.WriteString(text[end:])
	return b.String()
}

// find appends the places of the secret in the text to found.
func (u *unquoted) find(found []span, secret string) []span {
	if secret == "" {
		return found
	}
	if len(secret) < shortSecret {
		for _, form := range shortForms(secret) {
			found = u.findRaw(found, form)
		}
		return found
	}
	for _, form := range wholeForms(secret) {
		found = u.findRaw(found, form)
	}
	if bare := unquote(secret).folded; bare != "" {
		found = u.findFolded(found, bare)
		found = u.findCut(found, bare)
	}
	for shift := range 3 {
		core, forURL := base64Core(base64.RawStdEncoding, secret, shift), base64Core(base64.RawURLEncoding, secret, shift)
		if shift > 0 && len(core) < enough {
			continue
		}
		found = u.findBase64(found, core)
		if forURL != core {
			found = u.findBase64(found, forURL)
		}
	}
	return found
}

// wholeForms returns encodings of a secret to look for in the raw text. unquote would miss a secret
// if the text before it and its first characters together look like a quoting.
func wholeForms(secret string) []string {
	inHex := hex.EncodeToString([]byte(secret))
	inGo := strconv.Quote(secret)
	inJSON, _ := json.Marshal(secret) // never fails for a string
	forms := []string{
		secret, inHex, strings.ToUpper(inHex), url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
		inGo[1 : len(inGo)-1], string(inJSON[1 : len(inJSON)-1]),
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// shortForms returns the forms of an Authorization header with the secret.
func shortForms(secret string) []string {
	forms := []string{"Bearer " + secret}
	for _, user := range []string{secret + ":", secret} {
		forms = append(forms, "Basic "+base64.StdEncoding.EncodeToString([]byte(user)))
	}
	return forms
}

// base64Core returns the base64 characters that depend on the secret alone, if shift bytes of a
// group of three precede the secret.
func base64Core(encoding *base64.Encoding, secret string, shift int) string {
	whole := encoding.EncodeToString([]byte("\x00\x00"[:shift] + secret))
	first := (shift*8 + 5) / 6
	if shift == 0 {
		return whole // findBase64 drops the last character, which more bytes would change
	}
	last := (shift + len(secret)) * 8 / 6
	return whole[first:last]
}

// findRaw looks for a form in the original text.
func (u *unquoted) findRaw(found []span, form string) []span {
	for _, at := range u.places(u.text, form) {
		found = append(found, span{at, at + len(form)})
	}
	return found
}

// findFolded looks for a form in the text without its quotings.
func (u *unquoted) findFolded(found []span, form string) []span {
	for _, at := range u.places(u.folded, form) {
		found = append(found, u.span(at, at+len(form)))
	}
	return found
}

// places returns where form stands in text.
func (u *unquoted) places(text, form string) (all []int) {
	for at := 0; ; at += len(form) {
		i := strings.Index(text[at:], form)
		if i < 0 {
			u.steps += len(text) - at
			return all
		}
		at += i
		u.steps += i + len(form)
		all = append(all, at)
	}
}

// findBase64 looks for the core of a base64 form. The span includes neighbouring characters, which
// hold a part of the secret too.
func (u *unquoted) findBase64(found []span, core string) []span {
	if len(core) > 4 {
		core = core[:len(core)-1] // bytes after the secret change it
	}
	first := len(found)
	found = u.findRaw(found, core)
	found = u.findFolded(found, fold(core))
	for i := range found[first:] {
		s := &found[first+i]
		for n := 0; n < 2 && s.from > 0 && isBase64(u.text[s.from-1]); n++ {
			s.from--
		}
		for n := 0; n < 4 && s.to < len(u.text) && (isBase64(u.text[s.to]) || u.text[s.to] == '='); n++ {
			s.to++
		}
	}
	return found
}

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("+/-_", c) >= 0
}

// findCut looks for the beginning of a form at the end of the text. The text may also end inside a
// quoting.
func (u *unquoted) findCut(found []span, form string) []span {
	text := u.folded
	ends := []int{len(text)}
	tail := max(0, len(u.text)-longestQuoting)
	if i := strings.LastIndexAny(u.text[tail:], `%&\`); i >= 0 {
		from := tail + i
		for from > 0 && u.text[from-1] == '\\' && u.text[from] == '\\' {
			from--
		}
		ends = append(ends, u.before(from))
	}
	for _, end := range ends {
		for n := min(len(form), end); n >= enough; n-- {
			u.steps++
			if text[end-n:end] != form[:n] || end < len(text) && strings.HasPrefix(text[end-n:], form) {
				continue // other words, or the whole secret
			}
			s := u.span(end-n, end)
			return append(found, span{s.from, len(u.text)})
		}
	}
	return found
}
