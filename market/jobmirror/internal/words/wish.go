package words

import "slices"

// wishes has words that express the wish for any job, in the languages of most visitors. Many postings
// contain such words too, so a search leaves them out only where nothing has all words, and that finds something.
var wishes = set(`arbeit arbeiten gesucht job jobs jobangebot jobangebote jobsuche stelle stellen stellenangebot stellenangebote
	stellenanzeige stellenanzeigen suche suchen vacancy vacancies`)

// Wishes returns the words of the query that say that somebody looks for a job, each once, but those in
// quotes; none if the query consists of nothing else.
func (q Query) Wishes() (found []string) {
	rest := false
	for _, group := range q.must {
		if word, ok := isWish(group); ok {
			found = append(found, word)
		} else {
			rest = true
		}
	}
	if !rest {
		return nil
	}
	return found
}

// Single returns the words of the query that may be left out, each once: those that stand neither in quotes nor beside OR,
// ask for no remote work, and are no little words; none if nothing else must be found.
func (q Query) Single() (found []string) {
	others := 0
	for _, group := range q.must {
		word, ok := single(group)
		switch {
		case ok && isLittle(word):
		case ok && !slices.Contains(found, word):
			found = append(found, word)
		default:
			others++
		}
	}
	if len(found)+others < 2 {
		return nil
	}
	return found
}

// Without returns the query without those of its single words that are in a list.
func (q Query) Without(list []string) Query {
	if len(list) == 0 {
		return q
	}
	return q.where(func(word string, ok bool) bool { return !ok || !slices.Contains(list, word) })
}

// Only returns the query for one of its single words alone.
func (q Query) Only(one string) Query {
	q.without = nil
	return q.where(func(word string, ok bool) bool { return ok && word == one })
}

// where returns the query of the groups that are kept, of which keep is told whether each is a single word, and which.
func (q Query) where(keep func(word string, ok bool) bool) Query {
	q.must = slices.DeleteFunc(slices.Clone(q.must), func(group []term) bool { return !keep(single(group)) })
	return q
}

// single reports whether a group of a query is a single word, and which.
func single(group []term) (word string, ok bool) {
	if len(group) != 1 || group[0].quoted || group[0].remote || len(group[0].words) != 1 {
		return "", false
	}
	return group[0].words[0], true
}

// isWish reports whether a group of a query is a word of wishing, and which.
func isWish(group []term) (word string, ok bool) {
	word, ok = single(group)
	return word, ok && wishes[word]
}
