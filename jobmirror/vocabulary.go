package jobmirror

import (
	"context"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/jobmirror/internal/words"
)

// vocabulary holds in memory what the table of this name has: the words of all postings,
// among which the one is looked for that a mistyped word meant.
//
// A row of the table has many words, and never gets others: a row with other words has
// another identifier. So a process has the whole table as soon as it has the rows that
// the table lists, whichever process wrote them and in whatever order they were
// committed.
type vocabulary struct {
	mu     sync.Mutex
	blocks map[int64]*words.Block
	known  map[uint64]struct{} // the hashes of all words; nil: not needed yet
}

// maxVocabulary is how many words the vocabulary has at most. Each takes some 40 bytes
// of memory.
const maxVocabulary = 1 << 19

var wordSeed = maphash.MakeSeed()

// vocabulary brings the words in memory up to date, and returns them.
func (t *tx) vocabulary() ([]*words.Block, error) {
	v := &t.db.vocabulary
	v.mu.Lock()
	defer v.mu.Unlock()
	ids, err := t.Numbers("SELECT id FROM vocabulary ORDER BY id")
	if err != nil {
		return nil, err
	}
	blocks := make(map[int64]*words.Block, len(ids))
	var missing []int64
	for _, id := range ids {
		if b := v.blocks[id]; b != nil {
			blocks[id] = b
		} else {
			missing = append(missing, id)
		}
	}
	if len(blocks) < len(v.blocks) {
		v.known = nil // words may be gone
	}
	if len(missing) > 0 {
		const query = "SELECT id, words FROM vocabulary WHERE id IN @ids"
		err = t.Rows(query, []any{store.IDs(missing)}, func(scan func(...any) error) error {
			var (
				id   int64
				list string
			)
			err := scan(&id, &list)
			blocks[id] = words.NewBlock(strings.FieldsSeq(list))
			v.learn(blocks[id])
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	v.blocks = blocks
	list := make([]*words.Block, len(ids))
	for i, id := range ids {
		list[i] = blocks[id]
	}
	return list, nil
}

func (v *vocabulary) learn(b *words.Block) {
	if v.known == nil {
		return
	}
	for word := range b.Words() {
		v.known[maphash.String(wordSeed, word)] = struct{}{}
	}
}

// unknown adds to a set the words of a list that the vocabulary lacks.
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
	// smallBlock is the size of the rows that are put together once there are
	// manyBlocks of them, and largeBlock that of what comes of it, in bytes.
	smallBlock = 16 << 10
	largeBlock = 32 << 10
	manyBlocks = 48
)

// note adds words to the vocabulary, which a process has up to date, and puts small rows
// together.
func (t *tx) note(list []string) error {
	if len(list) == 0 {
		return nil
	}
	if err := t.addBlocks(list, ""); err != nil {
		return err
	}
	var small []int64
	v := &t.db.vocabulary
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
	if err := t.dropBlocks(rows); err != nil {
		return err
	}
	return t.addBlocks(all, strings.Join(leaving, " "))
}

// block is a row of the vocabulary.
type block struct {
	id    int64
	words []string
	// leaving has words that no posting had when the row was checked last. They are not
	// in the vocabulary, unless a posting had got one while that was being written.
	leaving []string
}

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

func (t *tx) dropBlocks(rows []block) error {
	_, err := t.Exec("DELETE FROM vocabulary WHERE id IN @ids", store.IDsOf(rows, func(b block) int64 { return b.id }))
	return err
}

// addBlocks writes rows with words, of which some may be the same.
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

// checkEvery is how often it is looked whether postings still have a word. It is longer
// than any transaction, so that a word is checked again after those that were under way
// have ended.
const checkEvery = time.Hour

// checkWords looks whether postings still have the words of the row that was checked
// longest ago, and takes those out that none has. A word goes in two steps: those who
// index postings just then take it for a known one, and do not add it.
func (m *Mirror) checkWords(ctx context.Context) error {
	var (
		due  []block
		gone map[string]bool
	)
	err := m.db.view(ctx, func(t *tx) (err error) {
		due, err = t.blocks("checked < ? ORDER BY checked LIMIT 1", t.Now-checkEvery.Milliseconds())
		if err == nil && len(due) > 0 {
			gone, err = t.withoutPostings(slices.Concat(due[0].words, due[0].leaving))
		}
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	return m.db.update(ctx, func(t *tx) error {
		rows, err := t.blocks("id = ? @skip", due[0].id)
		if err != nil || len(rows) == 0 { // another process checks it
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
		if err := t.dropBlocks(rows); err != nil {
			return err
		}
		return t.addBlocks(there, strings.Join(leaving, " "))
	})
}

// withoutPostings returns those of some words that no posting has in any form.
func (t *tx) withoutPostings(list []string) (gone map[string]bool, err error) {
	f, err := t.finder(Query{}, words.Query{})
	gone = map[string]bool{}
	for _, word := range list {
		if err == nil {
			var n int
			n, err = f.countForms(word, nil)
			gone[word] = n == 0
		}
	}
	return gone, err
}

// eraseWords takes those of some words out of the vocabulary that no posting has any
// more.
func (t *tx) eraseWords(list []string) error {
	gone, err := t.withoutPostings(list)
	if err != nil {
		return err
	}
	rows, err := t.blocks("true ORDER BY id @lock")
	if err != nil {
		return err
	}
	isGone := func(word string) bool { return gone[word] }
	for _, b := range rows {
		if !slices.ContainsFunc(b.words, isGone) && !slices.ContainsFunc(b.leaving, isGone) {
			continue
		}
		if err := t.dropBlocks([]block{b}); err != nil {
			return err
		}
		leaving := strings.Join(slices.DeleteFunc(b.leaving, isGone), " ")
		if err := t.addBlocks(slices.DeleteFunc(b.words, isGone), leaving); err != nil {
			return err
		}
	}
	return nil
}
