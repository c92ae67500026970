package listings

import "github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"

// ShowAgain notes that a channel shows postings unchanged that were not shown.
func (w *Writer) ShowAgain(postings []int64) error {
	if len(postings) == 0 {
		return nil
	}
	return w.Do("UPDATE listings SET state = 'shown', since = 0, seen = ? WHERE source = ? AND posting IN @ids", w.Now, w.source, store.IDs(postings))
}

// Show notes that a channel shows a posting that is new, or may have changed, in bytes with the
// hash raw.
func (w *Writer) Show(posting, raw int64) error {
	return w.Do(`INSERT INTO listings (source, posting, seen, raw) VALUES (?, ?, ?, ?)
		ON CONFLICT (source, posting) DO UPDATE SET state = 'shown', since = 0, seen = excluded.seen, raw = excluded.raw`, w.source, posting, w.Now, raw)
}

// SetRaw notes the hash of the bytes in which a channel shows a posting as it is stored.
func (w *Writer) SetRaw(posting, raw int64) error {
	return w.Do("UPDATE listings SET raw = ? WHERE source = ? AND posting = ?", raw, w.source, posting)
}

// ClearRaws notes that postings are no longer stored as other channels show them.
func (w *Writer) ClearRaws(postings []int64) error {
	if len(postings) == 0 {
		return nil
	}
	return w.Do("UPDATE listings SET raw = 0 WHERE posting IN @ids AND source <> ? AND raw <> 0", store.IDs(postings), w.source)
}

// ShowEntry notes that a feed shows an entry of a job.
func (w *Writer) ShowEntry(hash, job int64) error {
	return w.Do("INSERT INTO entries (source, hash, job) VALUES (?, ?, ?) ON CONFLICT (source, hash) DO UPDATE SET state = 'shown', since = 0",
		w.source, hash, job)
}

// ShowEntriesAgain notes that a feed shows entries, by a list of their hashes, and returns those that
// it has.
func (w *Writer) ShowEntriesAgain(hashes string) ([]int64, error) {
	return w.Numbers("UPDATE entries SET state = 'shown', since = 0 WHERE source = ? AND hash IN @ids RETURNING hash", w.source, hashes)
}

// JobsAmong returns those of some jobs of which a feed has an entry.
func (w *Writer) JobsAmong(jobs []int64) ([]int64, error) {
	return w.Numbers("SELECT job FROM entries WHERE source = ? AND job IN @ids", w.source, store.IDs(jobs))
}

// JobsOf returns the jobs of entries of a feed, but for entries that are still held: they go because a lookup
// of their job has said so.
func (w *Writer) JobsOf(hashes []int64) ([]int64, error) {
	return w.Numbers("SELECT job FROM entries WHERE source = ? AND hash IN @ids AND state <> 'held'", w.source, store.IDs(hashes))
}

// Remove removes rows by their keys.
func (w *Writer) Remove(keys []int64) error {
	return w.Do("DELETE FROM "+w.name+" WHERE source = ? AND "+w.key+" IN @ids", w.source, store.IDs(keys))
}

// Forget removes a posting from what all channels show.
func Forget(t *store.Tx, posting int64) error {
	return t.Do("DELETE FROM listings WHERE posting = ?", posting)
}
