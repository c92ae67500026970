package control

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The members of HAR 1.2 that the journal has values for. Unknown sizes are -1.
type (
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harBody struct {
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Size     *int64 `json:"size,omitempty"`
	}
	harMessage struct {
		HTTPVersion string    `json:"httpVersion"`
		Cookies     []harPair `json:"cookies"`
		Headers     []harPair `json:"headers"`
		HeadersSize int64     `json:"headersSize"`
		BodySize    int64     `json:"bodySize"`
	}
	harRequest struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		QueryString []harPair `json:"queryString"`
		PostData    *harBody  `json:"postData,omitempty"`
		harMessage
	}
	harResponse struct {
		Status      int     `json:"status"`
		StatusText  string  `json:"statusText"`
		Content     harBody `json:"content"`
		RedirectURL string  `json:"redirectURL"`
		harMessage
	}
	harEntry struct {
		Started  time.Time          `json:"startedDateTime"`
		Time     float64            `json:"time"` // in milliseconds
		Request  harRequest         `json:"request"`
		Response harResponse        `json:"response"`
		Cache    struct{}           `json:"cache"`
		Timings  map[string]float64 `json:"timings"`
		Comment  string             `json:"comment,omitempty"`
	}
	harLog struct {
		Version string            `json:"version"`
		Creator map[string]string `json:"creator"`
		Entries []harEntry        `json:"entries"`
	}
)

// archive answers with the journal as an HTTP archive (HAR), which browsers'
// developer tools can open.
func (c *Control) archive(*http.Request) (any, error) {
	log := harLog{
		Version: "1.2", Creator: map[string]string{"name": "jobboard-fake", "version": "1"}, Entries: []harEntry{},
	}
	for _, r := range c.srv.Requests() {
		if full, ok := c.entry(int64(r.Number)); ok {
			log.Entries = append(log.Entries, c.harEntry(full))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="journal.har"`)
		answer(w, http.StatusOK, map[string]harLog{"log": log})
	}), nil
}

func (c *Control) harEntry(r jobboardtest.Request) harEntry {
	took := float64(r.Took) / float64(time.Millisecond)
	told := slices.DeleteFunc([]string{r.Credential, r.Note, r.Fault}, func(s string) bool { return s == "" })
	e := harEntry{
		Started: r.Time, Time: took, Timings: map[string]float64{"send": 0, "wait": took, "receive": 0},
		Request: harRequest{
			Method: r.Method, URL: c.addressOf(r), QueryString: harPairs(r.Query),
			harMessage: message(r.Header, int64(len(r.Body))),
		},
		Response: harResponse{Status: r.Status, StatusText: http.StatusText(r.Status), harMessage: message(nil, -1)},
		Comment:  strings.Join(told, "; "),
	}
	if r.Body != "" {
		e.Request.PostData = &harBody{MimeType: r.Header.Get("Content-Type"), Text: r.Body}
	}
	size := int64(0)
	if a := r.Response; a != nil {
		size = a.Size
		e.Response.harMessage = message(a.Header, a.Size)
		e.Response.RedirectURL = a.Header.Get("Location")
		e.Response.Content.Text = a.Body
	}
	e.Response.Content.Size = &size
	e.Response.Content.MimeType = cmp.Or(e.Response.header("Content-Type"), "x-unknown")
	return e
}

func message(header http.Header, size int64) harMessage {
	return harMessage{
		HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: harPairs(header), HeadersSize: -1, BodySize: size,
	}
}

func (m harMessage) header(name string) string {
	i := slices.IndexFunc(m.Headers, func(p harPair) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return ""
	}
	return m.Headers[i].Value
}

// harPairs returns fields by name, one entry a value.
func harPairs(fields map[string][]string) []harPair {
	out := []harPair{}
	for name, values := range fields {
		for _, value := range values {
			out = append(out, harPair{name, value})
		}
	}
	slices.SortStableFunc(out, func(a, b harPair) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
