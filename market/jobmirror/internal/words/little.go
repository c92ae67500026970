package words

import "strings"

// littleWords has, by the name of a stemmer, the articles, prepositions and conjunctions of its
// language. If a query has other words, a posting need not have its little words: "Koch in
// München" finds the title "Koch (m/w/d)". Words that name something in a job's title, such as
// the English "it", "go" and "will", are not among them.
var littleWords = map[string]map[string]bool{
	"de": set(`ab als am an auf aus bei beim bis das dem den der des die durch ein eine einem einen einer eines für im in
		ins mit nach ob oder um und unter vom von vor während zu zum zur zwischen über`),
	"en": set("a an and as at by for from in into of off on onto or the to with within"),
	"es": set("a al con de del desde e el en la las los o para por sin sobre un una y"),
	"fr": set("à au aux avec chez dans de des du en et la le les ou par pour sans sur un une"),
	"it": set("a al alla con da dal dalla dei del della delle di e gli i il in la le lo nel nella o per su un una"),
	"nl": set("aan als bij de een en het in met naar of om op te van voor"),
	"pt": set("a ao com da das de do dos e em na nas no nos o os ou para por um uma"),
}

// set returns the words of a text in each of their spellings: "für", "fur" and "fuer".
func set(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		k := keyOf(word)
		all[word], all[k.plain], all[k.spelled] = true, true, true
	}
	return all
}

// withoutLittle returns the query without the little words of a stemmer's language. It returns
// the query as it is where it would leave nothing to look for, and keeps words in quotes.
func (q Query) withoutLittle(stemmer string) Query {
	little := littleWords[stemmer]
	var rest [][]term
	for _, group := range q.must {
		alone := len(group) == 1 && !group[0].quoted && len(group[0].words) == 1
		if !alone || !little[group[0].words[0]] {
			rest = append(rest, group)
		}
	}
	if len(rest) > 0 {
		q.must = rest
	}
	return q
}

// isLittle reports whether a word is a little word of any language.
func isLittle(word string) bool {
	for _, little := range littleWords {
		if little[word] {
			return true
		}
	}
	return false
}
