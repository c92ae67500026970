package control

import (
	"net/http"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// planted is a planted fault with its number and the calls it has hit.
type planted struct {
	ID          int                `json:"id"`
	Hits        int                `json:"hits"`
	Description string             `json:"description"`
	Fault       jobboardtest.Fault `json:"fault"`
}

func show(a *jobboardtest.ActiveFault) planted {
	f := a.Fault()
	return planted{ID: a.ID(), Hits: a.Hits(), Description: f.String(), Fault: f}
}

func (c *Control) planted() []planted {
	var out []planted
	for _, a := range c.inside.Faults() {
		out = append(out, show(a))
	}
	return out
}

// unmetFault is a fault that hit no call, with what came instead.
type unmetFault struct {
	planted
	Instead string `json:"instead"` // "3 calls of search, none of job information"
}

func (c *Control) unmet() []unmetFault {
	var out []unmetFault
	for _, a := range c.srv.Unmet() {
		out = append(out, unmetFault{show(a), c.inside.Instead(a)})
	}
	return out
}

func (c *Control) fail(r *http.Request) (any, error) {
	var f jobboardtest.Fault
	if err := decode(r, &f); err != nil {
		if wrong := f.Check(); wrong != nil { // the body is valid JSON of an impossible fault
			return nil, bad(culprit(f, jobboardtest.Fault.Check), "%s", plain(wrong))
		}
		return nil, err
	}
	switch {
	case f.Path != "" && !strings.ContainsAny(f.Path[:1], `/*?[\`):
		return nil, bad("path", "path is %s, and no path begins so: they begin with /", quote(f.Path))
	case doesNothing(f):
		return nil, bad("", "the fault does nothing: give it a status, a body, a header, a delay, a break, a size, an encoding or a skew")
	}
	return created{show(c.srv.Fail(f))}, nil
}

// doesNothing reports whether a fault changes no answer. In Go such a fault may be
// planted to count the calls that it hits; over HTTP it is a mistake.
func doesNothing(f jobboardtest.Fault) bool {
	return f.Status == 0 && f.Body == "" && len(f.Header) == 0 && f.Size == 0 && f.Delay == 0 && f.Jitter == 0 &&
		f.Break == "" && f.DripBytes == 0 && f.DripEvery == 0 && f.Encoding == "" && f.Skew == 0
}

func (c *Control) fault(id int64) (planted, bool) {
	if a := c.findFault(id); a != nil {
		return show(a), true
	}
	return planted{}, false
}

func (c *Control) lift(id int64) bool {
	a := c.findFault(id)
	if a != nil {
		a.Lift()
	}
	return a != nil
}

// findFault returns the active fault with an identifier, or nil.
func (c *Control) findFault(id int64) *jobboardtest.ActiveFault {
	for _, a := range c.inside.Faults() {
		if int64(a.ID()) == id {
			return a
		}
	}
	return nil
}
