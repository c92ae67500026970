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

// board is what tells a board from others: its name, Options.Board, and its addresses, as identity returns them, by
// the names of the rows that the table mirror has of them. What is not known is empty.
type board map[string]string

// board returns the board that the options name.
func (o *Options) board() board {
	return board{
		"board": o.Board, "base_url": identity(o.Config.BaseURL, "/api/rest"), "jobdb_url": identity(o.Config.JobDBURL, ""),
	}
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

// is returns ErrOtherBoard if own, the board of the options, is not the stored one, b. If both
// have a name, only the names are compared, otherwise each address that both have.
func (b board) is(own board) error {
	compared := []string{"base_url", "jobdb_url"}
	if b["board"] != "" && own["board"] != "" {
		compared = []string{"board"}
	}
	for _, name := range compared {
		if kept, now := b[name], own[name]; kept != now && kept != "" && now != "" {
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
	stored, err := store.Pairs[string, string](t, "SELECT name, value FROM mirror WHERE name IN ('board', 'base_url', 'jobdb_url')")
	if err != nil {
		return err
	}
	if err := board(stored).is(b); err != nil {
		return err
	}
	return b.note(t)
}

// note notes the name and the addresses of a board that the database does not know yet.
func (b board) note(t *tx) error {
	for name, value := range b {
		if value == "" {
			continue
		}
		_, err := t.Exec("INSERT INTO mirror (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, value)
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
