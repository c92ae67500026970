package jobmirror

import (
	"errors"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
)

// A search may be asked for what changed since an earlier one; see Query.ChangedAfter. For that a transaction that
// indexes postings which had changed raises the counter "indexed" by one, and gives these postings its new value, in
// the table marks. It raises the counter as the last thing that another transaction may wait for, but for the log's number,
// and keeps the lock until it has committed, so that numbers are in the order of the commits, whatever number of
// processes index and whatever their clocks say. A search reads the counter in its own snapshot, and a
// ChangeMark has that: what has a higher number was committed later.
//
// Not each posting that is indexed had changed: Rebuild, and another version of the tokens, have all postings
// indexed as they are. The column unindexed.changed tells them apart.

// number numbers those of the postings which were just indexed that had changed, and takes all of them from the list of
// those to index.
func (t indexTx) number(postings string) error {
	const changed = "FROM unindexed u WHERE u.posting IN @ids AND u.changed = 1"
	return t.DoAll([]any{postings},
		"UPDATE counters SET value = value + 1 WHERE name = 'indexed' AND EXISTS (SELECT 1 "+changed+")",
		"INSERT INTO marks (posting, number) SELECT u.posting, (SELECT value FROM counters WHERE name = 'indexed') "+changed+
			" ON CONFLICT (posting) DO UPDATE SET number = excluded.number",
		"DELETE FROM unindexed WHERE posting IN @ids")
}

// markPlace is what a ChangeMark has: the last number, and the place of the log's last change. Where a backup was put back
// the counter goes on with lower numbers and may pass the mark's; the log tells by its stamps.
type markPlace struct {
	number int64
	log    changelog.Place
}

// mark writes a place as a text.
func (t *tx) mark(at markPlace) ChangeMark {
	return ChangeMark(t.db.log.Cursor(at.log) + "-" + strconv.FormatInt(at.number, 10))
}

// changedAfter returns the postings that changed after a mark, in the order of their rows. Its error is ErrPageCursor for
// a mark that the database, which has come as far as last, has not given.
func (t *tx) changedAfter(mark ChangeMark, last markPlace) ([]int64, error) {
	number := int64(0)
	if mark != "" {
		i := strings.LastIndex(string(mark), "-")
		log, err := t.db.log.Parse(string(mark[:max(i, 0)]))
		number, _ = strconv.ParseInt(string(mark[i+1:]), 10, 64)
		if err != nil || i < 0 || number < 0 || number > last.number || string(t.mark(markPlace{number, log})) != string(mark) {
			return nil, ErrPageCursor
		}
		err = changelog.Check(t.Tx, log)
		if errors.Is(err, changelog.ErrAhead) {
			return nil, ErrPageCursor
		}
		if err != nil && !errors.Is(err, changelog.ErrTooOld) { // which does not tell
			return nil, err
		}
	}
	rows, err := t.Numbers("SELECT posting FROM marks WHERE number > ? ORDER BY posting", number)
	if rows == nil {
		rows = []int64{}
	}
	return rows, err
}
