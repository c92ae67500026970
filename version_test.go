package jobboard

import (
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionOf(t *testing.T) {
	other := &debug.Module{Path: "example.com/other", Version: "v9.9.9"}
	main := debug.Module{Path: "example.com/program", Version: "v8.8.8"}
	for _, test := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no information", nil, ""},
		{"empty", &debug.BuildInfo{}, ""},
		{"not among the modules", &debug.BuildInfo{Main: main, Deps: []*debug.Module{other}}, ""},
		{"dependency", &debug.BuildInfo{Main: main, Deps: []*debug.Module{other, {Path: modulePath, Version: "v1.2.3"}}}, "v1.2.3"},
		{"nested module", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath + "/jobboardotel", Version: "v7.0.0"}, {Path: modulePath, Version: "v1.2.3"}}}, "v1.2.3"},
		{"candidate", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v1.3.0-rc.1"}}}, "v1.3.0-rc.1"},
		{"main module", &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.2.3"}}, "v1.2.3"},
		{"working copy", &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "(devel)"}}, ""},
		{"changed working copy", &debug.BuildInfo{Main: debug.Module{Path: modulePath, Version: "v1.2.4-0.20260102030405-0123456789ab+dirty"}}, "v1.2.4-0.20260102030405-0123456789ab+dirty"},
		{"main module without version", &debug.BuildInfo{Main: debug.Module{Path: modulePath}}, ""},
		{"replaced by a directory", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: "../jobboard-go"}}}}, ""},
		{"replaced by a directory, told", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: "..", Version: "(devel)"}}}}, ""},
		{"replaced by a fork", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.2.4"}}}}, "v1.2.4"},
		{"header in it", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v1.2.3\r\nCookie: a"}}}, ""},
		{"second product in it", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v1.2.3 curl/8"}}}, ""},
		{"not Go's form", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "1.2.3"}}}, ""},
		{"a letter", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v"}}}, ""},
		{"endless", &debug.BuildInfo{Deps: []*debug.Module{{Path: modulePath, Version: "v1" + strings.Repeat("1", 1000)}}}, ""},
	} {
		if got := versionOf(test.info); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// modulePath is written by hand, and the build knows better.
func TestModulePath(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Skip("built without modules")
	}
	if info.Main.Path != modulePath {
		t.Errorf("modulePath is %q, the module's is %q", modulePath, info.Main.Path)
	}
}

func TestProductIsSent(t *testing.T) {
	info, _ := debug.ReadBuildInfo()
	own := "jobboard-go"
	if v := versionOf(info); v != "" {
		own += "/" + v
	}
	var got string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("User-Agent")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jobId":1,"applyPossible":true}`))
	}))
	defer srv.Close()
	for agent, want := range map[string]string{"": own, "  ": own, "shop/2.1": "shop/2.1 " + own} {
		c, err := NewClient(Config{JobDBURL: srv.URL, UserAgent: agent})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.JobInformation(t.Context(), 1)
		if got != want {
			t.Errorf("with %q: %q, want %q", agent, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { _ = product() }); n != 0 {
		t.Errorf("the name is made anew: %v allocations", n)
	}
}
