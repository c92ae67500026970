// Package language chooses among the languages of a text by Accept-Language.
package language

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Wanted returns the languages of an Accept-Language header in lower case, best
// first. It leaves out malformed parts.
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
			w.q, _ = strconv.ParseFloat(q, 64) // 0 for text that is no number
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

// Pick returns the key of the best translation by the order of wanted. It
// returns "" if the text's own language comes first, or if no wanted language
// exists.
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

// find returns the map's key for a language, whatever its spelling, such as
// "pt-BR" or "pt_br"; "" if the map lacks the language.
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
