package search

import (
	"errors"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// Form numbers the form of the tokens under which documents are indexed. Whoever changes what
// package words makes of a text, or the tags, raises it: documents that were indexed in another
// form must then be put anew.
const Form = 3

// InForm reports whether documents are indexed in Form, so that its tokens find them.
func (x *Index) InForm(t *store.Tx) (bool, error) {
	form, err := store.Value[int64](t, "SELECT form FROM search_state") // 0: none is yet
	return form == Form, err
}

// BeginForm notes that documents are indexed in Form from now on, in which none is yet. The
// words of the vocabulary may be split in another way; the words of each document put from now on are added.
func (x *Index) BeginForm(t *store.Tx) error {
	x.noteChange(t)
	return errors.Join(t.Do("UPDATE search_state SET form = ?", Form), t.Do("DELETE FROM vocabulary"))
}
