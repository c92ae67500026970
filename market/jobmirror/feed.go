package jobmirror

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/market/internal/feedaddress"
	"github.com/jobboard-sdk/jobboard-go/market/internal/stall"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// feedBatch bounds the entries that are written in one transaction.
const feedBatch = 500

// feedItem is a feed entry that is new, or is back after it was missing.
type feedItem struct {
	hash       int64
	shownAgain bool
	job        int64
	postings   []int64
	versions   []int64
}

// copyFeed copies a feed, entry by entry. The copy is whole when the feed was read to its end
// and every entry could be parsed. Entries that have the same bytes as the last time are not
// parsed. turn is this refresh of the feed: its freshness knows how old the answer is, and its
// shown which entries were stored when it began, and which of them it has seen.
func (r *refresher) copyFeed(ctx context.Context) (whole bool, reason string, err error) {
	body, err := r.openFeed(ctx, r.src.feed, r.turn.freshness)
	if err != nil {
		return false, "", err
	}
	defer body.Close()
	if r.turn.freshness.old() {
		return false, outOfCache, nil
	}

	// Whatever entry is added is saved by saveEntries, up to feedBatch of them in one transaction.
	saver := newSaver(r.Mirror, feedBatch, func(t *tx, items []feedItem) error {
		return feedTx{t.refreshing(&r.src.Source, r.turn)}.saveEntries(items)
	})
	// Skip is called right before the loop gets an entry, and leaves here for it the hash of the
	// entry's bytes, and whether the entry is stored and was missing.
	sum, shownAgain, stored, nth := int64(0), false, false, 0
	reader := jobfeed.NewReader(body, &jobfeed.Options{Skip: func(raw []byte) bool {
		sum, nth = hash(raw), 0
		stored, shownAgain = r.turn.shown.see(sum)
		if !stored || shownAgain || severalRecords(raw) { // of several entries others may be new
			return false
		}
		r.copied.Add(1)
		return saver.failed == nil // after a failed write the entry is not skipped, so that add returns the error
	}})
	broken := 0
	for entry, err := range reader.Entries() {
		if _, ok := errors.AsType[*jobfeed.EntryError](err); ok {
			broken++
			continue
		}
		if err == nil {
			if nth++; nth > 1 { // of an opening that has several
				sum = hash(binary.BigEndian.AppendUint64(nil, uint64(sum)))
				stored, shownAgain = r.turn.shown.see(sum)
			}
			if stored && !shownAgain && saver.failed == nil {
				r.copied.Add(1)
				continue
			}
			err = saver.add(ctx, newItem(sum, shownAgain, entry))
		}
		if err != nil {
			return false, "", saver.end(ctx, err)
		}
	}
	if err := saver.end(ctx, nil); err != nil {
		return false, "", err
	}
	if broken > 0 {
		return false, fmt.Sprintf("%d entries of the feed are broken", broken), nil
	}
	return true, "", nil
}

// severalRecords reports whether an opening may give several entries: it has more than the tags of one
// record.
func severalRecords(raw []byte) bool {
	n := 0
	for _, name := range []string{"ositionRecordInfo", "ositionrecordinfo", "OSITIONRECORDINFO"} {
		n += bytes.Count(raw, []byte(name))
	}
	return n > 2
}

func newItem(sum int64, shownAgain bool, entry *jobfeed.Entry) feedItem {
	item := feedItem{hash: sum, shownAgain: shownAgain, job: int64(entry.JobID)}
	for _, id := range entry.Postings {
		item.postings = append(item.postings, int64(id))
	}
	for _, id := range entry.PostingVersions {
		item.versions = append(item.versions, int64(id))
	}
	return item
}

// feedTx is a transaction of a refresh of a feed.
type feedTx struct{ *refreshTx }

// saveEntries writes entries of a feed, unless another refresh of it has begun since.
// An entry goes two ways. Its job is put on the list from which lookUpDue takes the jobs that
// it looks up. What it says of postings is put into the table claims; resaveClaimed saves those
// postings anew that are stored already. Others find the claim when a channel shows them.
func (t feedTx) saveEntries(items []feedItem) error {
	isLast, err := t.turn.IsLast(t.Tx)
	if err != nil || !isLast {
		return err
	}
	items, err = t.noteShownAgain(items)
	if err != nil {
		return err
	}
	var jobs []int64
	list := t.listing(t.src)
	for _, item := range items {
		jobs = append(jobs, item.job)
	}
	erased, err := forgotten(t.Tx, ChangeJob, jobs)
	if err != nil {
		return err
	}
	known, err := list.JobsAmong(jobs)
	if err != nil {
		return err
	}
	var added, changed, postings, versions []int64
	for _, item := range items {
		if err := list.ShowEntry(item.hash, item.job); err != nil {
			return err
		}
		if erased[item.job] {
			continue
		}
		if slices.Contains(known, item.job) { // the feed had another entry of this job: it changed
			changed = append(changed, item.job)
		} else {
			added = append(added, item.job)
		}
		if err := t.putClaims(item); err != nil {
			return err
		}
		postings = append(postings, item.postings...)
		versions = append(versions, item.versions...)
	}
	if err := errors.Join(t.lookups.PutNew(added), t.lookups.PutClosed(added), t.lookups.Put(changed)); err != nil {
		return err
	}
	return t.resaveClaimed(postings, versions, t.src.Cause())
}

// noteShownAgain notes of the stored entries that are back that the feed shows them. It returns the items
// that were never missing, and the items whose stored entries have been removed meanwhile: for
// these the entry is new.
func (t feedTx) noteShownAgain(items []feedItem) ([]feedItem, error) {
	if !slices.ContainsFunc(items, func(item feedItem) bool { return item.shownAgain }) {
		return items, nil
	}
	hashes := store.IDsOf(items, func(item feedItem) int64 { return item.hash })
	shownAgain, err := t.listing(t.src).ShowEntriesAgain(hashes)
	there := func(item feedItem) bool { return slices.Contains(shownAgain, item.hash) }
	return slices.DeleteFunc(slices.Clone(items), there), err
}

// dropEntries removes entries of a feed, by their hashes. What they say of postings goes
// with them.
func (t feedTx) dropEntries(hashes []int64, cause string) error {
	jobs, err := t.listing(t.src).JobsOf(hashes)
	if err != nil {
		return err
	}
	postings, versions, err := t.dropClaims(hashes)
	if err != nil {
		return err
	}
	if err := t.listing(t.src).Remove(hashes); err != nil {
		return err
	}
	if err := t.lookups.PutUnnamed(jobs); err != nil {
		return err
	}
	return t.resaveClaimed(postings, versions, cause)
}

// feedStall bounds the time for which a feed sends nothing; then it is given up.
const feedStall = 30 * time.Second

// openFeed opens a feed's file, or asks its address for it. The limit counts
// that request and each redirect as any other.
func (m *Mirror) openFeed(ctx context.Context, feed Feed, h *freshness) (io.ReadCloser, error) {
	if feedaddress.Parse(feed.Address) == nil {
		f, err := os.Open(feed.Address)
		if err != nil {
			if failed, ok := errors.AsType[*fs.PathError](err); ok {
				err = failed.Err // without the path
			}
			return nil, fmt.Errorf("jobmirror: the feed %s: %w", feedaddress.Public(feed.Address), err)
		}
		return f, nil
	}
	if err := m.limit.Wait(ctx); err != nil {
		return nil, err
	}
	body := stall.New(ctx, feedStall)
	req, err := http.NewRequestWithContext(body.Context(), http.MethodGet, feed.Address, http.NoBody)
	if err != nil {
		return nil, errors.Join(errors.New("jobmirror: the feed's address cannot be used"), body.Close())
	}
	client := *cmp.Or(feed.HTTPClient, feedClient)
	client.CheckRedirect = limitRedirects(client.CheckRedirect, func() error {
		return body.Redirected(func() error { return m.limit.Wait(body.Context()) })
	})
	rs, err := client.Do(req) //nolint:bodyclose // the watch closes it
	if err != nil {
		if ctx.Err() == nil {
			m.limit.Observe(0, "")
		}
		err = body.Cause(err) // an HTTPClient may say just that it was canceled
		_ = body.Close()
		return nil, fmt.Errorf("jobmirror: the feed: %s", problem(err))
	}
	body.Answered(rs.Body)
	m.limit.Observe(rs.StatusCode, rs.Header.Get("Retry-After"))
	if rs.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("jobmirror: the feed is answered with %s", rs.Status), body.Close())
	}
	h.readHeader(rs.Header)
	return body, nil
}

// maxFeedRedirects bounds the redirects that are followed, as net/http does by default.
const maxFeedRedirects = 10

// limitRedirects returns a CheckRedirect that waits before each redirect which check
// follows; nil follows the first maxFeedRedirects. The next address is not told the one
// before in Referer.
func limitRedirects(check func(*http.Request, []*http.Request) error, wait func() error,
) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		req.Header.Del("Referer") // it would tell the feed's address, with a key that it may hold
		if check != nil {
			if err := check(req, via); err != nil {
				return err
			}
		} else if len(via) >= maxFeedRedirects {
			return fmt.Errorf("stopped after %d redirects", maxFeedRedirects)
		}
		return wait()
	}
}

var feedClient = &http.Client{Transport: &http.Transport{
	Proxy:                 http.ProxyFromEnvironment,
	DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	TLSHandshakeTimeout:   10 * time.Second,
	ResponseHeaderTimeout: feedStall,
	IdleConnTimeout:       time.Minute,
	ForceAttemptHTTP2:     true,
	HTTP2:                 &http.HTTP2Config{SendPingTimeout: 15 * time.Second}, // notices a connection that went silent
}}
