package jobboard

import (
	"net/http"
	"reflect"
	"runtime/debug"
	"testing"
)

func TestAgent(t *testing.T) {
	other := debug.Module{Path: "example.com/partner", Version: "v9.9.9"}
	dep := func(m debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Main: other, Deps: []*debug.Module{{Path: "golang.org/x/oauth2", Version: "v0.1.0"}, &m}}
	}
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no information", nil, "jobboard-go"},
		{"a program without us", &debug.BuildInfo{Main: other}, "jobboard-go"},
		{"a dependency", dep(debug.Module{Path: modulePath, Version: "v1.2.3"}), "jobboard-go/v1.2.3"},
		{"a dependency between versions", dep(debug.Module{Path: modulePath, Version: "v0.0.0-20260131083000-0123456789ab"}), "jobboard-go/v0.0.0-20260131083000-0123456789ab"},
		{"a module of ours with another path", dep(debug.Module{Path: modulePath + "/cmd/jobboard", Version: "v1.2.3"}), "jobboard-go"},
		{"a checkout in its place", dep(debug.Module{Path: modulePath, Version: "v0.0.0", Replace: &debug.Module{Path: "../jobboard-go"}}), "jobboard-go"},
		{"another version in its place", dep(debug.Module{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: modulePath, Version: "v1.2.4"}}), "jobboard-go/v1.2.4"},
		{"a program of ours", &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.3.0+dirty"}}, "jobboard-go/v1.3.0+dirty"},
		{"a program of ours from a checkout", &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, "jobboard-go"},
		{"what no header may hold", dep(debug.Module{Path: modulePath, Version: "v1\r\nX: y"}), "jobboard-go"},
	} {
		if got := agentOf(c.info); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got, err := userAgent("partner/2"); err != nil || got != "partner/2 "+agent() {
		t.Errorf("%q, %v", got, err)
	}
}

// A complete header is made once for each kind, credential and client, and again
// for whatever is of one call alone.
func TestHeadersAreShared(t *testing.T) {
	one, other := newHeaders("a", "de", true), newHeaders("b", "", true)
	auth := []string{"Bearer t"}
	var kept wholeHeaders
	plain := one.whole(nil, plainHeader, "", auth, &kept)
	of := func(h http.Header) uintptr { return reflect.ValueOf(h).Pointer() }
	for _, c := range []struct {
		name   string
		got    http.Header
		shared bool
		agent  string
	}{
		{"the same", one.whole(nil, plainHeader, "", auth, &kept), true, "a"},
		{"another kind", one.whole(nil, searchHeader, "", auth, &kept), false, "a"},
		{"another language", one.whole(nil, plainHeader, "en", auth, &kept), false, "a"},
		{"observed", one.whole(http.Header{"Traceparent": {"x"}}, plainHeader, "", auth, &kept), false, "a"},
		{"nothing kept", one.whole(nil, plainHeader, "", auth, nil), false, "a"},
		{"the first again", one.whole(nil, plainHeader, "", auth, &kept), true, "a"},
		{"another client", other.whole(nil, plainHeader, "", auth, &kept), false, "b"},
	} {
		if shared := of(c.got) == of(plain); shared != c.shared || c.got.Get("User-Agent") != c.agent ||
			c.got.Get("Authorization") != "Bearer t" {
			t.Errorf("%s: shared: %v, %v", c.name, shared, c.got)
		}
	}
}
