// Releasecheck says whether a checkout can be released, and what to do for it:
//
//	releasecheck -root DIR           what holds for every commit
//	releasecheck -root DIR v1.2.3    and what holds for this version
//	releasecheck -root DIR -write v1.2.3
//
// With -write it changes the go.mod of the nested modules that are released: the
// version in the place of their replace. It commits and tags nothing; the steps
// that are left are printed.
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

	"golang.org/x/mod/semver"
)

const modulePath = "github.com/jobboard-sdk/jobboard-go"

// released are the nested modules that users build, beside the root.
var released = []string{"jobboardotel", "cmd/jobboard"}

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

// checkout is what is to be released.
type checkout struct {
	dir string
	out io.Writer
}

// release makes every check, and prints what each found.
func (c checkout) release(version string, write bool) bool {
	ok := true
	check := func(name string, f func() error) {
		if err := f(); err != nil {
			ok = false
			fmt.Fprintf(c.out, "FAIL  %s: %v\n", name, err)
		} else {
			fmt.Fprintf(c.out, "ok    %s\n", name)
		}
	}
	check("licences", c.licences)
	check("module zip", c.zip)
	check("size of a program", c.size)
	check("API since the last version", func() error { return c.api(version) })
	if version == "" {
		return ok
	}
	check("version", func() error { return c.version(version) })
	check("changelog", func() error { return c.changelog(version) })
	check("nothing uncommitted", c.clean)
	if ok && write {
		check("nested modules", func() error { return c.requireRoot(version) })
	}
	if ok {
		c.steps(version, write)
	}
	return ok
}

func (c checkout) version(version string) error {
	if semver.Canonical(version) != version || semver.Build(version) != "" {
		return fmt.Errorf("%q is not of the form v1.2.3", version)
	}
	if semver.Compare(version, "v2.0.0") >= 0 {
		return errors.New("from v2 on the module needs another path")
	}
	last, err := c.lastVersion("")
	if err != nil {
		return err
	}
	if last != "" && semver.Compare(version, last) <= 0 {
		return fmt.Errorf("%s is not above %s", version, last)
	}
	return nil
}

// lastVersion is the highest of the tags with this prefix, or "".
func (c checkout) lastVersion(prefix string) (string, error) {
	out, err := c.git("tag", "--list", prefix+"v*")
	if err != nil {
		return "", err
	}
	last := ""
	for tag := range strings.FieldsSeq(out) {
		if v := strings.TrimPrefix(tag, prefix); semver.IsValid(v) && (last == "" || semver.Compare(v, last) > 0) {
			last = v
		}
	}
	return last, nil
}

func (c checkout) changelog(version string) error {
	b, err := os.ReadFile(filepath.Join(c.dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	return dated(string(b), version)
}

func (c checkout) clean() error {
	out, err := c.git("status", "--porcelain")
	if err == nil && out != "" {
		err = errors.New(strings.TrimSpace(out))
	}
	return err
}

// steps prints what is left to do.
func (c checkout) steps(version string, written bool) {
	p := func(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }
	p("\nto release %s:", version)
	p("  git tag -a %s -m %s && git push origin %[1]s", version, version)
	if !written {
		p("  .ci/release -write %s    # the nested modules take it in the place of the checkout", version)
	}
	p("  go -C DIR mod tidy, for each of: %s", strings.Join(released, " "))
	p("  git commit -am 'Require %s in the nested modules'", version)
	for _, dir := range released {
		p("  git tag -a %s/%s -m %[2]s && git push origin %[1]s/%[2]s", dir, version)
	}
	p("  git revert HEAD           # the next change works on the checkout again")
}

func (c checkout) git(args ...string) (string, error) {
	return c.run("git", append([]string{"-C", c.dir, "-c", "safe.directory=*"}, args...)...)
}

// run gives the standard output of a program, and its complaints as an error.
func (c checkout) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...) //nolint:noctx // all of it is local, and ends
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.String(), nil
}
