package jobboard

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// JobSearchResult is one page of a channel's postings (2.1). It encodes to the
// interface's JSON and decodes from it.
type JobSearchResult struct {
	ItemsPerPage       int          `json:"itemsPerPage"`       // size of a page
	NumPages           int          `json:"numPages"`           // number of pages
	Offset             int          `json:"offset"`             // offset of this page
	ActualPage         int          `json:"actualPage"`         // number of this page, from 0 as far as seen
	FirstPostingOnPage int          `json:"firstPostingOnPage"` // position of its first posting
	LastPostingOnPage  int          `json:"lastPostingOnPage"`  // position of its last posting
	TotalNumberOfJobs  int          `json:"totalNumberOfJobs"`  // hits on all pages
	Results            []JobPosting `json:"results"`
}

// Partial reports whether there is more than the page holds: it says that
// there are more hits than it has postings, or more pages than one. The
// interface documents no way to ask for another page.
func (r *JobSearchResult) Partial() bool { return r.partial(len(r.Results)) }

// partial is Partial for a page of which n postings were read.
func (r *JobSearchResult) partial(n int) bool {
	return r.TotalNumberOfJobs > n || r.NumPages > 1
}

// MarshalJSON is the page as section 2.1 has it; results is never null.
func (r JobSearchResult) MarshalJSON() ([]byte, error) {
	type plain JobSearchResult
	if r.Results == nil {
		r.Results = []JobPosting{}
	}
	return json.Marshal(plain(r))
}

// UnmarshalJSON reads a page by the rules of a search; null changes nothing.
// Its error is [ErrDecode].
func (r *JobSearchResult) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	page, err := decodeSearchBytes(b)
	if err != nil {
		return err
	}
	*r = *page
	return nil
}

// JobPosting is a posting of a channel (2.2). Its strings share one piece of
// memory: a small one that is kept keeps them all, and strings.Clone parts it
// from them. Texts are the service's and untrusted.
type JobPosting struct {
	JobPostingID            JobPostingID     `json:"jobPostingId"`
	PostingVersionID        PostingVersionID `json:"postingVersionId"`
	Title                   string           `json:"title"`
	ApplyOnlineLink         string           `json:"applyOnlineLink"` // see ApplyURL
	Config                  PostingConfig    `json:"config"`
	JobStartDate            Millis           `json:"jobStartDate"`
	PostingVersionStartDate Millis           `json:"postingVersionStartDate"`
	PostingVersionEndDate   Millis           `json:"postingVersionEndDate"` // 0 occurs
}

// UnmarshalJSON reads a posting by the rules of a search; null changes
// nothing. Its error is [ErrDecode].
func (p *JobPosting) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	d := newDecoder()
	defer d.release()
	d.s.ResetBytes(b)
	var v JobPosting
	d.posting(&v)
	d.s.End()
	if err := d.err(); err != nil {
		return err
	}
	*p = v
	return nil
}

// ApplyURL is ApplyOnlineLink as an address that can be linked to: absolute,
// http or https, with a host and without a user. The error of any other, and
// of none, is [ErrDecode].
func (p *JobPosting) ApplyURL() (*url.URL, error) {
	return webURL("applyOnlineLink", p.ApplyOnlineLink)
}

// webURL checks a link of the service. Its error names the field and holds
// nothing of the link.
func webURL(field, link string) (*url.URL, error) {
	reason := ""
	u, err := url.Parse(link)
	switch {
	case link == "":
		reason = "is empty"
	case err != nil:
		reason = "is no address"
	case strings.ContainsAny(link, "\\ ") || strings.ContainsFunc(link, func(r rune) bool { return r < ' ' || r == 0x7F }):
		reason = "has a character that no address has"
	case u.Scheme != "http" && u.Scheme != "https":
		reason = "is not an absolute http or https address"
	case u.Opaque != "" || u.Hostname() == "":
		reason = "has no host"
	case u.User != nil:
		reason = "has a user part"
	case !validPort(u.Port()):
		reason = "has no usable port"
	default:
		return u, nil
	}
	return nil, fmt.Errorf("jobboard: %s %s: %w", field, reason, ErrDecode)
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}
