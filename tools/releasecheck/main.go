// Releasecheck checks whether a checkout can be released, and prints the
// remaining steps:
//
//	releasecheck -root DIR           checks for every commit
//	releasecheck -root DIR v1.2.3    also checks for this version
//	releasecheck -root DIR -write v1.2.3
//
// With -write it changes go.mod and go.sum of the released nested modules to
// require the version in place of their replace. It neither commits nor tags;
// it prints these steps.
//
// It builds the downloads for users from the last commit. It takes other
// modules from the module cache, or else from a proxy.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

const modulePath = "github.com/jobboard-sdk/jobboard-go"

// noVersion stands for the version before one is chosen.
const noVersion = "v0.0.0-unreleased"

func main() {
	root := flag.String("root", ".", "`directory` of the checkout")
	write := flag.Bool("write", false, "put the version into the nested modules")
	flag.Parse()
	if flag.NArg() > 1 || *write && flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: releasecheck [-root DIR] [-write] [vX.Y.Z]")
		os.Exit(2)
	}
	c := checkout{dir: *root, out: os.Stdout}
	if !c.release(flag.Arg(0), *write) {
		os.Exit(1)
	}
}

// checkout describes the files to release, and the output of the checks.
type checkout struct {
	dir      string
	out      io.Writer
	released []string // folders of the released nested modules
}

// release makes every check and prints the results.
func (c checkout) release(version string, write bool) bool {
	tmp, err := os.MkdirTemp("", "releasecheck")
	if err == nil {
		defer os.RemoveAll(tmp)
		tmp, err = filepath.EvalSymlinks(tmp)
	}
	if err != nil {
		fmt.Fprintln(c.out, "FAIL ", err)
		return false
	}
	l := list{out: c.out, ok: true}
	if !l.check("list of modules", func() (err error) { c.released, err = readReleased(c.dir); return err }) {
		return false
	}
	if version != "" {
		if !l.check("version", func() error { return c.version(version) }) {
			return false // the other checks would be meaningless
		}
		l.check("nothing uncommitted", c.clean)
	}
	l.check("changelog", func() error {
		b, err := os.ReadFile(filepath.Join(c.dir, "CHANGELOG.md"))
		if err != nil {
			return err
		}
		return changelog(string(b), version, time.Now())
	})
	l.check("API since the last release", func() error { return c.api(version) })
	packed, ok := c.downloads(&l, cmp.Or(version, noVersion), tmp)
	if !ok || version == "" || !l.ok {
		return l.ok
	}
	if write && !l.check("written", func() error { return c.write(version, packed) }) {
		return false
	}
	c.steps(version, write)
	return true
}

// write makes the nested modules require a version. packed holds the downloads
// of the root and of these modules, in the order in which they were pinned.
func (c checkout) write(version string, packed []download) error {
	for i, module := range c.released {
		if err := pin(c.dir, module, version, packed[:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// downloads builds and checks the modules that users would download for a
// version, from the last commit. It returns the downloads of the root and the
// nested modules; ok is false if a check failed.
func (c checkout) downloads(l *list, version, tmp string) (packed []download, ok bool) {
	src, proxy := filepath.Join(tmp, "src"), filepath.Join(tmp, "proxy")
	unpacked := func() error { return errors.Join(c.unpack(src), nested(src, c.released)) }
	ok = l.check("files of the last commit", unpacked) &&
		l.check("download of the module", func() error {
			root, err := pack(src, modulePath, version, proxy)
			if err != nil {
				return err
			}
			packed = append(packed, root)
			return c.look(root, "README.md", "CHANGELOG.md", "SECURITY.md", "jobboard.go", "jobboardtest/doc.go")
		}) &&
		l.check("downloads of the nested modules", func() error {
			var bad []error
			for _, dir := range c.released {
				if err := pin(src, dir, version, packed); err != nil {
					return err
				}
				d, err := pack(filepath.Join(src, dir), modulePath+"/"+dir, version, proxy)
				if err == nil {
					err = c.look(d)
				}
				packed = append(packed, d)
				bad = append(bad, err)
			}
			return errors.Join(bad...)
		})
	if !ok {
		return packed, false
	}
	u, err := c.newUser(tmp, proxy)
	if err != nil {
		l.check("a user's machine", func() error { return err })
		return packed, true
	}
	l.check("a user's program", func() error { return u.client(version) })
	l.check("the nested modules at the version", func() error { return u.nested(src, version) })
	return packed, true
}

// list prints the results of checks, and remembers whether all passed.
type list struct {
	out io.Writer
	ok  bool
}

func (l *list) check(name string, f func() error) bool {
	if err := f(); err != nil {
		l.ok = false
		fmt.Fprintf(l.out, "FAIL  %s: %v\n", name, err)
		return false
	}
	fmt.Fprintf(l.out, "ok    %s\n", name)
	return true
}

func (c checkout) version(version string) error {
	if !isRelease(version) {
		return fmt.Errorf("%q is not of the form v1.2.3", version)
	}
	if _, major, _ := module.SplitPathVersion(modulePath); module.CheckPathMajor(version, major) != nil {
		return fmt.Errorf("%s needs a module with another path than %s", version, modulePath)
	}
	last, err := c.lastVersion(func(string) bool { return true })
	if err != nil {
		return err
	}
	if last != "" && semver.Compare(version, last) <= 0 {
		return fmt.Errorf("%s is not above %s", version, last)
	}
	return nil
}

// isRelease reports whether a version can be a tag: complete and without build
// metadata.
func isRelease(version string) bool {
	return semver.IsValid(version) && semver.Canonical(version) == version
}

// lastVersion returns the highest version among the root's tags that may
// accepts, or "".
func (c checkout) lastVersion(may func(version string) bool) (string, error) {
	out, err := c.git("tag", "--list", "v*")
	if err != nil {
		return "", err
	}
	last := ""
	for v := range strings.FieldsSeq(out) {
		if isRelease(v) && may(v) && (last == "" || semver.Compare(v, last) > 0) {
			last = v
		}
	}
	return last, nil
}

func (c checkout) clean() error {
	out, err := c.git("status", "--porcelain")
	if err == nil && out != "" {
		err = errors.New(strings.TrimSpace(out))
	}
	return err
}

// steps prints the remaining steps of a release.
func (c checkout) steps(version string, written bool) {
	p := func(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }
	p("\nto release %s:", version)
	if !written {
		p("  .ci/release -write %s   # the nested modules take it in the place of the checkout", version)
	}
	tags := []string{version}
	for _, dir := range c.released {
		tags = append(tags, dir+"/"+version)
	}
	p("  git commit -a -m 'Require %s in the nested modules'", version)
	for _, tag := range tags {
		p("  git tag -a -m %s %[1]s", tag)
	}
	p("  git push --atomic origin %s", strings.Join(tags, " "))
	p("  git revert HEAD   # the next change works on the checkout again")
}

func (c checkout) git(args ...string) (string, error) {
	return c.run("git", append([]string{"-C", c.dir, "-c", "safe.directory=*"}, args...)...)
}

func (c checkout) run(name string, args ...string) (string, error) {
	return c.runWith([]string{"GOFLAGS=-buildvcs=false"}, name, args...)
}

// runWith returns a program's standard output. If the program fails, the error
// contains its standard error.
func (c checkout) runWith(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // these programs end by themselves
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.String(), nil
}
