package jobmirror

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
)

// SavedSearch is what somebody wants to be told of: the criteria of a Query, with the same meaning.
// It finds what a visitor may see. The zero value finds all of that.
//
// As JSON it is an object with the version of its form, such as {"version":1,"text":"Koch"}, which
// its owner may store. Reading it is strict: a form of a later version and a member that this one
// does not know are errors, so that no criterion is lost. Its errors are jobboard.ErrInvalidInput.
type SavedSearch struct {
	Text     string
	Near     jobboard.GeoLocation // zero: anywhere
	Channel  jobboard.ChannelID   // empty: any, as of those below
	Language string
	Category string
	Place    string
}

// savedVersion is the version of the form in which a SavedSearch is written.
const savedVersion = 1

// savedForm is a SavedSearch as JSON.
type savedForm struct {
	Version  int                  `json:"version"`
	Text     string               `json:"text,omitempty"`
	Near     jobboard.GeoLocation `json:"near,omitzero"` // as GeoLocation.String writes it
	Channel  jobboard.ChannelID   `json:"channel,omitempty"`
	Language string               `json:"language,omitempty"`
	Category string               `json:"category,omitempty"`
	Place    string               `json:"place,omitempty"`
}

// MarshalJSON returns the search as JSON.
func (s SavedSearch) MarshalJSON() ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return json.Marshal(savedForm{savedVersion, s.Text, s.Near, s.Channel, s.Language, s.Category, s.Place})
}

// UnmarshalJSON reads a search that MarshalJSON wrote. An error leaves s unchanged.
func (s *SavedSearch) UnmarshalJSON(text []byte) error {
	var versioned struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &versioned); err != nil {
		return fmt.Errorf("jobmirror: a saved search: %w: %w", jobboard.ErrInvalidInput, err)
	}
	if versioned.Version != savedVersion {
		return fmt.Errorf("jobmirror: %w: a saved search of version %d, and this program knows %d",
			jobboard.ErrInvalidInput, versioned.Version, savedVersion)
	}
	var form savedForm
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&form); err != nil {
		return fmt.Errorf("jobmirror: a saved search: %w: %w", jobboard.ErrInvalidInput, err)
	}
	read := SavedSearch{form.Text, form.Near, form.Channel, form.Language, form.Category, form.Place}
	if err := read.check(); err != nil {
		return err
	}
	*s = read
	return nil
}

// Query returns the query that finds in the copy what the search finds.
func (s SavedSearch) Query() Query {
	return Query{
		Text: s.Text, Near: s.Near, Channel: s.Channel, Language: s.Language, Category: s.Category, Place: s.Place,
	}
}

// check returns an error that is jobboard.ErrInvalidInput for a circle that is none and a text that is
// too long.
func (s SavedSearch) check() error {
	if err := s.Near.Validate(); err != nil {
		return fmt.Errorf("jobmirror: a saved search: %w", err)
	}
	return s.Query().check()
}

// Searches holds saved searches under keys of their owner's, such as the keys of rows in the owner's
// database. The zero value holds none. Several goroutines may call its methods at the same time.
type Searches struct{ set search.Set }

// Set puts a search under a key, in place of another one. Its error is jobboard.ErrInvalidInput for
// an invalid circle or a text of more than 1000 bytes; the key then keeps its search.
func (s *Searches) Set(key string, saved SavedSearch) error {
	if err := saved.check(); err != nil {
		return err
	}
	s.set.Put(key, saved.Query().forIndex())
	return nil
}

// Remove removes the search of a key, if there is one.
func (s *Searches) Remove(key string) { s.set.Remove(key) }

// Len returns the number of keys.
func (s *Searches) Len() int { return s.set.Len() }
