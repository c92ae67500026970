package jobmirror_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// A saved search is written as it is documented, and read again; what would lose a criterion is
// refused, and leaves the search as it was.
func TestSavedSearchAsJSON(t *testing.T) {
	for text, saved := range map[string]jobmirror.SavedSearch{
		`{"version":1}`: {},
		`{"version":1,"text":"Koch \"in\" Köln","near":"50.94::6.96::25","channel":"1_all","language":"de","category":"31","place":"Köln"}`: {
			Text: `Koch "in" Köln`, Near: jobboard.Near(50.94, 6.96, 25), Channel: "1_all", Language: "de", Category: "31", Place: "Köln",
		},
	} {
		written, err := json.Marshal(saved)
		if err != nil || string(written) != text {
			t.Errorf("written is %s, %v", written, err)
		}
		var read jobmirror.SavedSearch
		if err := json.Unmarshal([]byte(text), &read); err != nil || read != saved {
			t.Errorf("read is %+v, %v", read, err)
		}
	}
	for _, text := range []string{
		`{}`, `{"version":2,"text":"Koch"}`, `{"version":1,"text":"Koch","salary":5}`, `{"version":1,"near":"50.94"}`, `{"version":1,"near":"95::7::5"}`,
		`[]`, `{"version":"1"}`, `{"version":1,"text":5}`, `{"version":1,"text":"` + strings.Repeat("a", 1001) + `"}`,
	} {
		read := jobmirror.SavedSearch{Text: "before"}
		if err := json.Unmarshal([]byte(text), &read); !errors.Is(err, jobboard.ErrInvalidInput) || read.Text != "before" {
			t.Errorf("%s is read as %+v, %v", text, read, err)
		}
	}
	for _, saved := range []jobmirror.SavedSearch{{Near: jobboard.GeoLocation{Latitude: 95, RadiusKm: 5}}, {Text: strings.Repeat("a", 1001)}} {
		var searches jobmirror.Searches
		if err := searches.Set("key", saved); !errors.Is(err, jobboard.ErrInvalidInput) || searches.Len() != 0 {
			t.Errorf("%+v is taken: %v", saved, err)
		}
		if text, err := json.Marshal(saved); err == nil {
			t.Errorf("%+v is written as %s", saved, text)
		}
	}
}
