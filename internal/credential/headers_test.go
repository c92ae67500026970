package credential

import (
	"net/http"
	"reflect"
	"testing"

	"golang.org/x/oauth2"
)

// A complete header is made once for each kind, credential and client, and again
// for whatever is of one call alone.
func TestHeadersAreShared(t *testing.T) {
	one, other := NewHeaders("a", "de", true), NewHeaders("b", "", true)
	auth, err := authorize(&oauth2.Token{AccessToken: "t"})
	if err != nil {
		t.Fatal(err)
	}
	plain := one.Whole(nil, Plain, "", auth, true)
	of := func(h http.Header) uintptr { return reflect.ValueOf(h).Pointer() }
	for _, c := range []struct {
		name   string
		got    http.Header
		shared bool
		agent  string
	}{
		{"the same", one.Whole(nil, Plain, "", auth, true), true, "a"},
		{"another kind", one.Whole(nil, Search, "", auth, true), false, "a"},
		{"another language", one.Whole(nil, Plain, "en", auth, true), false, "a"},
		{"observed", one.Whole(http.Header{"Traceparent": {"x"}}, Plain, "", auth, true), false, "a"},
		{"nothing kept", one.Whole(nil, Plain, "", auth, false), false, "a"},
		{"the first again", one.Whole(nil, Plain, "", auth, true), true, "a"},
		{"another client", other.Whole(nil, Plain, "", auth, true), false, "b"},
	} {
		if shared := of(c.got) == of(plain); shared != c.shared || c.got.Get("User-Agent") != c.agent ||
			c.got.Get("Authorization") != "Bearer t" {
			t.Errorf("%s: shared: %v, %v", c.name, shared, c.got)
		}
	}
}
