// Releasecheck says whether a checkout can be released, and what to do for it. The
// repository has two releases, each with a version of its own: v1.2.3 is one of the
// SDK, market/v1.2.3 one of the market.
//
//	releasecheck -root DIR                    what holds for every commit
//	releasecheck -root DIR -quick             the same without what comes after a release
//	releasecheck -root DIR v1.2.3 ...         and what holds for these versions
//	releasecheck -root DIR -write v1.2.3 ...  and writes them into the nested modules
//	releasecheck -root DIR -after             lets these work on the checkout again
//	releasecheck -root DIR -require COMMIT    lets nested modules require a commit
//	releasecheck -root DIR -alone             builds them with what they require
//
// It commits and tags nothing in the checkout; the steps that are left are printed.
// A release is tried in a clone, from which a user's machine fetches: its git finds
// the clone in the place of the repository. Third-party modules come from the module
// cache; a proxy is asked for those that the cache lacks.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const modulePath = "github.com/jobboard-sdk/jobboard-go"

func main() {
	root := flag.String("root", ".", "`directory` of the checkout")
	write := flag.Bool("write", false, "write the versions into the nested modules")
	after := flag.Bool("after", false, "let the nested modules work on the checkout again")
	commit := flag.String("require", "", "let the nested modules require a `commit`")
	alone := flag.Bool("alone", false, "build the nested modules with what they require")
	quick := flag.Bool("quick", false, "try a release, and not the commits after it")
	flag.Parse()
	c, releases, err := open(*root, flag.Args())
	c.quick = *quick
	ok := true
	other := *after || *alone || *commit != ""
	switch {
	case err != nil:
	case *write && flag.NArg() == 0, other && (*write || flag.NArg() > 0):
		err = errors.New("usage: releasecheck [-root DIR] [-quick] [[-write] TAG... | -after | -require COMMIT | -alone]")
	case *after:
		err = c.after(releases)
	case *commit != "":
		err = c.requireCommit(*commit, releases)
	default:
		ok, err = c.try(releases, *write, *alone)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// open finds the releases of a checkout, and notes the versions that tags name.
func open(root string, tags []string) (c checkout, releases []*release, err error) {
	c.out = os.Stdout
	if c.dir, err = filepath.Abs(root); err != nil {
		return c, nil, err
	}
	if releases, err = readReleases(c.dir); err != nil {
		return c, nil, err
	}
	return c, releases, choose(releases, tags)
}

// checkout describes the files to release, and where the program writes what it finds.
type checkout struct {
	dir   string
	out   io.Writer
	quick bool // the trial ends with a release
}

// after puts the replace back into the modules that are released.
func (c checkout) after(releases []*release) error {
	for _, r := range releases {
		for _, dir := range r.modules {
			if dir == "." {
				continue
			}
			if err := c.addReplace(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// requireCommit lets the nested modules require the versions of a commit.
func (c checkout) requireCommit(commit string, releases []*release) error {
	versions, err := c.versionsOf(commit, releases)
	if err != nil {
		return err
	}
	return c.require(versions)
}

// try makes a clone, and every check or only that of the modules alone. It prints
// what each found.
func (c checkout) try(releases []*release, write, alone bool) (ok bool, err error) {
	tmp, err := os.MkdirTemp("", "releasecheck")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(tmp)
	if tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return false, err
	}
	t, err := c.newTrial(tmp)
	if err != nil {
		return false, err
	}
	l := &list{out: c.out, ok: true}
	if alone {
		l.check("the nested modules with what they require", func() error { return t.alone(releases) })
		return l.ok, nil
	}
	c.release(l, t, releases, write)
	return l.ok, nil
}

// release makes all checks, with the next versions where none are given.
func (c checkout) release(l *list, t trial, releases []*release, write bool) {
	var chosen []*release
	for _, r := range releases {
		if r.version != "" {
			chosen = append(chosen, r)
			l.check("version "+tagOf(r.modules[0], r.version), func() error { return c.newer(r) })
		}
		l.check("exported names of the "+r.name, func() error { return c.api(r) })
	}
	l.check("changelog", func() error {
		b, err := os.ReadFile(filepath.Join(c.dir, "CHANGELOG.md"))
		if err != nil {
			return err
		}
		return changelog(string(b), releases, time.Now())
	})
	if len(chosen) > 0 {
		l.check("nothing uncommitted", c.clean)
	}
	l.check("downloads", func() error { return c.downloads(releases) })
	if !l.ok {
		return // a trial takes a minute
	}
	if !t.everything(l, releases) || len(chosen) == 0 {
		return
	}
	if write && !l.check("written", func() error { return t.copyTo(c, releases) }) {
		return
	}
	c.steps(chosen, write)
}

// list prints checks, and remembers whether each was passed.
type list struct {
	out io.Writer
	ok  bool
}

func (l *list) check(name string, f func() error) bool {
	start := time.Now()
	if err := f(); err != nil {
		l.ok = false
		fmt.Fprintf(l.out, "FAIL  %s: %v\n", name, err)
		return false
	}
	fmt.Fprintf(l.out, "ok    %s (%.0f s)\n", name, time.Since(start).Seconds())
	return true
}

func (c checkout) clean() error {
	out, err := c.git("status", "--porcelain")
	if err == nil && out != "" {
		err = errors.New(strings.TrimSpace(out))
	}
	return err
}

// steps prints what is left to do.
func (c checkout) steps(chosen []*release, written bool) {
	p := func(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }
	var names, tags []string
	for _, r := range chosen {
		names = append(names, tagOf(r.modules[0], r.version))
		tags = append(tags, r.tags()...)
	}
	all := strings.Join(names, " ")
	p("\nto release %s:", all)
	if !written {
		p("  .ci/release -write %s   # the nested modules take it in the place of the checkout", all)
	}
	p("  git commit -a -m 'Release %s'", all)
	for _, tag := range tags {
		p("  git tag -a -m %s %[1]s", tag)
	}
	p("  git push --atomic origin HEAD %s", strings.Join(tags, " "))
	for _, name := range names {
		p("  .ci/archives %s   # and then, as a draft: gh release create --draft --verify-tag %[1]s dist/%[1]s/*", name)
	}
	p("  .ci/release -after   # the nested modules work on the checkout again, and keep the version")
	p("  git commit -a -m 'Work on the checkout after %s'", all)
}

func (c checkout) git(args ...string) (string, error) {
	return c.run("git", append([]string{"-C", c.dir, "-c", "safe.directory=*"}, args...)...)
}

func (c checkout) run(name string, args ...string) (string, error) {
	return c.runWith([]string{"GOFLAGS=-buildvcs=false"}, name, args...)
}

// runWith gives the standard output of a program, and its complaints as an error.
func (c checkout) runWith(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // all of it ends
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.String(), nil
}
