package doctor

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// further holds the paths of members that the interface does not name.
type further map[string]bool

// memberName is the form of a name. What has another form, or a long number in it, may name a person or a record.
var (
	memberName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$.:-]{0,47}$`)
	longNumber = regexp.MustCompile(`[0-9]{4}|[0-9a-fA-F]{12}`)
)

// add adds the unknown members of the object at a path, such as "location.".
func (f further) add(path string, unknown map[string]json.RawMessage) {
	for name := range unknown {
		if !memberName.MatchString(name) || longNumber.MatchString(name) {
			name = "{name}"
		}
		f[path+name] = true
	}
}

// furtherOf returns the unknown members of a job information.
func furtherOf(info *jobboard.JobInformation) further {
	f := further{}
	f.add("", info.Unknown)
	f.add("location.", info.Location.Unknown)
	for _, l := range info.AdditionalLocations {
		f.add("additionalLocations.", l.Unknown)
	}
	for _, q := range info.Questions {
		f.add("questions.", q.Unknown)
	}
	return f
}

// String returns a clause to end a sentence with, which names some of the members;
// or "" if there are none.
func (f further) String() string {
	const shown = 10
	if len(f) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(f))
	more := ""
	if len(names) > shown {
		more = " and " + strconv.Itoa(len(names)-shown) + " more"
		names = names[:shown]
	}
	for i, name := range names {
		names[i] = short(name)
	}
	return "; beyond the interface it sends " + strings.Join(names, ", ") + more
}
