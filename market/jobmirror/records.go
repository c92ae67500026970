package jobmirror

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

// State names what lookups returned for a job: the last answer that is believed. ERROR_POSTING_UNAVAILABLE
// is none: it changes no state.
type State string

// The states. The zero value does not occur in the database.
const (
	StateUnknown     State = "unknown"     // no lookup has said anything of it that is believed
	StateOpen        State = "open"        // applying is possible
	StateClosed      State = "closed"      // there, and applyPossible is false
	StateInactive    State = "inactive"    // ERROR_JOB_INACTIVE
	StateUnavailable State = "unavailable" // ERROR_JOB_UNAVAILABLE
)

// Evidence names the reason why a posting belongs to a job. None is certain; see also
// Posting.Confirmed.
type Evidence string

// The kinds of evidence, the strongest first.
const (
	EvidenceFeed    Evidence = "feed"    // the job's feed entry names the posting
	EvidenceVersion Evidence = "version" // a link in the job's feed entry names the posting's version
	EvidenceLink    Evidence = "link"    // the posting's own link has the job's identifier in its path
)

// PostingRecord holds a posting in one language, as the log of changes and the
// column postings.record have it.
type PostingRecord struct {
	Posting  jobboard.JobPostingID     `json:"jobPostingId"`
	Language string                    `json:"language,omitempty"` // in which it was asked for; empty: none
	Version  jobboard.PostingVersionID `json:"postingVersionId"`
	Title    string                    `json:"title"`
	Link     string                    `json:"applyOnlineLink"`
	// Config is the posting's, in which each text of an advertisement is
	// replaced by its hash, "sha256:" and hexadecimal digits.
	Config       jobboard.PostingConfig `json:"config"`
	JobStart     jobboard.Millis        `json:"jobStartDate"`
	VersionStart jobboard.Millis        `json:"postingVersionStartDate"`
	VersionEnd   jobboard.Millis        `json:"postingVersionEndDate"`

	// AdTooLarge reports that the copy has no advertisement, because with it the posting
	// is over Config.MaxPostingBytes.
	AdTooLarge bool `json:"adTooLarge,omitempty"`

	// Unknown holds the posting's members that the interface does not name, as of
	// the last change of anything else.
	Unknown map[string]json.RawMessage `json:"unknown,omitempty"`

	Sources  []string       `json:"sources"`            // the channels that show it
	Job      jobboard.JobID `json:"jobId,omitempty"`    // 0: not known
	Evidence Evidence       `json:"evidence,omitempty"` // for Job
}

// last returns what the copy keeps with a job of a posting that leaves it: title, category, dates, and who
// may see it.
func (r *PostingRecord) last() PostingRecord {
	kept := map[string][]string{}
	for key, values := range r.Config.All() {
		// The key of the visibility names the board's product.
		if key == jobboard.KeyJobCategory || key == jobboard.KeyListingStartDate || strings.HasSuffix(key, "visibility") {
			kept[key] = values
		}
	}
	return PostingRecord{
		Posting: r.Posting, Language: r.Language, Version: r.Version, Title: r.Title, Config: jobboard.NewPostingConfig(kept),
		VersionStart: r.VersionStart, VersionEnd: r.VersionEnd, Sources: []string{}, Job: r.Job,
	}
}

// JobRecord holds a job, as the log of changes and the column jobs.record have it.
type JobRecord struct {
	Job         jobboard.JobID `json:"jobId"`
	State       State          `json:"state"`
	Information *Information   `json:"information,omitempty"` // of the last lookup that had one; nil: there was none
}

// Information holds a job information (2.5) without its time, and with its
// catalogue of nationalities replaced by a hash.
type Information struct {
	JobTitle            string              `json:"jobTitle"`
	JobLanguage         string              `json:"jobLanguage"`
	ApplyPossible       bool                `json:"applyPossible"`
	DataSecurityLink    string              `json:"dataSecurityLink"`
	Questions           []jobboard.Question `json:"questions"`
	Nationalities       string              `json:"nationalities,omitempty"` // the key of the catalogue in the table catalogues; empty: none
	CompanyName         string              `json:"companyName"`
	CompanyID           string              `json:"companyId"`
	Location            jobboard.Location   `json:"location"`
	AdditionalLocations []jobboard.Location `json:"additionalLocations"`

	// Unknown holds the members that the interface does not name, as those of
	// Questions and locations do, as of the last change of anything else.
	Unknown map[string]json.RawMessage `json:"unknown,omitempty"`
}

// withoutUnknown returns a copy without the members that the interface does not
// name.
func (i *Information) withoutUnknown() *Information {
	c := *i
	c.Unknown, c.Location.Unknown = nil, nil
	c.Questions, c.AdditionalLocations = slices.Clone(c.Questions), slices.Clone(c.AdditionalLocations)
	for k := range c.Questions {
		c.Questions[k].Unknown = nil
	}
	for k := range c.AdditionalLocations {
		c.AdditionalLocations[k].Unknown = nil
	}
	return &c
}

// readJobs reads the records of jobs; those of which nothing was believed yet have none. ids is a list as store.IDs
// writes it.
func readJobs(t *store.Tx, ids string) (map[jobboard.JobID]JobRecord, error) {
	known := map[jobboard.JobID]JobRecord{}
	err := t.Rows("SELECT record FROM jobs WHERE job IN @ids AND record <> ''", []any{ids}, func(scan func(...any) error) error {
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		job, err := decodeRecord[JobRecord](text)
		known[job.Job] = job
		return err
	})
	return known, err
}

// sameJob reports whether a job's record, which encodes to text, says what the stored
// one says. Members that the interface does not name do not count: a counter among
// them would fill the log.
func sameJob(rec JobRecord, text, stored string) (bool, error) {
	if text == stored || stored == "" || rec.Information == nil {
		return text == stored, nil
	}
	old, err := decodeRecord[JobRecord](stored)
	if err != nil || old.Information == nil {
		return false, err
	}
	rec.Information, old.Information = rec.Information.withoutUnknown(), old.Information.withoutUnknown()
	return encode(rec) == encode(old), nil
}

// adSuffix ends the keys of a config whose values are advertisements.
const adSuffix = "_internalAdText"

// splitAds returns a config with hashes in place of its advertisements, and
// those, by key.
func splitAds(config jobboard.PostingConfig) (jobboard.PostingConfig, map[string][]string) {
	plain, ads := make(map[string][]string, config.Len()), map[string][]string{}
	for key, values := range config.All() {
		plain[key] = values
		if strings.HasSuffix(key, adSuffix) {
			ads[key] = values
			plain[key] = hashesOf(values)
		}
	}
	if len(ads) == 0 {
		return config, nil
	}
	return jobboard.NewPostingConfig(plain), ads
}

// withoutAds returns a config without its advertisements, or their hashes.
func withoutAds(config jobboard.PostingConfig) jobboard.PostingConfig {
	plain := make(map[string][]string, config.Len())
	for key, values := range config.All() {
		if !strings.HasSuffix(key, adSuffix) {
			plain[key] = values
		}
	}
	if len(plain) == config.Len() {
		return config
	}
	return jobboard.NewPostingConfig(plain)
}

func hashesOf(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		out[i] = "sha256:" + hex.EncodeToString(sum[:])
	}
	return out
}

// joinAds undoes splitAds.
func joinAds(config jobboard.PostingConfig, ads map[string][]string) jobboard.PostingConfig {
	if len(ads) == 0 {
		return config
	}
	whole := make(map[string][]string, config.Len())
	for key, values := range config.All() {
		if ad, ok := ads[key]; ok {
			values = ad
		}
		whole[key] = values
	}
	return jobboard.NewPostingConfig(whole)
}

func decodeAds(text string) (ads map[string][]string, err error) {
	if text == "" {
		return nil, nil
	}
	return decodeRecord[map[string][]string](text)
}

func decodeRecord[T any](text string) (record T, err error) {
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return record, fmt.Errorf("jobmirror: a record: %w", err)
	}
	return record, nil
}

// encode writes a record as it is stored: < and & are not escaped, because records are no HTML.
func encode(record any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(record); err != nil {
		panic(err) // our own shapes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// recordOf returns what is stored of a posting, but for its unknown members, and its
// advertisements.
func recordOf(p *jobboard.JobPosting, language string) (PostingRecord, string) {
	config, ads := splitAds(p.Config)
	text := ""
	if ads != nil {
		text = encode(ads)
	}
	return PostingRecord{
		Posting: p.JobPostingID, Language: language, Version: p.PostingVersionID, Title: p.Title,
		Link: p.ApplyOnlineLink, Config: config,
		JobStart: p.JobStartDate, VersionStart: p.PostingVersionStartDate, VersionEnd: p.PostingVersionEndDate,
		AdTooLarge: p.AdTooLarge,
	}, text
}

// posting returns a record's posting as the board gave it.
func (r *PostingRecord) posting(ads string) (jobboard.JobPosting, error) {
	texts, err := decodeAds(ads)
	return jobboard.JobPosting{
		JobPostingID: r.Posting, PostingVersionID: r.Version, Title: r.Title, ApplyOnlineLink: r.Link,
		Config:       joinAds(r.Config, texts),
		JobStartDate: r.JobStart, PostingVersionStartDate: r.VersionStart, PostingVersionEndDate: r.VersionEnd,
		AdTooLarge: r.AdTooLarge, Unknown: r.Unknown,
	}, err
}

func informationOf(j *jobboard.JobInformation, nationalities string) *Information {
	return &Information{
		JobTitle: j.JobTitle, JobLanguage: j.JobLanguage, ApplyPossible: j.ApplyPossible,
		DataSecurityLink: j.DataSecurityLink,
		Questions:        notNil(j.Questions), Nationalities: nationalities,
		CompanyName: j.CompanyName, CompanyID: j.CompanyID,
		Location: j.Location, AdditionalLocations: notNil(j.AdditionalLocations), Unknown: j.Unknown,
	}
}

// storable returns a text without what PostgreSQL refuses in one: NUL, and bytes
// that are not UTF-8. Records have such characters escaped, as JSON.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// hash returns 64 bits of the SHA-256 of its parts.
func hash(parts ...[]byte) int64 {
	h := sha256.New()
	for _, part := range parts {
		h.Write(part)
		h.Write([]byte{0})
	}
	var sum [sha256.Size]byte
	return int64(binary.BigEndian.Uint64(h.Sum(sum[:0])))
}

// locations returns where a job is, its main location first.
func (i *Information) locations() []jobboard.Location {
	return append([]jobboard.Location{i.Location}, i.AdditionalLocations...)
}
