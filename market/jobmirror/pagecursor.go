package jobmirror

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// pageStart is where a page of a search begins.
type pageStart struct {
	behind search.Position
	day    time.Time // that Query.Since counts from: that of the first page
}

// signature tells queries apart, and the lists of synonyms by which they are searched, of which it is given
// the sum; a page's size may change on the way.
func (q Query) signature(synonyms uint64) string {
	q.After, q.Limit, q.Facets, q.CountSince, q.Snippets, q.Prefer = "", 0, false, false, false, ""
	return strconv.FormatUint(uint64(hash([]byte(encode(q))))^synonyms, 36)
}

// next returns the cursor of the page behind a hit.
func (q Query) next(synonyms uint64, last pageStart) PageCursor {
	text := q.signature(synonyms) + "." + last.behind.String()
	if q.Since > 0 {
		text = last.day.UTC().Format(time.DateOnly) + dayEnds + text
	}
	return PageCursor(base64.RawURLEncoding.EncodeToString([]byte(text)))
}

const dayEnds = "/" // stands behind the day of a cursor

// cursor returns where the query's page begins; now is the time of the transaction.
func (q Query) cursor(synonyms uint64, now int64) (at pageStart, err error) {
	at.day = time.UnixMilli(now).UTC()
	if q.After == "" {
		return at, nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(string(q.After))
	if err != nil {
		return at, ErrPageCursor
	}
	text := string(decoded)
	if q.Since > 0 {
		day, rest, _ := strings.Cut(text, dayEnds)
		if at.day, err = time.Parse(time.DateOnly, day); err != nil {
			return at, ErrPageCursor
		}
		text = rest
	}
	signature, position, _ := strings.Cut(text, ".")
	behind, ok := search.ParsePosition(position)
	if !ok || signature != q.signature(synonyms) {
		return at, ErrPageCursor
	}
	at.behind = behind
	return at, nil
}
