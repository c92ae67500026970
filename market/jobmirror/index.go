package jobmirror

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/grid"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Tags are tokens that stand in the text index beside words. They begin with an underscore,
// which no word holds.

func tagStemmer(name string) string { return "_l" + name }

func tag(kind, value string) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(hash([]byte(value))))
	return "_" + kind + hex.EncodeToString(b[:])
}

// Kinds of tags with values.
const (
	tagChannel  = "c"
	tagRow      = "r" // the language in which the posting was asked for
	tagCategory = "k"
	tagPlace    = "o"
)

// indexBatch bounds the postings that are indexed in one transaction.
const indexBatch = 100

// The table unindexed is the list of the postings to index: of those whose text, sources or job
// may have changed, or what is known of the job, or the form of the tokens. putUnindexed puts
// postings on it; the commit raises the signal unindexed, which wakes Mirror.index. That indexes
// them by indexUnindexed, which takes them from the list.

// putUnindexed puts postings on the list, by the numbers of their rows.
func (t *tx) putUnindexed(rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	t.unindexed = true
	return t.Do("INSERT INTO unindexed (posting) SELECT v.value FROM @ids v WHERE 1 = 1 ON CONFLICT DO NOTHING", store.IDs(rows))
}

// putUnindexedOf puts the postings of jobs on the list.
func (t *tx) putUnindexedOf(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	// The rows are locked first: a process that indexes one of them right now may have read the
	// job's old place. It then ends before this, and the posting is indexed again.
	rows, err := t.Numbers("SELECT id FROM postings WHERE job IN @ids ORDER BY id @lock", store.IDs(jobs))
	if err != nil {
		return err
	}
	return t.putUnindexed(rows)
}

// index brings the text index up to date, batch by batch, until no posting is left that
// changed since it was indexed, or was indexed under tokens of another form.
func (m *Mirror) index(ctx context.Context) error {
	if may, err := m.takeForm(ctx); err != nil || !may {
		return err
	}
	tokenizer, ok := m.tokenizers.Get().(*words.Tokenizer)
	if !ok {
		tokenizer = &words.Tokenizer{Pieces: m.db.index.Pieces}
	}
	defer m.tokenizers.Put(tokenizer)
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return t.indexUnindexed(tokenizer) })
}

// mergeEvery is the least time between two merges of the text index.
const mergeEvery = 10 * time.Minute

// merge puts the pieces of the text index together, step by step, where there are many.
func (m *Mirror) merge(ctx context.Context) error {
	if !m.db.index.HasPieces() {
		return nil
	}
	merge, err := fromView(ctx, m.db, func(t *tx) (*textindex.Merge, error) { return m.db.index.Merge(t.Tx) })
	if err != nil || merge == nil {
		return err
	}
	return m.db.updateAll(ctx, func(t *tx) (more bool, err error) { return merge.Step(t.Tx) })
}

// indexUnindexed indexes the next postings of the list and takes them from it, at most
// indexBatch, and reports whether there may be more.
func (t *tx) indexUnindexed(tokenizer *words.Tokenizer) (more bool, err error) {
	rows, err := t.load(`id IN (SELECT p.id FROM unindexed u JOIN postings p ON p.id = u.posting
		ORDER BY u.posting LIMIT ? @skip)`, indexBatch)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	// Asked once the postings are locked: who changes the form marks them later than that.
	if own, err := t.inOwnForm(); err != nil || !own {
		return false, err
	}
	var jobs []int64
	for _, r := range rows {
		jobs = append(jobs, int64(r.rec.Job))
	}
	languages, err := store.Pairs[int64, string](t, "SELECT job, language FROM jobs WHERE job IN @ids", store.IDs(jobs))
	if err != nil {
		return false, err
	}
	places, err := t.readPlaces(jobs)
	if err != nil {
		return false, err
	}
	indexed := store.IDsOf(rows, func(r *row) int64 { return r.id })
	facets, err := t.facets(indexed)
	if err != nil {
		return false, err
	}
	// What it returns is not needed here: it also reads the rows that other processes wrote
	// into memory, with which unknown and note compare.
	if _, err := t.vocabulary(); err != nil {
		return false, err
	}
	unknown := map[string]struct{}{}
	for _, r := range rows {
		now := facetsOf(&r.rec)
		noted, err := t.indexRow(tokenizer, r, now, languages[int64(r.rec.Job)], places[int64(r.rec.Job)])
		if err == nil {
			err = t.putFacets(r.id, facets[r.id], now)
		}
		if err != nil {
			return false, err
		}
		t.db.vocabulary.unknown(noted, unknown)
	}
	if err := t.Do("DELETE FROM unindexed WHERE posting IN @ids", indexed); err != nil {
		return false, err
	}
	return len(rows) == indexBatch, t.note(slices.Collect(maps.Keys(unknown)))
}

// jobLanguage selects the language of the job of a row of the table postings; empty: it is
// not known.
const jobLanguage = "coalesce((SELECT language FROM jobs WHERE jobs.job = postings.job), '')"

// readPlaces reads where jobs are, which savePlaces wrote.
func (t *tx) readPlaces(jobs []int64) (map[int64][]jobboard.GeoLocation, error) {
	out := map[int64][]jobboard.GeoLocation{}
	err := t.Rows("SELECT job, latitude, longitude FROM places WHERE job IN @ids ORDER BY job, number", []any{store.IDs(jobs)},
		func(scan func(...any) error) error {
			var (
				job   int64
				place jobboard.GeoLocation
			)
			err := scan(&job, &place.Latitude, &place.Longitude)
			out[job] = append(out[job], place)
			return err
		})
	return out, err
}

// indexRow puts a posting into the text index under its tokens, by which a finder finds it, and
// returns those of its words that are to be in the vocabulary.
func (t *tx) indexRow(
	tokenizer *words.Tokenizer, r *row, facets map[facet]bool, language string, places []jobboard.GeoLocation,
) (noted []string, err error) {
	texts, err := r.texts()
	if err != nil {
		return nil, err
	}
	stemmer := words.Stemmer(r.rec.Language, language)
	tokens, noted := tokenizer.Tokens(texts, stemmer)
	tokens = append(tokens, tagStemmer(stemmer), tag(tagRow, r.rec.Language))
	for _, source := range r.rec.Sources {
		tokens = append(tokens, tag(tagChannel, channelOf(source)))
	}
	for _, place := range places {
		tokens = append(tokens, grid.Of(place)...)
	}
	for f := range facets {
		tokens = append(tokens, tag(f.kind, f.value))
	}
	if err := t.db.index.Put(t.Tx, r.id, tokens); err != nil {
		return nil, err
	}
	return noted, t.Do("INSERT INTO stemmers (name) VALUES (?) ON CONFLICT DO NOTHING", stemmer)
}

func (r *row) texts() (words.Texts, error) {
	ads, err := decodeAds(r.ads)
	return textsOf(r.rec.Title, joinAds(r.rec.Config, ads)), err
}

// textsOf returns the texts by which a posting is found: its title, and those of its
// config. Parts of words are looked for in the title, categories, places and companies.
func textsOf(title string, config jobboard.PostingConfig) words.Texts {
	texts := words.Texts{Title: title}
	for key, values := range config.All() {
		switch {
		case strings.HasSuffix(key, adSuffix):
			for _, value := range values {
				texts.Other = append(texts.Other, words.Text(value))
			}
		case slices.Contains(shortTexts, key):
			texts.Short = append(texts.Short, values...)
		default:
			texts.Other = append(texts.Other, values...)
		}
	}
	return texts
}

// shortTexts has the config keys of categories, places and companies.
var shortTexts = []string{jobboard.KeyJobCategory, jobboard.KeyLocationName, jobboard.KeyCompanyName, "company"}

// facet is a value by which hits are counted, of a kind of tags.
type facet struct{ kind, value string }

// facetsOf returns the facets of a posting: the identifiers of its categories and the names
// of its places.
func facetsOf(r *PostingRecord) map[facet]bool {
	categories, _ := r.Config.JobCategories() // missing or empty: no facet
	places, _ := r.Config.LocationNames()
	out := make(map[facet]bool, len(categories)+len(places))
	for _, category := range categories {
		out[facet{tagCategory, category}] = true
	}
	for _, place := range places {
		out[facet{tagPlace, place}] = true
	}
	return out
}

// facets reads the stored facets of postings.
func (t *tx) facets(postings string) (map[int64]map[facet]bool, error) {
	out := map[int64]map[facet]bool{}
	err := t.Rows("SELECT posting, kind, value FROM facets WHERE posting IN @ids", []any{postings}, func(scan func(...any) error) error {
		var (
			id int64
			f  facet
		)
		err := scan(&id, &f.kind, &f.value)
		if out[id] == nil {
			out[id] = map[facet]bool{}
		}
		out[id][f] = true
		return err
	})
	return out, err
}

// putFacets stores the facets of a posting in place of those that it had. It leaves alone
// those that stay: most do when a posting changes.
func (t *tx) putFacets(posting int64, had, now map[facet]bool) error {
	stay := make(map[facet]bool, len(now))
	for f := range now {
		f.value = storable(f.value)
		stay[f] = true
		if had[f] {
			continue
		}
		err := t.Do("INSERT INTO facets (posting, kind, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", posting, f.kind, f.value)
		if err != nil {
			return err
		}
	}
	for f := range had {
		if stay[f] {
			continue
		}
		if err := t.Do("DELETE FROM facets WHERE posting = ? AND kind = ? AND value = ?", posting, f.kind, f.value); err != nil {
			return err
		}
	}
	return nil
}
