package jobmirror

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// signature tells queries apart; a page's size may change on the way.
func (q Query) signature() string {
	q.After, q.Limit, q.Facets, q.Snippets = "", 0, false, false
	return strconv.FormatUint(uint64(hash([]byte(encode(q)))), 36)
}

// next returns the cursor of the page behind a hit.
func (q Query) next(last position) PageCursor {
	parts := []string{q.signature(), strconv.Itoa(last.tier), strconv.FormatInt(last.row, 10)}
	for _, c := range last.corrected {
		parts = append(parts, strings.Join(append([]string{c.Word}, c.Nearest...), "-"))
	}
	return PageCursor(base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "."))))
}

func (q Query) cursor() (at position, err error) {
	if q.After == "" {
		return position{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(q.After))
	if err != nil {
		return position{}, ErrPageCursor
	}
	parts := strings.Split(string(text), ".")
	if len(parts) < 3 || len(parts) > 3+maxMistakes || parts[0] != q.signature() {
		return position{}, ErrPageCursor
	}
	tier, noTier := strconv.Atoi(parts[1])
	row, noRow := strconv.ParseInt(parts[2], 10, 64)
	if noTier != nil || noRow != nil || tier < 0 || row <= 0 {
		return position{}, ErrPageCursor
	}
	at = position{tier: tier, row: row}
	isNone := func(word string) bool { return !words.Is(word) } // a visitor's address may hold anything
	for _, part := range parts[3:] {
		list := strings.Split(part, "-")
		if len(list) < 2 || len(list) > 1+maxNearest || slices.ContainsFunc(list, isNone) {
			return position{}, ErrPageCursor
		}
		at.corrected = append(at.corrected, Correction{list[0], list[1:]})
	}
	return at, nil
}
