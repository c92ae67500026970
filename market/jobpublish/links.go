package jobpublish

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// webBase returns the address against which links are resolved, and nil for one
// that is not of the web.
func webBase(base string) *url.URL {
	if !webAddress(base) {
		return nil
	}
	u, _ := url.Parse(base) // as webAddress did
	return u
}

// bareHost matches a link that was meant to begin with https://.
var bareHost = regexp.MustCompile(`(?i)^www\.[^/?#.]+\.`)

// address returns where a link leads in the form that no reader changes any
// further, and "" where it leads nowhere. Links without a host are resolved against
// base, and those without a scheme have https.
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

// asMeant returns a link without the spaces that people write into it, and with the
// scheme that they leave out.
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

// neverInHost reports whether no browser takes a text with this character for a
// host. A colon and brackets are those of ports and addresses of IPv6.
func neverInHost(r rune) bool {
	return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) && !strings.ContainsRune("-._~:[]", r)
}

// tagAddress matches a tag that is none: an address in angle brackets.
var tagAddress = regexp.MustCompile(`^<(?:[^\s<>"'=&/@]+@[^\s<>"'=&/@]+|https?://[^\s<>"'&]+)>$`)

// bracketed reports whether a tag is an address of mail or of the web.
func bracketed(tag []byte) bool {
	return len(tag) < 300 && tagAddress.Match(tag)
}
