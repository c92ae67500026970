package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const list = "# What is released.\njobboardotel library sdk\nmarket library market\nmarket/cmd program market\n"

// repo is a repository with the modules of list.
func repo(t *testing.T) (c checkout, file func(name, text string), git func(args ...string)) {
	t.Helper()
	c.root = t.TempDir()
	var err error
	if c.released, err = readModules(list); err != nil {
		t.Fatal(err)
	}
	file = func(name, text string) {
		t.Helper()
		name = filepath.Join(c.root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git = func(args ...string) {
		t.Helper()
		if out, err := c.git(append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)...); err != nil {
			t.Fatal(out, err)
		}
	}
	git("init", "-q")
	file("go.mod", "module "+modulePath+"\n\ngo 1.26.0\n")
	file("jobboard.go", "package jobboard\n\nconst A = 1\n")
	git("add", ".")
	git("commit", "-q", "-m", "One")
	return c, file, git
}

// A user gets what the tags have, and not what the checkout has.
func TestUserGetsTheTags(t *testing.T) {
	c, file, git := repo(t)
	git("tag", "v0.1.0")
	// The market is the module of this test that requires another; the go command needs no sums where it may not ask for any.
	market := func(version, name string) {
		file("market/go.mod", "module "+modulePath+"/market\n\ngo 1.26.0\n\nrequire "+modulePath+" "+version+"\n\nreplace "+modulePath+" => ../\n")
		file("market/jobsite/jobsite.go", "package jobsite\n\nimport \""+modulePath+"\"\n\nconst A = jobboard."+name+"\n")
		git("add", ".")
		git("commit", "-q", "-m", version+" "+name)
	}
	u, err := c.user()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(u.home)
	gets := func(query string) error {
		t.Helper()
		// What was committed since is served, and nothing of before is remembered.
		if _, err := output(u.env, "git", "-C", c.root, "push", "-q", "--force", filepath.Join(u.home, "served.git"), "HEAD:refs/heads/main", "refs/tags/*:refs/tags/*"); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(u.home, "modules")); err != nil {
			t.Fatal(err)
		}
		return u.gets(c, released{"market", "market"}, query)
	}
	market("v0.1.0", "A")
	git("tag", "market/v0.1.0")
	for _, query := range []string{"main", "v0.1.0"} {
		if err := gets(query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	file("jobboard.go", "package jobboard\n\nconst A, B = 1, 2\n")
	market("v0.1.0", "B") // which builds here, by its replace
	if err := gets("main"); err == nil || !strings.Contains(err.Error(), "jobboard.B") {
		t.Errorf("main uses a name that the required version lacks: %v", err)
	}
	market("v0.2.0", "A")
	if err := gets("main"); err == nil || !strings.Contains(err.Error(), "v0.2.0") {
		t.Errorf("main requires a version that there is not: %v", err)
	}
	if err := gets("v0.1.0"); err != nil {
		t.Errorf("a release is as it was: %v", err)
	}
	if err := gets("v0.3.0"); err == nil {
		t.Error("a release that there is not")
	}
}

func TestQueries(t *testing.T) {
	all, err := readModules(list)
	if err != nil {
		t.Fatal(err)
	}
	for tags, want := range map[string]string{
		"":                     "map[.:main jobboardotel:main market:main market/cmd:main]",
		"v0.1.0":               "map[.:v0.1.0 jobboardotel:v0.1.0]",
		"market/v0.2.0":        "map[market:v0.2.0 market/cmd:v0.2.0]",
		"v1.0.0 market/v0.2.0": "map[.:v1.0.0 jobboardotel:v1.0.0 market:v0.2.0 market/cmd:v0.2.0]",
		"market/cmd/v0.2.0":    `"market/cmd/v0.2.0" is not of the form v1.2.3 or market/v1.2.3`,
		"0.2.0":                `"0.2.0" is not of the form v1.2.3 or market/v1.2.3`,
		"v0.2":                 `"v0.2" is not of the form v1.2.3 or market/v1.2.3`,
	} {
		queries, err := checkout{released: all}.queries(strings.Fields(tags))
		got := fmt.Sprint(queries)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", tags, got, want)
		}
	}
	if _, err := readModules("lib library elsewhere\n"); err == nil {
		t.Error("a module of no release")
	}
}

// A nested module requires the versions by which the go command knows a commit, and keeps its replace.
func TestRequire(t *testing.T) {
	c, file, git := repo(t)
	const replace = "\n\nreplace " + modulePath + " => ../\n"
	file("market/go.mod", "module "+modulePath+"/market\n\ngo 1.26.0\n\nrequire (\n\texample.com/a v1.0.0\n\t"+modulePath+" v0.0.1\n)"+replace)
	git("add", ".")
	requires := func(version string) {
		t.Helper()
		if err := c.require("HEAD"); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(c.root, "market", "go.mod"))
		if err != nil || !strings.Contains(string(b), modulePath+" "+version+"\n)"+replace) || !strings.Contains(string(b), "example.com/a v1.0.0\n") {
			t.Errorf("want %s: %v\n%s", version, err, b)
		}
	}
	pseudo := func(base string) string {
		out, err := c.git("log", "-1", "--format=%cd-%H", "--date=format-local:%Y%m%d%H%M%S")
		if err != nil {
			t.Fatal(err)
		}
		return base + out[:14+1+12]
	}
	t.Setenv("TZ", "UTC")
	requires(pseudo("v0.0.0-"))
	for _, tag := range []string{"v0.9.0", "v0.10.0", "market/v0.20.0"} {
		git("tag", tag)
	}
	requires("v0.10.0")
	git("commit", "-q", "-m", "Two")
	requires(pseudo("v0.10.1-0."))
}

func TestReadModules(t *testing.T) {
	all, err := readModules(list)
	dirs := maps.Collect(func(yield func(string, string) bool) {
		for _, m := range all {
			yield(m.path(), m.tag("v0.1.0"))
		}
	})
	want := map[string]string{
		modulePath: "v0.1.0", modulePath + "/jobboardotel": "jobboardotel/v0.1.0",
		modulePath + "/market": "market/v0.1.0", modulePath + "/market/cmd": "market/cmd/v0.1.0",
	}
	if err != nil || !maps.Equal(dirs, want) {
		t.Errorf("%v, %v", slices.Sorted(maps.Keys(dirs)), err)
	}
}
