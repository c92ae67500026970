package listings

import "github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"

// LowerSince returns since when the channel has shown a lower version of postings than the copy has, for those of
// some postings of which NoteLower noted it. postings is a list as store.IDs writes it.
func (w *Writer) LowerSince(postings string) (map[int64]int64, error) {
	return store.Pairs[int64, int64](w, "SELECT posting, since FROM lower_versions WHERE source = ? AND posting IN @ids", w.source, postings)
}

// NoteLower notes that a refresh, by its number, has found a lower version of a posting in the channel, and since
// when the channel shows it; 0, or a time that is still to come, stands for now.
func (w *Writer) NoteLower(posting, since, generation int64) error {
	if since == 0 || since > w.Now {
		since = w.Now
	}
	_, err := w.Exec(`INSERT INTO lower_versions (source, posting, since, generation) VALUES (?, ?, ?, ?)
		ON CONFLICT (source, posting) DO UPDATE SET since = excluded.since, generation = excluded.generation`,
		w.source, posting, since, generation)
	return err
}

// EndLower removes the lower versions that a complete refresh, by its number, did not find again, and leaves
// those that a later one has noted meanwhile.
func (w *Writer) EndLower(generation int64) error {
	_, err := w.Exec("DELETE FROM lower_versions WHERE source = ? AND generation < ?", w.source, generation)
	return err
}
