package jobpublish

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
)

// AnnouncerConfig describes a site's announcements to NewAnnouncer.
type AnnouncerConfig struct {
	// URL is the site's own address, such as "https://jobs.example/". Only pages of its scheme and
	// host are announced.
	URL string
	// Key shows that an announcement comes from the site: 8 to 128 letters of a to z and A to Z,
	// digits and hyphens, which the site serves by KeyFile. It is no secret, and stays the same.
	Key string
	// Store keeps what was told. nil: the process does, and begins to count anew when it is started.
	Store AnnouncerStore
	// Endpoint takes announcements; empty: https://api.indexnow.org/indexnow, which passes them on to
	// the search engines that take part in IndexNow.
	Endpoint string
	// PerDay bounds the addresses that are told within 24 hours; 0 means 10 000.
	PerDay int
	// Again is the shortest time after which an address is told once more; 0 means 10 minutes.
	Again time.Duration

	HTTPClient *http.Client // sends announcements, without following redirects; nil: one of its own
	Logger     *slog.Logger // logs addresses that are left out, and waits; nil: silent
}

// AnnouncerStore keeps which addresses were told to search engines, over restarts. Processes that
// announce the same site share one, and take turns.
type AnnouncerStore interface {
	// Told returns when each address was told since a time, the earliest first.
	Told(ctx context.Context, since time.Time) (map[string][]time.Time, error)
	// SetTold notes that addresses were told at a time. What was told more than 24 hours before may
	// be forgotten.
	SetTold(ctx context.Context, addresses []string, at time.Time) error
}

// Announcer tells search engines which pages of a site are new, changed or gone, by the protocol
// IndexNow. Several goroutines must not announce at the same time.
type Announcer struct {
	cfg      AnnouncerConfig
	site     *url.URL
	client   http.Client
	endpoint string
}

const (
	maxAnnounced     = 10_000 // addresses in one announcement, by the protocol
	announceTimeout  = 30 * time.Second
	firstAnnounceGap = time.Minute // after an announcement that was not taken; doubled each time
	maxAnnounceGap   = time.Hour
	announceDay      = 24 * time.Hour
)

// announceKey matches the keys of the protocol.
var announceKey = regexp.MustCompile(`^[a-zA-Z0-9-]{8,128}$`)

// NewAnnouncer returns an announcer and sends nothing. Its error joins a *ConfigError for each
// mistake in cfg.
func NewAnnouncer(cfg AnnouncerConfig) (*Announcer, error) {
	cfg.Endpoint = cmp.Or(cfg.Endpoint, "https://api.indexnow.org/indexnow")
	site, err := cfg.check()
	if err != nil {
		return nil, err
	}
	cfg.PerDay = cmp.Or(cfg.PerDay, 10_000)
	cfg.Again = cmp.Or(cfg.Again, 10*time.Minute)
	if cfg.Store == nil {
		cfg.Store = &announcedHere{}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	a := &Announcer{cfg: cfg, endpoint: cfg.Endpoint}
	a.site = &url.URL{Scheme: site.Scheme, Host: hostname.ASCII(site.Host), Path: "/"}
	if cfg.HTTPClient != nil {
		a.client = *cfg.HTTPClient
	}
	a.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return a, nil
}

// check returns the address of the site, or an error that joins a *ConfigError for each mistake.
func (cfg *AnnouncerConfig) check() (site *url.URL, err error) {
	var wrong []error
	site, err = url.Parse(cfg.URL)
	if err != nil || !webAddress(cfg.URL) || site.RawQuery+site.Fragment+strings.Trim(site.Path, "/") != "" {
		wrong = append(wrong, &ConfigError{"URL", "is not the address of a site, with http or https and without a path"})
	}
	if !announceKey.MatchString(cfg.Key) {
		wrong = append(wrong, &ConfigError{"Key", "is not 8 to 128 letters, digits and hyphens"})
	}
	if !webAddress(cfg.Endpoint) {
		wrong = append(wrong, &ConfigError{"Endpoint", "is not an absolute address with http or https"})
	}
	if cfg.PerDay < 0 {
		wrong = append(wrong, &ConfigError{"PerDay", "is negative"})
	}
	if cfg.Again < 0 || cfg.Again > announceDay {
		wrong = append(wrong, &ConfigError{"Again", "is not between 0 and 24 hours"})
	}
	return site, errors.Join(wrong...)
}

// KeyPath returns the path at which the site serves KeyFile: "/", the key and ".txt".
func (a *Announcer) KeyPath() string { return "/" + a.cfg.Key + ".txt" }

// KeyFile returns the handler of KeyPath. Search engines read it to see that the site announces.
func (a *Announcer) KeyFile() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = io.WriteString(w, a.cfg.Key)
	})
}

// AnnounceError reports that an announcement was refused in a way that repeating it does not
// change: the key is not that of the site (403, 422), or the endpoint takes no announcements.
type AnnounceError struct {
	StatusCode int // of the answer
}

// Error tells the status and what to look at.
func (e *AnnounceError) Error() string {
	text := fmt.Sprintf("jobpublish: the announcement was refused with %d", e.StatusCode)
	if e.StatusCode == http.StatusForbidden || e.StatusCode == http.StatusUnprocessableEntity {
		text += ": does the site serve the file with the key?"
	}
	return text
}

// Announce tells all addresses, each once, in announcements of at most 10 000, and returns when the
// last one was taken, or with the error of addresses, of the store or of ctx, or an *AnnounceError.
// It waits where AnnouncerConfig.PerDay or Again asks for it, and after an announcement that was not
// taken: for a minute, doubled up to an hour, or for what Retry-After says. What was told before an
// error stays told. An address of another site is left out.
//
// Who ends between an announcement and the note of it in the store repeats that announcement.
func (a *Announcer) Announce(ctx context.Context, addresses iter.Seq2[string, error]) error {
	var (
		batch []string
		seen  = map[string]bool{}
	)
	for address, err := range addresses {
		if err != nil {
			return err
		}
		if seen[address] {
			continue
		}
		if !a.holds(address) {
			a.cfg.Logger.WarnContext(ctx, "jobpublish: not announced, because it is no page of the site", "address", address)
			continue
		}
		seen[address] = true
		if batch = append(batch, address); len(batch) < maxAnnounced {
			continue
		}
		if err := a.announceAll(ctx, batch); err != nil {
			return err
		}
		batch = batch[:0]
		clear(seen) // who yields an address again later means it
	}
	return a.announceAll(ctx, batch)
}

// holds reports whether an address is one of the site, and no longer than sitemaps allow.
func (a *Announcer) holds(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User == nil && u.Fragment == "" && len(address) <= maxAddress &&
		u.Scheme == a.site.Scheme && strings.EqualFold(hostname.ASCII(u.Host), a.site.Host)
}

// announceAll tells addresses as the bounds allow.
func (a *Announcer) announceAll(ctx context.Context, left []string) error {
	for len(left) > 0 {
		now := time.Now()
		told, err := a.cfg.Store.Told(ctx, now.Add(-announceDay))
		if err != nil {
			return err
		}
		ready, later, wait := a.ready(left, told, now)
		if len(ready) == 0 {
			if wait > a.cfg.Again {
				a.cfg.Logger.WarnContext(ctx, "jobpublish: as many pages were announced as may be in a day", "waits", wait)
			}
			if err := sleep(ctx, wait); err != nil {
				return err
			}
			continue
		}
		if err := a.sendUntilTaken(ctx, ready); err != nil {
			return err
		}
		if err := a.cfg.Store.SetTold(ctx, ready, time.Now()); err != nil {
			return err
		}
		left = later
	}
	return nil
}

// ready divides addresses into those that may be told now and the others, and returns how long to
// wait where none may be.
func (a *Announcer) ready(left []string, told map[string][]time.Time, now time.Time) (ready, later []string, wait time.Duration) {
	var all []time.Time
	for _, times := range told {
		all = append(all, times...)
	}
	slices.SortFunc(all, time.Time.Compare)
	free := a.cfg.PerDay - len(all)
	if free <= 0 {
		// Until so many of those that were told are older than a day that one more may be.
		return nil, left, max(all[len(all)-a.cfg.PerDay].Add(announceDay).Sub(now), time.Second)
	}
	wait = announceDay
	for _, address := range left {
		due := now
		if times := told[address]; len(times) > 0 {
			due = slices.MaxFunc(times, time.Time.Compare).Add(a.cfg.Again)
		}
		if due.After(now) || len(ready) == free {
			later = append(later, address)
			wait = min(wait, max(due.Sub(now), time.Second))
			continue
		}
		ready = append(ready, address)
	}
	return ready, later, wait
}

// sendUntilTaken sends an announcement until it is taken or refused.
func (a *Announcer) sendUntilTaken(ctx context.Context, addresses []string) error {
	body, err := json.Marshal(struct {
		Host        string   `json:"host"`
		Key         string   `json:"key"`
		KeyLocation string   `json:"keyLocation"`
		URLList     []string `json:"urlList"`
	}{a.site.Host, a.cfg.Key, a.site.JoinPath(a.KeyPath()).String(), addresses})
	if err != nil {
		return err
	}
	for gap := firstAnnounceGap; ; gap = min(2*gap, maxAnnounceGap) {
		status, retryAfter, err := a.send(ctx, body)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && (status == http.StatusOK || status == http.StatusAccepted):
			return nil
		case err == nil && status != http.StatusTooManyRequests && status < http.StatusInternalServerError:
			return &AnnounceError{status}
		}
		wait := max(gap, retryAfter)
		a.cfg.Logger.WarnContext(ctx, "jobpublish: an announcement was not taken", "status", status, "waits", wait)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// send sends an announcement once.
func (a *Announcer) send(ctx context.Context, body []byte) (status int, retryAfter time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, announceTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	rs, err := a.client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer rs.Body.Close()
	_, _ = io.CopyN(io.Discard, rs.Body, 64<<10) // its connection serves the next one
	return rs.StatusCode, retryAfterOf(rs.Header.Get("Retry-After")), nil
}

// retryAfterOf returns what Retry-After asks for, in seconds or by a date, a day at most.
func retryAfterOf(text string) time.Duration {
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), announceDay)
	}
	seconds, err := strconv.Atoi(text)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return time.Duration(min(max(seconds, 0), int(announceDay/time.Second))) * time.Second
}

// sleep returns after d, or with the error of ctx when that ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// announcedHere is the store of a process.
type announcedHere struct {
	mu   sync.Mutex
	told map[string][]time.Time
}

// Told implements AnnouncerStore.
func (s *announcedHere) Told(_ context.Context, since time.Time) (map[string][]time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string][]time.Time{}
	for address, times := range s.told {
		times = slices.DeleteFunc(slices.Clone(times), func(at time.Time) bool { return at.Before(since) })
		if len(times) > 0 {
			out[address] = times
		}
	}
	s.told = out
	return out, nil
}

// SetTold implements AnnouncerStore.
func (s *announcedHere) SetTold(_ context.Context, addresses []string, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		s.told = map[string][]time.Time{}
	}
	for _, address := range addresses {
		s.told[address] = append(s.told[address], at)
	}
	return nil
}
