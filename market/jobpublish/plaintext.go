package jobpublish

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// markLines turns an advertisement of several lines of plain text into HTML: empty
// lines separate paragraphs, and each line with a bullet becomes a paragraph. It
// returns every other ad unchanged.
func markLines(ad string) string {
	if !isPlain(ad) {
		return ad
	}
	var out strings.Builder
	out.Grow(len(ad) + len(ad)/8)
	within := false
	for line := range lines(ad) {
		mark, _ := utf8.DecodeRuneInString(line)
		if within && (line == "" || strings.ContainsRune(marks, mark)) {
			out.WriteString("</p>")
			within = false
		}
		switch {
		case line == "":
			continue
		case within:
			out.WriteString("<br>")
		default:
			out.WriteString("<p>")
		}
		out.WriteString(line)
		within = true
	}
	if within {
		out.WriteString("</p>")
	}
	return out.String()
}

// isPlain reports whether an ad has several lines and no markup at all.
func isPlain(ad string) bool {
	if !strings.ContainsAny(ad, "\r\n") {
		return false
	}
	tokens := html.NewTokenizer(strings.NewReader(ad))
	read := 0
	for {
		switch kind := tokens.Next(); {
		case kind == html.ErrorToken:
			return read == len(ad) // less if the ad ends within a tag
		case kind == html.TextToken, kind != html.EndTagToken && bracketed(tokens.Raw()):
			read += len(tokens.Raw())
		default:
			return false
		}
	}
}

// lines yields the lines of a text, trimmed of white space.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n") {
			if !yield(strings.TrimSpace(line)) {
				return
			}
		}
	}
}
