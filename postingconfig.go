package jobboard

import (
	"errors"
	"iter"
	"slices"
	"strconv"
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
	KeyVisibility          = "platformvisibility"       // see PostingConfig.Visibility
	KeyListingStartDate    = "listingStartDate"         // milliseconds since the epoch
	KeyInternalPostingName = "internalPostingName"      // text
	KeyAdText              = "platform_internalAdText"  // HTML, the bulk of a posting
	KeyJobCategory         = "jobcategory"              // category identifier
	KeyCompanyName         = "ProjectCompanyNameGerman" // company name, may be empty
	KeyRemoteStatus        = "sg_remote_status"         // see PostingConfig.RemoteStatus
)

// The reasons why a method of PostingConfig returns no value; errors.Is finds them in its error.
var (
	// ErrKeyMissing reports that the posting does not have the key.
	ErrKeyMissing = errors.New("missing")
	// ErrKeyEmpty reports that the key has no strings, only empty strings, or the time 0.
	ErrKeyEmpty = errors.New("empty")
	// ErrKeyMalformed reports that the key's value is not of the form that the method documents, or
	// that the key has several values and the method returns one.
	ErrKeyMalformed = errors.New("malformed")
)

// configError names the key and not its value, which comes from the service.
type configError struct {
	key string
	err error
}

func (e *configError) Error() string {
	return "config key " + strconv.Quote(e.key[:min(len(e.key), 64)]) + " is " + e.err.Error()
}

func (e *configError) Unwrap() error { return e.err }

// PostingConfig holds the config of a posting, a list of strings for each key, in the service's
// order (2.3). It is immutable; the zero value has no keys and is ready to use. The texts come from
// the service and are untrusted.
//
// Get, First and All read any key. The other methods read the keys that the
// interface shows; their errors are ErrKeyMissing, ErrKeyEmpty and
// ErrKeyMalformed.
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

// Value returns the one string under key.
func (c PostingConfig) Value(key string) (string, error) {
	values, err := c.Values(key)
	if err != nil {
		return "", err
	}
	if len(values) > 1 {
		return "", &configError{key, ErrKeyMalformed}
	}
	return values[0], nil
}

// Values returns the strings under key, and ErrKeyEmpty if all are empty.
func (c PostingConfig) Values(key string) ([]string, error) {
	values := c.Get(key)
	if values == nil {
		return nil, &configError{key, ErrKeyMissing}
	}
	if !slices.ContainsFunc(values, func(value string) bool { return value != "" }) {
		return nil, &configError{key, ErrKeyEmpty}
	}
	return values, nil
}

// ListingStartDate returns when the posting was first listed, in UTC. It reads
// milliseconds since the epoch or an ISO 8601 text; for 0 it returns
// ErrKeyEmpty.
func (c PostingConfig) ListingStartDate() (time.Time, error) {
	value, err := c.Value(KeyListingStartDate)
	if err != nil {
		return time.Time{}, err
	}
	m, ok := isotime.ParseMillis(value)
	if !ok {
		return time.Time{}, &configError{KeyListingStartDate, ErrKeyMalformed}
	}
	t, ok := Millis(m).Time()
	if !ok {
		return time.Time{}, &configError{KeyListingStartDate, ErrKeyEmpty}
	}
	return t, nil
}

// RemoteStatus names how much of a job can be done away from its location. Other
// values than the constant may occur.
type RemoteStatus string

// RemoteFully is the one value that the interface shows (2.3).
const RemoteFully RemoteStatus = "FULLY_REMOTE"

// RemoteStatus returns how much of the job can be done away from its location. It
// returns ErrKeyMalformed for a value that is not a word of letters, digits, _
// and -.
func (c PostingConfig) RemoteStatus() (RemoteStatus, error) {
	word, err := c.word(KeyRemoteStatus)
	return RemoteStatus(word), err
}

// Visibility names who may see a posting. Other values than the constant may
// occur.
type Visibility string

// Visible is the one value that the interface shows (2.3).
const Visible Visibility = "visible"

// Visibility returns who may see the posting. It reads [KeyVisibility]. If the
// posting lacks that key, it reads the one that ends in "visibility", because a
// service may name another product than "platform" in it. It returns
// ErrKeyMalformed if several keys end so, and for a value that is not a word of
// letters, digits, _ and -.
func (c PostingConfig) Visibility() (Visibility, error) {
	key, err := c.productKey(KeyVisibility, "visibility")
	if err != nil {
		return "", err
	}
	word, err := c.word(key)
	return Visibility(word), err
}

// VisibleToAll reports whether everybody who may read the posting's channel may see the posting (2.3).
// It is true if [PostingConfig.Visibility] is [Visible], and if the posting does not say who may see
// it: the key is missing or empty. It is false for any other value, also a malformed one.
func (c PostingConfig) VisibleToAll() bool {
	visibility, err := c.Visibility()
	if errors.Is(err, ErrKeyMissing) || errors.Is(err, ErrKeyEmpty) {
		return true
	}
	return err == nil && visibility == Visible
}

// adSuffix ends the key of an advertisement.
const adSuffix = "_internalAdText"

// AdText returns the text of the advertisement: untrusted HTML of the service;
// sanitize it before you show it. It reads [KeyAdText]. If the posting lacks that
// key, it reads the one that ends in "_internalAdText", because a service may
// name another product than "platform" in it. It returns ErrKeyMalformed if
// several keys end so.
func (c PostingConfig) AdText() (string, error) {
	key, err := c.productKey(KeyAdText, adSuffix)
	if err != nil {
		return "", err
	}
	return c.Value(key)
}

// ProjectNumber returns the number of the job's project, a text.
func (c PostingConfig) ProjectNumber() (string, error) { return c.Value(KeyProjectNumber) }

// CompanyName returns the name of the company; the service may leave it empty.
func (c PostingConfig) CompanyName() (string, error) { return c.Value(KeyCompanyName) }

// InternalPostingName returns the posting's name inside the company.
func (c PostingConfig) InternalPostingName() (string, error) {
	return c.Value(KeyInternalPostingName)
}

// LocationNames returns the names of the job's locations.
func (c PostingConfig) LocationNames() ([]string, error) { return c.Values(KeyLocationName) }

// JobCategories returns the identifiers of the job's categories.
func (c PostingConfig) JobCategories() ([]string, error) { return c.Values(KeyJobCategory) }

// Audience returns the codes of the groups that the posting addresses.
func (c PostingConfig) Audience() ([]string, error) { return c.Values(KeyAudience) }

// word returns the string under key if it consists of letters, digits, _ and -.
func (c PostingConfig) word(key string) (string, error) {
	value, err := c.Value(key)
	if err != nil {
		return "", err
	}
	isOther := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}
	if strings.ContainsFunc(value, isOther) {
		return "", &configError{key, ErrKeyMalformed}
	}
	return value, nil
}

// productKey returns key if the config has key, else the only key that ends in suffix.
func (c PostingConfig) productKey(key, suffix string) (string, error) {
	found := ""
	for k := range c.All() {
		switch {
		case k == key:
			return key, nil
		case !strings.HasSuffix(k, suffix):
		case found != "":
			return "", &configError{key, ErrKeyMalformed}
		default:
			found = k
		}
	}
	if found == "" {
		return "", &configError{key, ErrKeyMissing}
	}
	return found, nil
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
