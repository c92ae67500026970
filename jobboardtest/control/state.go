package control

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// information is what a suite needs to begin: the first line of the program.
type information struct {
	BaseURL    string `json:"base_url"`
	JobDBURL   string `json:"jobdb_url"`
	TokenURL   string `json:"token_url"`
	AuthURL    string `json:"auth_url"`
	FeedURL    string `json:"feed_url"`
	ControlURL string `json:"control_url,omitempty"`
	SaveError  string `json:"save_error,omitempty"` // why the data file is not up to date
	jobboardtest.DemoInfo
}

func (c *Control) info(*http.Request) (any, error) { return c.information(), nil }

func (c *Control) information() information {
	i := information{
		BaseURL: c.srv.BaseURL, JobDBURL: c.srv.JobDBURL, TokenURL: c.srv.TokenURL(), AuthURL: c.srv.AuthURL(),
		FeedURL: c.srv.FeedURL(), ControlURL: c.address(), DemoInfo: c.srv.Demo,
	}
	if err := c.srv.SaveError(); err != nil {
		i.SaveError = plain(err)
	}
	return i
}

func (c *Control) reset(*http.Request) (any, error) {
	c.srv.Reset()
	c.cleared.Add(1)
	if c.setClock {
		c.backToRealTime()
	}
	return nil, nil //nolint:nilnil // 204
}

func (c *Control) saveState(w http.ResponseWriter, r *http.Request) {
	if err := checkQuery(r); err != nil {
		writeFailure(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = c.srv.Snapshot().Write(w) // the client is gone
}

func (c *Control) loadState(in jobboardtest.State) (any, error) {
	if err := in.Variants.Check(); err != nil {
		name := culprit(in.Variants, jobboardtest.Variants.Check) // empty where there are several
		return nil, bad(strings.TrimSuffix("variants."+name, "."), "%s", plain(err))
	}
	for i, j := range in.Jobs {
		if err := checkJob(j, fmt.Sprintf("jobs.%d.", i)); err != nil {
			return nil, err
		}
	}
	for i, p := range in.Postings {
		if err := checkPosting(p, fmt.Sprintf("postings.%d.", i)); err != nil {
			return nil, err
		}
	}
	if err := c.srv.Restore(in); err != nil {
		return nil, bad("", "%s", plain(err))
	}
	return nil, nil //nolint:nilnil // 204
}

// add returns the call that adds a record, which check may refuse; a nil check
// refuses none. at goes before a member's name.
func add[T any](put func(T) T, check func(v T, at string) error) func(*http.Request) (any, error) {
	return with(func(v T) (any, error) {
		if check != nil {
			if err := check(v, ""); err != nil {
				return nil, err
			}
		}
		return created{put(v)}, nil
	})
}

func checkChannel(v jobboardtest.Channel, at string) error {
	if v.ID == "" {
		return missing(at + "id")
	}
	return nil
}

func checkClient(v jobboardtest.Client, at string) error {
	if v.ID == "" {
		return missing(at + "id")
	}
	return nil
}

func checkApplicant(v jobboardtest.Applicant, at string) error {
	if v.ID < 0 {
		return bad(at+"id", "%sid is %d, below 0", at, v.ID)
	}
	return nil
}

type publication struct {
	Channel string           `json:"channel"`
	Job     jobboardtest.Job `json:"job"`
}

func (c *Control) publish(v publication) (any, error) {
	if v.Channel == "" {
		return nil, missing("channel")
	}
	if err := checkJob(v.Job, "job."); err != nil {
		return nil, err
	}
	var out struct {
		Job     jobboardtest.Job     `json:"job"`
		Posting jobboardtest.Posting `json:"posting"`
	}
	out.Job, out.Posting = c.srv.Publish(v.Channel, v.Job)
	return created{out}, nil
}

func missing(field string) error { return bad(field, "%s is missing", field) }

// checkJob returns what is wrong with a job; at goes before a member's name.
func checkJob(j jobboardtest.Job, at string) error {
	switch j.Status {
	case jobboardtest.Active, jobboardtest.Inactive, jobboardtest.Deleted:
	default:
		return bad(at+"status", "%sstatus is %s, and not inactive, deleted or empty for active", at, quote(string(j.Status)))
	}
	switch {
	case j.ID < 0:
		return bad(at+"id", "%sid is %d, below 0", at, j.ID)
	case j.Title == "":
		return missing(at + "title")
	}
	if err := checkLocation(j.Location, at+"location."); err != nil {
		return err
	}
	for i, l := range j.AdditionalLocations {
		if err := checkLocation(l, fmt.Sprintf("%sadditional_locations.%d.", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func checkPosting(p jobboardtest.Posting, at string) error {
	switch {
	case p.ID < 0:
		return bad(at+"id", "%sid is %d, below 0", at, p.ID)
	case p.VersionID < 0:
		return bad(at+"version_id", "%sversion_id is %d, below 0", at, p.VersionID)
	case p.Title == "":
		return missing(at + "title")
	case len(p.Channels) == 0:
		return bad(at+"channels", "%schannels is empty: no search would find the posting", at)
	}
	for i, l := range p.Locations {
		if err := checkLocation(l, fmt.Sprintf("%slocations.%d.", at, i)); err != nil {
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

func (c *Control) getJob(id int64) (any, error) {
	j, ok := c.srv.Job(id)
	if !ok {
		return nil, notFound("there is no job %d", id)
	}
	return j, nil
}

// changeJob changes the members that the body has.
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

// onJob returns the call of a function that takes an identifier and reports
// whether it was there.
func onJob(f func(int64) bool, none string) func(*http.Request) (any, error) {
	return of(func(id int64) (any, error) {
		if !f(id) {
			return nil, notFound("there is %s %d", none, id)
		}
		return nil, nil //nolint:nilnil // 204
	})
}

// pair is who applies to what.
type pair struct {
	Applicant int64 `json:"applicant_id"`
	Job       int64 `json:"job_id"`
}

func (v pair) check() error {
	if v.Applicant == 0 {
		return missing("applicant_id")
	}
	if v.Job == 0 {
		return missing("job_id")
	}
	return nil
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

func (c *Control) subscriptions(*http.Request) (any, error) {
	return list("subscriptions", c.srv.Subscriptions()), nil
}

// list returns an object with one list, never null.
func list[T any](name string, v []T) map[string]any {
	if v == nil {
		v = []T{}
	}
	return map[string]any{name: v}
}
