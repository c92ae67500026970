package jobmirror

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// Ready returns nil if searches can be answered: the database answers, and each channel of
// Options, or each channel of the database if Options has none, was copied whole once. Otherwise
// the error is ErrIncomplete, or the database's.
//
// A channel that was never copied because the board refuses it, by 400, 403, 404 or 410,
// such as one that is misspelt, does not count beside one that was copied, once the refusals
// have gone on for four minutes.
func (m *Mirror) Ready(ctx context.Context) error {
	_, err := m.ready(ctx)
	return err
}

// ready does what Ready does, and returns the channels that the board refuses and that were
// never copied.
func (m *Mirror) ready(ctx context.Context) (refused []string, err error) {
	c, err := fromView(ctx, m.db, func(t *tx) (copies, error) {
		if _, err := (searchTx{readTx{t}}).search(Query{Order: Newest, Limit: 1}, pageStart{}); err != nil {
			return copies{}, err
		}
		return copiesOf(t, m.named(), sources.Channel)
	})
	switch {
	case err != nil:
		return nil, err
	case !c.some:
		return nil, fmt.Errorf("%w: nothing was", ErrIncomplete)
	case len(c.missing) > 0:
		return nil, fmt.Errorf("%w: %s", ErrIncomplete, enumerate("channel", c.missing))
	case len(c.refused) > 0 && c.whole == 0:
		return nil, fmt.Errorf("%w: the board refuses %s", ErrIncomplete, enumerate("channel", c.refused))
	}
	return c.refused, nil
}

// enumerate names things of a kind, the first five where there are more.
func enumerate(what string, names []string) string {
	const most = 5
	slices.Sort(names)
	if len(names) > 1 {
		what += "s"
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s %s and %d more", what, strings.Join(names[:most], ", "), more)
	}
	return what + " " + strings.Join(names, ", ")
}

// copies says which sources have finished their first copy.
type copies struct {
	some    bool     // there is a source, of whatever kind
	whole   int      // how many were copied whole once
	refused []string // were never, because the board has refused them for long
	missing []string // were never, for other reasons
}

// complete returns ErrIncomplete unless the sources of the options, or where these name none
// all that the database has, were copied whole once.
func complete(t *tx, named []*source) error {
	c, err := copiesOf(t, named, sources.Channel, sources.Feed)
	missing := len(c.missing) + len(c.refused)
	switch {
	case err != nil:
		return err
	case !c.some:
		return fmt.Errorf("%w: nothing was", ErrIncomplete)
	case missing > 0:
		return fmt.Errorf("%w: %d sources are missing", ErrIncomplete, missing)
	}
	return nil
}

// copiesOf looks at the sources of some kinds: those that the options name, or without any all sources
// of the database.
func copiesOf(t *tx, named []*source, kinds ...string) (c copies, err error) {
	states, err := sources.States(t.Tx)
	stored := map[sources.Source]sources.State{} // another process may have given a source another number
	var wanted []sources.Source
	for _, s := range states {
		stored[s.Key()] = s
		wanted = append(wanted, s.Source)
	}
	if len(named) > 0 { // otherwise this process only reads what all others copy
		wanted = nil
		for _, s := range named {
			wanted = append(wanted, s.Source)
		}
	}
	c.some = len(wanted) > 0
	for _, s := range wanted {
		name := strings.TrimSpace(s.Name + " " + s.Language)
		switch stored := stored[s.Key()]; {
		case !slices.Contains(kinds, s.Kind):
		case stored.Complete > 0:
			c.whole++
		case stored.LeftOut:
			c.refused = append(c.refused, name)
		default:
			c.missing = append(c.missing, name)
		}
	}
	return c, err
}
