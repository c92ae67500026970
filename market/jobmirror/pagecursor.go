package jobmirror

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// signature tells queries apart, and the lists of synonyms by which they are searched, of which it is given
// the sum; a page's size may change on the way.
func (q Query) signature(synonyms uint64) string {
	q.After, q.Limit, q.Facets, q.Snippets = "", 0, false, false
	return strconv.FormatUint(uint64(hash([]byte(encode(q))))^synonyms, 36)
}

// next returns the cursor of the page behind a hit.
func (q Query) next(synonyms uint64, last search.Position) PageCursor {
	return PageCursor(base64.RawURLEncoding.EncodeToString([]byte(q.signature(synonyms) + "." + last.String())))
}

func (q Query) cursor(synonyms uint64) (at search.Position, err error) {
	if q.After == "" {
		return search.Position{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(q.After))
	if err != nil {
		return search.Position{}, ErrPageCursor
	}
	signature, position, _ := strings.Cut(string(text), ".")
	at, ok := search.ParsePosition(position)
	if !ok || signature != q.signature(synonyms) {
		return search.Position{}, ErrPageCursor
	}
	return at, nil
}
