package jobboard

import (
	"cmp"
	"context"
	"io"
	"iter"

	"github.com/google/go-querystring/query"
	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
)

// Query holds the criteria of a search (4.1). The zero value asks for every job
// of the channel.
type Query struct {
	Text       string      // free text; empty: any
	Near       GeoLocation // zero: anywhere. A posting matches only if its position has a geolocation
	Language   string      // Accept-Language, such as "de"; empty: Config.Language; "*": any
	OmitConfig []string    // config keys to leave out of the postings, such as KeyAdText; saves time and memory
}

// parameters holds the two query parameters that the interface documents. It
// documents none for paging.
type parameters struct {
	Search      string `url:"search,omitempty"`
	GeoLocation string `url:"geoLocation,omitempty"`
}

// Search returns the matching postings of a channel (4.1) that the service puts on its single page;
// JobSearchResult.Partial reports whether the search found more. It sends the client's credential.
//
// An entry that is no usable posting is left out and counted in JobSearchResult.Unreadable, see
// [PostingError]. If an answer has entries and none can be read, Search returns ErrDecode.
//
// Errors: ErrUnauthorized, ErrForbidden, ErrServer, and those of every call.
func (c *Client) Search(ctx context.Context, channel ChannelID, q Query) (*JobSearchResult, error) {
	return c.base.made().search(ctx, channel, q)
}

// Postings searches as Search does and yields each posting as it arrives, in
// constant memory for any number of postings. It yields a failure as the last
// item, with a nil posting. Breaking off stops reading; ranging again sends the
// search again.
//
// An entry that is no usable posting is passed over, see [PostingError]. If there were any, the last
// item is an *[UnreadableError], after every other posting of the answer.
//
// Until the first posting has arrived, failures are repeated as for Search.
// After it they end the range, because postings were handed out already.
func (c *Client) Postings(ctx context.Context, channel ChannelID, q Query) iter.Seq2[*JobPosting, error] {
	return c.PostingStream(ctx, channel, q).All()
}

// PostingStream returns a stream that yields what Postings does and then also
// has the page's counters, for a caller who must know whether the postings are
// complete. It sends nothing until its All is ranged over.
func (c *Client) PostingStream(ctx context.Context, channel ChannelID, q Query) *PostingStream {
	return &PostingStream{ctx: ctx, endpoint: c.base.made(), channel: channel, query: q}
}

// Search searches as Client.Search does, with the applicant's token, which the search accepts too.
func (a *Applicant) Search(ctx context.Context, channel ChannelID, q Query) (*JobSearchResult, error) {
	return a.endpoint.made().search(ctx, channel, q)
}

// Postings yields postings as Client.Postings does, with the applicant's token.
func (a *Applicant) Postings(ctx context.Context, channel ChannelID, q Query) iter.Seq2[*JobPosting, error] {
	return a.PostingStream(ctx, channel, q).All()
}

// PostingStream returns the stream of Client.PostingStream, with the applicant's
// token.
func (a *Applicant) PostingStream(ctx context.Context, channel ChannelID, q Query) *PostingStream {
	return &PostingStream{ctx: ctx, endpoint: a.endpoint.made(), channel: channel, query: q}
}

// PostingStream reads the postings of a search one by one. It is not safe for concurrent use. All
// of the zero value yields ErrInvalidInput.
type PostingStream struct {
	ctx      context.Context
	endpoint *endpoint
	channel  ChannelID
	query    Query

	skip     func(raw []byte) bool // nil: no posting is skipped
	begun    bool                  // All was ranged over
	page     JobSearchResult
	complete bool
}

// Skip sets a function that reports which postings All leaves out, undecoded, because the caller
// knows them by their bytes. A program that reads a channel again and again keeps a hash of each
// posting's bytes, and so saves most of the decoding. A skipped posting counts in the counters of
// Page. Skip panics if it is called after ranging over All has begun.
//
// raw is the JSON of one posting, as the service wrote it, and valid during the call only; known
// must not change it. Its syntax is not checked yet, so known should return true only for bytes that
// equal those of a posting that was decoded before. The first posting of an answer is always
// decoded, without a call of known.
func (s *PostingStream) Skip(known func(raw []byte) bool) {
	if s.begun {
		panic("jobboard: PostingStream.Skip called after All")
	}
	s.skip = known
}

// Query returns what the stream asks for, with Config.Language in place of an empty Language.
func (s *PostingStream) Query() Query {
	q := s.query
	q.Language = cmp.Or(q.Language, s.endpoint.made().config.Language)
	return q
}

// Page returns the page's counters, with Unreadable and without Results. It reports true once the
// last range over All has read the answer to its end. Until then counters may be missing, because
// the service may send them after the postings.
func (s *PostingStream) Page() (page JobSearchResult, ok bool) { return s.page, s.complete }

// All sends the search and yields its postings, as [Client.Postings] does.
func (s *PostingStream) All() iter.Seq2[*JobPosting, error] {
	return func(yield func(*JobPosting, error) bool) {
		s.begun, s.page, s.complete = true, JobSearchResult{}, false
		e := s.endpoint.made()
		req, err := e.searchRequest(s.channel, s.query)
		if err != nil {
			yield(nil, e.refuse(s.ctx, opPostings, err))
			return
		}
		p := openPage{omit: s.query.OmitConfig, skip: s.skip}
		defer p.close() // also if an Observer or the loop's body panics
		if err := e.do(s.ctx, opPostings, req, p.open); err != nil {
			yield(nil, err)
			return
		}
		for ; p.err == nil; p.next() {
			if !yield(p.posting, nil) {
				return
			}
		}
		if p.err != io.EOF {
			yield(nil, p.failed())
			return
		}
		s.page, s.complete = p.reader.page()
		if n := s.page.Unreadable; n > 0 {
			yield(nil, &UnreadableError{Count: n, Errors: s.page.UnreadableErrors})
		}
	}
}

// openPage holds the answer to a search while its postings are handed out.
type openPage struct {
	omit    []string
	skip    func(raw []byte) bool
	answer  answer // zero: none was accepted
	reader  *postingReader
	posting *JobPosting // the next to hand out, while err is nil
	err     error       // io.EOF after the last posting
}

// open reads the first posting during the attempt, so that a failure repeats the attempt.
func (p *openPage) open(a answer) error {
	p.reader = newPostingReader(a.Answer, decodeLimits{maxBytes: a.Limit(), maxItem: a.call.endpoint.config.MaxPostingBytes}, p.omit)
	if p.next(); p.err != nil && p.err != io.EOF {
		p.reader.close()
		return p.err
	}
	p.answer = a
	// Set after the first posting, or the attempt would read on to the first unknown posting.
	p.reader.skip = p.skip
	return nil
}

func (p *openPage) next() { p.posting, p.err = p.reader.next() }

// failed returns the error of a call whose answer cannot be read on.
func (p *openPage) failed() *Error {
	return p.answer.call.fail(p.answer.Broken(p.err))
}

// close ends the call. If no answer was accepted, do has ended it already.
func (p *openPage) close() {
	if p.answer.Answer == nil {
		return
	}
	p.reader.close()
	p.answer.Close()
	p.answer.call.logAnswer(p.answer.Answer)
	p.answer.call.end(nil)
}

func (e *endpoint) search(ctx context.Context, channel ChannelID, q Query) (*JobSearchResult, error) {
	req, err := e.searchRequest(channel, q)
	if err != nil {
		return nil, e.refuse(ctx, opSearch, err)
	}
	var result *JobSearchResult
	err = e.do(ctx, opSearch, req, func(a answer) (err error) {
		result, err = decodeSearch(a.Answer, decodeLimits{maxBytes: a.Limit()}, q.OmitConfig)
		return err
	})
	return result, err
}

// searchRequest builds the request of Search and of Postings.
func (e *endpoint) searchRequest(channel ChannelID, q Query) (req request, err error) {
	if e.mistake != nil {
		return req, e.mistake
	}
	if e.Credential.Header == nil {
		return req, &ConfigError{"ClientID", "and Config.TokenSource are empty: a search needs one of them"}
	}
	var wrong string
	if req.Path, req.Raw, wrong = address.Fill(searchPath, string(channel)); wrong != "" {
		return req, invalid("channel %s", wrong)
	}
	req.channel = channel
	p := parameters{Search: q.Text}
	if q.Near != (GeoLocation{}) {
		if wrong := q.Near.circleMistake(); wrong != "" {
			return req, invalid("geolocation %s", wrong)
		}
		p.GeoLocation = q.Near.String()
	}
	values, err := query.Values(p)
	if err != nil {
		return req, invalid("query: %s", err.Error())
	}
	req.Query, req.hide, req.Kind = values.Encode(), []string{p.Search, p.GeoLocation}, credential.Search
	if q.Language != e.config.Language {
		if wrong := languageMistake(q.Language); wrong != "" {
			return req, invalid("language %s", wrong)
		}
		req.Language = q.Language
	}
	return req, nil
}
