package search

import (
	"context"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// vocabulary holds the table vocabulary in memory: the words of all documents, among which
// those are looked for that a mistyped word may have meant.
//
// A row of the table has many words, which never change: other words are written as a row
// with another identifier. So a process that has read each row once has the whole table,
// whichever process wrote a row and in whatever order they were committed.
type vocabulary struct {
	mu     sync.Mutex
	blocks map[int64]*words.Block
	known  map[uint64]struct{} // the hashes of the words in blocks; nil: not needed yet
}

// maxVocabulary bounds the words of the vocabulary. Each takes some 50 bytes
// of memory.
const maxVocabulary = 1 << 19

var wordSeed = maphash.MakeSeed()

// readVocabulary reads the rows that are not in memory yet, and returns the words of all. It holds
// the mutex over no statement: two callers may read the same row, and neither waits for the other.
func (t *tx) readVocabulary() ([]*words.Block, error) {
	v := &t.vocabulary
	ids, err := t.Numbers("SELECT id FROM vocabulary ORDER BY id")
	if err != nil {
		return nil, err
	}
	blocks, missing := v.held(ids)
	if len(missing) > 0 {
		const query = "SELECT id, words FROM vocabulary WHERE id IN @ids"
		err = t.Rows(query, []any{store.IDs(missing)}, func(scan func(...any) error) error {
			var (
				id   int64
				list string
			)
			err := scan(&id, &list)
			blocks[id] = words.NewBlock(strings.FieldsSeq(list))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	v.keep(blocks)
	list := make([]*words.Block, len(ids))
	for i, id := range ids {
		list[i] = blocks[id]
	}
	return list, nil
}

// held returns the blocks of the rows in memory, and the identifiers of the other rows.
func (v *vocabulary) held(ids []int64) (blocks map[int64]*words.Block, missing []int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	blocks = make(map[int64]*words.Block, len(ids))
	for _, id := range ids {
		if b := v.blocks[id]; b != nil {
			blocks[id] = b
		} else {
			missing = append(missing, id)
		}
	}
	return blocks, missing
}

// keep has the rows that a transaction read in memory, and no others.
func (v *vocabulary) keep(blocks map[int64]*words.Block) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id := range v.blocks {
		if blocks[id] == nil {
			v.known = nil // words may be gone
		}
	}
	for id, b := range blocks {
		if v.blocks[id] == nil {
			v.learn(b)
		}
	}
	v.blocks = maps.Clone(blocks)
}

// learn adds the words of a block to known, if that is needed. The caller holds mu.
func (v *vocabulary) learn(b *words.Block) {
	if v.known == nil {
		return
	}
	for word := range b.Words() {
		v.known[maphash.String(wordSeed, word)] = struct{}{}
	}
}

// unknown adds to a set the words of a list that the vocabulary lacks; no word if the
// vocabulary is full.
func (v *vocabulary) unknown(list []string, set map[string]struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[uint64]struct{}{}
		for _, b := range v.blocks {
			v.learn(b)
		}
	}
	if len(v.known) >= maxVocabulary {
		return
	}
	for _, word := range list {
		if _, ok := v.known[maphash.String(wordSeed, word)]; !ok {
			set[word] = struct{}{}
		}
	}
}

const (
	// Rows below smallBlock bytes are put together once there are manyBlocks of them, to
	// rows of some largeBlock bytes.
	smallBlock = 16 << 10
	largeBlock = 32 << 10
	manyBlocks = 48
)

// note writes words that the vocabulary lacks as new rows, and puts small rows together
// where there are many. The caller has called readVocabulary in this transaction.
func (t *tx) note(list []string) error {
	if len(list) == 0 {
		return nil
	}
	if err := t.addBlocks(list, ""); err != nil {
		return err
	}
	var small []int64
	v := &t.vocabulary
	v.mu.Lock()
	for id, b := range v.blocks {
		if b.Size() < smallBlock {
			small = append(small, id)
		}
	}
	v.mu.Unlock()
	if len(small) < manyBlocks {
		return nil
	}
	slices.Sort(small)
	rows, err := t.blocks("id IN @ids ORDER BY id @skip", store.IDs(small))
	if err != nil {
		return err
	}
	var all, leaving []string
	for _, b := range rows {
		all, leaving = append(all, b.words...), append(leaving, b.leaving...)
	}
	return t.replaceBlocks(rows, all, leaving)
}

// block is a row of the vocabulary.
type block struct {
	id    int64
	words []string
	// leaving has words that no document had when the row was checked last. They are out of
	// the vocabulary; the next check puts those back that a document got meanwhile.
	leaving []string
}

// blocks reads the rows that a condition selects.
func (t *tx) blocks(where string, args ...any) (out []block, err error) {
	err = t.Rows("SELECT id, words, leaving FROM vocabulary WHERE "+where, args, func(scan func(...any) error) error {
		var (
			b              block
			words, leaving string
		)
		err := scan(&b.id, &words, &leaving)
		b.words, b.leaving = strings.Fields(words), strings.Fields(leaving)
		out = append(out, b)
		return err
	})
	return out, err
}

// replaceBlocks writes words, and those that are leaving, as new rows in place of others.
func (t *tx) replaceBlocks(rows []block, list, leaving []string) error {
	_, err := t.Exec("DELETE FROM vocabulary WHERE id IN @ids", store.IDsOf(rows, func(b block) int64 { return b.id }))
	if err != nil {
		return err
	}
	return t.addBlocks(list, strings.Join(leaving, " "))
}

// addBlocks writes a list of words, each once, as new rows of at most some largeBlock
// bytes, and leaving, whose words are separated by spaces, with the first of them.
func (t *tx) addBlocks(list []string, leaving string) error {
	slices.Sort(list)
	list = slices.Compact(list)
	for len(list) > 0 || leaving != "" {
		n, size := 0, 0
		for n < len(list) && size < largeBlock {
			size += len(list[n]) + 1
			n++
		}
		_, err := t.Exec("INSERT INTO vocabulary (id, words, leaving, checked) VALUES (?, ?, ?, ?)",
			rand.Int64(), strings.Join(list[:n], " "), leaving, t.Now)
		if err != nil {
			return err
		}
		list, leaving = list[n:], ""
	}
	return nil
}

// checkEvery is the least time between two checks of one row for words that no document has any
// more. It is longer than any transaction: transactions that were under way at the previous
// check have ended.
const checkEvery = time.Hour

// CheckWords finds the words that no document has any more, in the row that was checked longest
// ago if that is due, and takes them out of the vocabulary. They are kept as leaving until the
// next check: a transaction that is indexing a document meanwhile may rely on such a word being
// in the vocabulary, and not add it.
//
// It does nothing while documents are indexed in another Form: tokens of this form find no
// document then, so that every word would seem to be gone.
func (x *Index) CheckWords(ctx context.Context) error {
	var (
		due  []block
		gone map[string]bool
	)
	err := x.db.View(ctx, func(in *store.Tx) error {
		t := &tx{in, x}
		own, err := t.InForm(in)
		if err != nil || !own {
			return err
		}
		due, err = t.blocks("checked < ? ORDER BY checked LIMIT 1", t.Now-checkEvery.Milliseconds())
		if err == nil && len(due) > 0 {
			gone, err = t.withoutDocuments(slices.Concat(due[0].words, due[0].leaving))
		}
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	return x.db.Update(ctx, func(in *store.Tx) error { return (&tx{in, x}).takeOut(due[0].id, gone) })
}

// takeOut takes words that are gone out of a row of the vocabulary, and puts those of its leaving
// back that are not.
func (t *tx) takeOut(id int64, gone map[string]bool) error {
	rows, err := t.blocks("id = ? @skip", id)
	if err != nil || len(rows) == 0 { // another process checks it
		return err
	}
	if own, err := t.InForm(t.Tx); err != nil || !own { // another version came in between
		return err
	}
	b := rows[0]
	isGone := func(word string) bool { return gone[word] }
	there := slices.DeleteFunc(slices.Concat(b.words, b.leaving), isGone)
	leaving := slices.DeleteFunc(slices.Clone(b.words), func(word string) bool { return !gone[word] })
	if len(there) == len(b.words) && len(leaving) == 0 && len(b.leaving) == 0 {
		_, err := t.Exec("UPDATE vocabulary SET checked = ? WHERE id = ?", t.Now, b.id)
		return err
	}
	return t.replaceBlocks(rows, there, leaving)
}

// withoutDocuments reports of each word of a list whether no document has a form of it.
func (t *tx) withoutDocuments(list []string) (gone map[string]bool, err error) {
	asked, err := t.questions(Query{})
	gone = map[string]bool{}
	for _, word := range list {
		if err == nil {
			var there bool
			there, err = asked.index.Any(t.Tx, asked.forms(word, nil))
			gone[word] = !there
		}
	}
	return gone, err
}

// EraseWords removes at once those words of documents from the vocabulary that no document has any
// more; call it after Remove. While documents are indexed in another Form, whose tokens this one does
// not know, it leaves that to the version whose form it is, which checks every row next.
func (x *Index) EraseWords(in *store.Tx, documents []Document) error {
	var had []string
	for i := range documents {
		_, noted := new(words.Tokenizer).Tokens(documents[i].texts(), "")
		had = append(had, noted...)
	}
	return (&tx{in, x}).eraseWords(had)
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
		return t.Do("UPDATE vocabulary SET checked = 0")
	}
	isGone := func(word string) bool { return gone[word] }
	for _, b := range rows {
		if !slices.ContainsFunc(b.words, isGone) && !slices.ContainsFunc(b.leaving, isGone) {
			continue
		}
		there, leaving := slices.DeleteFunc(b.words, isGone), slices.DeleteFunc(b.leaving, isGone)
		if err := t.replaceBlocks([]block{b}, there, leaving); err != nil {
			return err
		}
	}
	return nil
}

// Words returns the words of the vocabulary, in order, and how many rows they stand in.
func (x *Index) Words(in *store.Tx) (list []string, rows int, err error) {
	blocks, err := (&tx{in, x}).blocks("true")
	for _, b := range blocks {
		list = append(list, b.words...)
	}
	slices.Sort(list)
	return list, len(blocks), err
}
