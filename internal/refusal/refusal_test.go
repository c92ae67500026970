package refusal

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// What the shapes of a refused answer say. A code of the lookup counts below the
// members whose names begin with an e.
func TestRead(t *testing.T) {
	const gone = "ERROR_JOB_UNAVAILABLE"
	deep := func(levels int, value string) string {
		return `{"e":` + strings.Repeat("[", levels-1) + value
	}
	for _, test := range []struct {
		challenge, body string
		want            Words
	}{
		{"", "", Words{}},
		{"", "\xef\xbb\xbf \t\r\n\v\f", Words{}},
		{"", " no job\n", Words{Message: "no job"}},
		{"", "<p>get_x", Words{Markup: true}},
		{"", "\xef\xbb\xbf<p>", Words{Markup: true}},
		{"", "get_error1", Words{Message: "get_error1", Code: "get_error1"}},
		{"", "get_error: x", Words{Message: "get_error: x"}},
		{"", "error", Words{Message: "error"}},
		{"", gone + ": gone", Words{Message: gone + ": gone", Code: gone}},
		{"", gone + "_2", Words{Message: gone + "_2", Code: gone + "_2"}},
		{"", `"no job"`, Words{Message: "no job"}},
		{"", `" <p>"`, Words{Message: " <p>", Markup: true}},
		{"", `"get_x"`, Words{Message: "get_x", Code: "get_x"}},
		{"", `{"code":"a","message":"b"}`, Words{Coded: true, Code: "a", Message: "b"}},
		{"", `{"code":"a","message":"b","code":"c","message":"d"}`, Words{Coded: true, Code: "a", Message: "b"}},
		{"", `{"code":7,"message":8}`, Words{Coded: true, Code: "7", Message: "8"}},
		{"", `{"code":"","message":""}`, Words{Coded: true}},
		{"", `{"code":true,"message":null}`, Words{}},
		{"", `{"message":" <p>"}`, Words{Message: " <p>", Markup: true}},
		{"", `{"x":{"code":"a","message":"b"}}`, Words{}},
		{"", `{"x":["code","a"],"code":"b"}`, Words{Coded: true, Code: "b"}},
		{"", `{"error":{"code":"a","message":"b"}}`, Words{Coded: true, Code: "a", Message: "b"}},
		{"", `{"error":{"error":{"code":"a"},"message":"b"}}`, Words{Message: "b"}},
		{"", `[{"code":"a","message":"b"}]`, Words{}},
		{"", `{"error":"x","error_description":"y"}`, Words{AuthError: "x", AuthText: "y", shownError: "x", shownText: "y"}},
		{"", `{"code":"a","message":"cut off`, Words{Coded: true, Code: "a"}},
		{"", `{"code":"a"} {"code":"b","message":"c"}`, Words{Coded: true, Code: "a"}},
		{"", `{"code":"a"]"message":"c"`, Words{Coded: true, Code: "a"}},
		{"", `{"error":"` + gone + `"}`, Words{Coded: true, Code: gone, AuthError: gone, shownError: gone}},
		{"", `{"x":"` + gone + `"}`, Words{}},
		{"", `{"code":"a","e":["` + gone + ` x"]}`, Words{Coded: true, Code: gone}},
		{"", `{"e":["` + gone + `","ERROR_JOB_INACTIVE"]}`, Words{Coded: true, Code: gone}},
		{"", deep(64, `"`+gone+`"`), Words{Coded: true, Code: gone}},
		{"", deep(65, `"`+gone+`"`), Words{}},
		{
			`Bearer error="in\\valid", error_description="a", error="x", error_description="y"`, `{"error":"z","message":"m"}`,
			Words{AuthError: `in\valid`, AuthText: "a", shownError: `in\\valid`, shownText: "a", Message: "m"},
		},
	} {
		header := http.Header{}
		if test.challenge != "" {
			header.Set("WWW-Authenticate", test.challenge)
		}
		got := Read(header, []byte(test.body), func(member string) bool { return strings.HasPrefix(member, "e") })
		got.steps = 0
		if got != test.want {
			t.Errorf("%q, %.80q:\n got %+v\nwant %+v", test.challenge, test.body, got, test.want)
		}
	}
	if got := Read(nil, []byte(`{"e":"`+gone+`"}`), nil); got.Code != "" {
		t.Errorf("a code where none counts: %+v", got)
	}
}

// What an answer shows: the code and the message, or else the authorization error.
func TestShown(t *testing.T) {
	for _, test := range []struct {
		w             Words
		code, message string
	}{
		{Words{Code: "c", Message: "m", shownError: "e", shownText: "t"}, "c", "m"},
		{Words{shownError: "e", shownText: "t"}, "e", "t"},
	} {
		if code, message := test.w.ErrorCode(), test.w.ErrorMessage(); code != test.code || message != test.message {
			t.Errorf("%+v: %q, %q", test.w, code, message)
		}
	}
}

func TestTokenExpired(t *testing.T) {
	for said, want := range map[string]bool{"invalid_token": true, "Expired Token": true, "token-expired": true, "": false, "invalid_client": false} {
		for text, helps := range map[string]bool{"": true, "it expired": true, "a User Token required": false} {
			if w := (Words{AuthError: said, AuthText: text}); w.TokenExpired() != (want && helps) {
				t.Errorf("%q, %q: %v", said, text, w.TokenExpired())
			}
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 31, 8, 30, 0, 0, time.UTC)
	for _, test := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{" ", "", 0},
		{"0", "", 0},
		{" 7 ", "", 7 * time.Second},
		{"-7", "", 0},
		{"7.5", "", 0},
		{"3153599999", "", maxDemand - time.Second},
		{"3153600001", "", maxDemand},
		{"9223372036", "", maxDemand},
		{"99999999999999999999", "", maxDemand},
		{"+7", "", 0},
		{"0x7", "", 0},
		{"Saturday, 31-Jan-26 08:30:07 GMT", "", 7 * time.Second},
		{"Sat Jan 31 08:30:07 2026", "", 7 * time.Second},
		{"Sat, 31 Jan 2026 08:30:07 GMT", "", 7 * time.Second},
		{"Sat, 31 Jan 2026 08:29:53 GMT", "", 0},
		{"Sat, 31 Jan 2026 08:30:07 GMT", "Sat, 31 Jan 2026 08:30:02 GMT", 5 * time.Second},
		{"Sat, 31 Jan 2026 08:30:07 GMT", "yesterday", 7 * time.Second},
		{"Fri, 31 Dec 9999 23:59:59 GMT", "", maxDemand},

		// Dates in seconds since 1970, which would be waits of half a century.
		{"1769848207", "", 7 * time.Second},
		{"1769848207", "Sat, 31 Jan 2026 08:30:02 GMT", 5 * time.Second},
		{"1769848200", "", 0},
		{"1769848193", "", 0},
		{"1612168201", "", 0},
		{"1612168200", "", 1612168200 * time.Second},
		{"1927528199", "", 5*365*24*time.Hour - time.Second},
		{"1927528200", "", 1927528200 * time.Second},
		{"1769848207000", "", maxDemand},
	} {
		if got := RetryAfter(http.Header{"Retry-After": {test.value}, "Date": {test.date}}, now); got != test.want {
			t.Errorf("%q, %q: %v, want %v", test.value, test.date, got, test.want)
		}
	}
}

func TestCodeWords(t *testing.T) {
	const words = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	for c := range 256 {
		want := strings.IndexByte(words, byte(c)) >= 0
		if got := isCodeWord("_" + string([]byte{byte(c)})); got != want {
			t.Errorf("a code may hold %q: %v", byte(c), got)
		}
	}
	for length, want := range map[int]bool{63: true, 64: false} {
		if got := isCodeWord("_" + strings.Repeat("x", length)); got != want {
			t.Errorf("a code of %d bytes: %v", length+1, got)
		}
	}
}
