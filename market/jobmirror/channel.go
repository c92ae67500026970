package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

const (
	// channelBatch bounds the postings that are written in one transaction.
	channelBatch = 200
	// rawEvery bounds how often a source's refresh notes the bytes of postings that have
	// changed while what is stored of them has not. Bytes may change with each answer.
	rawEvery = 24 * time.Hour
	// recordForm changes when the same bytes of a posting make another record than before,
	// because recordOf or the client reads more of them: all are decoded again then. A test
	// holds the records of each form.
	recordForm = "1"
)

// channelItem is a posting that a channel shows and that is decoded.
type channelItem struct {
	*jobboard.JobPosting
	raw int64 // the hash of its bytes; 0: not known
}

// rawHash returns the hash by which the bytes of a posting are known again. Nobody can
// write two postings with one hash on purpose, because the database's secret is in it.
func (m *Mirror) rawHash(raw []byte) int64 { return hash([]byte(recordForm+m.db.secret), raw) }

// copyChannel copies what a search shows, posting by posting. It is whole when
// the answer was read to its end and held as many postings as it counts: a board that
// shows one twice counts it twice. Postings that cannot be read count as well. Postings that have the same bytes as the last time are
// not decoded, but for the first.
func (r *refresher) copyChannel(ctx context.Context) (whole bool, reason string, err error) {
	// Whatever posting is added is saved by savePostings, up to channelBatch of them in one
	// transaction.
	saver := newSaver(r.Mirror, channelBatch, func(t *tx, items []channelItem) error {
		return channelTx{t.refreshing(&r.src.Source, r.turn)}.savePostings(items)
	})
	read, sum := 0, int64(0)
	stream := r.client.PostingStream(ctx, jobboard.ChannelID(r.src.Name), jobboard.Query{Language: r.src.Language})
	asked := searched{r.src.Name, stream.Query().Language}
	r.ages.searches.Store(asked, r.turn.freshness)
	defer r.ages.searches.CompareAndDelete(asked, r.turn.freshness)
	stream.Skip(func(raw []byte) bool {
		sum = r.rawHash(raw)
		if saver.failed != nil || !r.turn.shown.seeRaw(sum) {
			return false
		}
		sum = 0
		read++
		r.copied.Add(1)
		return true
	})
	for posting, err := range stream.All() {
		if broken, ok := errors.AsType[*jobboard.UnreadableError](err); ok { // after the last posting
			read += broken.Count
			r.turn.unreadable = unreadable{broken.Count, problem(broken)}
			break
		}
		read++
		if err == nil && r.turn.freshness.old() {
			return false, outOfCache, nil
		}
		if err == nil {
			err = saver.add(ctx, channelItem{posting, sum})
		}
		if err != nil {
			return false, "", saver.end(ctx, err)
		}
		sum = 0
	}
	if err := saver.end(ctx, nil); err != nil {
		return false, "", err
	}
	if r.turn.freshness.old() {
		return false, outOfCache, nil
	}
	page, ok := stream.Page()
	if !ok {
		return false, "the answer was not read to its end", nil
	}
	if page.NumPages > 1 || read < page.TotalNumberOfJobs {
		return false, fmt.Sprintf("the answer holds %d of %d postings, on one of %d pages",
			read, page.TotalNumberOfJobs, page.NumPages), nil
	}
	return true, "", nil
}

// channelTx is a transaction of a refresh of a channel.
type channelTx struct{ *refreshTx }

// savePostings writes postings of one answer.
func (t channelTx) savePostings(batch []channelItem) error {
	isLast, err := t.turn.IsLast(t.Tx)
	if err != nil || !isLast {
		return err
	}
	postings, err := t.leaveOutForgotten(newestOf(batch))
	if err != nil {
		return err
	}
	shownAgain, added, change, err := t.compare(postings)
	if err != nil {
		return err
	}
	changed, removed, err := t.merged(change)
	if err != nil {
		return err
	}
	added = append(added, removed...)
	numbers, err := t.NextOf(postingRows, len(added))
	if err != nil {
		return err
	}
	for i, r := range added {
		r.id = numbers[i]
	}
	if err := t.recall(added); err != nil {
		return err
	}
	return t.saveShown(shownAgain, append(added, changed...))
}

// newestOf returns each posting of an answer once, in the newest version that
// the answer has.
func newestOf(batch []channelItem) []channelItem {
	place := make(map[jobboard.JobPostingID]int, len(batch))
	out := make([]channelItem, 0, len(batch))
	for _, p := range batch {
		i, again := place[p.JobPostingID]
		switch {
		case !again:
			place[p.JobPostingID] = len(out)
			out = append(out, p)
		case p.PostingVersionID > out[i].PostingVersionID:
			out[i] = p
		}
	}
	return out
}

// leaveOutForgotten returns the postings that may be copied: neither they nor
// the jobs in their links were forgotten.
func (t channelTx) leaveOutForgotten(postings []channelItem) ([]channelItem, error) {
	var numbers, jobs []int64
	for _, p := range postings {
		numbers = append(numbers, int64(p.JobPostingID))
		if job := linked(p.JobPosting); job != 0 {
			jobs = append(jobs, job)
		}
	}
	erased, err := forgotten(t.Tx, ChangePosting, numbers)
	if err != nil {
		return nil, err
	}
	erasedJobs, err := forgotten(t.Tx, ChangeJob, jobs)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(postings, func(p channelItem) bool {
		return erased[int64(p.JobPostingID)] || erasedJobs[linked(p.JobPosting)]
	}), nil
}

// compare compares postings with what is stored of them. It returns the rows that the
// channel shows again, unchanged, after they were missing, the new rows, and the rows that may replace stored ones,
// by their id.
func (t channelTx) compare(postings []channelItem,
) (shownAgain []int64, added []*row, change map[int64]*row, err error) {
	known, err := t.known(postings)
	if err != nil {
		return nil, nil, nil, err
	}
	change = map[int64]*row{}
	sameRows := map[int64]*row{} // rows that equal the stored ones although their bytes differ from before, by their id
	for _, p := range postings {
		r := rowOf(p, t.src, t.turn)
		k, exists := known[int64(p.JobPostingID)]
		switch {
		case !exists:
			added = append(added, r)
		case k.hash == r.hash && k.listed:
			if t.turn.shown.seeSame(k.id) {
				shownAgain = append(shownAgain, k.id)
			}
			if t.turn.notesRaw(r, k) {
				sameRows[k.id] = r
			}
		case k.listed && t.turn.shown.sawSame(k.id) && r.rec.Version <= k.version:
			// The same answer has already shown the posting as stored, or in a newer version; or this
			// transaction is repeated, and its first run, which was undone, noted the posting as shown.
			if t.turn.shown.seeSame(k.id) {
				shownAgain = append(shownAgain, k.id)
			}
		default:
			r.id = k.id
			change[k.id] = r
		}
	}
	return shownAgain, added, change, t.noteRaws(sameRows, change)
}

// knownPosting holds what tells whether a stored posting changed.
type knownPosting struct {
	id, hash int64
	version  jobboard.PostingVersionID
	listed   bool  // by this source
	raw      int64 // a hash of the bytes in which this source showed the row as it is stored; 0: not known
}

// known finds which of some postings are stored in the source's language, by their
// identifiers.
func (t channelTx) known(postings []channelItem) (map[int64]knownPosting, error) {
	numbers := store.IDsOf(postings, func(p channelItem) int64 { return int64(p.JobPostingID) })
	out := make(map[int64]knownPosting, len(postings))
	err := t.Rows(`SELECT p.id, p.posting, p.hash, p.version, l.posting IS NOT NULL, coalesce(l.raw, 0) FROM postings p
		LEFT JOIN listings l ON l.source = ? AND l.posting = p.id
		WHERE p.language = ? AND p.posting IN @ids`, []any{t.src.ID, t.src.Language, numbers}, func(scan func(...any) error) error {
		var (
			k       knownPosting
			posting int64
		)
		err := scan(&k.id, &posting, &k.hash, &k.version, &k.listed, &k.raw)
		out[posting] = k
		return err
	})
	return out, err
}

// rowOf returns a row for what an answer says of a posting.
func rowOf(p channelItem, src *sources.Source, turn turn) *row {
	rec, ads := recordOf(p.JobPosting, src.Language)
	sum := hash([]byte(encode(rec)), []byte(ads))
	rec.Unknown = p.Unknown // a change in Unknown alone does not count as one: a counter in it would fill the log
	return &row{
		rec: rec, ads: ads, hash: sum, raw: p.raw, linked: linked(p.JobPosting),
		answer: turn.answer, giver: src.ID, fromAnswer: true, newVersion: true,
	}
}

// linked returns the job that the posting's own link names; 0: none.
func linked(p *jobboard.JobPosting) int64 {
	job, _ := p.LinkedJob()
	return int64(job)
}

// notesRaw reports whether the refresh notes the bytes of a row that is as it is stored.
func (t turn) notesRaw(r *row, k knownPosting) bool {
	return r.raw != 0 && r.raw != k.raw && (k.raw == 0 || t.notesRaws)
}

// noteRaws notes by which bytes a source shows postings as they are stored, by their rows.
func (t channelTx) noteRaws(shown, change map[int64]*row) error {
	if len(shown) == 0 {
		return nil
	}
	// Locked: another source may be changing one just now, whose bytes then say something else.
	// Together with those that may change, which are locked next: one order, no deadlock.
	ids := slices.AppendSeq(slices.Collect(maps.Keys(shown)), maps.Keys(change))
	stored, err := store.Pairs[int64, int64](t, "SELECT id, hash FROM postings WHERE id IN @ids ORDER BY id @lock", store.IDs(ids))
	if err != nil {
		return err
	}
	for id, r := range shown {
		if stored[id] != r.hash {
			continue
		}
		if err := t.listing(t.src).SetRaw(id, r.raw); err != nil {
			return err
		}
	}
	return nil
}

// merged returns stored rows with what an answer says of them, by their id, as far as it
// is believed; and what it says of those that another source has removed just now, as the
// last that showed them.
func (t channelTx) merged(change map[int64]*row) (rows, removed []*row, err error) {
	rows, err = t.load("id IN @ids", store.IDs(slices.Collect(maps.Keys(change))))
	if err != nil {
		return nil, nil, err
	}
	for id, given := range change {
		if !slices.ContainsFunc(rows, func(old *row) bool { return old.id == id }) {
			removed = append(removed, given)
		}
	}
	if err := t.believe(rows, change); err != nil {
		return nil, nil, err
	}
	for i, old := range rows {
		if given, ok := change[old.id]; ok {
			rows[i] = merge(old, given)
		}
	}
	return rows, removed, nil
}

// merge gives a stored row what a newer answer says of it. An answer that is
// older than the stored one, or has an older version of the posting than the
// same answer had before, changes nothing.
func merge(stored, given *row) *row {
	if given.hash == stored.hash {
		stored.raw = given.raw
		return stored
	}
	if given.answer < stored.answer || given.answer == stored.answer && given.rec.Version < stored.rec.Version {
		return stored
	}
	given.before, given.stored = stored.before, stored.stored
	given.firstSeen = stored.firstSeen
	given.newVersion = given.rec.Version > stored.rec.Version
	return given
}

// saveShown notes that a source shows rows, which are new or may have changed, and those of
// shownAgain, which were missing. It saves rows, and has the jobs looked up that may have changed
// with them.
func (t channelTx) saveShown(shownAgain []int64, rows []*row) error {
	list := t.listing(t.src)
	if err := list.ShowAgain(shownAgain); err != nil {
		return err
	}
	var other []int64 // rows that say something else than what other sources have shown
	for _, r := range rows {
		t.turn.shown.see(r.id)
		if err := list.Show(r.id, r.raw); err != nil {
			return err
		}
		if r.fromAnswer && r.before != "" {
			other = append(other, r.id)
		}
		if r.stored.Version > r.rec.Version {
			t.turn.shown.lower(r.id)
		}
	}
	if err := list.ClearRaws(other); err != nil {
		return err
	}
	if err := t.save(rows, t.src.Cause()); err != nil {
		return err
	}
	return t.putChangedDue(rows)
}

// putChangedDue puts the jobs on the list (see internal/lookups) that may have changed with rows which
// were just written.
func (t channelTx) putChangedDue(rows []*row) error {
	elsewhere, err := t.inOtherLanguages(rows)
	if err != nil {
		return err
	}
	var changed, added []int64
	for _, r := range rows {
		same, known := elsewhere[r.id]
		switch {
		case r.rec.Job == 0 || !r.fromAnswer || same == 1:
		case r.before == "" && !known:
			added = append(added, int64(r.rec.Job))
		default:
			changed = append(changed, int64(r.rec.Job))
		}
	}
	if err := t.lookups.PutClosed(added); err != nil {
		return err
	}
	return t.lookups.Put(changed)
}

// selectInOtherLanguages selects those of some postings that the copy also has in another
// language, and whether version and job are equal there. They are looked up by the posting: all
// postings of a board may share a version or a job.
const selectInOtherLanguages = `SELECT p.id, max(CASE WHEN o.version = p.version AND o.job = p.job THEN 1 ELSE 0 END)
	FROM postings p JOIN postings o ON o.posting = p.posting AND o.id <> p.id WHERE p.id IN @ids GROUP BY p.id`

// inOtherLanguages looks at the rows that are new or of a newer version. For each posting that
// the copy also has in another language it returns 1 if that row has the same version and job,
// because then the new row says nothing new about the job, and otherwise 0.
func (t channelTx) inOtherLanguages(rows []*row) (map[int64]int64, error) {
	var versions []int64
	for _, r := range rows {
		if r.newVersion {
			versions = append(versions, r.id)
		}
	}
	if len(versions) == 0 {
		return nil, nil
	}
	return store.Pairs[int64, int64](t, selectInOtherLanguages, store.IDs(versions))
}

// dropPostings removes postings from what a channel shows, by their rows. Those that no
// other source shows go from the copy.
func (t channelTx) dropPostings(ids []int64, cause string) error {
	rows, err := t.load("id IN @ids", store.IDs(ids))
	if err != nil {
		return err
	}
	if err := t.listing(t.src).Remove(ids); err != nil {
		return err
	}
	return t.save(rows, cause)
}
