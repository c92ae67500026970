package jobmirror

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Kinds of tags by which postings are searched.
const (
	tagChannel  = "c"
	tagLanguage = "r" // in which the posting was asked for
	tagCategory = "k"
	tagPlace    = search.PlaceKind
	tagCompany  = search.NameKind
	tagRemote   = "m"
	tagDay      = "d" // since which the posting is there
	tagHidden   = "h" // a visitor may not see it; its value is empty
)

// indexBatch bounds the postings that are indexed in one transaction.
const indexBatch = 100

// The table unindexed is the list of the postings to index: those whose text, sources or job may
// have changed, whose job's information has, or that were indexed in another form of the tokens.
// indexList.put and putAnew put postings on it; the commit raises the signal unindexed, which wakes
// Mirror.index. That indexes them by indexUnindexed, which takes them from the list and numbers those that
// had changed; see marks.go.

// indexList is the table unindexed in a transaction.
type indexList struct {
	*store.Tx
	due bool // postings were put on the list: the commit is to raise the signal unindexed
}

// put puts postings on the list whose texts, sources, jobs or visibility may have changed, by the numbers of their rows.
func (l *indexList) put(rows []int64) error {
	return l.putFor(rows, "1 = 1 ON CONFLICT (posting) DO UPDATE SET changed = 1", 1)
}

// putAnew puts postings on the list that are indexed anew as they are.
func (l *indexList) putAnew(rows []int64) error {
	return l.putFor(rows, "1 = 1 ON CONFLICT DO NOTHING", 0)
}

func (l *indexList) putFor(rows []int64, where string, changed int) error {
	if len(rows) == 0 {
		return nil
	}
	l.due = true
	return l.Do("INSERT INTO unindexed (posting, changed) SELECT v.value, CAST(? AS BIGINT) FROM @ids v WHERE "+where, changed, store.IDs(rows))
}

// putAll puts all postings on the list, to be indexed anew as they are.
func (l *indexList) putAll() error {
	l.due = true
	return l.Do("INSERT INTO unindexed (posting) SELECT id FROM postings WHERE 1 = 1 ON CONFLICT DO NOTHING")
}

// putOf puts the postings of jobs on the list.
func (l *indexList) putOf(jobs []int64) error {
	if len(jobs) == 0 {
		return nil
	}
	// The rows are locked first: a process that indexes one of them right now may have read the
	// job's old place. Its transaction then ends before this one, so that the posting gets indexed
	// again.
	rows, err := l.Numbers("SELECT id FROM postings WHERE job IN @ids ORDER BY id @lock", store.IDs(jobs))
	if err != nil {
		return err
	}
	return l.put(rows)
}

// indexTx is a transaction that reads postings for the index of documents, and indexes them.
type indexTx struct{ *tx }

// index brings the text index up to date, batch by batch, until no posting is left that
// changed since it was indexed, or was indexed under tokens of another form.
func (m *Mirror) index(ctx context.Context) error {
	if may, err := m.takeForm(ctx); err != nil || !may {
		return err
	}
	if err := m.putVisibilityDue(ctx); err != nil {
		return err
	}
	return m.db.updateAll(ctx, func(t *tx) (bool, error) { return indexTx{t}.indexUnindexed() })
}

// mergeEvery is the least time between two merges of the text index.
const mergeEvery = 10 * time.Minute

// indexUnindexed indexes the next postings of the list and takes them from it, at most
// indexBatch, and reports whether there may be more.
func (t indexTx) indexUnindexed() (more bool, err error) {
	rows, err := t.load(`id IN (SELECT p.id FROM unindexed u JOIN postings p ON p.id = u.posting
		ORDER BY u.posting LIMIT ? @skip)`, indexBatch)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	if own, err := t.keepForm(); err != nil || !own {
		return false, err
	}
	documents, err := t.documents(rows)
	if err != nil {
		return false, err
	}
	if err := t.db.search.Put(t.Tx, documents); err != nil {
		return false, err
	}
	for _, r := range rows {
		if err := t.noteVisibility(r); err != nil {
			return false, err
		}
	}
	indexed := store.IDsOf(rows, func(r *row) int64 { return r.id })
	return len(rows) == indexBatch, t.number(indexed)
}

// jobLanguage selects the language of the job of a row of the table postings; empty: it is
// not known.
const jobLanguage = "coalesce((SELECT language FROM jobs WHERE jobs.job = postings.job), '')"

// documents returns the documents of postings, with what is known of their jobs.
func (t indexTx) documents(rows []*row) ([]search.Document, error) {
	known, err := t.informationOf(rows)
	if err != nil {
		return nil, err
	}
	documents := make([]search.Document, len(rows))
	for i, r := range rows {
		if documents[i], err = r.documentOf(known[r.rec.Job], t.Now); err != nil {
			return nil, err
		}
	}
	return documents, nil
}

// informationOf reads what is known of the jobs of postings.
func (t indexTx) informationOf(rows []*row) (map[jobboard.JobID]JobRecord, error) {
	return readJobs(t.Tx, store.IDsOf(rows, func(r *row) int64 { return int64(r.rec.Job) }))
}

// documentOf returns the document of a posting at a time, with what is known of its job.
func (r *row) documentOf(job JobRecord, now int64) (search.Document, error) {
	d, err := r.texts(job.Information)
	d.Tags = []search.Tag{tag(tagLanguage, r.rec.Language)}
	for _, source := range r.rec.Sources {
		d.Tags = append(d.Tags, tag(tagChannel, source))
	}
	names := addFilters(&d, r.filtered(job.Information))
	addTowns(&d, r.rec.Language, names, job.Information)
	if !r.rec.shown(job.State, now) {
		d.Tags = append(d.Tags, tag(tagHidden, ""))
	}
	return d, err
}

// texts returns the document of a posting with its texts and their languages alone; job is nil where nothing is
// known of it.
func (r *row) texts(job *Information) (search.Document, error) {
	ads, err := decodeAds(r.ads)
	d := documentOfTexts(r.rec.Title, joinAds(r.rec.Config, ads))
	d.Row, d.Languages = r.id, []string{r.rec.Language}
	if job != nil {
		d.Languages = append(d.Languages, storable(job.JobLanguage))
		d.Short = append(d.Short, placeWords(r.rec.Language, job)...)
	}
	return d, err
}

// tag returns the tag of a value of a board.
func tag(kind, value string) search.Tag { return search.Tag{Kind: kind, Value: storable(value)} }

// documentOfTexts returns the texts by which a posting is found: the title and the texts of the
// config. Parts of words are looked for in the title, places and companies.
func documentOfTexts(title string, config jobboard.PostingConfig) search.Document {
	d := search.Document{Title: title}
	for key, values := range config.All() {
		switch {
		case strings.HasSuffix(key, adSuffix):
			for _, value := range values {
				d.Other = append(d.Other, search.Text(value))
			}
		case key == jobboard.KeyRemoteStatus: // neither is its value: words for remote work find it
			d.Remote = isRemote(values)
		case key == jobboard.KeyJobCategory: // an identifier is no word
		case slices.Contains(shortTexts, key):
			d.Short = append(d.Short, values...)
		default:
			d.Other = append(d.Other, values...)
		}
	}
	return d
}

// isRemote reports whether a posting's remote status says that some of the work may be done elsewhere. Which values there
// are the interface does not show: those count that name such work, in part or in full, and do not deny it.
func isRemote(values []string) bool {
	has := func(list, of []string) bool {
		return slices.ContainsFunc(of, func(word string) bool { return slices.Contains(list, word) })
	}
	return slices.ContainsFunc(values, func(value string) bool {
		parts := strings.FieldsFunc(strings.ToUpper(value), func(r rune) bool { return !unicode.IsLetter(r) })
		return has(parts, remoteWork) && !has(parts, noRemoteWork)
	})
}

var (
	remoteWork   = strings.Fields("REMOTE HYBRID HOME HOMEOFFICE MOBILE FULLY FULL PARTLY PARTIAL PARTIALLY")
	noRemoteWork = strings.Fields("NO NOT NON NONE NEVER")
)

// shortTexts has the config keys of places and companies.
var shortTexts = []string{jobboard.KeyLocationName, jobboard.KeyCompanyName, "company"}

// readTitles reads the titles and languages of postings by their rows, the newest first.
func readTitles(t *store.Tx, rows []int64) (found []search.Document, err error) {
	const query = "SELECT id, title, language, " + jobLanguage + " FROM postings WHERE id IN @ids ORDER BY id DESC"
	err = t.Rows(query, []any{store.IDs(rows)}, func(scan func(...any) error) error {
		d := search.Document{Languages: make([]string, 2)}
		err := scan(&d.Row, &d.Title, &d.Languages[0], &d.Languages[1])
		found = append(found, d)
		return err
	})
	return found, err
}

// readTexts reads the texts and languages of postings by their rows.
func readTexts(in *store.Tx, list []int64) (found []search.Document, err error) {
	t := indexTx{&tx{Tx: in}}
	rows, err := t.read("id IN @ids", store.IDs(list))
	if err != nil {
		return nil, err
	}
	known, err := t.informationOf(rows)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		d, err := r.texts(known[r.rec.Job].Information)
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	return found, nil
}
