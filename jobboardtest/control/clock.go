package control

import (
	"net/http"
	"time"
)

type clockState struct {
	Now     time.Time `json:"now"`
	Stopped bool      `json:"stopped"` // stands still until it is advanced or set
}

func (c *Control) time() clockState {
	return clockState{Now: c.srv.Now().UTC(), Stopped: c.stopped.Load()}
}

type newTime struct {
	Now     string `json:"now"`
	Stopped bool   `json:"stopped"`
}

func (c *Control) setTime(in newTime) (any, error) {
	if err := needed("now", in.Now); err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339Nano, in.Now)
	if err != nil {
		return nil, bad("now", "now is %s, and not a time such as 2026-01-31T08:30:00Z", quote(in.Now))
	}
	if year := at.UTC().Year(); year < 0 || year > 9999 {
		return nil, bad("now", "now is %s, which is not between the years 0 and 9999 in UTC", quote(in.Now))
	}
	began := time.Now()
	now := func() time.Time { return at.Add(time.Since(began)) }
	if in.Stopped {
		now = func() time.Time { return at }
	}
	c.srv.SetClock(now)
	c.setClock = true
	c.stopped.Store(in.Stopped)
	return c.time(), nil
}

func (c *Control) realTime(*http.Request) (any, error) {
	c.backToRealTime()
	return c.time(), nil
}

func (c *Control) backToRealTime() {
	c.srv.SetClock(nil)
	c.setClock = false
	c.stopped.Store(false)
}

type timeSpan struct {
	By string `json:"by"`
}

func (c *Control) advance(v timeSpan) (any, error) {
	if err := needed("by", v.By); err != nil {
		return nil, err
	}
	d, err := time.ParseDuration(v.By)
	if err != nil || d < 0 {
		return nil, bad("by", "by is %s, and not a duration such as 90s or 1h30m; to go back, PUT the time", quote(v.By))
	}
	if c.srv.Now().Add(d).Year() > 9999 {
		return nil, bad("by", "by is %s, which leads beyond the year 9999", quote(v.By))
	}
	c.srv.Advance(d)
	c.setClock = true
	return c.time(), nil
}
