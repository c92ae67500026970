package jobmirror_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// Text of any writing is found, on both databases alike, and no text of a query is
// an instruction.
func TestAnyWritingIsFound(t *testing.T) {
	titles := []string{
		"护士长 Shanghai", "ممرضة في دبي", "Νοσοκόμα Αθήνα", "Krankenschwester für Süßwaren", "Cafe\u0301 Barista", "Chef 👩🏽‍🍳 Pastry",
		"50% off_shore", `O'Brien "Lead" \ NEAR(a b)`, "Übergrößenträger", "İstanbul Hemşire", "พยาบาล กรุงเทพ", "ナース ﾅｰｽ",
		"総合病院の看護師募集・日勤のみで未経験者も歓迎いたしますのでお気軽にご応募ください", "IT系エンジニア", "간호사 서울", "Медсестра в Москве",
	}
	tests := map[string][]string{ // searches, each with parts of the titles found
		"护士长": {"护士长"}, "ممرضة": {"ممرضة"}, "دبي": {"ممرضة"}, "νοσοκόμα": {"Νοσοκόμα"}, "ΝΟΣΟΚΌΜΑ": {"Νοσοκόμα"},
		"süsswaren": {"Süßwaren"}, "SÜSSWAREN": {"Süßwaren"}, "süßwaren": {"Süßwaren"}, "Su\u0308ßwaren": {"Süßwaren"},
		"caf\u00e9": {"Barista"}, "cafe\u0301": {"Barista"}, "CAFÉ": {"Barista"}, "👩🏽‍🍳 pastry": {"Pastry"},
		"50%": {"50%"}, "off_shore": {"50%"}, "o'brien": {"O'Brien"}, `"Lead"`: {"O'Brien"}, "NEAR(a b)": {"O'Brien"}, `\`: nil,
		"übergrößenträger": {"Übergrößenträger"}, "istanbul": {"Hemşire"}, "พยาบาล": {"พยาบาล"}, "ナース": {"ナース"}, "ﾅｰｽ": {"ナース"},
		"护士": {"护士长"}, "士": {"护士长"}, "长护": {}, "看護師": {"看護師"}, "未経験者 日勤": {"看護師"}, "ご応募ください": {"看護師"}, "師看": {},
		"IT": {"IT系"}, "エンジニア": {"IT系"}, "系エンジ": {"IT系"}, "กรุง": {"พยาบาล"}, "간호사": {"간호사"}, "МЕДСЕСТРА": {"Медсестра"}, "МОСКВЕ": {"Медсестра"},
		"%": nil, "_": nil, "*": nil, "pastry*": {"Pastry"}, "words:pastry": {}, "pastry OR barista": {"Pastry", "Barista"}, "NOT pastry": {}, "pastry' OR '1'='1": {"Pastry"}, "^pastry": {"Pastry"},
		"pastry) OR (barista": {"Pastry", "Barista"}, "barista -pastry": {"Barista"}, "pastry -chef": {}, "pastry & !barista": {}, "pastry:*": {"Pastry"}, "<-> pastry": {"Pastry"}, "\x00pastry": {"Pastry"}, "pastry\xff": {"Pastry"},
	}
	onBoth(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		for _, title := range titles {
			srv.Publish(srv.Demo.Channel, jobboardtest.Job{Title: title, Language: "de"})
		}
		opts := optionsOf(srv)
		opts.Channels[0].Languages = []string{"de"}
		m := open(t, address, opts)
		refresh(t, m)
		titled := func(text string) (found []string) {
			t.Helper()
			page, err := m.Search(t.Context(), jobmirror.Query{Text: text, Limit: 1000, Facets: true})
			if err != nil {
				t.Fatal(err)
			}
			isLeftOut := func(c jobmirror.Correction) bool { return len(c.Nearest) == 0 }
			if slices.ContainsFunc(page.Corrected, isLeftOut) { // as it was typed the text finds nothing
				return nil
			}
			for _, p := range page.Postings {
				found = append(found, p.Posting.Title)
			}
			return found
		}
		for text, want := range tests {
			found := titled(text)
			if want == nil { // nothing that could be a word, or folded in another way: no error is all
				continue
			}
			if len(found) != len(want) || len(want) > 0 && !strings.Contains(found[0], want[0]) {
				t.Errorf("%q finds %q, not %q", text, found, want)
			}
		}
		titled(strings.Repeat("a ", 500))
		titled(strings.Repeat("护", 333))
		many := make([]string, 0, 250)
		for i := range 250 {
			many = append(many, "w"+string(rune('a'+i%26))+string(rune('a'+i/26)))
		}
		if found := titled(strings.Join(many, " ")); len(found) != 0 {
			t.Errorf("250 words find %q", found)
		}
		if found := titled(strings.Repeat("pastry ", 140)); len(found) != 1 {
			t.Errorf("a word 140 times finds %q", found)
		}
	})
}
