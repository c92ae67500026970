package jobfeed

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Position marks a place in a feed. It counts bytes of the feed after decompression and conversion
// to UTF-8, without a byte order mark. In a plain UTF-8 file these are the bytes of the file.
type Position struct {
	Line   int   // from 1; lines end with LF
	Column int   // in bytes, from 1
	Offset int64 // in bytes, from 0
}

// String returns "line:column".
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Entry holds one job of a PositionOpening. Only JobID is always set; a field is empty if the feed lacks it.
// Texts have no white space around them.
type Entry struct {
	Position // of the start tag of PositionOpening, or of PositionRecordInfo if the opening has several

	JobID jobboard.JobID // PositionRecordInfo > Id > IdValue; the one that is a positive number

	// Title is PositionProfile > PositionDetail > PositionTitle, else
	// PositionProfile > ProfileName, else PositionPosting > Title.
	Title string

	// Company is PositionDetail > Company > Name or Company itself, else
	// PositionProfile > Organization > OrganizationName, else
	// PositionSupplier > EntityName.
	Company string

	// Language is xml:lang of PositionProfile, else of PositionOpening, else of the innermost
	// element around it that has xml:lang; as spelt in the feed.
	Language string

	Status string // PositionRecordInfo > Status, such as "Active"

	// ValidFrom and ValidTo are the attributes validFrom and validTo of the first element that has
	// either: PositionPosting > Id, else PositionRecordInfo > Status, else PositionRecordInfo > Id.
	ValidFrom, ValidTo Date

	Locations []Location // every PhysicalLocation of PositionDetail or PositionProfile
	Links     []Link     // in the order of the feed

	// Postings are the posting identifiers that the entry names: every PositionPosting >
	// Id > IdValue that is a positive number, ascending, each once. Some feeds write
	// other texts there, which are ignored.
	Postings []jobboard.JobPostingID

	// PostingVersions are the posting versions that Links name, ascending, each
	// once; see [jobboard.JobFromLink].
	PostingVersions []jobboard.PostingVersionID

	raw []byte // a part of the reader's buffer; nil after the reader reads on
}

// Raw returns a copy of the bytes of the entry's PositionOpening as UTF-8, from the start tag to the end
// tag: several entries of one opening have the same. Call Raw
// before the loop continues; after that it returns nil. A namespace prefix in the bytes may be
// declared outside the entry.
func (e *Entry) Raw() []byte { return bytes.Clone(e.raw) }

// Location holds one PhysicalLocation.
type Location struct {
	Name       string // Name
	Country    string // PostalAddress > CountryCode, or an Area of type countrycode
	Region     string // PostalAddress > Region, or an Area of type region
	City       string // PostalAddress > Municipality, or an Area of type municipality
	PostalCode string // PostalAddress > PostalCode, or an Area of type postalcode
	Street     string // DeliveryAddress > StreetName and BuildingNumber, else its AddressLines joined by ", "
}

// LinkKind names what a Link leads to.
type LinkKind string

// The kinds of links.
const (
	LinkPosting LinkKind = "posting" // PositionPosting > Link: the ad
	LinkApply   LinkKind = "apply"   // HowToApply > ApplicationMethod > InternetWebAddress
)

// Link holds an address in an entry. The URL comes from the feed and is unchecked.
type Link struct {
	Kind LinkKind
	URL  string
}

// ascending sorts a list and removes repeated values.
func ascending[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// Date holds a date or an instant in the feed's own words.
type Date string

// The layouts of XML Schema's date and dateTime, and the zone without a colon.
var dateLayouts = [...]string{
	time.RFC3339,
	time.DateOnly,
	"2006-01-02T15:04:05",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02Z07:00",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	time.DateTime, // as SQL writes it
	"2006-01-02 15:04:05Z07:00",
}

// Time returns the instant of a date or a time as XML Schema or SQL writes it, or of milliseconds since
// 1970 in 12 or 13 digits. It reports false for an empty date, for words such as "notKnown", and for any
// other form. A date without a time of day means midnight UTC, and a time without a zone is UTC.
func (d Date) Time() (t time.Time, ok bool) {
	text := strings.TrimSpace(string(d))
	if len(text) == 12 || len(text) == 13 {
		if ms, err := strconv.ParseUint(text, 10, 63); err == nil {
			return time.UnixMilli(int64(ms)).UTC(), true
		}
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
