package jobmirror

import (
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// The table claims has what feeds say of postings: an entry claims that a posting, or a
// version of one, is its job's. putClaims writes what an entry claims, and readClaims reads it
// for fillJobs, whenever a posting is saved: resaveClaimed saves the stored ones at once, and
// others are saved when a channel shows them, by saveShown.

// putClaims notes which postings an entry says are its job's.
func (t feedTx) putClaims(item feedItem) error {
	for kind, values := range map[string][]int64{"posting": item.postings, "version": item.versions} {
		for _, value := range values {
			err := t.Do(`INSERT INTO claims (kind, value, job, source, entry) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (kind, value, job, source, entry) DO NOTHING`, kind, value, item.job, t.src.ID, item.hash)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// resaveClaimed saves once more what is stored of some postings and versions, after what feeds
// claim of them changed, so that fillJobs finds their jobs anew. Postings and versions are the
// board's numbers, not those of rows.
func (t postingTx) resaveClaimed(postings, versions []int64, cause string) error {
	if len(postings)+len(versions) == 0 {
		return nil
	}
	rows, err := t.load("id IN (SELECT id FROM postings WHERE posting IN @ids UNION SELECT id FROM postings WHERE version IN @ids)",
		store.IDs(postings), store.IDs(versions))
	if err != nil {
		return err
	}
	return t.save(rows, cause)
}

// readClaims finds which jobs feeds say that postings, or versions of them, belong
// to. Of several jobs the one with the highest number is taken.
func (t postingTx) readClaims(kind string, values []int64) (map[int64]int64, error) {
	return store.Pairs[int64, int64](t, "SELECT value, max(job) FROM claims WHERE kind = ? AND value IN @ids GROUP BY value", kind, store.IDs(values))
}

// dropClaims removes what entries of a feed, by their hashes, claim, and returns the
// postings and the versions of which they claimed something.
func (t feedTx) dropClaims(hashes []int64) (postings, versions []int64, err error) {
	const query = "SELECT value FROM claims WHERE source = ? AND entry IN @ids AND kind = ?"
	if postings, err = t.Numbers(query, t.src.ID, store.IDs(hashes), "posting"); err != nil {
		return nil, nil, err
	}
	if versions, err = t.Numbers(query, t.src.ID, store.IDs(hashes), "version"); err != nil {
		return nil, nil, err
	}
	return postings, versions, t.Do("DELETE FROM claims WHERE source = ? AND entry IN @ids", t.src.ID, store.IDs(hashes))
}
