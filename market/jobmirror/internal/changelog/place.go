package changelog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Place is a place in the log: the number of a change, 0 for the beginning, and the change's
// stamp. A stamp is 64 random bits, written with the change. After a backup was put back the log
// goes on with other changes under the same numbers, and the stamps tell. A change whose stamp is
// right proves all before it.
type Place struct{ Number, Stamp int64 }

// Errors of places and cursors.
var (
	// ErrCursor reports that a cursor belongs to another database.
	ErrCursor = errors.New("jobmirror: the cursor is not of this database")
	// ErrTooOld reports that the log does not reach back to a place.
	ErrTooOld = errors.New("jobmirror: the log of changes does not reach back to the cursor")
	// ErrAhead reports that the log does not hold the change of a place: the log is shorter, or a
	// different change has its number.
	ErrAhead = errors.New("jobmirror: the log of changes does not hold the change of the cursor")
)

// Cursor writes a place as a text.
func (l *Log) Cursor(at Place) string {
	return fmt.Sprintf("%s-%d-%x", l.Epoch, at.Number, uint64(at.Stamp))
}

// Parse returns the place of a cursor, the beginning of the log for an empty one, or ErrCursor.
func (l *Log) Parse(cursor string) (Place, error) {
	if cursor == "" {
		return Place{}, nil
	}
	parts := strings.Split(cursor, "-")
	if len(parts) == 3 && parts[0] == l.Epoch {
		number, noNumber := strconv.ParseInt(parts[1], 10, 64)
		stamp, noStamp := strconv.ParseUint(parts[2], 16, 64)
		if noNumber == nil && noStamp == nil && number >= 0 {
			return Place{number, int64(stamp)}, nil
		}
	}
	return Place{}, fmt.Errorf("%w: %.40q", ErrCursor, cursor)
}

// placeOf returns the place of a change that the log holds, or of the last that was
// erased from it.
func placeOf(t *store.Tx, number int64) (Place, error) {
	stamp, err := store.Value[*int64](t, `SELECT CASE WHEN ? = (SELECT value FROM counters WHERE name = 'erased')
		THEN (SELECT value FROM counters WHERE name = 'erased_stamp')
		ELSE (SELECT stamp FROM changes WHERE number = ?) END`, number, number)
	if err == nil && stamp == nil {
		err = fmt.Errorf("jobmirror: the log of changes lacks %d", number)
	}
	if err != nil {
		return Place{}, err
	}
	return Place{number, *stamp}, nil
}

// SelectLast selects the number and the stamp of the last change, for a statement that reads more besides.
const SelectLast = `SELECT c.value AS number, coalesce((SELECT l.stamp FROM changes l WHERE l.number = c.value),
	(SELECT e.value FROM counters e WHERE e.name = 'erased_stamp')) AS stamp FROM counters c WHERE c.name = 'change'`

// First returns the place before the first change that the log has.
func First(t *store.Tx) (Place, error) { return placeBy(t, lastErased) }

// Last returns the place of the last change.
func Last(t *store.Tx) (Place, error) { return placeBy(t, lastChange) }

// placeBy returns the place whose number a counter has.
func placeBy(t *store.Tx, name string) (Place, error) {
	number, err := counter(t, name)
	if err != nil {
		return Place{}, err
	}
	return placeOf(t, number)
}

// Check returns ErrTooOld or ErrAhead if the log does not go on from a place.
func Check(t *store.Tx, at Place) error {
	last, err := counter(t, lastChange)
	if err != nil {
		return err
	}
	erased, err := counter(t, lastErased)
	if err != nil {
		return err
	}
	switch {
	case at.Number > last:
		return ErrAhead
	case at.Number < erased:
		return ErrTooOld
	case at == Place{}:
		return nil // the beginning
	}
	held, err := placeOf(t, at.Number)
	if err == nil && held != at {
		err = ErrAhead
	}
	return err
}
