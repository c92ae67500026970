package jobboardtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/delivery"
)

// PlainForm chooses the form of the plain message texts of section 7.2.
type PlainForm string

// The zero value is text labelled text/plain.
const (
	PlainAsJSON       PlainForm = "as-json"     // the bare text, labelled application/json
	PlainAsJSONString PlainForm = "json-string" // a quoted JSON string
)

// CodedForm chooses the form of the JSON errors of section 7.2.
type CodedForm string

// The zero value is JSON.
const (
	CodedAsText CodedForm = "as-text"   // the JSON text, labelled text/plain
	CodedAsWord CodedForm = "code-word" // the code alone, as text
)

// ApplicationIDForm chooses the form of the application identifier (section 4.3).
type ApplicationIDForm string

// The zero value is the bare identifier.
const (
	ApplicationIDQuoted  ApplicationIDForm = "quoted"  // a JSON string
	ApplicationIDNewline ApplicationIDForm = "newline" // bare, with a newline after it
)

// ErrorForm chooses the form of the lookup's ERROR_ codes (section 7.3).
type ErrorForm string

// The zero value is a JSON object.
const (
	ErrorAsJSONString ErrorForm = "json-string"
	ErrorAsText       ErrorForm = "text"
)

// AuthPlace chooses where the two fields of a 401 or 403 go.
type AuthPlace string

// The zero value is the WWW-Authenticate header.
const (
	AuthInBody AuthPlace = "body" // a JSON body
	AuthInBoth AuthPlace = "both"
)

// DateForm chooses the form of the postings' dates and of the offset in the lookup's
// timestamp.
type DateForm string

// The zero value is epoch milliseconds, and Z in the timestamp. A date that is
// not set goes out as 0 in every form.
const (
	DatesISOZ     DateForm = "iso-z"     // 2026-01-31T08:30:00.000Z
	DatesISOColon DateForm = "iso-colon" // ...+00:00
	DatesISOPlain DateForm = "iso-plain" // ...+0000
)

// LinkForm chooses the form of a posting's link.
type LinkForm string

// The zero value names the job and the version of the posting:
// {BaseURL}/job/{job id}/{words}?jobDbPVId={version}&l={language}, a page of the server. The
// other forms change only links of this form; every other link stays unchanged.
const (
	LinksPlain    LinkForm = "plain"    // without the query: the job alone
	LinksRelative LinkForm = "relative" // ../job/{job id}/...?jobDbPVId=... in the feed; links in a search stay absolute
	LinksOpaque   LinkForm = "opaque"   // {BaseURL}/apply/{posting id}: names neither job nor version
)

// FeedForm chooses the form of the names in the feed.
type FeedForm string

// The zero value uses the schema's names, without a namespace.
const (
	FeedNamespace FeedForm = "namespace"  // in a default namespace
	FeedPrefix    FeedForm = "prefix"     // in a namespace, by a prefix: <hr:PositionOpening>
	FeedLowerCase FeedForm = "lower-case" // with a small first letter: <idValue>
)

// MissingForm chooses how optional values that are empty go out.
type MissingForm string

// The zero value is an empty list or text.
const (
	MissingNull   MissingForm = "null"
	MissingAbsent MissingForm = "absent"
)

// Variants chooses among the forms a real service may have where the interface
// is silent. The zero value is the plainest reading of the interface. Check
// refuses a switch with any other word than its constants.
type Variants struct {
	// PlainErrors is the form of the plain message texts of section 7.2.
	PlainErrors PlainForm `json:"plain_errors,omitempty"`

	// NotFount answers "JobPosting not fount for jobId", as seen in the wild.
	NotFount bool `json:"not_fount,omitempty"`

	// CodedErrors is the form of the JSON errors of section 7.2.
	CodedErrors CodedForm `json:"coded_errors,omitempty"`

	// ApplicationID is the form of the application identifier.
	ApplicationID ApplicationIDForm `json:"application_id,omitempty"`

	// ErrorStatus is the status of the lookup's ERROR_ codes (section 7.3);
	// 0 means 404. Any status is possible, also 200.
	ErrorStatus int `json:"error_status,omitempty"`

	// ErrorShape is the form of the lookup's ERROR_ codes.
	ErrorShape ErrorForm `json:"error_shape,omitempty"`

	// ErrorField is the member of the JSON object that holds the code; dots go
	// deeper and a 0 makes a list, as in "errors.0.code". Empty means
	// "errorCode".
	ErrorField string `json:"error_field,omitempty"`

	// AuthErrors chooses where the two fields of a 401 or 403 go.
	AuthErrors AuthPlace `json:"auth_errors,omitempty"`

	// InvalidTokenSpace writes the error "invalid token" for invalid_token.
	InvalidTokenSpace bool `json:"invalid_token_space,omitempty"`

	// BasicNeedsColon refuses Basic credentials without the colon that
	// section 5 requires.
	BasicNeedsColon bool `json:"basic_needs_colon,omitempty"`

	// ConfidentialBasic lets a confidential client search with Basic, its
	// identifier and its secret.
	ConfidentialBasic bool `json:"confidential_basic,omitempty"`

	// QuotedIDs sends integer identifiers as quoted numbers.
	QuotedIDs bool `json:"quoted_ids,omitempty"`

	// Dates is the form of the postings' dates and of the offset in the
	// lookup's timestamp.
	Dates DateForm `json:"dates,omitempty"`

	// Missing chooses how optional values that are empty go out. The results of a
	// search and the answers of a YESNO or CATALOG question are required:
	// MissingAbsent leaves them in.
	Missing MissingForm `json:"missing,omitempty"`

	// Compress sends answers with gzip where the request accepts it. An answer that a
	// fault replaces, grows or encodes goes out as the fault says.
	Compress bool `json:"compress,omitempty"`

	// EmptyServerErrors sends answers with status 500 without a body.
	EmptyServerErrors bool `json:"empty_server_errors,omitempty"`

	// UnknownChannel is the status of a search in an unknown channel: 400, 404,
	// or 0 for 200 with no results.
	UnknownChannel int `json:"unknown_channel,omitempty"`

	// PageSize bounds the postings of an answer; 0 sends all on one page. The
	// interface has no parameter for a further page.
	PageSize int `json:"page_size,omitempty"`

	// Page is the page that every search gets if PageSize is set. 0 is the
	// first page, and a number beyond the last page means the last page.
	Page int `json:"page,omitempty"`

	// SubscriptionsNeedCredential refuses subscription calls that bring none.
	SubscriptionsNeedCredential bool `json:"subscriptions_need_credential,omitempty"`

	// Links is the form of generated links of postings, in the search and in
	// the feed. The form decides whether a link names the posting's job.
	Links LinkForm `json:"links,omitempty"`

	// Feed is the form of the names in the feed.
	Feed FeedForm `json:"feed,omitempty"`

	// FeedUnnamed leaves the postings' identifiers out of the feed; their links
	// stay.
	FeedUnnamed bool `json:"feed_unnamed,omitempty"`

	// FeedUnlinked leaves the links of postings out of the feed.
	FeedUnlinked bool `json:"feed_unlinked,omitempty"`

	// SubscriptionLists sends each result of a subscription as a list with one
	// text instead of a text.
	SubscriptionLists bool `json:"subscription_lists,omitempty"`

	// TokenSeconds is the lifetime of issued tokens; 0 means 3600. A user
	// token's lifetime counts from its last use.
	TokenSeconds int `json:"token_seconds,omitempty"`
}

// Check returns an error that names the first switch with an unknown value.
func (v Variants) Check() error {
	for _, err := range []error{
		known("plain_errors", v.PlainErrors, PlainAsJSON, PlainAsJSONString),
		known("coded_errors", v.CodedErrors, CodedAsText, CodedAsWord),
		known("application_id", v.ApplicationID, ApplicationIDQuoted, ApplicationIDNewline),
		known("error_shape", v.ErrorShape, ErrorAsJSONString, ErrorAsText),
		known("auth_errors", v.AuthErrors, AuthInBody, AuthInBoth),
		known("dates", v.Dates, DatesISOZ, DatesISOColon, DatesISOPlain),
		known("missing", v.Missing, MissingNull, MissingAbsent),
		known("feed", v.Feed, FeedNamespace, FeedPrefix, FeedLowerCase),
		known("links", v.Links, LinksPlain, LinksRelative, LinksOpaque),
		v.checkNumbers(),
	} {
		if err != nil {
			return err
		}
	}
	parts := strings.Split(v.ErrorField, ".")
	switch {
	case len(parts) > 1 && slices.Contains(parts, ""):
		return fmt.Errorf("jobboardtest: variant error_field %q has an empty part", clip(v.ErrorField))
	case len(parts) > maxErrorDepth:
		return fmt.Errorf("jobboardtest: variant error_field has %d parts, more than %d", len(parts), maxErrorDepth)
	}
	return nil
}

// known returns an error if a switch has a word other than words and the empty word.
func known[W ~string](name string, word W, words ...W) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("jobboardtest: variant %s does not know %q, only %q", name, word, append([]W{""}, words...))
}

// maxErrorDepth bounds the nesting of ErrorField.
const maxErrorDepth = 1000

// maxTokenSeconds is 31 years, which a time.Duration holds.
const maxTokenSeconds = 1_000_000_000

func (v Variants) checkNumbers() error {
	switch {
	case v.ErrorStatus != 0 && (v.ErrorStatus < 200 || v.ErrorStatus > 599):
		return fmt.Errorf("jobboardtest: variant error_status is %d, not a status between 200 and 599", v.ErrorStatus)
	case delivery.HasNoBody(v.ErrorStatus):
		return fmt.Errorf("jobboardtest: variant error_status is %d, which has no body for the code", v.ErrorStatus)
	case v.UnknownChannel != 0 && v.UnknownChannel != 400 && v.UnknownChannel != 404:
		return fmt.Errorf("jobboardtest: variant unknown_channel is %d, not 0, 400 or 404", v.UnknownChannel)
	case v.PageSize < 0:
		return fmt.Errorf("jobboardtest: variant page_size is %d, below 0", v.PageSize)
	case v.Page < 0:
		return fmt.Errorf("jobboardtest: variant page is %d, below 0", v.Page)
	case v.TokenSeconds < 0 || v.TokenSeconds > maxTokenSeconds:
		return fmt.Errorf("jobboardtest: variant token_seconds is %d, not between 0 and %d", v.TokenSeconds, maxTokenSeconds)
	}
	return nil
}

var jsonNull = json.RawMessage("null")

// id returns an identifier as a number or, as a variant, as a quoted one.
func (v Variants) id(n int64) any {
	if v.QuotedIDs {
		return fmt.Sprint(n)
	}
	return n
}

func (v Variants) millis(t time.Time) any {
	switch {
	case t.IsZero():
		return 0
	case v.Dates == "":
		return t.UnixMilli()
	}
	return v.iso(t)
}

func (v Variants) iso(t time.Time) string {
	offset := "Z"
	switch v.Dates {
	case DatesISOColon:
		offset = "+00:00"
	case DatesISOPlain:
		offset = "+0000"
	}
	return t.UTC().Format("2006-01-02T15:04:05.000") + offset
}

// text returns an optional string, or its Missing form if it is empty.
func (v Variants) text(s string) any {
	if s == "" {
		return v.missing("")
	}
	return s
}

// missing returns the Missing form of an empty optional value; nil leaves the
// value out.
func (v Variants) missing(empty any) any {
	switch v.Missing {
	case MissingNull:
		return jsonNull
	case MissingAbsent:
		return nil
	}
	return empty
}

// wireKey is the part of the switches that changes the bytes of a posting.
type wireKey struct {
	quoted   bool
	dates    DateForm
	missing  MissingForm
	links    LinkForm
	language string
}

func (v Variants) key(language string) wireKey {
	return wireKey{v.QuotedIDs, v.Dates, v.Missing, v.Links, language}
}
