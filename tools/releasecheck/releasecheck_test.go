package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestChangelog(t *testing.T) {
	const good = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n\n- A thing.\n\n## [1.2.3-rc.1] - 2026-01-31\n\n### Fixed\n\n- Another.\n\n" +
		"[Unreleased]: https://example.com/\n[1.2.3]: https://example.com/3\n[1.2.3-rc.1]: https://example.com/2\n"
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, old, new, version, says string }{
		{"good", "", "", "v1.2.3", ""},
		{"an older one", "", "", "v1.2.3-rc.1", ""},
		{"no version yet", "", "", "", ""},
		{"not there", "", "", "v1.2.4", `no section "## [1.2.4] - 2026-01-31"`},
		{"a dot is a dot", "", "", "v1x2.3", "no section"},
		{"nothing in it", "- A thing.\n", "", "v1.2.3", "says nothing of v1.2.3"},
		{"no such day", "[1.2.3] - 2026-01-31", "[1.2.3] - 2026-02-31", "", ":5: \"2026-02-31\" is no day"},
		{"no day", "[1.2.3] - 2026-01-31", "[1.2.3]", "", "is no day"},
		{"a day to come", "[1.2.3] - 2026-01-31", "[1.2.3] - 2026-02-02", "", "is no day that has been"},
		{"tomorrow is today elsewhere", "[1.2.3] - 2026-01-31", "[1.2.3] - 2026-02-01", "", ""},
		{"days backwards", "[1.2.3] - 2026-01-31", "[1.2.3] - 2026-01-30", "", "is not older"},
		{"versions backwards", "1.2.3-rc.1", "1.3.0", "", "v1.3.0 is not older than v1.2.3"},
		{"no version", "1.2.3-rc.1", "1.2", "", "is no version"},
		{"another form", "## [1.2.3] - ", "## 1.2.3, ", "", "is not of the form"},
		{"no link", "[1.2.3]: https", "1.2.3: https", "", "with a link"},
		{"another kind", "### Fixed", "### Improved", "", `"Improved" is none of Added`},
		{"nothing for the next", "## [Unreleased]", "", "", "begins with [Unreleased]"},
		{"not released, with a day", "## [Unreleased]", "## [Unreleased] - 2026-01-31", "", "without a day"},
		{"above all", "## [Unreleased]", "- A thing.\n## [Unreleased]", "", "above the first version"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if c.name == "no version" || c.name == "versions backwards" {
			text = strings.ReplaceAll(good, c.old, c.new)
		}
		checkError(t, c.name, changelog(text, c.version, now), c.says)
	}
}

func checkError(t *testing.T, what string, err error, says string) {
	t.Helper()
	if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %q", what, err, says)
	}
}

func TestCompare(t *testing.T) {
	const before = "pkg ., func A()\npkg ., func B()\npkg ., type I interface\npkg ., type I interface, M()\n" +
		"pkg ., type S struct, F int\npkg ./sub, var W io.Writer\n"
	for _, c := range []struct{ name, old, new, breaking, added string }{
		{"the same", "", "", "", ""},
		{"more", "func B()", "func B()\npkg ., func C()", "", "pkg ., func C()"},
		{"less", "pkg ., func B()\n", "", "pkg ., func B()", ""},
		{"another", "func A()", "func A(int)", "pkg ., func A()", "pkg ., func A(int)"},
		{"deprecated", "func A()", "func A() //deprecated", "", ""},
		{"a method of an interface", "M()", "M()\npkg ., type I interface, N()", "pkg ., type I interface, N()", ""},
		{"a new interface", "func B()", "func B()\npkg ., type J interface\npkg ., type J interface, N()", "", "pkg ., type J interface; pkg ., type J interface, N()"},
		{"a field", "F int", "F int\npkg ., type S struct, G int", "", "pkg ., type S struct, G int"},
		{"another type of a field", "F int", "F int64", "pkg ., type S struct, F int", "pkg ., type S struct, F int64"},
		{"the same name elsewhere", "./sub", "./other", "pkg ./sub, var W io.Writer", "pkg ./other, var W io.Writer"},
	} {
		breaking, added := compare(before, strings.Replace(before, c.old, c.new, 1))
		if got := strings.Join(breaking, "; "); got != c.breaking {
			t.Errorf("%s breaks %q, want %q", c.name, got, c.breaking)
		}
		if got := strings.Join(added, "; "); got != c.added {
			t.Errorf("%s adds %q, want %q", c.name, got, c.added)
		}
	}
	if breaking, _ := compare(before+"pkg ., func Old() //deprecated\n", before); len(breaking) != 1 {
		t.Errorf("a deprecated name that is gone breaks %q", breaking)
	}
}

func TestMayChange(t *testing.T) {
	for _, c := range []struct {
		last, version  string
		breaking, adds bool
	}{
		{"v0.3.1", "v0.3.2", false, true},
		{"v0.3.1", "v0.4.0", true, true},
		{"v0.3.1", "v1.0.0-rc.1", true, true},
		{"v0.3.1", "v1.0.0", true, true},
		{"v1.3.1", "v1.3.2", false, false},
		{"v1.3.1", "v1.4.0", false, true},
		{"v1.3.1", "v2.0.0", true, true},
	} {
		if got := mayBreak(c.last, c.version); got != c.breaking {
			t.Errorf("%s after %s may break: %v", c.version, c.last, got)
		}
		if got := mayAdd(c.last, c.version); got != c.adds {
			t.Errorf("%s after %s may add: %v", c.version, c.last, got)
		}
	}
}

func TestShipped(t *testing.T) {
	files := func(more ...string) map[string]uint64 {
		all := map[string]uint64{}
		for _, name := range append(more, "LICENSE", "go.mod") {
			all[name] = 1000
		}
		return all
	}
	checkError(t, "good", shipped(files("testdata/search.json", ".golangci.yml", "README.md"), "LICENSE", "README.md"), "")
	for _, name := range []string{
		"jobboard.test", ".ci/bin/gofumpt", "bench/main.go", "other/go.mod", "vendor/modules.txt", "go.work",
		"examples/quickstart/.env", "id_ed25519", "tls/server.key", ".DS_Store", "client.go~", "cpu.prof",
	} {
		checkError(t, name, shipped(files(name)), name+" is nothing to ship")
	}
	big := files()
	big["jobboard.go"] = maxFile + 1
	checkError(t, "a large file", shipped(big), "jobboard.go has 256 KB")
	checkError(t, "no readme", shipped(files(), "LICENSE", "README.md"), "README.md is missing")
}

// TestDownload packs a module and looks into it.
func TestDownload(t *testing.T) {
	program := "\x7fELF" + strings.Repeat("\x00", 100)
	noise := make([]byte, maxFile)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	tooMuch := map[string]string{}
	for i := range maxZip/maxFile + 1 {
		tooMuch[fmt.Sprint(i, ".png")] = string(noise)
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		says  string
	}{
		{"good", map[string]string{"a.go": "package a\n", "testdata/raw": "a\x00b", "picture.png": "\x00", embedded[0]: "\x1f\x8b\x00", embedded[1]: "\x1f\x8b\x00"}, ""},
		{"other compressed data", map[string]string{"x/" + embedded[1]: "\x1f\x8b\x00"}, "is nothing to ship"},
		{"a program without a name", map[string]string{"jobboard-fake": program}, "jobboard-fake is no text"},
		{"one among the data", map[string]string{"testdata/run": program}, "testdata/run is no text"},
		{"a module in it stays out", map[string]string{"sub/go.mod": "module example.com/a/sub\n", "sub/sub.exe": program}, ""},
		{"too much in all", tooMuch, "are too much"},
		{"no module", map[string]string{"go.sum": ""}, ""},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/a\n", "go.sum": "", "LICENSE": "Free.\n"} {
			write(t, dir, name, text)
		}
		for name, text := range c.files {
			write(t, dir, name, text)
		}
		d, err := pack(dir, "example.com/a", "v1.2.3", t.TempDir())
		if err != nil {
			t.Fatal(c.name, err)
		}
		checkError(t, c.name, checkout{out: io.Discard}.look(d), c.says)
	}
}

func TestNested(t *testing.T) {
	dir := t.TempDir()
	released := []string{"lib", "cmd/jobboard"}
	write(t, dir, "go.mod", "module "+modulePath+"\n")
	for _, d := range append([]string{"tools", "examples/site", "bench/retry", "e2e"}, released...) {
		write(t, dir, d+"/go.mod", "module "+modulePath+"/"+d+"\n")
	}
	write(t, dir, "tools/testdata/go.mod", "module example.com/a\n")
	checkError(t, "all known", nested(dir, released), "")
	write(t, dir, "other/go.mod", "module example.com/other\n")
	checkError(t, "one more", nested(dir, released), "other is a module, and nothing says")
	checkError(t, "none", nested(t.TempDir(), released), "cmd/jobboard is no module")
}

// The list of modules is that of the checkout, in the order in which they are
// written there.
func TestReadReleased(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"# A comment.\n\nlib library\ncmd/x program\n": "[lib cmd/x] <nil>",
		"lib\n":          `[] api/modules.txt: "lib" is not a folder and library or program`,
		"lib archive\n":  `[] api/modules.txt: "lib archive" is not a folder and library or program`,
		"# A comment.\n": "[] api/modules.txt names no module",
	} {
		write(t, dir, "api/modules.txt", text)
		all, err := readReleased(dir)
		if got := fmt.Sprint(all, " ", err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if _, err := readReleased(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestSizes(t *testing.T) {
	checkError(t, "good", sizes(6900<<10, 6000<<10), "")
	checkError(t, "times", sizes(119<<10, 99<<10), "1.20 times as large")
	checkError(t, "bytes", sizes(19<<20, 17<<20), "2048 KB more")
}

func TestRequireVersion(t *testing.T) {
	packed := []download{{path: modulePath}, {path: modulePath + "/lib"}}
	const before = "module " + modulePath + "/cmd/x\n\ngo 1.26.0\n\nreplace " + modulePath + " => ../..\n\nrequire " + modulePath + " v0.0.0\n"
	got, used, err := requireVersion("go.mod", []byte(before), "v1.2.3", packed)
	if err != nil || len(used) != 1 {
		t.Fatal(used, err)
	}
	if want := "module " + modulePath + "/cmd/x\n\ngo 1.26.0\n\nrequire " + modulePath + " v1.2.3\n"; string(got) != want {
		t.Errorf("%s", got)
	}
	_, _, err = requireVersion("go.mod", []byte(before+"\nreplace example.com/a => ../a\n"), "v1.2.3", packed)
	checkError(t, "another replace", err, "cannot be installed")
	const sibling = before + "\nreplace " + modulePath + "/lib => ../lib\n\nrequire " + modulePath + "/lib v0.0.0\n"
	got, used, err = requireVersion("go.mod", []byte(sibling), "v1.2.3", packed)
	if err != nil || len(used) != 2 || !strings.Contains(string(got), modulePath+"/lib v1.2.3\n") {
		t.Errorf("%s, %v, %v", got, used, err)
	}
	_, _, err = requireVersion("go.mod", []byte(sibling), "v1.2.3", packed[:1])
	checkError(t, "a module that comes later", err, "cannot be installed")
}

func TestAddSums(t *testing.T) {
	got := addSums([]byte("a.example/x v1.0.0 h1:x=\n"+modulePath+" v1.2.2 h1:old=\nzap.example/y v1.0.0 h1:y=\n"), modulePath, []string{modulePath + " v1.2.3 h1:1=", modulePath + " v1.2.3/go.mod h1:2="})
	if want := "a.example/x v1.0.0 h1:x=\n" + modulePath + " v1.2.3 h1:1=\n" + modulePath + " v1.2.3/go.mod h1:2=\nzap.example/y v1.0.0 h1:y=\n"; string(got) != want {
		t.Errorf("%s", got)
	}
	if got := addSums(nil, "a", []string{"a", "b"}); string(got) != "a\nb\n" {
		t.Errorf("%s", got)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
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
	file := func(name, text string) { write(t, c.dir, name, text) }
	git("init", "-q")
	git("config", "user.name", "test")
	git("config", "user.email", "test@example.com")
	git("config", "commit.gpgsign", "false")
	git("config", "tag.gpgsign", "false")
	file("go.mod", "module "+modulePath+"\n")
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
		"v0.10.1": "", "v1.0.0": "", "v0.10.0": "not above v0.10.0", "v0.9.9": "not above", "0.11.0": "not of the form", "v0.11": "not of the form", "v1.0.0+a": "not of the form", "v2.0.0": "another path",
	} {
		checkError(t, version, c.version(version), says)
	}
	checkError(t, "clean", c.clean(), "")
	file("api/exported.txt", "pkg ., func A()\n")
	checkError(t, "a change", c.clean(), "exported.txt")
	checkError(t, "a patch without B", c.api("v0.10.1"), "1 changes break programs, and v0.10.1 after v0.10.0")
	checkError(t, "a minor version after v0.9.0", c.api("v0.10.0"), "")
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
