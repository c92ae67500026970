package jobmirror

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Changed holds what changed after a mark, as far as some queries find it.
type Changed struct {
	Mark     ChangeMark    // for the next SearchChanged
	Postings [][]Posting   // what each query finds, the newest first
	Building bool          // as Page.Building: what waits to be indexed is found after a later Mark
	Age      time.Duration // as Page.Age, of all channels
}

// SearchChanged asks many queries what changed after a mark, such as the saved searches of visitors after each
// refresh: with ten thousand queries, in seconds. Each query finds what [Mirror.Search] finds with it in the order Newest and with that mark as
// its ChangedAfter, up to its Limit, in each language. It ignores the queries' Order, After, ChangedAfter, OncePerJob,
// Prefer, Facets, CountSince and Snippets. An empty mark is before every change.
//
// It reads in one transaction, so that no change falls between two marks. Its errors are ErrPageCursor for a mark that is not of the database, and those of Search, with the
// place of the query.
func (m *Mirror) SearchChanged(ctx context.Context, after ChangeMark, queries []Query) (*Changed, error) {
	for i, q := range queries {
		err := q.Near.Validate()
		if err == nil {
			err = q.check()
		}
		if err != nil {
			return nil, fmt.Errorf("jobmirror: query %d: %w", i, err)
		}
	}
	return fromView(ctx, m.db, func(t *tx) (*Changed, error) { return searchTx{readTx{t}}.changed(after, queries) })
}

const (
	// maxSelected bounds the postings that are indexed in memory to ask many queries of them; and selectedFor bounds
	// them for each query. To index one there takes as long as to ask the database a query a few times.
	maxSelected = 5000
	selectedFor = 5
	// askedIdle bounds the queries that are asked in memory between two statements.
	askedIdle = 200
)

// changed does what SearchChanged does.
func (t searchTx) changed(after ChangeMark, queries []Query) (out *Changed, err error) {
	indexed, err := t.indexedNow()
	if err != nil {
		return nil, err
	}
	out = &Changed{Mark: t.mark(indexed.markPlace), Postings: make([][]Posting, len(queries))}
	if out.Building, err = t.isBuilding(indexed); err != nil {
		return nil, err
	}
	if out.Age, err = t.age(""); err != nil {
		return nil, err
	}
	rows, err := t.changedAfter(after, indexed.markPlace)
	if err != nil || len(rows) == 0 {
		return out, err
	}
	find := t.db.search.FindAmong
	if len(rows) <= maxSelected && len(rows) <= selectedFor*len(queries) {
		selection, err := t.selection(rows)
		if err != nil {
			return nil, err
		}
		find = selection.Find
	}
	hits := make([][]int64, len(queries))
	for i, q := range queries {
		if i%askedIdle == 0 { // a server ends a transaction that asks it nothing for seconds
			if _, err := t.Numbers("SELECT 1"); err != nil {
				return nil, err
			}
		}
		query := q.forIndex(time.UnixMilli(t.Now))
		query.Among = rows
		found, err := find(t.Tx, query)
		if err != nil {
			return nil, err
		}
		hits[i] = found[:min(len(found), q.limit())]
	}
	known, err := t.postingsOf(slices.Concat(hits...))
	for i, list := range hits {
		for _, row := range list {
			if p, ok := known[row]; ok {
				p.measure(queries[i].Near)
				out.Postings[i] = append(out.Postings[i], p)
			}
		}
	}
	return out, err
}

// selection indexes postings in memory, by their rows.
func (t searchTx) selection(rows []int64) (*search.Selection, error) {
	selection, err := t.db.search.Select(t.Tx)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(rows, pagePart) {
		read, err := t.read("id IN @ids", store.IDs(part))
		if err != nil {
			return nil, err
		}
		documents, err := indexTx{t.tx}.documents(read)
		if err != nil {
			return nil, err
		}
		selection.Add(documents)
	}
	return selection, nil
}

// postingsOf reads postings by their rows, each once.
func (t searchTx) postingsOf(rows []int64) (map[int64]Posting, error) {
	known := map[int64]Posting{}
	slices.Sort(rows)
	for part := range slices.Chunk(slices.Compact(rows), pagePart) {
		hits, err := t.postings(part)
		if err != nil {
			return nil, err
		}
		list := make([]Posting, len(hits))
		for i, h := range hits {
			list[i] = h.posting
		}
		if err := t.addJobs(list, jobboard.GeoLocation{}); err != nil {
			return nil, err
		}
		for i, h := range hits {
			known[h.row] = list[i]
		}
	}
	return known, nil
}
