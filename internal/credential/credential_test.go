package credential

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"
)

// A complete header is made once for each kind, credential and client, and again
// for whatever is of one call alone.
func TestHeadersAreShared(t *testing.T) {
	one, other := NewHeaders("a", "de"), NewHeaders("b", "")
	auth, err := authorize(&oauth2.Token{AccessToken: "t"})
	if err != nil {
		t.Fatal(err)
	}
	plain := one.Whole(nil, Plain, nil, "", auth, true)
	of := func(h http.Header) uintptr { return reflect.ValueOf(h).Pointer() }
	for _, c := range []struct {
		name   string
		got    http.Header
		shared bool
		agent  string
	}{
		{"the same", one.Whole(nil, Plain, nil, "", auth, true), true, "a"},
		{"another kind", one.Whole(nil, Search, nil, "", auth, true), false, "a"},
		{"another language", one.Whole(nil, Plain, nil, "en", auth, true), false, "a"},
		{"observed", one.Whole(http.Header{"Traceparent": {"x"}}, Plain, nil, "", auth, true), false, "a"},
		{"added", one.Whole(nil, Plain, http.Header{"X-Tenant": {"x"}}, "", auth, true), false, "a"},
		{"nothing kept", one.Whole(nil, Plain, nil, "", auth, false), false, "a"},
		{"the first again", one.Whole(nil, Plain, nil, "", auth, true), true, "a"},
		{"another client", other.Whole(nil, Plain, nil, "", auth, true), false, "b"},
	} {
		if shared := of(c.got) == of(plain); shared != c.shared || c.got.Get("User-Agent") != c.agent ||
			c.got.Get("Authorization") != "Bearer t" {
			t.Errorf("%s: shared: %v, %v", c.name, shared, c.got)
		}
	}
}

// A token is sent only if a header can hold it and it has not expired.
func TestCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wrong = "the access token has a character that no header may hold"
		for _, test := range []struct {
			token *oauth2.Token
			want  string
		}{
			{nil, "the token source returned no token"},
			{&oauth2.Token{}, "the access token is empty"},
			{&oauth2.Token{AccessToken: "a b"}, wrong},
			{&oauth2.Token{AccessToken: "a\x7f"}, wrong},
			{&oauth2.Token{AccessToken: "a", Expiry: time.Now()}, "the access token is expired"},
			{&oauth2.Token{AccessToken: "a", Expiry: time.Now().Add(1)}, "<nil>"},
			{&oauth2.Token{AccessToken: "!~"}, "<nil>"},
		} {
			if got := fmt.Sprint(Check(test.token)); got != test.want {
				t.Errorf("%+v: %s, want %s", test.token, got, test.want)
			}
		}
	})
	for c := range 256 {
		if got, want := IsVisible("a"+string([]byte{byte(c)})), c > ' ' && c <= '~'; got != want {
			t.Errorf("%q is visible: %v", byte(c), got)
		}
	}
	if IsVisible("") {
		t.Error("nothing is visible")
	}
}

// The headers of each kind, whole.
func TestNewHeaders(t *testing.T) {
	all := NewHeaders("agent", "de")
	plain := http.Header{
		"Accept": {"application/json, text/plain;q=0.9, */*;q=0.8"}, "Accept-Encoding": {"gzip"}, "User-Agent": {"agent"},
	}
	withBody := plain.Clone()
	withBody.Set("Content-Type", "application/json")
	search := withBody.Clone()
	search.Set("Accept-Language", "de")
	for kind, want := range map[Kind]http.Header{Plain: plain, WithBody: withBody, Search: search} {
		if !reflect.DeepEqual(all[kind], want) {
			t.Errorf("kind %d: %v, want %v", kind, all[kind], want)
		}
	}
	// What is the observer's gives way, and a call's own language comes last.
	observed := http.Header{"User-Agent": {"x"}, "Authorization": {"y"}, "Traceparent": {"z"}}
	got := all.Whole(observed, Search, nil, "en", &Authorization{}, true)
	search.Set("Accept-Language", "en")
	search.Set("Traceparent", "z")
	if !reflect.DeepEqual(got, search) {
		t.Errorf("%v, want %v", got, search)
	}
	if got := NewHeaders("agent", ""); got[Search]["Accept-Language"] != nil {
		t.Errorf("%v", got)
	}
}

// An authorization takes the place of any other, however its name is written; without an
// authorization the header stays unchanged.
func TestPut(t *testing.T) {
	auth, err := authorize(&oauth2.Token{AccessToken: "t"})
	if err != nil {
		t.Fatal(err)
	}
	header := func() http.Header {
		return http.Header{"authorization": {"a"}, "AUTHORIZATION": {"b"}, "Authorization": {"c", "d"}, "Accept": {"e"}}
	}
	h := header()
	auth.Put(h)
	if want := (http.Header{"Authorization": {"Bearer t"}, "Accept": {"e"}}); !reflect.DeepEqual(h, want) {
		t.Errorf("the header is %v", h)
	}
	h = header()
	new(Authorization).Put(h)
	if !reflect.DeepEqual(h, header()) {
		t.Errorf("without an authorization the header is %v", h)
	}
}
