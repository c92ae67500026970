package doctor

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

// further collects members that the interface does not name, as jobboard check
// does.
type further struct{ shape *boardcheck.Shape }

func newFurther(operation string) further { return further{boardcheck.NewShape(operation)} }

// add collects the unknown members of a decoded value, which package jobboard keeps, at a
// path.
func (f further) add(path string, v any) {
	if text, err := json.Marshal(v); err == nil {
		f.shape.AddJSON(path, text)
	}
}

// furtherOf returns the unknown members of a job information.
func furtherOf(info *jobboard.JobInformation) further {
	f := newFurther("lookup")
	f.add("", info)
	return f
}

// String returns a clause to end a sentence with, which names some of the members;
// or "" if there are none.
func (f further) String() string {
	const shown = 10
	if f.shape == nil {
		return ""
	}
	names := f.shape.Unknown()
	more := ""
	if len(names) > shown {
		more = " and " + strconv.Itoa(len(names)-shown) + " more"
		names = names[:shown]
	}
	for i, name := range names {
		names[i] = short(strings.ReplaceAll(name, "[]", ""))
	}
	if len(names) == 0 {
		return ""
	}
	return "; beyond the interface it sends " + strings.Join(names, ", ") + more
}
