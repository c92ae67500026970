package jobboardtest

import (
	"net"
	"time"
)

type config struct {
	base, jobDB             net.Listener // nil: a free port of 127.0.0.1
	basePrefix, jobDBPrefix string
	noSockets               bool
	strict                  bool
	demo                    bool
	state                   *State
	variants                Variants
	clock                   func() time.Time
	report                  func(violation string)
	log                     func(refusal string)
}

// Option changes how a Server starts.
type Option func(*config)

// WithoutSockets serves over in-memory connections, which only Client and
// Transport reach. Inside a testing/synctest bubble such a server is durably
// blocked while idle, and Close ends all its goroutines.
func WithoutSockets() Option { return func(c *config) { c.noSockets = true } }

// WithStrict sets whether a request that breaks a rule of the interface is refused, with
// status 400, 404 or 405 and a sentence that names the rule and its section, or
// answered as well as it can be. The default is true for New, where such a
// request also fails the test, and false for NewServer.
func WithStrict(strict bool) Option { return func(c *config) { c.strict = strict } }

// WithListeners serves the two addresses on listeners of your own, which the server
// closes. One listener given twice serves both, told apart by their prefixes, which must
// then differ. A nil listener stands for a free port of 127.0.0.1, which is also the
// default. A listener on every address, such as "0.0.0.0:8080", is 127.0.0.1 in the URLs.
func WithListeners(base, jobDB net.Listener) Option {
	return func(c *config) { c.base, c.jobDB = base, jobDB }
}

// WithPrefix sets the path prefixes of the two addresses. The default is
// "/board" and "/info".
func WithPrefix(base, jobDB string) Option {
	return func(c *config) { c.basePrefix, c.jobDBPrefix = base, jobDB }
}

// WithDemo fills the server with a believable board: 46 postings in six cities, in
// German and English, with every config key of section 2.3, every question type,
// and a record for each answer of the interface, named by DemoInfo. Some
// advertisements are ugly, with scripts, unclosed tags and odd nesting. Most links
// name the posting's job; some lack the query, and some name no job. The newest posting
// was listed on the last day before the server's start, by the server's clock, and the
// other postings on earlier days.
func WithDemo() Option { return func(c *config) { c.demo = true } }

// WithVariants sets the switches at the start.
func WithVariants(v Variants) Option { return func(c *config) { c.variants = v } }

// WithClock sets the clock at the start; see [Server.SetClock].
func WithClock(now func() time.Time) Option { return func(c *config) { c.clock = now } }

// WithState sets the state at the start, in place of the demo's. It also sets
// the state's switches, unless WithVariants sets others.
func WithState(in State) Option { return func(c *config) { c.state = &in } }
