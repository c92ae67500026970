package jobfeed

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Position marks a place in a feed. It counts in the text as UTF-8: after
// decompression and conversion, and without the byte order mark. For a plain
// UTF-8 file that is the file itself.
type Position struct {
	Line   int   // from 1; lines end with LF
	Column int   // in bytes, from 1
	Offset int64 // in bytes, from 0
}

// String returns "line:column".
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Entry holds one PositionOpening. Only JobID is always there; white space around
// a text is removed, and what the feed does not have is empty.
type Entry struct {
	Position // of the start tag

	JobID jobboard.JobID // PositionRecordInfo > Id > IdValue; of several that are not empty, the first

	// Title is PositionProfile > PositionDetail > PositionTitle, else
	// PositionProfile > ProfileName, else PositionPosting > Title.
	Title string

	// Company is PositionDetail > Company > Name or Company itself, else
	// PositionProfile > Organization > OrganizationName, else
	// PositionSupplier > EntityName.
	Company string

	// Language is xml:lang of PositionProfile, else of PositionOpening, else of
	// what is around it; as spelt in the feed.
	Language string

	Status string // PositionRecordInfo > Status, such as "Active"

	// ValidFrom and ValidTo are the attributes of those names, both of the same
	// element: PositionPosting > Id, else PositionRecordInfo > Status, else
	// PositionRecordInfo > Id.
	ValidFrom, ValidTo Date

	Locations []Location // every PhysicalLocation of PositionDetail or PositionProfile
	Links     []Link     // in the order of the feed

	// Postings are the posting identifiers that the entry names: every
	// PositionPosting > Id > IdValue that is a positive number, ascending, each
	// once. Some feeds have other things there.
	Postings []jobboard.JobPostingID

	// PostingVersions are the posting versions that Links name, ascending, each
	// once; see [jobboard.JobFromLink].
	PostingVersions []jobboard.PostingVersionID

	raw []byte // the reader's buffer; taken away when it reads on
}

// Raw returns a copy of the entry's bytes as UTF-8, from the start tag to the end
// tag. It must be called before the loop that gave the entry goes on; later it
// is nil. Prefixes may be declared outside of it.
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

// LinkKind says what a Link leads to.
type LinkKind string

// The kinds of links.
const (
	LinkPosting LinkKind = "posting" // PositionPosting > Link: the ad
	LinkApply   LinkKind = "apply"   // HowToApply > ApplicationMethod > InternetWebAddress
)

// Link holds an address in an entry. The URL is the feed's and is not checked.
type Link struct {
	Kind LinkKind
	URL  string
}

// ascending sorts a list and leaves one of each value.
func ascending[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// Date holds a date or an instant as it stands in the feed.
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
}

// Time returns the instant. It reports false for an empty date and for words such
// as "notKnown". A date without a time of day is its midnight, and without a zone
// it is taken as UTC.
func (d Date) Time() (t time.Time, ok bool) {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, strings.TrimSpace(string(d))); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
