package credential

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/redact"
	"golang.org/x/oauth2"
)

// maxTokenAnswer bounds the answer of a token endpoint, as package oauth2 does.
const maxTokenAnswer = 1 << 20

// ReadAnswers returns a context in which package oauth2 reads the answers of a token endpoint more
// kindly: an expires_in of 3600.0 or "3600" is a number, and the error of an answer that holds no
// token says its status, its content type and how it begins.
func ReadAnswers(ctx context.Context) context.Context {
	client := *http.DefaultClient //nolint:forbidigo // what package oauth2 would use; the context of a fetch bounds it
	if own, ok := ctx.Value(oauth2.HTTPClient).(*http.Client); ok && own != nil {
		client = *own
	}
	client.Transport = tokenAnswers{client.Transport}
	return context.WithValue(ctx, oauth2.HTTPClient, &client)
}

// tokenAnswers sends the requests of package oauth2, and reads their answers first.
type tokenAnswers struct{ next http.RoundTripper }

func (t tokenAnswers) RoundTrip(req *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil || resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenAnswer))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	if resp.Request == nil {
		resp.Request = req
	}
	if media := mediaType(resp); media != "application/x-www-form-urlencoded" && media != "text/plain" {
		if body, err = readable(body); err != nil {
			return nil, &unusableAnswer{describe(resp, body)} // without err, which may show a token
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// unusableAnswer is the error of a token endpoint's good answer that holds no token.
type unusableAnswer struct{ answer string }

func (e *unusableAnswer) Error() string {
	return "the answer of the token endpoint has no token that can be read; is its address right? " + e.answer
}

// readable returns the JSON of a token endpoint's answer as package oauth2 can read it.
func readable(body []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return body, err
	}
	var known struct { // by the rules of package oauth2, which takes names in any case
		Token any `json:"access_token"`
		Error any `json:"error"`
	}
	_ = json.Unmarshal(body, &known)
	if known.Token == nil && known.Error == nil {
		return body, errors.New("no token")
	}
	const name = "expires_in"
	given, ok := members[name]
	text := strings.Trim(string(given), `" `)
	if !ok || text == "null" {
		return body, nil
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil && given[0] != '"' {
		return body, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(seconds) <= math.MaxInt32) { // NaN is not at most anything
		return body, errors.New(name + " is no number of seconds")
	}
	members[name] = strconv.AppendInt(nil, int64(seconds), 10)
	return json.Marshal(members)
}

func mediaType(resp *http.Response) string {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return media
}

// describe returns the status, the content type and the beginning of a token endpoint's answer. It
// shows nothing of what may be a token: of a page its beginning without what the request held in
// confidence, of any other text what stands before its first value.
func describe(resp *http.Response, body []byte) string {
	status := strings.TrimSpace(strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
	media := mediaType(resp)
	if media == "" {
		media = "no content type"
	}
	text := strings.Trim(string(body[:min(len(body), 4<<10)]), " \t\r\n\ufeff")
	if !strings.HasPrefix(text, "<") {
		text, _, _ = strings.Cut(text, ":")
		words := strings.HasPrefix(text, "{") || strings.Contains(text, " ")
		if !words || len(text) > 200 || strings.ContainsAny(text, "=0123456789") {
			text = ""
		}
	}
	if text == "" && len(body) == 0 {
		return status + " (" + redact.Clean(media, 60) + ", empty)"
	}
	begins := ""
	if text = redact.Clean(redact.Hide(text, confidential(resp.Request)), 60); text != "" {
		begins = ", begins " + strconv.Quote(text)
	}
	return status + " (" + redact.Clean(media, 60) + begins + ")"
}

// confidential returns what a request to a token endpoint holds that no text may show.
func confidential(req *http.Request) (secrets []string) {
	if req == nil {
		return nil
	}
	add := func(values url.Values) {
		for name, all := range values {
			if name != "grant_type" {
				secrets = append(secrets, all...)
			}
		}
	}
	add(req.URL.Query())
	if user, password, ok := req.BasicAuth(); ok {
		secrets = append(secrets, user, password)
	}
	if _, token, ok := strings.Cut(req.Header.Get("Authorization"), " "); ok {
		secrets = append(secrets, token)
	}
	if req.GetBody == nil {
		return secrets
	}
	if body, err := req.GetBody(); err == nil {
		text, _ := io.ReadAll(io.LimitReader(body, maxTokenAnswer))
		form, _ := url.ParseQuery(string(text))
		add(form)
	}
	return secrets
}
