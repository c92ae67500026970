package control

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// information holds the addresses and credentials that a test suite needs, as
// in the first line of jobboard-fake.
type information struct {
	BaseURL    string `json:"base_url"`
	JobDBURL   string `json:"jobdb_url"`
	TokenURL   string `json:"token_url"`
	AuthURL    string `json:"auth_url"`
	FeedURL    string `json:"feed_url"`
	ControlURL string `json:"control_url,omitempty"`
	jobboardtest.DemoInfo
}

func (c *Control) information() information {
	return information{
		BaseURL: c.srv.BaseURL, JobDBURL: c.srv.JobDBURL, TokenURL: c.srv.TokenURL, AuthURL: c.srv.AuthURL,
		FeedURL: c.srv.FeedURL, ControlURL: *c.url.Load(), DemoInfo: c.srv.Demo,
	}
}

func (c *Control) reset() {
	c.inside.Reset()
	if c.setClock {
		c.backToRealTime()
	}
}

func (c *Control) saveState(*http.Request) (any, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = c.srv.Snapshot().Write(w) // the client is gone
	}), nil
}

// loadState decodes a state while it arrives. It blocks other calls only while it
// replaces the server's state.
func (c *Control) loadState(r *http.Request) (any, error) {
	body := &keepsError{r: r.Body}
	in, err := c.inside.DecodeState(body)
	switch {
	case body.err != nil:
		return nil, unread(body.err)
	case err != nil:
		return nil, wrongJSON(err)
	}
	if err := in.Variants.Check(); err != nil {
		name := culprit(in.Variants, jobboardtest.Variants.Check) // empty if several are wrong
		return nil, bad(strings.TrimSuffix("variants."+name, "."), "%s", plain(err))
	}
	if err := cmp.Or(each(in.Jobs, "jobs", checkJob), each(in.Postings, "postings", checkPosting)); err != nil {
		return nil, err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.srv.Restore(in); err != nil {
		return nil, bad("", "%s", plain(err))
	}
	return nil, nil //nolint:nilnil // 204
}

// keepsError stores the error of reading a body, which encoding/json may
// replace by its own.
type keepsError struct {
	r   io.Reader
	err error
}

func (k *keepsError) Read(p []byte) (int, error) {
	n, err := k.r.Read(p)
	if err != nil && err != io.EOF {
		k.err = err
	}
	return n, err
}

// add returns the call that adds a record, which check may refuse. at is put before
// a member's name.
func add[T any](put func(T) T, check func(v T, at string) error) call {
	return with(func(v T) (any, error) {
		if err := check(v, ""); err != nil {
			return nil, err
		}
		return created{put(v)}, nil
	})
}

func checkChannel(v jobboardtest.Channel, _ string) error { return needed("id", v.ID) }

func checkCompany(jobboardtest.Company, string) error { return nil }

func checkClient(v jobboardtest.ClientApp, _ string) error { return needed("id", v.ID) }

func checkApplicant(v jobboardtest.Applicant, _ string) error { return notBelow0("id", v.ID) }

func needed[T comparable](field string, value T) error {
	var zero T
	if value == zero {
		return bad(field, "%s is missing", field)
	}
	return nil
}

func notBelow0(field string, n int64) error {
	if n < 0 {
		return bad(field, "%s is %d, below 0", field, n)
	}
	return nil
}

type publication struct {
	Channel string           `json:"channel"`
	Job     jobboardtest.Job `json:"job"`
	Text    string           `json:"text"` // of the advertisement, in HTML; empty: none
}

func (c *Control) publish(v publication) (any, error) {
	if err := cmp.Or(needed("channel", v.Channel), checkJob(v.Job, "job.")); err != nil {
		return nil, err
	}
	var out struct {
		Job     jobboardtest.Job     `json:"job"`
		Posting jobboardtest.Posting `json:"posting"`
	}
	out.Job, out.Posting = c.srv.Publish(v.Channel, v.Job)
	if v.Text != "" {
		out.Posting.Config = map[string][]string{"platform_internalAdText": {v.Text}}
		out.Posting = c.srv.AddPosting(out.Posting)
	}
	return created{out}, nil
}

// checkJob returns the first mistake in a job; at is put before a member's
// name.
func checkJob(j jobboardtest.Job, at string) error {
	switch j.Status {
	case jobboardtest.Active, jobboardtest.Inactive, jobboardtest.Deleted:
	default:
		return bad(at+"status", "%sstatus is %s, and not inactive, deleted or empty for active", at, quote(string(j.Status)))
	}
	return cmp.Or(
		notBelow0(at+"id", j.ID),
		needed(at+"title", j.Title),
		checkLocation(j.Location, at+"location."),
		each(j.AdditionalLocations, at+"additional_locations", checkLocation),
	)
}

func checkPosting(p jobboardtest.Posting, at string) error {
	err := cmp.Or(notBelow0(at+"id", p.ID), notBelow0(at+"version_id", p.VersionID), needed(at+"title", p.Title))
	if err != nil {
		return err
	}
	if len(p.Channels) == 0 {
		return bad(at+"channels", "%schannels is empty: no search would find the posting", at)
	}
	return each(p.Locations, at+"locations", checkLocation)
}

// each returns the error of the first entry that check refuses.
func each[T any](all []T, name string, check func(v T, at string) error) error {
	for i, v := range all {
		if err := check(v, fmt.Sprintf("%s.%d.", name, i)); err != nil {
			return err
		}
	}
	return nil
}

// checkLocation refuses a geolocation that no radius search would ever find.
func checkLocation(l jobboardtest.Location, at string) error {
	for _, d := range []struct {
		name, value string
		limit       float64
	}{{"lat", l.Lat, 90}, {"long", l.Long, 180}} {
		if d.value == "" {
			continue
		}
		n, err := strconv.ParseFloat(d.value, 64)
		if err != nil || !(n >= -d.limit && n <= d.limit) {
			return bad(at+d.name, "%s%s is %s, and not decimal degrees as text, between -%g and %g", at, d.name, quote(d.value), d.limit, d.limit)
		}
	}
	if (l.Lat == "") != (l.Long == "") {
		return bad(at+"lat", "%slat and %slong belong together, and one is missing", at, at)
	}
	return nil
}

// changeJob changes those members of a job that the body names.
func (c *Control) changeJob(r *http.Request) (any, error) {
	id, err := number("id", r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	found := c.srv.UpdateJob(id, func(j *jobboardtest.Job) {
		var n jobboardtest.Job
		if n, err = patch(r, *j); err != nil {
			return
		}
		if n.ID != id {
			err = bad("id", "id is %d in the body and %d in the path; it cannot be changed", n.ID, id)
			return
		}
		if err = checkJob(n, ""); err == nil {
			*j = n
		}
	})
	if !found {
		return nil, notFound("there is no job %d", id)
	}
	if err != nil {
		return nil, err
	}
	j, _ := c.srv.Job(id)
	return j, nil
}

// pair names an applicant and a job.
type pair struct {
	Applicant int64 `json:"applicant_id"`
	Job       int64 `json:"job_id"`
}

func (v pair) check() error {
	return cmp.Or(needed("applicant_id", v.Applicant), needed("job_id", v.Job))
}

func (c *Control) apply(v pair) (any, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	id, err := c.srv.Apply(v.Applicant, v.Job)
	f := &failure{status: http.StatusConflict, ID: id}
	switch {
	case err == nil:
		return created{map[string]string{"id": id}}, nil
	case errors.Is(err, jobboardtest.ErrAlreadyApplied):
		f.Code = "already_applied"
	case errors.Is(err, jobboardtest.ErrNotOpen):
		f.Code = "not_open"
	}
	f.Message = plain(err)
	return nil, f
}

func (c *Control) withdraw(v pair) (any, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	if err := c.srv.Withdraw(v.Applicant, v.Job); err != nil {
		return nil, notFound("applicant %d has no application to job %d", v.Applicant, v.Job)
	}
	return nil, nil //nolint:nilnil // 204
}
