package control

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// variantSwitch is the control on the page for one member of Variants.
type variantSwitch struct {
	Name, Label string
	Kind        string // "yes", "number" or "text"; empty: one of Words
	Words       []option
	Value       string
	Hint        string // the meaning of an empty field
	On          bool
}

type option struct {
	Value, Label string
}

// The first of a switch's words stands for the zero value, the plainest reading
// of the interface.
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
	{Name: "compress", Label: "gzip where it is accepted", Kind: "yes"},
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

// words returns the choices of a switch; empty is the label of the zero value.
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
	_ = json.Unmarshal(marshal(v), &at) // cannot fail: marshal wrote it
	out := slices.Clone(allSwitches)
	for i := range out {
		switch x := at[out[i].Name].(type) {
		case bool:
			out[i].On = x
		case float64:
			out[i].Value = strconv.Itoa(int(x))
		case string:
			out[i].Value = x
		}
	}
	return out
}

// preset is a fault with a button of its own.
type preset struct {
	Label string
	Fault string // JSON
}

var presets = []preset{
	{"500", `{"status":500}`},
	{"503", `{"status":503}`},
	{"503, retry after 2 s", `{"status":503,"header":{"Retry-After":["2"]}}`},
	{"429", `{"status":429,"header":{"Retry-After":["1"]}}`},
	{"2 s late", `{"delay":"2s"}`},
	{"Slow drip", `{"drip_bytes":64,"drip_every":"50ms"}`},
	{"Never answers", `{"break":"stall-before"}`},
	{"Stalls in the body", `{"break":"stall-body"}`},
	{"Connection reset", `{"break":"reset-before"}`},
	{"Reset in the body", `{"break":"reset-body"}`},
	{"Body cut off", `{"break":"cut-body"}`},
	{"Login page", `{"name":"login page","header":{"Content-Type":["text/html"]},"body":"\u003c!DOCTYPE html\u003e\u003ctitle\u003eSign in\u003c/title\u003e"}`},
	{"Wrong content type", `{"header":{"Content-Type":["text/plain"]}}`},
	{"Redirect elsewhere", `{"status":302,"header":{"Location":["https://login.example.com/"]}}`},
	{"Endless body", `{"size":-1}`},
	{"Gzip bomb, 1 GiB", `{"size":1073741824,"encoding":"gzip"}`},
	{"Broken gzip", `{"encoding":"broken-gzip"}`},
	{"Clock 1 h ahead", `{"skew":"1h0m0s"}`},
}
