package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestChangelog(t *testing.T) {
	const good = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n\n- A thing.\n\n## [1.2.3-rc.1] - 2026-01-31\n\n### Fixed\n\n- Another.\n\n" +
		"## [market/Unreleased]\n\n### Added\n\n- B.\n\n## [market/2.0.0] - 2026-01-31\n\n### Added\n\n- C.\n\n" +
		"[market/Unreleased]: https://example.com/m\n[market/2.0.0]: https://example.com/m2\n[Unreleased]: https://example.com/\n[1.2.3]: https://example.com/3\n[1.2.3-rc.1]: https://example.com/2\n"
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, old, new, version, says string }{
		{"good", "", "", "v1.2.3", ""},
		{"an older one", "", "", "v1.2.3-rc.1", ""},
		{"no version yet", "", "", "", ""},
		{"not there", "", "", "v1.2.4", `no section "## [1.2.4] - 2026-01-31"`},
		{"a dot is a dot", "", "", "v1x2.3", "no section"},
		{"nothing in it", "- A thing.\n", "", "v1.2.3", "says nothing of 1.2.3"},
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
		{"of the market", "", "", "market/v2.0.0", ""},
		{"a version of the SDK alone", "", "", "market/v1.2.3", `no section "## [market/1.2.3] - 2026-01-31"`},
		{"a version of the market alone", "", "", "v2.0.0", "no section"},
		{"nothing in it of the market", "- C.\n", "", "market/v2.0.0", "says nothing of market/2.0.0"},
		{"no next one of the market", "## [market/Unreleased]\n", "", "", "begins with [market/Unreleased]"},
		{"no market", "market/", "", "", "has it once"},
		{"another release", "market/", "shop/", "", "nothing is released as shop/"},
		{"not released, with a day", "## [Unreleased]", "## [Unreleased] - 2026-01-31", "", "without a day"},
		{"above all", "## [Unreleased]", "- A thing.\n## [Unreleased]", "", "above the first version"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if c.name == "no version" || c.name == "versions backwards" || c.old == "market/" {
			text = strings.ReplaceAll(good, c.old, c.new)
		}
		releases := twoReleases()
		if c.version != "" {
			prefix, version := splitTag(c.version)
			i := slices.IndexFunc(releases, func(r *release) bool { return r.prefix == prefix })
			releases[i].version = version
		}
		checkError(t, c.name, changelog(text, releases, now), c.says)
	}
}

func twoReleases() []*release {
	return []*release{
		{name: "sdk", exported: "api/exported.txt", modules: []string{".", "lib"}},
		{name: "market", prefix: "market/", exported: "api/market.txt", modules: []string{"market", "market/cmd"}},
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
		"jobboard.test", ".ci/bin/benchstat", "dev/bench/main.go", "other/go.mod", "vendor/modules.txt", "go.work",
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
		write(t, dir, "go.mod", "module example.com/a\n")
		for name, text := range c.files {
			write(t, dir, name, text)
		}
		d, err := pack(dir, "example.com/a")
		if err != nil {
			t.Fatal(c.name, err)
		}
		checkError(t, c.name, checkout{out: io.Discard}.look("example.com/a", d, "go.mod"), c.says)
	}
}

func TestNested(t *testing.T) {
	dir := t.TempDir()
	released := []string{".", "lib", "cmd/jobboard"}
	write(t, dir, "go.mod", "module "+modulePath+"\n")
	for _, d := range append([]string{"dev/tools", "examples/site", "dev/bench/retry", "dev/e2e"}, released...) {
		write(t, dir, d+"/go.mod", "module "+modulePath+"/"+d+"\n")
	}
	write(t, dir, "dev/tools/testdata/go.mod", "module example.com/a\n")
	checkError(t, "all known", nested(dir, released), "")
	write(t, dir, "other/go.mod", "module example.com/other\n")
	checkError(t, "one more", nested(dir, released), "other is a module, and nothing says")
	checkError(t, "none", nested(t.TempDir(), released), "cmd/jobboard is no module")
}

// The list has the checkout's modules, in the order in which they are written there.
func TestReadReleases(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"# A comment.\n\nlib library sdk\nm library market\nm/x program market\n": "[. lib] [m m/x] <nil>",
		"lib library\n":           `api/modules.txt: "lib library" is not a folder, library or program, and a release`,
		"lib archive sdk\n":       `api/modules.txt: "lib archive sdk" is not a folder, library or program, and a release`,
		"lib library elsewhere\n": `api/modules.txt: "elsewhere" is neither sdk nor market`,
		"# A comment.\n":          "api/modules.txt names no module of the market",
	} {
		write(t, dir, "api/modules.txt", text)
		all, err := readReleases(dir)
		got := ""
		for _, r := range all {
			got += fmt.Sprint(r.modules, " ")
		}
		if got += fmt.Sprint(err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if _, err := readReleases(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	for tags, want := range map[string]string{
		"":                                   `"" ""`,
		"v0.1.0":                             `"v0.1.0" ""`,
		"market/v0.2.0":                      `"" "v0.2.0"`,
		"market/v0.2.0 v0.1.0":               `"v0.1.0" "v0.2.0"`,
		"v1.0.0-rc.1":                        `"v1.0.0-rc.1" ""`,
		"market/cmd/v0.2.0":                  "is not of the form",
		"lib/v0.2.0":                         "is not of the form",
		"0.2.0":                              "is not of the form",
		"v0.2":                               "is not of the form",
		"v1.0.0+a":                           "is not of the form",
		"v0.0.0-20260131000000-abcdefabcdef": "is not of the form",
		"v2.0.0":                             "needs a module with another path",
		"market/v2.0.0":                      "needs a module with another path",
		"v0.1.0 v0.2.0":                      "are versions of the same modules",
	} {
		all := twoReleases()
		err := choose(all, strings.Fields(tags))
		if err == nil {
			if got := fmt.Sprintf("%q %q", all[0].version, all[1].version); got != want {
				t.Errorf("%s: %s, want %s", tags, got, want)
			}
			want = ""
		}
		checkError(t, tags, err, want)
	}
}

func TestSizes(t *testing.T) {
	checkError(t, "good", sizes(6900<<10, 6000<<10), "")
	checkError(t, "times", sizes(119<<10, 99<<10), "1.20 times as large")
	checkError(t, "bytes", sizes(19<<20, 17<<20), "2048 KB more")
}

// TestRequire lets modules require versions, without the replace and with it again.
func TestRequire(t *testing.T) {
	c := checkout{dir: t.TempDir(), out: io.Discard}
	const head = "module " + modulePath + "/market/cmd\n\ngo 1.26.0\n\n"
	replaces := "replace " + modulePath + " => ../..\n\nreplace " + modulePath + "/market => ..\n\n"
	requires := func(root, market string) string {
		return "require (\n\texample.com/a v1.0.0\n\t" + modulePath + " " + root + "\n\t" + modulePath + "/market " + market + "\n)\n"
	}
	is := func(what, file, want string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(c.dir, "market", "cmd", file))
		if err != nil || strings.ReplaceAll(string(got), "\n\n", "\n") != strings.ReplaceAll(want, "\n\n", "\n") {
			t.Errorf("%s: %s: %v\n%s", what, file, err, got)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write(t, c.dir, "go.mod", "module "+modulePath+"\n")
	write(t, c.dir, "market/cmd/go.mod", head+replaces+requires("v0.1.0", "v0.1.0"))
	write(t, c.dir, "dev/e2e/go.mod", "module "+modulePath+"/dev/e2e\n\nrequire "+modulePath+"/market v0.1.0\n")
	write(t, c.dir, "market/cmd/node_modules/x/go.mod", "no module\n")
	do(c.require(map[string]string{modulePath + "/market": "v0.2.0", modulePath + "/other": "v0.3.0"}))
	is("another version", "go.mod", head+replaces+requires("v0.1.0", "v0.2.0"))
	if b, _ := os.ReadFile(filepath.Join(c.dir, "dev", "e2e", "go.mod")); !strings.Contains(string(b), "/market v0.2.0\n") {
		t.Errorf("a module that is not released requires\n%s", b)
	}
	do(c.dropReplace("market/cmd"))
	is("released", "go.mod", head+requires("v0.1.0", "v0.2.0"))
	const theirs = "example.com/a v1.0.0 h1:x=\nzap.example/y v1.0.0 h1:y=\n"
	write(t, c.dir, "market/cmd/go.sum", strings.Replace(theirs, "zap", modulePath+" v0.1.0 h1:1=\n"+modulePath+"/market v0.2.0/go.mod h1:2=\nzap", 1))
	do(c.addReplace("market/cmd"))
	is("after", "go.mod", head+requires("v0.1.0", "v0.2.0")+replaces)
	is("after", "go.sum", theirs)
	do(c.onlyReleases("market/cmd"))
	do(c.require(map[string]string{modulePath: "v0.1.1-0.20260131000000-abcdefabcdef"}))
	checkError(t, "a commit", c.onlyReleases("market/cmd"), "which is no release")
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
	file("api/market.txt", "pkg ./market/jobsite, func M()\n")
	git("add", ".")
	git("commit", "-q", "-m", "One")
	all := twoReleases()
	sdk, market := all[0], all[1]
	sdk.version = "v0.1.0"
	checkError(t, "the first version", c.newer(sdk), "")
	checkError(t, "the API of the first version", c.api(sdk), "")
	if next, err := c.next(sdk); next != "v0.1.0" {
		t.Error(next, err)
	}
	for _, tag := range []string{"v0.9.0", "v0.10.0", "lib/v0.20.0", "market/v0.3.0", "market/cmd/v0.40.0", "v0.10.0-rc.1"} {
		git("tag", tag)
	}
	for version, says := range map[string]string{
		"v0.10.1": "", "v1.0.0": "", "v0.10.0": "not above v0.10.0", "v0.9.9": "not above", "v0.10.0-rc.2": "not above",
	} {
		sdk.version = version
		checkError(t, version, c.newer(sdk), says)
	}
	market.version = "v0.3.1"
	checkError(t, "the market has its own", c.newer(market), "")
	for r, want := range map[*release]string{sdk: "v0.11.0", market: "v0.4.0"} {
		if next, err := c.next(r); next != want {
			t.Errorf("the next %s: %s, %v", r.name, next, err)
		}
	}
	checkError(t, "clean", c.clean(), "")
	file("api/exported.txt", "pkg ., func A()\n")
	checkError(t, "a change", c.clean(), "exported.txt")
	for version, says := range map[string]string{
		"v0.10.1": "1 changes break programs, and v0.10.1 after v0.10.0", "v0.10.0": "", "v0.11.0": "", "": "",
	} {
		sdk.version = version
		checkError(t, "the API of "+version, c.api(sdk), says)
	}
	checkError(t, "a patch of the market", c.api(market), "") // which kept its names
	file("api/market.txt", "pkg ./market/jobsite, func N()\n")
	checkError(t, "a patch of the market without M", c.api(market), "v0.3.1 after v0.3.0")
}

// The pseudo-versions of a commit are those that the go command knows it by.
func TestVersionsOf(t *testing.T) {
	c := checkout{dir: t.TempDir(), out: io.Discard}
	git := func(args ...string) {
		t.Helper()
		if _, err := c.git(args...); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	commit := func(day string) (hash string) {
		t.Helper()
		day += "T23:30:00-05:45"
		_, err := c.runWith([]string{"GIT_AUTHOR_DATE=" + day, "GIT_COMMITTER_DATE=" + day}, "git", "-C", c.dir, "-c", "user.name=test", "-c",
			"user.email=test@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", day)
		if err != nil {
			t.Fatal(err)
		}
		hash, err = c.git("rev-parse", "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		return hash[:12]
	}
	is := func(commit string, want ...string) {
		t.Helper()
		versions, err := c.versionsOf(commit, twoReleases())
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range []string{"", "/lib", "/market", "/market/cmd"} {
			if got := versions[modulePath+path]; got != want[i] {
				t.Errorf("%s at %s: %s, want %s", path, commit, got, want[i])
			}
		}
	}
	one := commit("2026-01-30")
	first := "v0.0.0-20260131051500-" + one
	is("HEAD", first, first, first, first)
	two := commit("2026-02-01")
	for _, tag := range []string{"v0.1.0", "lib/v0.1.0", "v0.1.0-rc.1"} {
		git("tag", tag)
	}
	second := "v0.0.0-20260202051500-" + two
	is(two, "v0.1.0", "v0.1.0", second, second)
	three := commit("2026-03-01")
	git("tag", "market/v1.2.3-rc.1")
	third := "20260302051500-" + three
	is(three, "v0.1.1-0."+third, "v0.1.1-0."+third, "v1.2.3-rc.1", "v0.0.0-"+third)
	is(one, first, first, first, first)
	four := commit("2026-04-01")
	is(four, "v0.1.1-0.20260402051500-"+four, "v0.1.1-0.20260402051500-"+four, "v1.2.3-rc.1.0.20260402051500-"+four, "v0.0.0-20260402051500-"+four)
}

// A list of components is about the program that it was made from.
func TestDescribes(t *testing.T) {
	info := &buildinfo.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.com/a", Version: "v1.2.3"}}
	info.Deps = []*debug.Module{{Path: "example.com/b", Version: "v0.1.0"}}
	const good = `{"bomFormat": "CycloneDX", "metadata": {"component": {"name": "example.com/a", "version": "v1.2.3"}},
		"components": [{"name": "std", "version": "go1.26.8"}, {"name": "example.com/b", "version": "v0.1.0"}]}`
	for old, says := range map[string]string{
		"":                "",
		"CycloneDX":       `a document "x"`,
		"v1.2.3":          "{example.com/a x}, want {example.com/a v1.2.3}",
		"v0.1.0":          "{example.com/b v0.1.0} is missing",
		"go1.26.8":        "{std go1.26.8} is missing",
		`"components": [`: "there are 3, not 2",
		"{":               "invalid character",
	} {
		put := "x"
		if strings.HasPrefix(says, "there are") {
			put = old + `{"name": "example.com/c", "version": "v0.1.0"}, `
		}
		_, err := describes([]byte(strings.Replace(good, old, put, 1)), info)
		if old == "" {
			_, err = describes([]byte(good), info)
		}
		checkError(t, old, err, says)
	}
}
