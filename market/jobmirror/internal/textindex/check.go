package textindex

import (
	"strings"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// Listed is a token of the index.
type Listed struct {
	Token    string
	Postings int64 // under which it is listed
}

// termsAtOnce is the number of tokens that Terms reads at once.
const termsAtOnce = 500

// Terms calls each for the tokens of the index, some at a time, in order. It reads them from beginning
// to end, as no search does.
func (x *Index) Terms(t *store.Tx, each func([]Listed) error) error {
	query, args := "SELECT term, doc FROM tokens WHERE term > ? ORDER BY term LIMIT ?", []any{"", termsAtOnce}
	if x.Beside() == nil {
		// Counted once: for each part it would read the whole table.
		_, err := t.Exec("DECLARE terms NO SCROLL CURSOR FOR SELECT word, ndoc FROM ts_stat('SELECT words FROM search') ORDER BY word")
		if err != nil {
			return err
		}
		query, args = "FETCH 500 FROM terms", nil
	}
	for {
		list := make([]Listed, 0, termsAtOnce)
		err := t.Rows(query, args, func(scan func(...any) error) error {
			var l Listed
			err := scan(&l.Token, &l.Postings)
			list = append(list, l)
			return err
		})
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if err := each(list); err != nil {
				return err
			}
		}
		if len(list) < termsAtOnce {
			break
		}
		if args != nil {
			args[0] = list[len(list)-1].Token
		}
	}
	if x.Beside() == nil {
		_, err := t.Exec("CLOSE terms")
		return err
	}
	return nil
}

// Find calls each with the postings that the index finds for tokens, among those whose numbers are
// above one number and at most another: a token's number in the list, and a posting. It searches as
// others do.
func (x *Index) Find(t *store.Tx, list []Listed, above, last int64, each func(i int, posting int64)) error {
	if x.Beside() == nil {
		return x.findTogether(t, list, above, last, each)
	}
	const query = "SELECT rowid FROM search WHERE search MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid DESC"
	for i, l := range list {
		question := string(x.Question(words.Expr{Text: l.Token}))
		err := t.Rows(query, []any{question, above, last}, func(scan func(...any) error) error {
			var posting int64
			err := scan(&posting)
			each(i, posting)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findTogether does what Find does, with one statement.
func (x *Index) findTogether(t *store.Tx, list []Listed, above, last int64, each func(i int, posting int64)) error {
	questions := make([]string, len(list))
	for i, l := range list {
		questions[i] = string(x.Question(words.Expr{Text: l.Token}))
	}
	// Of document + 0 there is no index, which would be read in place of the one that is checked.
	const query = `SELECT q.number, s.document FROM unnest(string_to_array(?, chr(10))) WITH ORDINALITY q (question, number),
		LATERAL (SELECT document FROM search WHERE words @@ q.question::tsquery) s WHERE s.document + 0 > ? AND s.document + 0 <= ?`
	return t.Rows(query, []any{strings.Join(questions, "\n"), above, last}, func(scan func(...any) error) error {
		var number, posting int64
		err := scan(&number, &posting)
		each(int(number)-1, posting)
		return err
	})
}

// Stored calls each with the postings of the index whose numbers are above one number and at most
// another, in order, and with their tokens where HasTokens.
func (x *Index) Stored(t *store.Tx, above, last int64, each func(posting int64, tokens []string) error) error {
	query := "SELECT id, '' FROM search_docsize WHERE id > ? AND id <= ? ORDER BY id"
	if x.HasTokens() {
		query = "SELECT document, array_to_string(tsvector_to_array(words), ' ') FROM search WHERE document > ? AND document <= ? ORDER BY document"
	}
	return t.Rows(query, []any{above, last}, func(scan func(...any) error) error {
		var (
			posting int64
			tokens  string
		)
		if err := scan(&posting, &tokens); err != nil {
			return err
		}
		return each(posting, strings.Fields(tokens))
	})
}

// HasTokens reports whether the index has a row of each posting with its tokens.
func (x *Index) HasTokens() bool { return x.Beside() == nil }
