package jobmirror

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/internal/baseurl"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// ErrOtherBoard reports that the database has the copy of another board than the one
// that Options names.
var ErrOtherBoard = errors.New("jobmirror: the database holds the copy of another board")

// board holds what tells a board from others.
type board struct {
	name         string // Options.Board
	base, lookup string // its addresses, as identity returns them
}

// board returns the board that the options name; what they leave out is empty.
func (o *Options) board() board {
	return board{o.Board, identity(o.Config.BaseURL, "/api/rest"), identity(o.Config.JobDBURL, "")}
}

// identity returns what tells a base address from those of other boards: its scheme,
// host, port and path. It is empty for an address that the client refuses.
func identity(text, suffix string) string {
	u, ok := baseurl.Parse(text, suffix)
	if !ok {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	standard := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if port := u.Port(); port != "" && port != standard {
		host += ":" + port
	}
	return u.Scheme + "://" + host + u.EscapedPath()
}

// rows returns what the table mirror has of the board: pairs of a name and a value.
func (b board) rows() [][2]string {
	return [][2]string{{"board", b.name}, {"base_url", b.base}, {"jobdb_url", b.lookup}}
}

// is returns ErrOtherBoard if own, the board of the options, is not the stored one, b. If both
// have a name, only the names are compared, otherwise each address that both have.
func (b board) is(own board) error {
	stored, given := b.rows(), own.rows()
	compared := [2]int{1, 3}
	if b.name != "" && own.name != "" {
		compared = [2]int{0, 1}
	}
	for i := compared[0]; i < compared[1]; i++ {
		if kept, now := stored[i][1], given[i][1]; kept != now && kept != "" && now != "" {
			return fmt.Errorf("%w: %s, and not %s", ErrOtherBoard, kept, now)
		}
	}
	return nil
}

// enter checks that the database holds the copy of this board, and notes what it does not know of the
// board yet.
func (b board) enter(t *tx) error {
	// Locked, so that two processes which open a new database do this one after the other.
	if _, err := store.Value[string](t, "SELECT value FROM mirror WHERE name = 'program' @lock"); err != nil {
		return err
	}
	var stored board
	const query = "SELECT name, value FROM mirror WHERE name IN ('board', 'base_url', 'jobdb_url')"
	err := t.Rows(query, nil, func(scan func(...any) error) error {
		var name, value string
		err := scan(&name, &value)
		*map[string]*string{"board": &stored.name, "base_url": &stored.base, "jobdb_url": &stored.lookup}[name] = value
		return err
	})
	if err != nil {
		return err
	}
	if err := stored.is(b); err != nil {
		return err
	}
	return b.note(t)
}

// note notes the name and the addresses of a board that the database does not know yet.
func (b board) note(t *tx) error {
	for _, row := range b.rows() {
		if row[1] == "" {
			continue
		}
		_, err := t.Exec("INSERT INTO mirror (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", row[0], row[1])
		if err != nil {
			return err
		}
	}
	return nil
}

// MoveBoard notes in the database at address that its board has moved, after which Open no
// longer returns ErrOtherBoard: it replaces the board's name and addresses there by those
// in opts. What opts leaves out is taken from the next process that opens the mirror with
// sources. Nothing of the copy changes.
func MoveBoard(ctx context.Context, address string, opts Options) error {
	m, err := Open(ctx, address, Options{})
	if err != nil {
		return err
	}
	_, unlock, err := m.lock()
	if err == nil {
		err = m.db.update(ctx, func(t *tx) error {
			if _, err := t.Exec("DELETE FROM mirror WHERE name IN ('board', 'base_url', 'jobdb_url')"); err != nil {
				return err
			}
			return opts.board().note(t)
		})
		unlock()
	}
	return errors.Join(err, m.Close())
}
