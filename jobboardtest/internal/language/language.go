// Package language chooses among the languages of a text by Accept-Language.
package language

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Wanted returns the languages of an Accept-Language header in lower case, the most
// wanted first. It leaves out what it cannot read.
func Wanted(header string) []string {
	type want struct {
		tag string
		q   float64
	}
	var ws []want
	for part := range strings.SplitSeq(header, ",") {
		tag, params, _ := strings.Cut(part, ";")
		w := want{strings.ToLower(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-")), 1}
		if q, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			w.q, _ = strconv.ParseFloat(q, 64) // 0 where it is no number
		}
		if w.tag != "" && w.q > 0 {
			ws = append(ws, w)
		}
	}
	slices.SortStableFunc(ws, func(a, b want) int { return cmp.Compare(b.q, a.q) })
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.tag
	}
	return out
}

// Pick returns the key of the translation that is wanted most, or "" where the
// text's own language is, or none that there is.
func Pick[V any](wanted []string, own string, translations map[string]V) string {
	for _, l := range wanted {
		for try := l; try != ""; try = try[:max(0, strings.LastIndexByte(try, '-'))] { // zh-hant-tw, zh-hant, zh
			if strings.EqualFold(try, own) {
				return ""
			}
			if key := find(translations, try); key != "" {
				return key
			}
		}
		if strings.EqualFold(primary(own), primary(l)) {
			return ""
		}
	}
	return ""
}

func primary(language string) string {
	p, _, _ := strings.Cut(language, "-")
	return p
}

// find returns the key of a language, however it is spelled there, such as
// "pt-BR"; "" where there is none.
func find[V any](translations map[string]V, language string) (key string) {
	if _, ok := translations[language]; ok {
		return language
	}
	for k := range translations {
		if strings.EqualFold(strings.ReplaceAll(k, "_", "-"), language) && (key == "" || k < key) {
			key = k
		}
	}
	return key
}
