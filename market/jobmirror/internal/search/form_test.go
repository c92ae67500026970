package search

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/grid"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// The tokens are those of Form: whoever changes them raises it, and puts the new number
// and sum here.
func TestTokensHaveTheirForm(t *testing.T) {
	sum := fnv.New64a()
	for _, index := range []*textindex.Index{&textindex.FTS5, &textindex.GIN} {
		for _, language := range []string{"", "ar", "de", "en", "fr", "nl", "ru", "tr"} {
			list, noted := (&words.Tokenizer{Pieces: index.Pieces}).Tokens(words.Texts{
				Title:  "Pflegefachkräfte (m/w/d), Zahnärztin & Softwareentwicklerinnen C3PO IT-Leiter",
				Short:  []string{"Köln", "İstanbul Łódź Œuvre cafés", "看護師 พยาบาล ﬁnance"},
				Other:  []string{"ёлка медсёстры مُمَرِّضة naïve Straße nursing nurses infirmières Kauffrau 24/7 " + strings.Repeat("lang", 17)},
				Remote: true,
			}, language)
			slices.Sort(list)
			fmt.Fprintln(sum, list, noted)
		}
	}
	fmt.Fprintln(sum, textindex.Every, textindex.None, stemmerToken("de"), Tag{"c", "1_all"}.token(), Tag{"o", "Köln"}.token(),
		grid.Of(jobboard.GeoLocation{Latitude: 52.52, Longitude: 13.37}))
	const form, want = 3, "8e8f60a0a0f7c983"
	if got := fmt.Sprintf("%x", sum.Sum64()); Form != form || got != want {
		t.Errorf("the tokens of form %d have the sum %s, not %s of form %d", Form, got, want, form)
	}
}
