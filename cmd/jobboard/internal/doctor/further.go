package doctor

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// further holds the names of members that the interface does not name.
type further map[string]bool

// add adds the names of members, with what leads to them in front.
func (f further) add(path string, unknown map[string]json.RawMessage) {
	for name := range unknown {
		f[path+name] = true
	}
}

// furtherOf returns the names in a job information.
func furtherOf(info *jobboard.JobInformation) further {
	f := further{}
	f.add("", info.Unknown)
	for _, q := range info.Questions {
		f.add("questions.", q.Unknown)
	}
	f.add("location.", info.Location.Unknown)
	for _, l := range info.AdditionalLocations {
		f.add("additionalLocations.", l.Unknown)
	}
	return f
}

// String returns a clause to end a sentence with, which names some of the members;
// nothing if there are none.
func (f further) String() string {
	const shown = 10
	names := slices.Sorted(maps.Keys(f))
	more := ""
	if len(names) > shown {
		more = " and " + strconv.Itoa(len(names)-shown) + " more"
		names = names[:shown]
	}
	for i, name := range names {
		names[i] = short(name)
	}
	if names == nil {
		return ""
	}
	return "; beyond the interface it sends " + strings.Join(names, ", ") + more
}
