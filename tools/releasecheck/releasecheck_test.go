package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDated(t *testing.T) {
	const good = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n\n- A thing.\n\n## [1.2.2] - 2026-01-30\n\n- Another.\n"
	for _, c := range []struct{ changelog, version, says string }{
		{good, "v1.2.3", ""},
		{good, "v1.2.2", ""},
		{good, "v1.2.4", "no section"},
		{good, "v1x2.3", "no section"},
		{strings.Replace(good, "2026-01-31", "2026-02-31", 1), "v1.2.3", "no day"},
		{strings.Replace(good, " - 2026-01-31", "", 1), "v1.2.3", "no section"},
		{strings.Replace(good, "- A thing.\n", "", 1), "v1.2.3", "says nothing"},
	} {
		checkError(t, c.version, dated(c.changelog, c.version), c.says)
	}
}

func checkError(t *testing.T, what string, err error, says string) {
	t.Helper()
	if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %q", what, err, says)
	}
}

func TestAPI(t *testing.T) {
	before := "pkg ., func A()\npkg ., func B()\n"
	if gone := missing(before, "pkg ., func A()\npkg ., func C()\npkg ., func B()\n"); gone != nil {
		t.Errorf("nothing is gone, and %q is said to be", gone)
	}
	if gone := missing(before, "pkg ., func A(int)\npkg ., func B()\n"); len(gone) != 1 || gone[0] != "pkg ., func A()" {
		t.Errorf("%q", gone)
	}
	for _, c := range []struct {
		last, version string
		want          bool
	}{
		{"v0.3.1", "v0.3.2", false},
		{"v0.3.1", "v0.4.0", true},
		{"v0.3.1", "v1.0.0", true},
		{"v1.3.1", "v1.4.0", false},
		{"v1.3.1", "v2.0.0", true},
	} {
		if got := mayBreak(c.last, c.version); got != c.want {
			t.Errorf("%s after %s may break: %v", c.version, c.last, got)
		}
	}
}

func TestPermitted(t *testing.T) {
	checkError(t, "two good ones", permitted([]string{"MIT", "Apache-2.0"}), "")
	checkError(t, "none", permitted(nil), "no licence")
	checkError(t, "one that asks for more", permitted([]string{"MIT", "AGPL-3.0"}), "AGPL-3.0")
}

func TestLicencesIn(t *testing.T) {
	own, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, file, text, want, says string
	}{
		{"ours", "LICENSE", string(own), "Apache-2.0", ""},
		{"spelt as in Britain", "licence.txt", string(own), "Apache-2.0", ""},
		{"something else", "LICENSE", strings.Repeat("You may look at this, and not use it. ", 50), "", "a licence that is known"},
		{"no file", "README", string(own), "", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		names, err := licencesIn(dir)
		checkError(t, c.name, err, c.says)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestShipped(t *testing.T) {
	files := func(more ...string) map[string]uint64 {
		all := map[string]uint64{}
		for _, name := range append(more, "LICENSE", "README.md", "CHANGELOG.md", "go.mod", "go.sum", "jobboard.go", "jobboardtest/doc.go") {
			all[name] = 1000
		}
		return all
	}
	checkError(t, "good", shipped(files("testdata/search.json")), "")
	checkError(t, "a test binary", shipped(files("jobboard.test")), "jobboard.test is nothing")
	checkError(t, "a tool", shipped(files(".ci/bin/gofumpt")), "is nothing to ship")
	checkError(t, "another module", shipped(files("cmd/jobboard/main.go")), "another module")
	big := files()
	big["jobboard.go"] = maxFile + 1
	checkError(t, "a large file", shipped(big), "jobboard.go has")
	few := files()
	delete(few, "LICENSE")
	checkError(t, "no licence", shipped(few), "LICENSE is missing")
}

func TestRequireVersion(t *testing.T) {
	const before = "module " + modulePath + "/cmd/x\n\ngo 1.26.0\n\nreplace " + modulePath + " => ../..\n\nrequire " + modulePath + " v0.0.0\n"
	got, err := requireVersion("go.mod", []byte(before), "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if want := "module " + modulePath + "/cmd/x\n\ngo 1.26.0\n\nrequire " + modulePath + " v1.2.3\n"; string(got) != want {
		t.Errorf("%s", got)
	}
}

// TestVersions makes a repository with tags.
func TestVersions(t *testing.T) {
	c := checkout{dir: t.TempDir(), out: io.Discard}
	git := func(args ...string) {
		t.Helper()
		if _, err := c.git(args...); err != nil {
			t.Fatal(err)
		}
	}
	file := func(name, text string) {
		t.Helper()
		name = filepath.Join(c.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	git("config", "user.name", "test")
	git("config", "user.email", "test@example.com")
	git("config", "commit.gpgsign", "false")
	git("config", "tag.gpgsign", "false")
	file("api/exported.txt", "pkg ., func A()\npkg ., func B()\n")
	git("add", ".")
	git("commit", "-q", "-m", "One")
	checkError(t, "the first version", c.version("v0.1.0"), "")
	checkError(t, "the API of the first version", c.api("v0.1.0"), "")
	git("tag", "v0.9.0")
	git("tag", "v0.10.0")
	git("tag", "jobboardotel/v0.20.0")
	git("tag", "v0.10.0-rc.1")
	for version, says := range map[string]string{
		"v0.10.1": "", "v1.0.0": "", "v0.10.0": "not above v0.10.0", "v0.9.9": "not above", "0.11.0": "not of the form", "v0.11": "not of the form", "v2.0.0": "another path",
	} {
		checkError(t, version, c.version(version), says)
	}
	checkError(t, "clean", c.clean(), "")
	file("api/exported.txt", "pkg ., func A()\n")
	checkError(t, "a change", c.clean(), "api/exported.txt")
	checkError(t, "a patch without B", c.api("v0.10.1"), "1 exported names")
	checkError(t, "a minor version without B", c.api("v0.11.0"), "")
	checkError(t, "no version yet", c.api(""), "")
}

// What a release needs holds for the commit that is being tested.
func TestReleaseOfNothing(t *testing.T) {
	c := checkout{dir: t.TempDir(), out: io.Discard}
	if c.release("", false) {
		t.Error("an empty directory can be released")
	}
}
