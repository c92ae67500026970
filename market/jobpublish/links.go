package jobpublish

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// webBase parses the base address of links. It returns nil for an address that
// is not http or https.
func webBase(base string) *url.URL {
	if !webAddress(base) {
		return nil
	}
	u, _ := url.Parse(base) // cannot fail: webAddress parsed it
	return u
}

// bareHost matches a link without a scheme, such as www.firma.example, whose
// author meant https://.
var bareHost = regexp.MustCompile(`(?i)^www\.[^/?#.]+\.`)

// address returns a link's address in a normal form that parsers leave unchanged,
// or "" for a link that leads nowhere. It resolves links without a host against
// base, and adds https to links without a scheme.
func address(value string, base *url.URL) string {
	parsed, err := url.Parse(asMeant(value))
	if err != nil || parsed.User != nil { // https://bank.example@evil.example/
		return ""
	}
	if parsed.Scheme == "" && base != nil && (parsed.Host != "" || parsed.Path != "" || parsed.RawQuery != "") {
		parsed = base.ResolveReference(parsed)
	}
	if parsed.Scheme == "" && parsed.Host != "" {
		parsed.Scheme = "https"
	}
	if strings.HasPrefix(parsed.Scheme, "http") && parsed.Host == "" || strings.ContainsFunc(parsed.Host, neverInHost) {
		return ""
	}
	value = parsed.String()
	if again, err := url.Parse(value); err != nil || again.String() != value {
		return ""
	}
	return value
}

// asMeant corrects a link as its author meant it: without accidental spaces, and
// with the missing scheme.
func asMeant(value string) string {
	switch scheme, rest, _ := strings.Cut(value, ":"); strings.ToLower(scheme) {
	case "tel":
		return "tel:" + strings.Join(strings.Fields(strings.ReplaceAll(rest, "%20", " ")), "")
	case "mailto":
		return "mailto:" + strings.ReplaceAll(strings.TrimSpace(rest), " ", "%20")
	}
	if bareHost.MatchString(value) {
		return "https://" + value
	}
	return value
}

// neverInHost reports whether a character cannot stand in a host in any
// browser. Colons and brackets are allowed for ports and IPv6 addresses.
func neverInHost(r rune) bool {
	return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) && !strings.ContainsRune("-._~:[]", r)
}

// tagAddress matches an address in angle brackets, which HTML would take for a
// tag.
var tagAddress = regexp.MustCompile(`^<(?:[^\s<>"'=&/@]+@[^\s<>"'=&/@]+|https?://[^\s<>"'&]+)>$`)

// bracketed reports whether a supposed tag is a mail or web address in angle
// brackets.
func bracketed(tag []byte) bool {
	return len(tag) < 300 && tagAddress.Match(tag)
}
