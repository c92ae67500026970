package control

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// foundRows is the answer to a search of the journal.
type foundRows struct {
	Rows []pageRow `json:"rows"` // the newest first, maxRows at most
	Fit  int       `json:"fit"`  // number of requests in the whole journal that fit
	Kept int       `json:"kept"` // number of requests in the journal
}

// findRows answers with the newest rows of the whole journal that fit the filter q. The
// parameter before limits them to requests with smaller numbers.
func (c *Control) findRows(r *http.Request) (any, error) {
	q := r.URL.Query()
	before := int64(math.MaxInt64)
	if s := q.Get("before"); s != "" {
		var err error
		if before, err = number("before", s); err != nil {
			return nil, err
		}
	}
	f := c.filter(q.Get("q"))
	all := c.srv.Requests()
	found := foundRows{Rows: []pageRow{}, Kept: len(all)}
	for _, r := range slices.Backward(all) {
		if !f.fits(r) {
			continue
		}
		found.Fit++
		if int64(r.Number) < before && len(found.Rows) < maxRows {
			found.Rows = append(found.Rows, pageRow{r.Number, fragment("row", row(r))})
		}
	}
	return found, nil
}

// openRow returns the handler that answers with the details of one request.
func (c *Control) openRow(n int64) (http.HandlerFunc, bool) {
	entry, ok := c.entry(n)
	v := detailView{rowView: row(entry), BelowPrefix: c.faultPath(entry), Curl: c.curl(entry)}
	if a := entry.Response; a != nil {
		v.Answer = pretty(a.Body)
		v.Cut = int64(len(a.Body)) < a.Size
	}
	return html("detail", v), ok
}

// faultPath returns a request's path as a pattern for Fault.Path: without the
// prefix of its address.
func (c *Control) faultPath(r jobboardtest.Request) string {
	path := r.Path
	for _, base := range []string{c.srv.BaseURL, c.srv.JobDBURL} {
		if u, err := url.Parse(base); err == nil {
			if rest, ok := strings.CutPrefix(path, u.Path); ok && strings.HasPrefix(rest, "/") {
				path = rest
				break
			}
		}
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// pretty indents JSON; anything else stays.
func pretty(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		return body
	}
	return b.String()
}

// dull lists the headers that the curl command leaves out, because curl sets
// them itself.
var dull = []string{"Accept-Encoding", "Authorization", "Connection", "Content-Length", "User-Agent"}

// curl returns a shell command that sends a request again. It names a variable
// in place of a credential, whose value the journal does not hold.
func (c *Control) curl(r jobboardtest.Request) string {
	words := []string{"curl"}
	switch r.Method {
	case http.MethodGet:
	case http.MethodPost, http.MethodPut, http.MethodDelete:
		words = append(words, "-X", r.Method)
	default: // a client may send any word as the method
		words = append(words, "-X", shellQuote(r.Method))
	}
	words = append(words, curlCredential(r)...)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if slices.Contains(dull, name) {
			continue
		}
		for _, value := range r.Header[name] {
			words = append(words, "-H", shellQuote(name+": "+value))
		}
	}
	if r.Body != "" {
		words = append(words, "--data-raw", shellQuote(r.Body))
	}
	return strings.Join(append(words, shellQuote(c.addressOf(r))), " ")
}

// addressOf returns the address that a request went to.
func (c *Control) addressOf(r jobboardtest.Request) string {
	base := c.srv.BaseURL
	if r.Address == "jobdb_url" {
		base = c.srv.JobDBURL
	}
	u, _ := url.Parse(base) // r.Path includes the prefix
	address := u.Scheme + "://" + u.Host + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	return address
}

// curlCredential returns the arguments of curl that send a request's
// credential.
func curlCredential(r jobboardtest.Request) []string {
	if r.Header.Get("Authorization") == "" {
		return nil
	}
	if client, ok := strings.CutPrefix(r.Credential, "basic client "); ok {
		return []string{"-u", shellQuote(client + ":")}
	}
	if strings.Contains(r.Credential, "token") {
		return []string{"-H", `"Authorization: Bearer $TOKEN"`}
	}
	return []string{"-u", `"$CLIENT"`}
}

// shellQuote writes a text as one word of a shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
