package textindex

import (
	"math"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Chunk bounds the postings that Scan.Next returns.
const Chunk = 64

// nearby bounds the next postings among which a scan looks for hits: few postings at first, and
// more if so many of them match that a longer stretch is cheap.
var nearby = []int{64, 256}

// Scan reads the postings that match a question some at a time, in the order of their numbers.
type Scan struct {
	Question  Question
	Ascending bool  // false: the highest number comes first
	After     int64 // the last that was read; 0: none was
	// Few says that few of the next postings match as a rule, so that Next does not look at them
	// before the first read.
	Few bool

	// rare says that so few postings match that it takes less to read all of them than to look
	// for some among the next postings.
	rare bool
}

// Next reads the next postings that match: want of them if the index finds so many at once,
// otherwise at most Chunk. want is no more than Chunk. more reports whether further postings
// may match.
func (x *Index) Next(t *store.Tx, s *Scan, want int) (list []int64, more bool, err error) {
	low, high, order := int64(0), int64(math.MaxInt64), "DESC"
	if s.Ascending {
		low, order = s.After, ""
	} else if s.After != 0 {
		high = s.After
	}
	// A look at the next few postings shows whether many match. It costs little beside reading
	// all that do.
	if x.near != "" && !s.rare && (!s.Few || s.After != 0) {
		for _, among := range nearby {
			near := strings.NewReplacer("@order", order, "@among", strconv.Itoa(among)).Replace(x.near)
			list, err := t.Numbers(near, low, high, string(s.Question), want)
			if err != nil {
				return nil, false, err
			}
			if len(list) == want {
				s.After = list[want-1]
				return list, true, nil
			}
			if largest := nearby[len(nearby)-1]; len(list)*largest < want*among {
				break // so few that the most will hardly do
			}
		}
		s.rare = true
	}
	list, err = t.Numbers(x.hits+" "+order+" LIMIT ?", string(s.Question), low, high, Chunk)
	if err != nil || len(list) < Chunk {
		return list, false, err
	}
	s.After = list[Chunk-1]
	return list, true, nil
}
