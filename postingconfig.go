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

	"github.com/jobboard-sdk/jobboard-go/internal/isotime"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
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

// The reasons why a typed read of a posting's config has no value; errors.Is
// finds them in the error.
var (
	// ErrKeyMissing reports that the posting does not have the key.
	ErrKeyMissing = errors.New("missing")
	// ErrKeyEmpty reports that the key has no string, only empty ones, or a 0
	// where a time belongs.
	ErrKeyEmpty = errors.New("empty")
	// ErrKeyMalformed reports that the key's value does not have the form that
	// the read expects, or that the key has several where one belongs.
	ErrKeyMalformed = errors.New("malformed")
)

// configError names the key and not its value, which comes from the service.
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

// PostingConfig holds the config of a posting: keys, each with a list of
// strings, in the order in which they came (2.3). It is immutable; the zero
// value has no keys and is ready to use. The texts come from the service and
// are untrusted.
//
// Get, First and All read any key. The other methods read the keys that the
// interface shows; their errors are ErrKeyMissing, ErrKeyEmpty and
// ErrKeyMalformed.
type PostingConfig struct {
	// Each key with its values behind it: one slice for all, and how many
	// values each key has, as uvarints.
	strings []string
	counts  string
}

// NewPostingConfig returns a config with a copy of m, sorted by key.
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

// nextCount returns the count at the start of counts and the text behind it.
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

// Len returns the number of keys.
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
// slice that is not nil if the key has none. The slice is read-only; appending
// to it copies.
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

// UnmarshalJSON reads an object of arrays of strings; null gives the zero value.
// It takes a string in place of an array for an array of that string, null in
// place of an array for an empty one, and leaves null in an array out. It
// returns [ErrDecode] for a key that occurs twice and for anything else.
func (c *PostingConfig) UnmarshalJSON(b []byte) error {
	d := newDecoder(b)
	defer d.release()
	d.startConfig()
	d.readConfig()
	if err := d.end(); err != nil {
		return err
	}
	counts := d.Add(&d.item, d.counts)
	v := d.configOf(d.Join(&d.item), counts)
	if err := d.err(); err != nil {
		return err
	}
	*c = v
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

// RemoteStatus names how far a job can be done away from its location. Other
// values than the constants may occur.
type RemoteStatus string

// RemoteFully is the one value that the interface shows (2.3).
const RemoteFully RemoteStatus = "FULLY_REMOTE"

// RemoteStatus returns how far the job can be done away from its location. It
// returns ErrKeyMalformed for a value that is not a word of letters, digits, _
// and -.
func (c PostingConfig) RemoteStatus() (RemoteStatus, error) {
	word, err := c.word(KeyRemoteStatus)
	return RemoteStatus(word), err
}

// Visibility names who may see a posting. Other values than the constants may
// occur.
type Visibility string

// Visible is the one value that the interface shows (2.3).
const Visible Visibility = "visible"

// Visibility returns who may see the posting. It reads [KeyVisibility], or, if
// that is missing, the key with another product in place of "platform", if
// there is just one. It returns ErrKeyMalformed for a value that is not a word
// of letters, digits, _ and -.
func (c PostingConfig) Visibility() (Visibility, error) {
	key, err := c.productKey(KeyVisibility, "visibility")
	if err != nil {
		return "", err
	}
	word, err := c.word(key)
	return Visibility(word), err
}

// AdText returns the text of the advertisement: untrusted HTML of the service;
// sanitize it before you show it. It reads [KeyAdText], or, if that is missing,
// the key with another product in place of "platform", if there is just one.
func (c PostingConfig) AdText() (string, error) {
	key, err := c.productKey(KeyAdText, "_internalAdText")
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

// Audience returns the codes of the people whom the posting is for.
func (c PostingConfig) Audience() ([]string, error) { return c.Values(KeyAudience) }

// word returns the one string under key, if it looks like a constant.
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

// productKey returns key if the config has it, else the only key that ends in
// suffix.
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

// configReading holds the state of a decoder while it reads a config.
type configReading struct {
	keys   []string
	values []jsonread.Piece    // of all keys
	counts []byte              // how many values each key has, as PostingConfig keeps it
	others map[string]struct{} // the keys that the interface does not show, once there are many
	omit   omitted

	configOrder jsonread.Order
}

// manyKeys bounds the keys of a config that are compared one by one.
const manyKeys = 32

// configKeys lists the keys that the interface shows.
var configKeys = jsonread.NewNames(
	KeyProjectLocation, KeyLocation, KeyLocationName, KeyProjectNumber, KeyAudience, KeyVisibility,
	KeyListingStartDate, KeyInternalPostingName, KeyAdText, KeyJobCategory, KeyCompanyName, KeyRemoteStatus,
)

// omitted holds the config keys that a search leaves out.
type omitted struct {
	known uint32 // by their numbers in configKeys
	other []string
}

func newOmitted(keys []string) (o omitted) {
	for _, key := range keys {
		if i := configKeys.Find([]byte(key)); i >= 0 {
			o.known |= 1 << i
		} else {
			o.other = append(o.other, key)
		}
	}
	return o
}

// release empties the buffers.
func (c *configReading) release() {
	c.keys, c.values, c.counts = reuse(c.keys), reuse(c.values), reuse(c.counts)
	c.startConfig()
	c.omit = omitted{}
}

// startConfig makes the buffers ready for another config.
func (c *configReading) startConfig() {
	c.keys, c.values, c.counts = c.keys[:0], c.values[:0], c.counts[:0]
	if len(c.others) > 1024 {
		c.others = nil // to empty a large map each time would cost more
	}
	clear(c.others)
}

// readConfig reads a config into the buffers, or null for one without keys.
func (d *decoder) readConfig() {
	if d.Null() || !d.Object() {
		return
	}
	var c jsonread.Cursor
	for {
		i, key, ok := c.Next(&d.Reader, &configKeys, &d.configOrder)
		if !ok {
			return
		}
		if i >= 0 && d.omit.known&(1<<i) != 0 || i < 0 && slices.Contains(d.omit.other, string(key)) {
			d.Pass()
			continue
		}
		shown := "*" // what a service calls its keys is its own affair
		var name string
		if i >= 0 {
			name = configKeys.At(i)
			shown = name
		} else {
			name = d.otherKey(key)
		}
		d.keys = jsonread.Append(&d.Reader, d.keys, name)
		n := d.configValues()
		if d.Err() != nil {
			d.Within(shown)
			return
		}
		if len(d.counts)+binary.MaxVarintLen64 > cap(d.counts) {
			d.Charge(2 * cap(d.counts))
		}
		d.counts = binary.AppendUvarint(d.counts, uint64(n))
	}
}

// otherKey returns a key that the interface does not show, which must not have
// come before.
func (d *decoder) otherKey(key []byte) string {
	name := d.Shared(key)
	var twice bool
	if len(d.keys) < manyKeys {
		twice = slices.Contains(d.keys, name)
	} else {
		if len(d.others) == 0 {
			if d.others == nil {
				d.others = make(map[string]struct{}, 4*manyKeys)
			}
			for _, key := range d.keys {
				d.others[key] = struct{}{}
			}
		}
		d.Charge(96)
		_, twice = d.others[name]
		d.others[name] = struct{}{}
	}
	if twice {
		d.Fail(jsonscan.Error("occurs twice"))
	}
	return name
}

// configValues reads the strings of a key and returns how many there are.
func (d *decoder) configValues() (n int) {
	if d.OpenIs(`["`) {
		d.values = jsonread.Append(&d.Reader, d.values, d.RestOfString(&d.item))
		if n = 1; d.Err() != nil {
			d.WithinIndex(0)
		}
	} else {
		switch d.Peek() {
		case 'n':
			d.Null()
			return 0
		case '"':
			d.values = jsonread.Append(&d.Reader, d.values, d.str())
			return 1
		}
		if !d.Array() {
			return 0
		}
	}
	for i := n; d.Err() == nil && d.Next(); i++ {
		if !d.Null() {
			d.values = jsonread.Append(&d.Reader, d.values, d.str())
			n++
		}
		if d.Err() != nil {
			d.WithinIndex(i)
		}
	}
	return n
}

// configOf returns the config that was read, with its strings cut from text.
func (d *decoder) configOf(text string, counts jsonread.Piece) PostingConfig {
	if len(d.keys) == 0 {
		return PostingConfig{}
	}
	list := jsonread.Make[string](&d.Reader, len(d.keys)+len(d.values))
	if list == nil {
		return PostingConfig{}
	}
	packed := counts.In(text)
	next, values := 0, d.values
	for i, rest := 0, packed; rest != ""; i++ {
		var n int
		n, rest = nextCount(rest)
		list[next] = d.keys[i]
		for k, v := range values[:n] {
			list[next+1+k] = v.In(text)
		}
		next, values = next+1+n, values[n:]
	}
	return PostingConfig{strings: list, counts: packed}
}
