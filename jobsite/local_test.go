package jobsite

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestLocal(t *testing.T) {
	for address, want := range map[string]string{
		"":                                    "/",
		"/jobs/1/apply":                       "/jobs/1/apply",
		"/signin":                             "/",
		"/signin/callback?code=x&state=y":     "/",
		"/signin/../signin?next=/signin":      "/",
		"/signing-bonus":                      "/signing-bonus",
		"/?text=a&near=K%C3%B6ln":             "/?text=a&near=K%C3%B6ln",
		"//evil.example":                      "/",
		"/\t/evil.example":                    "/",
		"/\n/evil.example":                    "/",
		"/\x00//evil.example":                 "/",
		`/\evil.example`:                      "/%5Cevil.example",
		"/.//evil.example":                    "/evil.example",
		"/%2F/evil.example":                   "/evil.example",
		"/%09/evil.example":                   "/%09/evil.example",
		"/%5C/evil.example":                   "/%5C/evil.example",
		"https://evil.example/":               "/",
		"javascript:alert(1)":                 "/",
		"evil.example":                        "/evil.example",
		"/" + strings.Repeat("x", maxAddress): "/",
	} {
		if got := local(address); got != want {
			t.Errorf("%.40q: %q, want %q", address, got, want)
		}
	}
}

// Wherever a visitor is sent stays on the site, as a browser reads it.
func FuzzLocal(f *testing.F) {
	for _, seed := range []string{"/a", "//x", `/\x`, "/%2f/x", "/\t//x", "\u3000//x", "/..//x", "?x", "#x", "/a:b", "a:b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		w := httptest.NewRecorder()
		http.Redirect(w, httptest.NewRequest("GET", "/signin", nil), local(address), http.StatusSeeOther)
		at := w.Header().Get("Location")
		if !strings.HasPrefix(at, "/") || len(at) > 1 && strings.ContainsAny(at[1:2], "/\\\t\n\r") || local(at) != at {
			t.Errorf("%q leads to %q", address, at)
		}
	})
}
