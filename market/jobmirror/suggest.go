package jobmirror

import (
	"context"
	"strings"
	"time"
	"unicode"
)

// Suggest returns texts that somebody may mean who is typing Query.Text: the same text with a word of a
// title in place of its last word, and then whole titles; both as titles write them. Such a word begins with the last
// word typed, of three letters or more, or, from four letters on, ends with it. Suggest returns ten texts at most, first
// the words, and then the titles, that most of the newest 100 titles with such a word have. Each has hits with the query's Channel,
// Language, Category, Place and All; the query's other fields are not used. The error is jobboard.ErrInvalidInput for a text
// of more than 1000 bytes. Nothing is suggested where more than eight words stand before the last one.
func (m *Mirror) Suggest(ctx context.Context, q Query) ([]string, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	last := strings.LastIndexFunc(q.Text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`-"`, r) }) + 1
	before, typed := q.Text[:last], q.Text[last:]
	q = Query{Text: before, Channel: q.Channel, Language: q.Language, Category: q.Category, Place: q.Place, All: q.All}
	return fromView(ctx, m.db, func(t *tx) ([]string, error) {
		list, titles, err := t.db.search.Suggest(t.Tx, q.forIndex(time.UnixMilli(t.Now)), typed)
		for i, word := range list {
			list[i] = before + word
		}
		if before == strings.TrimRight(before, `-"`) { // in quotes, and behind a hyphen, one word is typed
			list = append(list, titles...)
		}
		return list, err
	})
}
