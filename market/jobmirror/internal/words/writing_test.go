package words

import (
	"slices"
	"strings"
	"testing"
)

// Text of any writing is found, and no text of a query is an instruction.
func TestAnyWritingIsFound(t *testing.T) {
	titles := []string{
		"护士长 Shanghai", "ممرضة في دبي", "Νοσοκόμα Αθήνα", "Krankenschwester für Süßwaren", "Cafe\u0301 Barista", "Chef 👩🏽‍🍳 Pastry",
		"50% off_shore", `O'Brien "Lead" \ NEAR(a b)`, "Übergrößenträger", "İstanbul Hemşire", "พยาบาล กรุงเทพ", "ナース ﾅｰｽ", "ガス 会社",
		"総合病院の看護師募集・日勤のみで未経験者も歓迎いたしますのでお気軽にご応募ください", "IT系エンジニア", "간호사 서울", "Медсестра в Москве",
	}
	tests := map[string][]string{ // searches, each with parts of the titles found; nil: no error is all
		"护士长": {"护士长"}, "ممرضة": {"ممرضة"}, "دبي": {"ممرضة"}, "νοσοκόμα": {"Νοσοκόμα"}, "ΝΟΣΟΚΌΜΑ": {"Νοσοκόμα"},
		"süsswaren": {"Süßwaren"}, "SÜSSWAREN": {"Süßwaren"}, "süßwaren": {"Süßwaren"}, "Su\u0308ßwaren": {"Süßwaren"},
		"caf\u00e9": {"Barista"}, "cafe\u0301": {"Barista"}, "CAFÉ": {"Barista"}, "👩🏽‍🍳 pastry": {"Pastry"},
		"50%": {"50%"}, "off_shore": {"50%"}, "o'brien": {"O'Brien"}, `"Lead"`: {"O'Brien"}, "NEAR(a b)": {"O'Brien"}, `\`: nil,
		"übergrößenträger": {"Übergrößenträger"}, "istanbul": {"Hemşire"}, "พยาบาล": {"พยาบาล"}, "ナース": {"ナース"}, "ﾅｰｽ": {"ナース"}, "ｶﾞｽ": {"ガス"},
		"护士": {"护士长"}, "士": {"护士长"}, "长护": {}, "看護師": {"看護師"}, "未経験者 日勤": {"看護師"}, "ご応募ください": {"看護師"}, "師看": {},
		"IT": {"IT系"}, "エンジニア": {"IT系"}, "系エンジ": {"IT系"}, "กรุง": {"พยาบาล"}, "간호사": {"간호사"}, "МЕДСЕСТРА": {"Медсестра"}, "МОСКВЕ": {"Медсестра"},
		"%": nil, "_": nil, "*": nil, "pastry*": {"Pastry"}, "words:pastry": {}, "pastry OR barista": {"Pastry", "Barista"}, "NOT pastry": {}, "pastry' OR '1'='1": {"Pastry"}, "^pastry": {"Pastry"},
		"pastry) OR (barista": {"Pastry", "Barista"}, "barista -pastry": {"Barista"}, "pastry -chef": {}, "pastry & !barista": {}, "pastry:*": {"Pastry"}, "<-> pastry": {"Pastry"}, "\x00pastry": {"Pastry"}, "pastry\xff": {"Pastry"},
	}
	for text, want := range tests {
		var found []string
		for _, title := range titles {
			if finds(text, title, "de") {
				found = append(found, title)
			}
		}
		isFound := func(part string) bool {
			return slices.ContainsFunc(found, func(title string) bool { return strings.Contains(title, part) })
		}
		if want != nil && (len(found) != len(want) || slices.ContainsFunc(want, func(part string) bool { return !isFound(part) })) {
			t.Errorf("%q finds %q, not %q", text, found, want)
		}
	}
}
