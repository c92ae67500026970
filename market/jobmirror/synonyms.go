package jobmirror

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/search"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

//go:embed synonyms-de.txt
var germanSynonyms string

// noSynonyms is what Options.Synonyms has for no list, not even the built-in one.
const noSynonyms = "-"

// synonyms reads Options.Synonyms; nil: there are none.
func (o *Options) synonyms() (*words.Synonyms, error) {
	list, language := o.Synonyms, ""
	switch strings.TrimSpace(list) {
	case noSynonyms:
		return nil, nil
	case "":
		list, language = germanSynonyms, "de"
	}
	read, err := search.ReadSynonyms(list, language)
	if err != nil {
		return nil, fmt.Errorf("jobmirror: %w: Options.Synonyms: %w", jobboard.ErrInvalidInput, err)
	}
	return read, nil
}
