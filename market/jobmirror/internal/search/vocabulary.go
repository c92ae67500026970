package search

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// vocabulary is what a process has of the table vocabulary in memory: the words of all documents,
// among which those are looked for that a mistyped word may have meant.
//
// A row of the table has many words, which never change: other words are written as a row
// with another identifier. So a process reads only the rows that it lacks, whichever process wrote
// them and in whatever order they were committed, into a value that takes the place of the last one.
// No lock is held over a statement, and a word that is gone from the table is gone at the next
// transaction of every process.
type vocabulary struct {
	last atomic.Pointer[wordRows]

	mu     sync.Mutex
	of     map[int64]bool      // whose words hashes has
	hashes map[uint64]struct{} // of words that need not be written
}

// wordRows holds the words of the rows that one transaction found in the table vocabulary. It never
// changes.
type wordRows struct {
	ids    []int64        // in order
	blocks []*words.Block // of the rows of ids
}

// maxVocabulary bounds the words of the vocabulary. Each takes some 50 bytes
// of memory.
const maxVocabulary = 1 << 19

// readVocabulary returns the words of all rows. It reads those rows that are not in memory yet: two
// callers may read the same row, and neither waits for the other.
func (t *tx) readVocabulary() (*wordRows, error) {
	last := t.vocabulary.last.Load()
	if last == nil {
		last = &wordRows{}
	}
	now := &wordRows{}
	const query = "SELECT id, CASE WHEN id IN @ids THEN '' ELSE words END FROM vocabulary ORDER BY id"
	err := t.Rows(query, []any{store.IDs(last.ids)}, func(scan func(...any) error) error {
		var (
			id    int64
			list  string
			block *words.Block
		)
		err := scan(&id, &list)
		if at, ok := slices.BinarySearch(last.ids, id); ok {
			block = last.blocks[at]
		} else {
			block = words.NewBlock(strings.FieldsSeq(list))
		}
		now.ids, now.blocks = append(now.ids, id), append(now.blocks, block)
		return err
	})
	if err == nil {
		t.vocabulary.last.Store(now)
	}
	return now, err
}

var wordSeed = maphash.MakeSeed()

// unknown returns those of some words that no row has; none if the vocabulary is full.
func (v *vocabulary) unknown(rows *wordRows, list []string) (lacking []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	kept := 0
	for _, id := range rows.ids {
		if v.of[id] {
			kept++
		}
	}
	if v.hashes == nil || kept < len(v.of) { // words may be gone with a row
		v.of, v.hashes = map[int64]bool{}, map[uint64]struct{}{}
	}
	for i, id := range rows.ids {
		if v.of[id] {
			continue
		}
		v.of[id] = true
		for word := range rows.blocks[i].Words() {
			v.hashes[maphash.String(wordSeed, word)] = struct{}{}
		}
	}
	if len(v.hashes) >= maxVocabulary {
		return nil
	}
	for _, word := range list {
		if _, known := v.hashes[maphash.String(wordSeed, word)]; !known {
			lacking = append(lacking, word)
		}
	}
	return lacking
}

const (
	// Rows below smallBlock bytes are put together once there are manyBlocks of them, to
	// rows of some largeBlock bytes.
	smallBlock = 16 << 10
	largeBlock = 32 << 10
	manyBlocks = 48
)

// note writes words that the vocabulary lacks as new rows, and puts small rows of those together that
// readVocabulary returned in this transaction, where there are many.
func (t *tx) note(list []string, rows *wordRows) error {
	if len(list) == 0 {
		return nil
	}
	if err := t.addBlocks(list); err != nil {
		return err
	}
	var small []int64
	for i, b := range rows.blocks {
		if b.Size() < smallBlock {
			small = append(small, rows.ids[i])
		}
	}
	if len(small) < manyBlocks {
		return nil
	}
	joined, err := t.blocks("id IN @ids ORDER BY id @skip", store.IDs(small))
	if err != nil {
		return err
	}
	var all []string
	for _, b := range joined {
		all = append(all, b.words...)
	}
	return t.replaceBlocks(joined, all)
}

// block is a row of the vocabulary.
type block struct {
	id    int64
	words []string
}

// blocks reads the rows that a condition selects.
func (t *tx) blocks(where string, args ...any) (out []block, err error) {
	err = t.Rows("SELECT id, words FROM vocabulary WHERE "+where, args, func(scan func(...any) error) error {
		var (
			b     block
			words string
		)
		err := scan(&b.id, &words)
		b.words = strings.Fields(words)
		out = append(out, b)
		return err
	})
	return out, err
}

// replaceBlocks writes words as new rows in place of others.
func (t *tx) replaceBlocks(rows []block, list []string) error {
	_, err := t.Exec("DELETE FROM vocabulary WHERE id IN @ids", store.IDsOf(rows, func(b block) int64 { return b.id }))
	if err != nil {
		return err
	}
	return t.addBlocks(list)
}

// addBlocks writes a list of words, each once, as new rows of at most some largeBlock bytes.
func (t *tx) addBlocks(list []string) error {
	slices.Sort(list)
	list = slices.Compact(list)
	for len(list) > 0 {
		n, size := 0, 0
		for n < len(list) && size < largeBlock {
			size += len(list[n]) + 1
			n++
		}
		_, err := t.Exec("INSERT INTO vocabulary (id, words) VALUES (?, ?)", rand.Int64(), strings.Join(list[:n], " "))
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// withoutDocuments reports of each word of a list whether no document has a form of it.
func (t *tx) withoutDocuments(list []string) (gone map[string]bool, err error) {
	asks, err := t.questions(Query{})
	gone = map[string]bool{}
	for _, word := range list {
		if !isToken(word) { // a row that is damaged
			gone[word] = true
			continue
		}
		if err == nil {
			var there bool
			there, err = asks.index.Any(t.Tx, asks.forms(word, nil))
			gone[word] = !there
		}
	}
	return gone, err
}

// isToken reports whether a word may be a token of the index, in which all of ASCII but letters and
// digits separates.
func isToken(word string) bool {
	return utf8.ValidString(word) && !strings.ContainsFunc(word, func(r rune) bool {
		return r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// EraseWords removes at once those words of documents from the vocabulary that no document has any
// more; call it after Remove. While documents are indexed in another Form, whose tokens this one does
// not know, it removes all of these words: those that other documents have come back with the next one that is put.
func (x *Index) EraseWords(in *store.Tx, documents []Document) error {
	var all []string
	for i := range documents {
		_, noted := new(words.Tokenizer).Tokens(documents[i].texts(), "")
		all = append(all, noted...)
	}
	return (&tx{in, x}).eraseWords(all)
}

func (t *tx) eraseWords(list []string) error {
	gone, err := t.withoutDocuments(list)
	if err != nil {
		return err
	}
	rows, err := t.blocks("true ORDER BY id @lock")
	if err != nil {
		return err
	}
	// Asked last: another version that begins its form before this has changed what gone tells.
	own, err := t.InForm(t.Tx)
	if err != nil {
		return err
	}
	if !own {
		for _, word := range list {
			gone[word] = true
		}
	}
	isGone := func(word string) bool { return gone[word] }
	for _, b := range rows {
		if !slices.ContainsFunc(b.words, isGone) {
			continue
		}
		if err := t.replaceBlocks([]block{b}, slices.DeleteFunc(b.words, isGone)); err != nil {
			return err
		}
	}
	return nil
}

// ErrForm says that documents are indexed in another Form, by a process of another version.
var ErrForm = errors.New("search: a process of another version indexes, in a way that this one does not know")

// EraseGoneWords removes at once all words from the vocabulary that no document has any more: those of documents that
// are gone and of which nothing tells the words. It asks the index of each word, between its transactions, each of
// which changes one row. Its error is ErrForm while documents are indexed in another Form, so that each word would
// seem to be gone.
func (x *Index) EraseGoneWords(ctx context.Context) error {
	asked := map[int64]bool{}
	for {
		var ids []int64
		err := x.db.View(ctx, func(in *store.Tx) (err error) {
			ids, err = in.Numbers("SELECT id FROM vocabulary ORDER BY id")
			return err
		})
		ids = slices.DeleteFunc(ids, func(id int64) bool { return asked[id] })
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids { // those that took the place of others meanwhile come in the next round
			if err := x.eraseGone(ctx, id); err != nil {
				return err
			}
			asked[id] = true
		}
	}
}

// eraseGone removes from a row of the vocabulary the words that no document has any more.
func (x *Index) eraseGone(ctx context.Context, id int64) error {
	var list []string
	err := x.db.View(ctx, func(in *store.Tx) error {
		t := &tx{in, x}
		if own, err := t.InForm(in); err != nil || !own {
			return cmp.Or(err, ErrForm)
		}
		rows, err := t.blocks("id = ?", id)
		if err != nil || len(rows) == 0 {
			return err
		}
		gone, err := t.withoutDocuments(rows[0].words)
		for word, is := range gone {
			if is {
				list = append(list, word)
			}
		}
		return err
	})
	if err != nil || len(list) == 0 {
		return err
	}
	return x.db.Update(ctx, func(in *store.Tx) error {
		t := &tx{in, x}
		if own, err := t.InForm(in); err != nil || !own { // it came in between
			return cmp.Or(err, ErrForm)
		}
		return t.eraseWords(list)
	})
}
