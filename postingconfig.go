package jobboard

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/internal/isotime"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
	"github.com/jobboard-sdk/jobboard-go/internal/multimap"
)

// The keys of a posting's config that the interface shows (2.3). A posting may lack any of these
// keys and have further keys.
const (
	KeyProjectLocation     = "ProjectLocation"          // location identifier
	KeyLocation            = "location"                 // location identifier
	KeyLocationName        = "ProjectLocationGerman"    // location name
	KeyProjectNumber       = "ProjectNumber"            // project number
	KeyAudience            = "audience"                 // code
	KeyVisibility          = "platformvisibility"       // see PostingConfig.VisibleToAll
	KeyListingStartDate    = "listingStartDate"         // milliseconds since the epoch
	KeyInternalPostingName = "internalPostingName"      // text
	KeyAdText              = "platform_internalAdText"  // HTML, the bulk of a posting
	KeyJobCategory         = "jobcategory"              // category identifier
	KeyCompanyName         = "ProjectCompanyNameGerman" // company name, may be empty
	KeyRemoteStatus        = "sg_remote_status"         // see PostingConfig.RemoteStatus
)

// PostingConfig holds the config of a posting, a list of strings for each key, in the service's
// order (2.3). It is immutable; the zero value has no keys and is ready to use. The texts come from
// the service and are untrusted.
//
// Get, First and All read any key. The other methods read keys that the
// interface shows, and return the zero value if the key is missing or empty or
// its value is not of the form that the method documents; Get returns what the
// service sent.
type PostingConfig struct{ lists multimap.Map }

// NewPostingConfig returns a config with a copy of m, sorted by key.
func NewPostingConfig(m map[string][]string) PostingConfig { return PostingConfig{multimap.New(m)} }

// Len returns the number of keys.
func (c PostingConfig) Len() int { return c.lists.Len() }

// Get returns the strings under key: nil if the config lacks the key, and an empty non-nil slice if
// the key has no strings. The slice is read-only; appending to it copies.
func (c PostingConfig) Get(key string) []string { return c.lists.Get(key) }

// First returns the first string under key, or "" without one.
func (c PostingConfig) First(key string) string {
	if values := c.Get(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// All yields every key with its strings, which are read-only, in order.
func (c PostingConfig) All() iter.Seq2[string, []string] { return c.lists.All() }

// Equal reports whether both have the same keys with the same strings. The order of keys does not
// matter; the order of a key's strings does.
func (c PostingConfig) Equal(other PostingConfig) bool { return c.lists.Equal(other.lists) }

// MarshalJSON returns the config as an object of arrays of strings, in order.
func (c PostingConfig) MarshalJSON() ([]byte, error) { return c.lists.MarshalJSON() }

// UnmarshalJSON reads an object of arrays of strings; null gives the zero value. It reads a bare
// string as an array of one string, and null as an empty array. A number of at most 64 bytes, true
// and false count as strings. It leaves out a key whose value is an object, and skips nulls, objects
// and arrays inside an array. It returns [ErrDecode] for a key that occurs twice and for anything
// else.
func (c *PostingConfig) UnmarshalJSON(b []byte) error {
	d := newPostingDecoder(b)
	defer d.release()
	d.readConfig()
	d.refuseFlaw()
	d.End()
	lists, _ := d.config.Join(&d.Reader, &d.item)
	if err := d.err(); err != nil {
		return err
	}
	*c = PostingConfig{lists}
	return nil
}

// ListingStartDate returns when the posting was first listed, in UTC. It reads
// one string: milliseconds since the epoch, of which 0 gives the zero time, or
// an ISO 8601 text.
func (c PostingConfig) ListingStartDate() time.Time {
	m, _ := isotime.ParseMillis(one(c.Get(KeyListingStartDate)))
	t, _ := Millis(m).Time()
	return t
}

// RemoteStatus names how much of a job can be done away from its location. Other
// values than the constant may occur.
type RemoteStatus string

// RemoteFully is the one value that the interface shows (2.3).
const RemoteFully RemoteStatus = "FULLY_REMOTE"

// RemoteStatus returns how much of the job can be done away from its location: one
// word of letters, digits, _ and -.
func (c PostingConfig) RemoteStatus() RemoteStatus { return RemoteStatus(word(c.Get(KeyRemoteStatus))) }

// VisibleToAll reports whether everybody who may read the posting's channel may see the posting (2.3).
// It is true if [KeyVisibility] has the one string "visible", and if the posting does not say who may
// see it: the key is missing or empty. It is false for any other value, also a malformed one. If the
// posting lacks that key, VisibleToAll reads the one that ends in "visibility", because a service may
// name another product than "platform" in it; if several keys end so, it is false.
func (c PostingConfig) VisibleToAll() bool {
	values, ambiguous := c.ofProduct(KeyVisibility, "visibility")
	return !ambiguous && nonEmpty(values) == nil || one(values) == "visible"
}

// adSuffix ends the key of an advertisement.
const adSuffix = "_internalAdText"

// AdText returns the text of the advertisement: untrusted HTML of the service;
// sanitize it before you show it. It reads the one string of [KeyAdText]. If the
// posting lacks that key, it reads the one that ends in "_internalAdText", because a
// service may name another product than "platform" in it; if several keys end so, it
// reads none.
func (c PostingConfig) AdText() string {
	values, _ := c.ofProduct(KeyAdText, adSuffix)
	return one(values)
}

// CompanyName returns the name of the company, one string; the service may leave it empty.
func (c PostingConfig) CompanyName() string { return one(c.Get(KeyCompanyName)) }

// LocationNames returns the names of the job's locations; nil if all are empty.
func (c PostingConfig) LocationNames() []string { return nonEmpty(c.Get(KeyLocationName)) }

// JobCategories returns the identifiers of the job's categories; nil if all are empty.
func (c PostingConfig) JobCategories() []string { return nonEmpty(c.Get(KeyJobCategory)) }

// one returns the string if there is one, and "" if there are none or several.
func one(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// nonEmpty returns the strings, or nil if all are empty.
func nonEmpty(values []string) []string {
	if !slices.ContainsFunc(values, func(value string) bool { return value != "" }) {
		return nil
	}
	return values
}

// word returns the one string if it consists of letters, digits, _ and -.
func word(values []string) string {
	value := one(values)
	isOther := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}
	if strings.ContainsFunc(value, isOther) {
		return ""
	}
	return value
}

// ofProduct returns the strings under key, or else under the only key that ends in suffix. It
// reports whether several keys end so, and then returns nil.
func (c PostingConfig) ofProduct(key, suffix string) (values []string, ambiguous bool) {
	found := 0
	for k, v := range c.All() {
		switch {
		case k == key:
			return v, false
		case strings.HasSuffix(k, suffix):
			found++
			values = v
		}
	}
	if found > 1 {
		return nil, true
	}
	return values, false
}

// shownKeys lists the keys that the interface shows.
var shownKeys = []string{
	KeyProjectLocation, KeyLocation, KeyLocationName, KeyProjectNumber, KeyAudience, KeyVisibility,
	KeyListingStartDate, KeyInternalPostingName, KeyAdText, KeyJobCategory, KeyCompanyName, KeyRemoteStatus,
}

var configKeys = jsonread.NewNames(shownKeys...)

// readConfig reads a config, or null for one without keys.
func (d *postingDecoder) readConfig() { d.config.Read(&d.Reader, &d.item, &configKeys, &d.omit) }

// readConfigMember reads the config of a posting. It skips a config that is no object.
func (d *postingDecoder) readConfigMember() {
	if c := d.Peek(); c != '{' && c != 'n' {
		d.Skip()
		return
	}
	before := d.Flaw
	if d.readConfig(); d.Flaw != before {
		d.Flaw.Member = "config." + d.Flaw.Member
	}
}
