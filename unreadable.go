package jobboard

import (
	"fmt"
	"strconv"
)

// maxUnreadable bounds the entries of an answer of which an error says why they cannot be read.
const maxUnreadable = 100

// PostingError reports why an entry of a search's answer is no usable posting: it is no object, its
// jobPostingId is missing or no integer of 1 or more, or a member of the interface or a config key comes
// twice. All other odd values cost only themselves, see docs/search.md. A PostingError holds no
// value of the answer.
type PostingError struct {
	Position int    // of the entry in results, from 0
	Member   string // such as "jobPostingId" or "config.audience"; a key that the interface does not show is "*"; empty: the entry itself
	Reason   string // such as "is missing" or "occurs twice"
}

// Error returns the position, the member and the reason in one line.
func (e PostingError) Error() string { return "jobboard: " + e.text() }

// Unwrap returns ErrDecode.
func (e PostingError) Unwrap() error { return ErrDecode }

func (e PostingError) text() string {
	path := "results[" + strconv.Itoa(e.Position) + "]"
	if e.Member != "" {
		path += "." + e.Member
	}
	return path + " " + e.Reason
}

// unreadable counts an entry that cannot be read.
func (r *JobSearchResult) unreadable(e PostingError) {
	r.Unreadable++
	if len(r.UnreadableErrors) < maxUnreadable {
		r.UnreadableErrors = append(r.UnreadableErrors, e)
	}
}

// UnreadableError reports that an answer was read to its end, but that some of its entries are no
// usable postings. Postings yields it after the last posting. errors.Is finds ErrDecode in it.
type UnreadableError struct {
	Count  int            // entries that could not be read, at least 1
	Errors []PostingError // of the first 100
}

// Error returns how many entries could not be read, and why not the first.
func (e *UnreadableError) Error() string {
	text := fmt.Sprintf("jobboard: %d of the answer's postings could not be read", e.Count)
	if len(e.Errors) > 0 {
		text += "; the first: " + e.Errors[0].text()
	}
	return text
}

// Unwrap returns ErrDecode.
func (e *UnreadableError) Unwrap() error { return ErrDecode }
