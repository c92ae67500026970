package words

import "slices"

// wishes has words that express the wish for any job, in the languages of most visitors. Many postings
// contain such words too, so a search leaves them out only where nothing has all words.
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

// WithoutWishes returns the query without those of its words of wishing that are in a list.
func (q Query) WithoutWishes(list []string) Query {
	if len(list) == 0 {
		return q
	}
	q.must = slices.DeleteFunc(slices.Clone(q.must), func(group []term) bool {
		word, ok := isWish(group)
		return ok && slices.Contains(list, word)
	})
	return q
}

// IsWish reports whether a word only says that somebody looks for a job.
func IsWish(word string) bool { return wishes[word] }

// isWish reports whether a group of a query is a word of wishing, and which.
func isWish(group []term) (word string, ok bool) {
	if len(group) != 1 || group[0].quoted || group[0].remote || len(group[0].words) != 1 {
		return "", false
	}
	return group[0].words[0], wishes[group[0].words[0]]
}
