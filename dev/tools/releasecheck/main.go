// Releasecheck tries the modules of a checkout as their users get them: a user's machine, whose git finds the checkout in
// the place of the repository, gets every library into an empty module and builds it, and installs every program.
//
//	releasecheck -root DIR                        every module at main, which is the last commit of the checkout
//	releasecheck -root DIR v1.2.3 market/v0.4.5   the modules of these releases at the checkout's tags
//	releasecheck -root DIR -require COMMIT        lets the nested modules require a commit
//
// Third-party modules come from the module cache of whoever runs it; a proxy is asked for those that it lacks.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

const (
	modulePath = "github.com/jobboard-sdk/jobboard-go"
	repository = "https://" + modulePath
)

func main() {
	root := flag.String("root", ".", "`directory` of the checkout")
	commit := flag.String("require", "", "let the nested modules require a `commit`")
	flag.Parse()
	if err := run(*root, *commit, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(root, commit string, tags []string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "api", "modules.txt"))
	if err != nil {
		return err
	}
	released, err := readModules(string(text))
	if err != nil {
		return err
	}
	c := checkout{root: root, released: released}
	if commit != "" {
		return c.require(commit)
	}
	queries, err := c.queries(tags)
	if err != nil {
		return err
	}
	u, err := c.user()
	if err != nil {
		return err
	}
	defer os.RemoveAll(u.home)
	for _, m := range released {
		if query := queries[m.dir]; query != "" {
			if err := u.gets(c, m, query); err != nil {
				return fmt.Errorf("%s@%s: %w", m.path(), query, err)
			}
			fmt.Printf("ok  %s@%s\n", m.path(), query)
		}
	}
	if version := queries["."]; semver.IsValid(version) {
		return u.calls(version)
	}
	return nil
}

// released is a module that users build: the root, or a line of api/modules.txt.
type released struct {
	dir     string // of the module in the checkout
	release string // "sdk" or "market": the modules of a release have one version
}

func (m released) path() string { return path.Join(modulePath, m.dir) }

// tag returns the tag of a version of the module.
func (m released) tag(version string) string { return path.Join(m.dir, version) }

// readModules reads api/modules.txt. A module stands below those that it requires; the first is the root.
func readModules(text string) ([]released, error) {
	all := []released{{".", "sdk"}}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 3 || fields[2] != "sdk" && fields[2] != "market" {
			return nil, fmt.Errorf("api/modules.txt: %q is not a folder, library or program, and sdk or market", strings.TrimSpace(line))
		}
		all = append(all, released{fields[0], fields[2]})
	}
	return all, nil
}

// checkout is a clone of the repository, and what is released from it.
type checkout struct {
	root     string
	released []released
}

// queries returns at which version each module is to be got, by its folder: main if no tags are given, else the version
// of its release, if that is among the tags.
func (c checkout) queries(tags []string) (map[string]string, error) {
	queries := map[string]string{}
	if len(tags) == 0 {
		for _, m := range c.released {
			queries[m.dir] = "main"
		}
	}
	for _, tag := range tags {
		release, version := "sdk", tag
		if rest, ok := strings.CutPrefix(tag, "market/"); ok {
			release, version = "market", rest
		}
		if !semver.IsValid(version) || semver.Canonical(version) != version {
			return nil, fmt.Errorf("%q is not of the form v1.2.3 or market/v1.2.3", tag)
		}
		for _, m := range c.released {
			if m.release == release {
				queries[m.dir] = version
			}
		}
	}
	return queries, nil
}

// packages lists the packages of a module that the template prints.
func (c checkout) packages(m released, template string) ([]string, error) {
	out, err := output(nil, "go", "-C", filepath.Join(c.root, m.dir), "list", "-buildvcs=false", "-f", template, "./...")
	return strings.Fields(out), err
}

// libraries lists the packages of a module that others can import, and programs those that they can install.
func (c checkout) libraries(m released) ([]string, error) {
	all, err := c.packages(m, `{{if and .GoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}`)
	return slices.DeleteFunc(all, func(p string) bool { return slices.Contains(strings.Split(p, "/"), "internal") }), err
}

func (c checkout) programs(m released) ([]string, error) {
	all, err := c.packages(m, `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`)
	return slices.DeleteFunc(all, func(p string) bool { return !slices.Contains(strings.Split(p, "/"), "cmd") }), err
}

// user is somebody with a home of their own, whose git finds the checkout in the place of the repository: its last commit
// as main, and its tags.
type user struct {
	home string
	env  []string
}

func (c checkout) user() (u user, err error) {
	if u.home, err = os.MkdirTemp("", "releasecheck"); err != nil {
		return u, err
	}
	served, config := filepath.Join(u.home, "served.git"), filepath.Join(u.home, "gitconfig")
	text := fmt.Sprintf("[safe]\n\tdirectory = *\n[url %q]\n\tinsteadOf = %s\n", "file://"+filepath.ToSlash(served), repository)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return u, err
	}
	settings, err := output(nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return u, err
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(settings), "\n")
	u.env = []string{
		"GIT_CONFIG_GLOBAL=" + config, "GOMODCACHE=" + filepath.Join(u.home, "modules"), "GOBIN=" + filepath.Join(u.home, "bin"),
		"GOPROXY=file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")) + "," + proxy,
		// Only what is the repository's comes from git. What others made is in go.sum, which builds have compared.
		"GOPRIVATE=" + modulePath + "*", "GONOPROXY=", "GONOSUMDB=", "GOSUMDB=off",
		"GOFLAGS=-modcacherw -buildvcs=false", "CGO_ENABLED=0",
	}
	for _, args := range [][]string{
		{"init", "-q", "--bare", served},
		{"--git-dir", served, "symbolic-ref", "HEAD", "refs/heads/main"},
		{"-C", c.root, "push", "-q", served, "HEAD:refs/heads/main", "refs/tags/*:refs/tags/*"},
	} {
		if _, err := output(u.env, "git", args...); err != nil {
			return u, err
		}
	}
	return u, nil
}

// gets gets every library of a module into an empty module and builds it, and installs every program of a version, which
// tells that version. Programs of main are not installed: the go command refuses a module with a replace.
func (u user) gets(c checkout, m released, query string) error {
	libraries, err := c.libraries(m)
	if err != nil {
		return err
	}
	if err := u.imports(m, libraries, query); err != nil {
		return err
	}
	programs, err := c.programs(m)
	if err != nil || !semver.IsValid(query) {
		return err
	}
	for _, p := range programs {
		if _, err := output(u.env, "go", "install", p+"@"+query); err != nil {
			return err
		}
		out, err := output(nil, filepath.Join(u.home, "bin", path.Base(p)), "--version")
		if err != nil || !slices.Contains(strings.Fields(out), query) {
			return fmt.Errorf("%s says %q of its version: %v", path.Base(p), out, err) //nolint:errorlint // may be nil
		}
	}
	return nil
}

// imports makes a module that requires m, with a package that imports all of the packages, and builds it. A module without
// any is required all the same: its own requirements have to be there.
func (u user) imports(m released, packages []string, query string) error {
	source, get := "package user\n\nimport (\n", []string{m.path() + "@" + query}
	for _, p := range packages {
		source += fmt.Sprintf("\t_ %q\n", p)
		get = append(get, p+"@"+query)
	}
	_, err := u.module(source+")\n", "build", get...)
	return err
}

// caller is a program that prints as what the client calls itself.
const caller = `package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/jobboard-sdk/jobboard-go"
)

func main() {
	board := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.UserAgent())
		http.NotFound(w, r)
	}))
	defer board.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: board.URL, ClientID: "10"})
	if err != nil {
		panic(err)
	}
	_, _ = client.Search(context.Background(), "1", jobboard.Query{})
}
`

// calls runs a program that uses the client, and compares the version in its User-Agent.
func (u user) calls(version string) error {
	out, err := u.module(caller, "run", modulePath+"@"+version)
	if err == nil && out != "jobboard-go/"+version+"\n" {
		err = fmt.Errorf("a program with the client calls itself %q", out)
	}
	return err
}

// module makes a module of one file that gets packages, and has the go command build or run it.
func (u user) module(source, command string, get ...string) (string, error) {
	dir, err := os.MkdirTemp(u.home, "user")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "user.go"), []byte(source), 0o600); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"mod", "init", "example.com/user"}, append([]string{"get"}, get...)} {
		if _, err := output(u.env, "go", append([]string{"-C", dir}, args...)...); err != nil {
			return "", err
		}
	}
	return output(u.env, "go", "-C", dir, command, ".")
}

// require lets the nested modules require the versions by which the go command knows a commit.
func (c checkout) require(commit string) error {
	versions := map[string]string{}
	for _, m := range c.released {
		v, err := c.versionOf(m, commit)
		if err != nil {
			return err
		}
		versions[m.path()] = v
	}
	out, err := c.git("ls-files", "*/go.mod")
	if err != nil {
		return err
	}
	for _, file := range strings.Fields(out) {
		if err := requireVersions(filepath.Join(c.root, file), versions); err != nil {
			return err
		}
	}
	return nil
}

// requireVersions changes a go.mod: a module that it requires gets its version from versions, by its path.
func requireVersions(file string, versions map[string]string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(file, b, nil)
	if err != nil {
		return err
	}
	for _, r := range f.Require {
		if v := versions[r.Mod.Path]; v != "" {
			if err := f.AddRequire(r.Mod.Path, v); err != nil {
				return err
			}
		}
	}
	f.Cleanup()
	if b, err = f.Format(); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}

// versionOf returns the version of a commit for a module: its tag, or else its pseudo-version.
func (c checkout) versionOf(m released, commit string) (string, error) {
	out, err := c.git("log", "-1", "--format=%H %ct", commit+"^{commit}")
	if err != nil {
		return "", err
	}
	var hash string
	var seconds int64
	if _, err := fmt.Sscan(out, &hash, &seconds); err != nil {
		return "", err
	}
	tags, err := c.git("tag", "--list", "--merged", hash, m.tag("v*"))
	if err != nil {
		return "", err
	}
	last := ""
	for _, tag := range strings.Fields(tags) {
		if v := path.Base(tag); semver.IsValid(v) && tag == m.tag(v) && semver.Compare(v, last) > 0 {
			last = v
		}
	}
	if last != "" {
		at, err := c.git("rev-parse", m.tag(last)+"^{commit}")
		if err != nil || strings.TrimSpace(at) == hash {
			return last, err
		}
	}
	return module.PseudoVersion("v0", last, time.Unix(seconds, 0).UTC(), hash[:12]), nil
}

func (c checkout) git(args ...string) (string, error) {
	return output(nil, "git", append([]string{"-C", c.root, "-c", "safe.directory=*"}, args...)...)
}

// output returns the standard output of a program, and its complaints as an error.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // all of it ends
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), errors.Join(fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err), errors.New(stderr.String()))
	}
	return stdout.String(), nil
}
