package control

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// variantSwitch is one member of Variants as the page shows it.
type variantSwitch struct {
	Name, Label string
	Kind        string   // "words", "yes", "number" or "text"
	Words       []option // for words
	Value       string
	Hint        string // what the empty field stands for
	On          bool
}

type option struct {
	Value, Label string
	Selected     bool
}

// The zero value, the plainest reading of the interface, comes first.
var allSwitches = []variantSwitch{
	{Name: "plain_errors", Label: "Plain error texts", Words: words("text/plain", "as-json", "json-string")},
	{Name: "coded_errors", Label: "Errors with a code", Words: words("JSON", "as-text", "code-word")},
	{Name: "not_fount", Label: "“not fount”, as seen in the wild", Kind: "yes"},
	{Name: "application_id", Label: "Application identifier", Words: words("bare", "quoted", "newline")},
	{Name: "error_status", Label: "Status of ERROR_ codes", Kind: "number", Hint: "404"},
	{Name: "error_shape", Label: "Form of ERROR_ codes", Words: words("JSON object", "json-string", "text")},
	{Name: "error_field", Label: "Member that holds them", Kind: "text", Hint: "errorCode"},
	{Name: "auth_errors", Label: "401 and 403 say why in", Words: words("header", "body", "both")},
	{Name: "invalid_token_space", Label: "“invalid token” with a space", Kind: "yes"},
	{Name: "basic_needs_colon", Label: "Basic needs its colon", Kind: "yes"},
	{Name: "confidential_basic", Label: "Basic with a secret may search", Kind: "yes"},
	{Name: "quoted_ids", Label: "Quoted identifiers", Kind: "yes"},
	{Name: "dates", Label: "Dates", Words: words("milliseconds", "iso-z", "iso-colon", "iso-plain")},
	{Name: "missing", Label: "Empty values", Words: words("empty", "null", "absent")},
	{Name: "empty_server_errors", Label: "500 without a body", Kind: "yes"},
	{Name: "unknown_channel", Label: "Unknown channel", Kind: "number", Hint: "200, empty"},
	{Name: "page_size", Label: "Postings on a page", Kind: "number", Hint: "all"},
	{Name: "page", Label: "Which page, from 0", Kind: "number", Hint: "0"},
	{Name: "links", Label: "Links of postings", Words: words("job and version", "plain", "relative", "opaque")},
	{Name: "feed", Label: "Names in the feed", Words: words("plain", "namespace", "prefix", "lower-case")},
	{Name: "feed_unnamed", Label: "Feed does not name postings", Kind: "yes"},
	{Name: "feed_unlinked", Label: "Feed without links", Kind: "yes"},
	{Name: "subscriptions_need_credential", Label: "Subscriptions need a credential", Kind: "yes"},
	{Name: "subscription_lists", Label: "Subscriptions answer with lists", Kind: "yes"},
	{Name: "token_seconds", Label: "Seconds a token lives", Kind: "number", Hint: "3600"},
}

// words returns the choices of a switch; the first is labelled empty.
func words(empty string, others ...string) []option {
	out := []option{{Label: empty}}
	for _, w := range others {
		out = append(out, option{Value: w, Label: w})
	}
	return out
}

// switches returns the switches of the page, set as v has them.
func switches(v jobboardtest.Variants) []variantSwitch {
	var at map[string]any
	_ = json.Unmarshal(marshal(v), &at) // marshal made it
	out := make([]variantSwitch, len(allSwitches))
	for i, s := range allSwitches {
		switch x := at[s.Name].(type) {
		case bool:
			s.On = x
		case float64:
			s.Value = strconv.Itoa(int(x))
		case string:
			s.Value = x
		}
		if s.Words != nil {
			s.Kind = "words"
			s.Words = append([]option(nil), s.Words...)
			for k := range s.Words {
				s.Words[k].Selected = s.Words[k].Value == s.Value
			}
		}
		out[i] = s
	}
	return out
}

// preset is a fault with a button of its own.
type preset struct {
	Label string
	Fault string // JSON
}

func presets() []preset {
	mk := func(label string, f jobboardtest.Fault) preset { return preset{label, string(marshal(f))} }
	return []preset{
		mk("500", jobboardtest.Fault{Status: 500}),
		mk("503", jobboardtest.Fault{Status: 503}),
		mk("503, retry after 2 s", jobboardtest.Fault{Status: 503, Header: http.Header{"Retry-After": {"2"}}}),
		mk("429", jobboardtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"1"}}}),
		mk("2 s late", jobboardtest.Fault{Delay: 2e9}),
		mk("Slow drip", jobboardtest.Fault{DripBytes: 64, DripEvery: 5e7}),
		mk("Never answers", jobboardtest.Fault{Break: jobboardtest.StallBefore}),
		mk("Stalls in the body", jobboardtest.Fault{Break: jobboardtest.StallBody}),
		mk("Connection reset", jobboardtest.Fault{Break: jobboardtest.ResetBefore}),
		mk("Reset in the body", jobboardtest.Fault{Break: jobboardtest.ResetBody}),
		mk("Body cut off", jobboardtest.Fault{Break: jobboardtest.CutBody}),
		mk("Login page", jobboardtest.Fault{
			Name: "login page", Body: "<!DOCTYPE html><title>Sign in</title>",
			Header: http.Header{"Content-Type": {"text/html"}},
		}),
		mk("Wrong content type", jobboardtest.Fault{Header: http.Header{"Content-Type": {"text/plain"}}}),
		mk("Redirect elsewhere", jobboardtest.Fault{
			Status: 302, Header: http.Header{"Location": {"https://login.example.com/"}},
		}),
		mk("Endless body", jobboardtest.Fault{Size: -1}),
		mk("Gzip bomb, 1 GiB", jobboardtest.Fault{Size: 1 << 30, Encoding: jobboardtest.Gzip}),
		mk("Broken gzip", jobboardtest.Fault{Encoding: jobboardtest.BrokenGzip}),
		mk("Clock 1 h ahead", jobboardtest.Fault{Skew: 3600e9}),
	}
}
