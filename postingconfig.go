package jobboard

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The keys of a posting's config that the interface shows (2.3). The list is
// open: any posting may lack any of them and have others.
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

// Why a typed read of a posting's config has no value; errors.Is finds them in
// the error.
var (
	// ErrKeyMissing: the posting does not have the key.
	ErrKeyMissing = errors.New("missing")
	// ErrKeyEmpty: the key is there, with no string, only empty ones, or a 0
	// where a time belongs.
	ErrKeyEmpty = errors.New("empty")
	// ErrKeyMalformed: the key's value is not what the read is for, or there
	// are several where one belongs.
	ErrKeyMalformed = errors.New("malformed")
)

// configError names the key; what stands under it is the service's.
type configError struct {
	key string
	err error
}

func (e *configError) Error() string {
	key := e.key
	if len(key) > 64 {
		key = key[:64]
	}
	return "config key " + strconv.Quote(key) + " is " + e.err.Error()
}

func (e *configError) Unwrap() error { return e.err }

// PostingConfig is the config of a posting: keys, each with a list of strings,
// in the order in which they came (2.3). It does not change; the zero value
// has no keys and is ready to use. Its texts are the service's and untrusted.
//
// Get, First and All read any key. The other methods read the keys that the
// interface shows, and tell by their error whether the key is missing, empty
// or malformed.
type PostingConfig struct {
	// Each key with its values behind it: one slice for all, and how many
	// values each key has, as uvarints.
	strings []string
	counts  string
}

// NewPostingConfig makes a config of a copy of m, sorted by key.
func NewPostingConfig(m map[string][]string) PostingConfig {
	if len(m) == 0 {
		return PostingConfig{}
	}
	n := len(m)
	for _, values := range m {
		n += len(values)
	}
	list := make([]string, 0, n)
	var counts []byte
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(append(list, key), m[key]...)
		counts = binary.AppendUvarint(counts, uint64(len(m[key])))
	}
	return PostingConfig{strings: list, counts: string(counts)}
}

// nextCount gives the count at the start of counts and what is behind it.
func nextCount(counts string) (n int, rest string) {
	if c := counts[0]; c < 0x80 {
		return int(c), counts[1:]
	}
	for i, shift := 0, 0; ; i, shift = i+1, shift+7 {
		n |= int(counts[i]&0x7F) << shift
		if counts[i] < 0x80 {
			return n, counts[i+1:]
		}
	}
}

// Len is the number of keys.
func (c PostingConfig) Len() int {
	n := 0
	for i := range len(c.counts) {
		if c.counts[i] < 0x80 {
			n++
		}
	}
	return n
}

// Get returns the strings under key: nil if there is no such key, and an empty
// slice that is not nil if the key has none. It is read-only; appending to it
// copies.
func (c PostingConfig) Get(key string) []string {
	list := c.strings
	for counts := c.counts; counts != ""; {
		var n int
		n, counts = nextCount(counts)
		if list[0] == key {
			return list[1 : 1+n : 1+n]
		}
		list = list[1+n:]
	}
	return nil
}

// First returns the first string under key, and "" if there is none.
func (c PostingConfig) First(key string) string {
	if values := c.Get(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// All yields every key with its strings, which are read-only, in order.
func (c PostingConfig) All() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		list := c.strings
		for counts := c.counts; counts != ""; {
			var n int
			n, counts = nextCount(counts)
			if !yield(list[0], list[1:1+n:1+n]) {
				return
			}
			list = list[1+n:]
		}
	}
}

// Equal reports whether both have the same keys with the same strings. The
// order of the keys does not count, that of the strings does.
func (c PostingConfig) Equal(other PostingConfig) bool {
	if c.counts == other.counts && slices.Equal(c.strings, other.strings) {
		return true
	}
	if len(c.strings) != len(other.strings) || c.Len() != other.Len() {
		return false
	}
	m := maps.Collect(other.All())
	for key, values := range c.All() {
		if others, ok := m[key]; !ok || !slices.Equal(values, others) {
			return false
		}
	}
	return true
}

// MarshalJSON returns the config as an object of arrays of strings, in order.
func (c PostingConfig) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	text := json.NewEncoder(&b)
	text.SetEscapeHTML(false) // whoever encodes the posting decides that
	write := func(before byte, v any) error {
		b.WriteByte(before)
		err := text.Encode(v)
		b.Truncate(b.Len() - 1) // the end of the line
		return err
	}
	separator := byte('{')
	for key, values := range c.All() {
		if err := errors.Join(write(separator, key), write(':', values)); err != nil {
			return nil, err
		}
		separator = ','
	}
	if c.Len() == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object of arrays of strings; null is the zero value.
// A string in place of an array is an array of it, null in place of an array
// an empty one, and null in an array is left out. The same key twice, and
// anything else, is [ErrDecode].
func (c *PostingConfig) UnmarshalJSON(b []byte) error {
	d := newDecoder()
	defer d.release()
	d.s.ResetBytes(b)
	d.startItem()
	d.config()
	d.s.End()
	if err := d.err(); err != nil {
		return err
	}
	*c = d.keepConfig()
	return d.err()
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

// Values returns the strings under key, of which at least one is not empty.
func (c PostingConfig) Values(key string) ([]string, error) {
	values := c.Get(key)
	if values == nil {
		return nil, &configError{key, ErrKeyMissing}
	}
	for _, value := range values {
		if value != "" {
			return values, nil
		}
	}
	return nil, &configError{key, ErrKeyEmpty}
}

// ListingStartDate is when the posting was first listed, in UTC. It is written
// in milliseconds since the epoch; an ISO 8601 text is read, too, and 0 is
// empty.
func (c PostingConfig) ListingStartDate() (time.Time, error) {
	value, err := c.Value(KeyListingStartDate)
	if err != nil {
		return time.Time{}, err
	}
	m, ok := parseMillis(value)
	if !ok {
		return time.Time{}, &configError{KeyListingStartDate, ErrKeyMalformed}
	}
	t, ok := m.Time()
	if !ok {
		return time.Time{}, &configError{KeyListingStartDate, ErrKeyEmpty}
	}
	return t, nil
}

// RemoteStatus says how far a job can be done away from its location. Values
// beside the constants may occur.
type RemoteStatus string

// RemoteFully is the one value that the interface shows (2.3).
const RemoteFully RemoteStatus = "FULLY_REMOTE"

// RemoteStatus says how far the job can be done away from its location. A
// value that is no word of letters, digits, _ and - is malformed.
func (c PostingConfig) RemoteStatus() (RemoteStatus, error) {
	word, err := c.word(KeyRemoteStatus)
	return RemoteStatus(word), err
}

// Visibility says who may see a posting. Values beside the constants may
// occur.
type Visibility string

// Visible is the one value that the interface shows (2.3).
const Visible Visibility = "visible"

// Visibility says who may see the posting. It is read from
// [KeyVisibility]; where that is missing, from the key with another product
// in place of "platform", if there is just one. A value that is no word of
// letters, digits, _ and - is malformed.
func (c PostingConfig) Visibility() (Visibility, error) {
	key, err := c.productKey(KeyVisibility, "visibility")
	if err != nil {
		return "", err
	}
	word, err := c.word(key)
	return Visibility(word), err
}

// AdText is the text of the advertisement: HTML of the service, untrusted, to
// be sanitized before it is shown. It is read from [KeyAdText]; where that
// is missing, from the key with another product in place of "platform", if
// there is just one.
func (c PostingConfig) AdText() (string, error) {
	key, err := c.productKey(KeyAdText, "_internalAdText")
	if err != nil {
		return "", err
	}
	return c.Value(key)
}

// ProjectNumber is the number of the job's project, a text.
func (c PostingConfig) ProjectNumber() (string, error) { return c.Value(KeyProjectNumber) }

// CompanyName is the name of the company; the service may leave it empty.
func (c PostingConfig) CompanyName() (string, error) { return c.Value(KeyCompanyName) }

// InternalPostingName is the name that the posting has inside the company.
func (c PostingConfig) InternalPostingName() (string, error) {
	return c.Value(KeyInternalPostingName)
}

// LocationNames are the names of the job's locations.
func (c PostingConfig) LocationNames() ([]string, error) { return c.Values(KeyLocationName) }

// JobCategories are the identifiers of the job's categories.
func (c PostingConfig) JobCategories() ([]string, error) { return c.Values(KeyJobCategory) }

// Audience are the codes of whom the posting is for.
func (c PostingConfig) Audience() ([]string, error) { return c.Values(KeyAudience) }

// word is the one string under key, if it looks like a constant.
func (c PostingConfig) word(key string) (string, error) {
	value, err := c.Value(key)
	if err != nil {
		return "", err
	}
	for i := range len(value) {
		switch b := value[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '_', b == '-':
		default:
			return "", &configError{key, ErrKeyMalformed}
		}
	}
	return value, nil
}

// productKey is key if it is there, else the only one that ends in suffix.
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
