package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/company"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/grid"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/textindex"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Document is what is searched for.
type Document struct {
	Row   int64  // its number, above 0; the highest is the newest document
	Title string // words in it count most
	// Short has the other texts in which a part of a word finds it as well, such as names.
	Short []string
	Other []string // the texts in which whole words find it
	// Remote says that a field of it calls it remote work: words for that find it.
	Remote bool
	// Languages has tags of the language of its texts, such as "de-CH". The first one whose words
	// have stems that are known counts.
	Languages []string
	Tags      []Tag   // what it may be selected by
	Facets    []Tag   // tags by which documents are selected and counted
	Places    []Place // where it is, the main place first
}

// Tag is a value of a kind. A kind is a word of ASCII letters, which the caller chooses. A value is
// valid UTF-8 without NUL, as texts of both databases are.
type Tag struct{ Kind, Value string }

// Place is somewhere a document is.
type Place struct {
	Name                string
	Latitude, Longitude float64
}

// PlaceKind is the kind of the facets that name places: the facets that the caller gives, and one for
// each element of Places that has a name. If a query names a place and has a circle, it finds a
// document whose Places include that place only if the place is in the circle.
const PlaceKind = "o"

// NameKind is the kind of the facets that are names of companies, which documents write in several ways: one finds all that
// company.Fold makes the same. Of these alone the mostNames largest are counted, each in the writing that most documents
// have.
const NameKind = "f"

const mostNames = 20

// token returns the token of the text index that stands for the tag.
func (t Tag) token() string {
	value := t.Value
	if t.Kind == NameKind {
		value = company.Fold(value)
	}
	sum := sha256.Sum256([]byte(value))
	return "_x" + t.Kind + hex.EncodeToString(sum[:8])
}

func stemmerToken(name string) string { return "_l" + name }

// Text returns the text of a page of HTML: without markup and scripts, and with a paragraph separator where
// an element other than one of emphasis begins or ends.
func Text(page string) string { return words.Text(page) }

// Index is what a process needs to search the documents of a database. Several goroutines may call
// its methods at the same time.
type Index struct {
	// Titles reads of documents their titles and languages alone, for Suggest; nil: the Reader of New does.
	Titles Reader
	// Synonyms are those of all queries; nil: there are none. They are set before the first query.
	Synonyms *words.Synonyms
	// StaleFor is for how long after a change of the index was seen Facets may still count what was before it; 0: such
	// facets are counted anew at once.
	StaleFor time.Duration

	db         *store.DB
	text       *textindex.Index
	read       Reader
	vocabulary vocabulary
	counted    countedFacets
	tokenizers sync.Pool // of *words.Tokenizer: the pool gives up tokenizers that nobody uses for a while
}

// Reader reads the texts and languages of documents by their rows, in any order, without those that
// are gone.
type Reader func(t *store.Tx, rows []int64) ([]Document, error)

// New returns the index of a database that has the tables of AddTables. read reads documents again
// of which the index has only the words: for a text with words in quotes.
func New(db *store.DB, read Reader) *Index {
	return &Index{db: db, text: textindex.Of(db), read: read, StaleFor: staleFor}
}

// tx is a transaction in which documents are written or searched.
type tx struct {
	*store.Tx
	*Index
}

// Put indexes documents, in place of what was indexed of them.
func (x *Index) Put(in *store.Tx, documents []Document) error {
	tokenizer := x.tokenizer()
	defer x.tokenizers.Put(tokenizer)
	t := &tx{in, x}
	before, err := t.indexedOf(store.IDsOf(documents, func(d Document) int64 { return d.Row }))
	if err != nil {
		return err
	}
	rows, err := t.readVocabulary()
	if err != nil {
		return err
	}
	var noted []string
	for i := range documents {
		list, err := t.put(tokenizer, &documents[i], before[documents[i].Row])
		if err != nil {
			return err
		}
		noted = append(noted, list...)
	}
	x.noteChange(in)
	return t.note(x.vocabulary.unknown(rows, noted), rows)
}

// tokenizer returns one of tokenizers, into which the caller puts it back.
func (x *Index) tokenizer() *words.Tokenizer {
	if tokenizer, ok := x.tokenizers.Get().(*words.Tokenizer); ok {
		return tokenizer
	}
	return &words.Tokenizer{Pieces: x.text.Pieces}
}

// put indexes a document, and returns those of its words that are to be in the vocabulary.
func (t *tx) put(tokenizer *words.Tokenizer, d *Document, before indexed) (noted []string, err error) {
	stemmer, facets := words.Stemmer(d.Languages...), d.facets()
	tokens, noted := d.tokens(tokenizer, stemmer, facets)
	if err := t.text.Put(t.Tx, d.Row, tokens); err != nil {
		return nil, err
	}
	if err := t.putFacets(d.Row, before.facets, facets); err != nil {
		return nil, err
	}
	if err := t.putPlaces(d.Row, before.places, d.Places); err != nil {
		return nil, err
	}
	return noted, t.Do("INSERT INTO stemmers (name) VALUES (?) ON CONFLICT DO NOTHING", stemmer)
}

// tokens returns the tokens by which the document is found, and those of its words that are to be in the vocabulary.
func (d *Document) tokens(tokenizer *words.Tokenizer, stemmer string, facets []Tag) (tokens, noted []string) {
	tokens, noted = tokenizer.Tokens(d.texts(), stemmer)
	return append(tokens, d.others(stemmer, facets)...), noted
}

// others returns the document's tokens beside those of its words.
func (d *Document) others(stemmer string, facets []Tag) []string {
	tokens := []string{stemmerToken(stemmer)}
	for _, tag := range slices.Concat(d.Tags, facets) {
		tokens = append(tokens, tag.token())
	}
	for _, place := range d.Places {
		tokens = append(tokens, grid.Of(place.point())...)
	}
	return tokens
}

func (p Place) point() jobboard.GeoLocation {
	return jobboard.GeoLocation{Latitude: p.Latitude, Longitude: p.Longitude}
}

// facets returns the document's facets with the names of its places, each once.
func (d *Document) facets() (list []Tag) {
	add := func(tag Tag) {
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	for _, tag := range d.Facets {
		add(tag)
	}
	for _, place := range d.Places {
		if place.Name != "" {
			add(Tag{PlaceKind, place.Name})
		}
	}
	return list
}

func (d *Document) texts() words.Texts {
	return words.Texts{Title: d.Title, Short: d.Short, Other: d.Other, Remote: d.Remote}
}

// Remove removes what is indexed of a document.
func (x *Index) Remove(t *store.Tx, row int64) error {
	if err := x.text.Remove(t, row); err != nil {
		return err
	}
	x.noteChange(t)
	return t.DoAll([]any{row}, "DELETE FROM facets WHERE document = ?", "DELETE FROM places WHERE document = ?")
}

// indexed is what the tables beside the text index have of a document.
type indexed struct {
	facets map[Tag]bool
	places []Place
}

// indexedOf reads what the tables beside the text index have of documents.
func (t *tx) indexedOf(rows string) (map[int64]indexed, error) {
	out := map[int64]indexed{}
	err := t.Rows("SELECT document, kind, value FROM facets WHERE document IN @ids", []any{rows}, func(scan func(...any) error) error {
		var (
			row int64
			tag Tag
		)
		err := scan(&row, &tag.Kind, &tag.Value)
		of := out[row]
		if of.facets == nil {
			of.facets = map[Tag]bool{}
		}
		of.facets[tag] = true
		out[row] = of
		return err
	})
	if err != nil {
		return nil, err
	}
	const query = "SELECT document, name, latitude, longitude FROM places WHERE document IN @ids ORDER BY document, number"
	err = t.Rows(query, []any{rows}, func(scan func(...any) error) error {
		var (
			row   int64
			place Place
		)
		err := scan(&row, &place.Name, &place.Latitude, &place.Longitude)
		of := out[row]
		of.places = append(of.places, place)
		out[row] = of
		return err
	})
	return out, err
}

// putFacets stores the facets of a document in place of those that it before. It leaves alone
// those that stay: most do when a document changes.
func (t *tx) putFacets(row int64, before map[Tag]bool, now []Tag) error {
	stay := make(map[Tag]bool, len(now))
	for _, f := range now {
		stay[f] = true
		if before[f] {
			continue
		}
		err := t.Do("INSERT INTO facets (document, kind, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row, f.Kind, f.Value)
		if err != nil {
			return err
		}
	}
	for f := range before {
		if stay[f] {
			continue
		}
		if err := t.Do("DELETE FROM facets WHERE document = ? AND kind = ? AND value = ?", row, f.Kind, f.Value); err != nil {
			return err
		}
	}
	return nil
}

// putPlaces stores the places of a document in place of those that it before.
func (t *tx) putPlaces(row int64, before, now []Place) error {
	if slices.Equal(before, now) {
		return nil
	}
	if len(before) > 0 {
		if err := t.Do("DELETE FROM places WHERE document = ?", row); err != nil {
			return err
		}
	}
	for i, p := range now {
		err := t.Do("INSERT INTO places (document, number, name, latitude, longitude) VALUES (?, ?, ?, ?, ?)",
			row, i, p.Name, p.Latitude, p.Longitude)
		if err != nil {
			return err
		}
	}
	return nil
}

// Merge puts pieces of the text index together, step by step, where there are many.
func (x *Index) Merge(ctx context.Context) error {
	for {
		more := false
		err := x.db.Update(ctx, func(t *store.Tx) (err error) {
			more, err = x.text.Merge(t)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}
