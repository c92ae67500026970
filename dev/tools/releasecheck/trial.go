package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A trial is a clone of the checkout, in which releases are made, and the machine of
// a user, whose git finds the clone's branch main and tags in the place of the
// repository.
type trial struct {
	checkout        // the clone
	origin   string // the checkout
	tmp      string // the user's
	modules  string // the user's module cache; "" is that of whoever runs this
	proxy    string // GOPROXY for the modules of others
}

const repository = "https://" + modulePath

// newTrial clones the last commit of the checkout, with its history and all tags, so that
// a requirement of a commit which was never pushed fails.
func (c checkout) newTrial(tmp string) (trial, error) {
	t := trial{checkout{filepath.Join(tmp, "clone"), c.out, c.quick}, c.dir, tmp, filepath.Join(tmp, "modules"), ""}
	served := filepath.Join(tmp, "served.git")
	config := fmt.Sprintf("[safe]\n\tdirectory = *\n[url %q]\n\tinsteadOf = %s\n"+
		"[user]\n\tname = Trial\n\temail = trial@example.com\n[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n",
		"file://"+filepath.ToSlash(served), repository)
	if err := os.WriteFile(t.gitConfig(), []byte(config), 0o600); err != nil {
		return t, err
	}
	for _, args := range [][]string{
		{"init", "-q", "--bare", served},
		{"--git-dir", served, "symbolic-ref", "HEAD", "refs/heads/main"},
		{"-C", c.dir, "push", "-q", served, "HEAD:refs/heads/main", "refs/tags/*:refs/tags/*"},
		{"clone", "-q", repository, t.dir},
	} {
		if _, err := t.fetching("git", args...); err != nil {
			return t, err
		}
	}
	settings, err := c.run("go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return t, err
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(settings), "\n")
	t.proxy = fileURL(filepath.Join(cache, "cache", "download")) + "," + proxy
	return t, nil
}

func (t trial) gitConfig() string { return filepath.Join(t.tmp, "gitconfig") }

func fileURL(dir string) string {
	if dir = filepath.ToSlash(dir); !strings.HasPrefix(dir, "/") {
		dir = "/" + dir
	}
	return "file://" + dir
}

// fetching runs a program on the user's machine. Checksums of modules of others are
// in our go.sum files, which the builds before have compared.
func (t trial) fetching(name string, args ...string) (string, error) {
	env := []string{
		"GIT_CONFIG_GLOBAL=" + t.gitConfig(), "GOPROXY=" + t.proxy, "GOSUMDB=off",
		"GOPRIVATE=" + modulePath + "*", "GONOPROXY=", "GONOSUMDB=",
		"GOBIN=" + t.bin(), "GOFLAGS=-buildvcs=false -modcacherw -trimpath", "CGO_ENABLED=0",
	}
	if t.modules != "" {
		env = append(env, "GOMODCACHE="+t.modules)
	}
	return t.runWith(env, name, args...)
}

func (t trial) bin() string { return filepath.Join(t.tmp, "bin") }

func (t trial) goes(dir string, args ...string) error {
	_, err := t.fetching("go", append([]string{"-C", dir}, args...)...)
	return err
}

// inClone runs the go command in the clone as in a checkout, where nothing has to be
// fetched.
func (t trial) inClone(dir string, args ...string) error {
	_, err := t.checkout.run("go", append([]string{"-C", dir}, args...)...)
	return err
}

// commit pushes what was changed in the clone.
func (t trial) commit(subject string) error {
	_, err := t.fetching("git", "-C", t.dir, "commit", "-q", "-a", "--allow-empty", "-m", subject)
	if err == nil {
		err = t.push()
	}
	return err
}

func (t trial) push() error {
	_, err := t.fetching("git", "-C", t.dir, "push", "-q", "--force", "--tags", "origin", "HEAD:refs/heads/main")
	return err
}

// alone tries the nested modules without their replace. It builds the libraries and their
// examples, without tests, and checks that the versions which the programs require exist.
// It uses the module cache of whoever runs it, since every version is a real one.
func (t trial) alone(releases []*release) error {
	t.modules = ""
	var bad []error
	for _, r := range releases {
		for _, dir := range r.modules {
			if dir == "." {
				continue
			}
			in := filepath.Join(t.dir, dir)
			if err := t.dropReplace(dir); err != nil {
				return err
			}
			list := []string{"list", "-mod=mod", "-m", "all"}
			if packages, err := t.libraries(dir); err != nil {
				return err
			} else if len(packages) > 0 {
				list = []string{"build", "-mod=mod", "./..."}
			}
			if err := t.goes(in, list...); err != nil {
				bad = append(bad, fmt.Errorf("%s without the replace: %w\n"+
					"if it needs what the root has newly, let it require the commit: .ci/release -require COMMIT", dir, err))
			}
		}
	}
	return errors.Join(bad...)
}

// everything tries what users do: with main as it is, at the tags of new versions,
// and unless quick is set one commit after those tags, and after the root has lost a name. If the
// caller gave no version, each release gets its next one.
func (t trial) everything(l *list, releases []*release) bool {
	next := !slices.ContainsFunc(releases, func(r *release) bool { return r.version != "" })
	for _, r := range releases {
		if !next {
			continue
		}
		v, err := t.next(r)
		if err != nil {
			return l.check("the next version", func() error { return err })
		}
		t.show("the %s will be %s", r.name, v)
		defer func() { r.version = "" }()
		r.version = v
	}
	released := l.check("main as it is", func() error { return t.atMain(releases) }) &&
		l.check("the versions are written", func() error { return t.write(releases) }) &&
		l.check("at the tags", func() error { return t.atTags(releases) }) &&
		l.check("archives at the tags", func() error { return t.archives(releases) })
	if !released || t.quick {
		return released
	}
	return l.check("one commit after", func() error { return t.oneAfter(releases) }) &&
		l.check("when the root has lost a name", func() error { return t.lost(releases) })
}

func (t trial) show(format string, args ...any) { fmt.Fprintf(t.out, "      "+format+"\n", args...) }

// libraries lists the packages of a module that others can import, and programs those
// that are installed.
func (t trial) libraries(dir string) ([]string, error) {
	return t.packages(dir, `{{if and .GoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}`, func(folders []string) bool {
		return !slices.Contains(folders, "internal")
	})
}

func (t trial) programs(dir string) ([]string, error) {
	return t.packages(dir, `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, func(folders []string) bool {
		return slices.Contains(folders, "cmd") // not one of the examples
	})
}

// packages lists the packages of a module whose folders satisfy may, by a template of go list.
func (t trial) packages(dir, template string, may func(folders []string) bool) ([]string, error) {
	listed, err := t.run("go", "-C", filepath.Join(t.origin, dir), "list", "-f", template, "./...")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(listed), func(path string) bool { return !may(strings.Split(path, "/")) }), nil
}

// program makes a stripped program of one file, in an empty module that gets modules
// or packages at their versions.
func (t trial) program(name, source string, get ...string) (string, error) {
	dir, err := t.module(name, source, get...)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name+".exe"), t.goes(dir, "build", "-ldflags=-s -w", "-o", name+".exe", ".")
}

// module makes a module of one file that gets modules or packages at their versions.
func (t trial) module(name, source string, get ...string) (dir string, err error) {
	if dir, err = os.MkdirTemp(t.tmp, name); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, name+".go"), []byte(source), 0o600); err != nil {
		return "", err
	}
	if err := t.goes(dir, "mod", "init", "example.com/"+name); err != nil || len(get) == 0 {
		return dir, err
	}
	return dir, t.goes(dir, append([]string{"get"}, get...)...)
}

// gets gets all packages of each library, in an empty module for each library, and
// builds a package that imports them.
func (t trial) gets(releases []*release, query string) error {
	for _, r := range releases {
		for _, dir := range r.modules {
			packages, err := t.libraries(dir)
			if err != nil {
				return err
			}
			if len(packages) == 0 {
				continue
			}
			source := "package user\n\nimport (\n"
			var get []string
			for _, p := range packages {
				source += fmt.Sprintf("\t_ %q\n", p)
				get = append(get, p+"@"+query)
			}
			in, err := t.module("user", source+")\n", get...)
			if err == nil {
				err = t.goes(in, "build", ".")
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// atMain uses main without new tags. Programs of nested modules are installed from a
// clone, since the go command installs none from a module with a replace.
func (t trial) atMain(releases []*release) error {
	if err := t.gets(releases, "main"); err != nil {
		return err
	}
	clone := filepath.Join(t.tmp, "jobboard-go")
	if _, err := t.fetching("git", "clone", "-q", "--depth=1", repository, clone); err != nil {
		return err
	}
	for _, r := range releases {
		for _, dir := range r.modules {
			programs, err := t.programs(dir)
			if err != nil {
				return err
			}
			for _, p := range programs {
				if dir == "." {
					err = t.goes(t.tmp, "install", p+"@main")
				} else {
					err = t.goes(filepath.Join(clone, dir), "install", p)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// write writes the versions into the nested modules, in one commit that has all tags.
// The go command finds the sums: each module is tagged once before the next one
// requires it. The files of one module are no part of another, so that sums stay when
// the commits become one.
func (t trial) write(releases []*release) error {
	head, err := t.git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	versions := map[string]string{}
	var tags []string
	for _, r := range releases {
		if r.version == "" {
			continue
		}
		tags = append(tags, r.tags()...)
		for _, dir := range r.modules {
			versions[pathOf(dir)] = r.version
		}
	}
	if err := t.require(versions); err != nil {
		return err
	}
	for _, r := range releases {
		for _, dir := range r.modules {
			if r.version == "" {
				continue
			}
			if err := t.pin(dir); err != nil {
				return err
			}
			if err := errors.Join(t.commit("Write "+dir), t.tag(tagOf(dir, r.version))); err != nil {
				return err
			}
		}
	}
	if _, err := t.git("reset", "-q", "--soft", strings.TrimSpace(head)); err != nil {
		return err
	}
	if err := t.commit("Release " + strings.Join(tags, ", ")); err != nil {
		return err
	}
	if err := t.tag(tags...); err != nil {
		return err
	}
	return t.forget()
}

// pin lets a module that is released require versions alone, with their sums.
func (t trial) pin(dir string) error {
	if dir == "." {
		return nil
	}
	if err := errors.Join(t.dropReplace(dir), t.onlyReleases(dir)); err != nil {
		return err
	}
	return t.goes(filepath.Join(t.dir, dir), "mod", "tidy")
}

func (t trial) tag(tags ...string) error {
	for _, tag := range tags {
		if _, err := t.fetching("git", "-C", t.dir, "tag", "-f", "-a", "-m", tag, tag); err != nil {
			return err
		}
	}
	return t.push()
}

// forget takes our modules out of the user's cache, which has them from other commits.
func (t trial) forget() error {
	own := filepath.FromSlash(path.Dir(modulePath))
	var bad []error
	for _, dir := range []string{own, filepath.Join("cache", "download", own), filepath.Join("cache", "vcs")} {
		bad = append(bad, os.RemoveAll(filepath.Join(t.modules, dir)))
	}
	return errors.Join(bad...)
}

// copyTo writes what go.mod and go.sum of the nested modules are at the tags into a
// checkout.
func (t trial) copyTo(c checkout, releases []*release) error {
	i := slices.IndexFunc(releases, func(r *release) bool { return r.version != "" })
	tag := releases[i].tags()[0]
	all, err := nestedModules(c.dir)
	if err != nil {
		return err
	}
	for _, dir := range all {
		for _, file := range []string{"go.mod", "go.sum"} {
			text, err := t.git("show", tag+":"+dir+"/"+file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(c.dir, dir, file), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// released returns the releases that got a version.
func released(releases []*release) []*release {
	return slices.DeleteFunc(slices.Clone(releases), func(r *release) bool { return r.version == "" })
}

// atTags uses the latest version of what is released: libraries, programs, and a
// checkout of the tag.
func (t trial) atTags(releases []*release) error {
	releases = released(releases)
	if err := errors.Join(t.gets(releases, "latest"), t.installs(releases)); err != nil {
		return err
	}
	for _, r := range releases {
		for _, dir := range r.modules {
			if err := t.goes(filepath.Join(t.dir, dir), "build", "./..."); err != nil {
				return fmt.Errorf("a checkout of %s: %w", tagOf(dir, r.version), err)
			}
		}
		if r.prefix == "" {
			if err := t.client(r.version); err != nil {
				return err
			}
		}
	}
	return nil
}

// installs installs the latest version of each program, and asks it for its version.
func (t trial) installs(releases []*release) error {
	for _, r := range releases {
		for _, dir := range r.modules {
			programs, err := t.programs(dir)
			if err != nil {
				return err
			}
			for _, p := range programs {
				if err := t.goes(t.tmp, "install", p+"@latest"); err != nil {
					return err
				}
				if err := t.tells(filepath.Join(t.bin(), path.Base(p)), r.version); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// tells says whether a program tells a version.
func (t trial) tells(program, version string) error {
	out, err := t.run(program, "--version")
	if err == nil && !slices.Contains(strings.Fields(out), version) {
		err = fmt.Errorf("%s says %q, not %s", filepath.Base(program), out, version)
	}
	return err
}

// oneAfter puts the replace back, and uses main and the latest version.
func (t trial) oneAfter(releases []*release) error {
	if err := errors.Join(t.after(releases), t.commit("Work on the checkout")); err != nil {
		return err
	}
	all, err := nestedModules(t.dir) // others require the versions beside a replace, too
	if err != nil {
		return err
	}
	for _, dir := range all {
		if err := t.inClone(filepath.Join(t.dir, dir), "mod", "tidy", "-diff"); err != nil {
			return err
		}
	}
	return errors.Join(t.gets(releases, "main"), t.gets(released(releases), "latest"), t.installs(released(releases)))
}

// The trial renames lostName, a function of the root that the market calls, to newName.
const (
	lostName = "ParseJobID"
	newName  = "ReadJobID"
)

// lost renames a function of the root. The market still calls the old name and builds with
// the version that it requires; then the market takes the new root and the new name.
func (t trial) lost(releases []*release) error {
	market := filepath.Join(t.dir, releases[1].modules[0])
	if err := errors.Join(t.rename(releases[0].modules[0]), t.commit("Rename "+lostName)); err != nil {
		return err
	}
	switch err := t.inClone(market, "build", "./..."); {
	case err == nil:
		return fmt.Errorf("the market builds although the root has lost %s", lostName)
	case !strings.Contains(err.Error(), lostName):
		return fmt.Errorf("the market does not notice that the root has lost %s: %w", lostName, err)
	}
	if err := errors.Join(t.gets(releases, "main"), t.installs(released(releases))); err != nil {
		return err
	}
	if err := errors.Join(t.rename(releases[1].modules[0]), t.requireCommit("HEAD", releases)); err != nil {
		return err
	}
	if err := t.commit("Follow"); err != nil {
		return err
	}
	return t.gets(releases, "main")
}

// rename puts newName in the place of lostName in a module.
func (t trial) rename(dir string) error {
	out, err := t.git("grep", "-l", "-w", lostName, "--", filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	nested, err := nestedModules(filepath.Join(t.dir, dir))
	if err != nil {
		return err
	}
	for name := range strings.Lines(out) {
		name = strings.TrimSpace(name)
		if slices.ContainsFunc(nested, func(d string) bool { return strings.HasPrefix(name, path.Join(dir, d)+"/") }) {
			continue
		}
		file := filepath.Join(t.dir, name)
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(b), lostName, newName)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
