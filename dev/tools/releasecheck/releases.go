package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A release is a set of modules that get one version together. The repository has
// two: the SDK, and the market. Each has its own tags, sections of CHANGELOG.md, and
// list of exported names.
type release struct {
	name     string   // "sdk" or "market"
	prefix   string   // of its tags and of its headings in CHANGELOG.md: "" or "market/"
	exported string   // the file with the exported names
	modules  []string // their folders; a module comes after those it requires
	version  string   // the version to release; "": this run releases nothing of it
}

// readReleases reads api/modules.txt, which .ci/run reads too. The SDK comes first,
// and its first module is the root, which the file does not name.
func readReleases(dir string) ([]*release, error) {
	b, err := os.ReadFile(filepath.Join(dir, "api", "modules.txt"))
	if err != nil {
		return nil, err
	}
	sdk := &release{name: "sdk", exported: "api/exported.txt", modules: []string{"."}}
	market := &release{name: "market", prefix: "market/", exported: "api/market.txt"}
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
		case len(fields) != 3 || fields[1] != "library" && fields[1] != "program":
			return nil, fmt.Errorf("api/modules.txt: %q is not a folder, library or program, and a release", strings.TrimSpace(line))
		case fields[2] == sdk.name:
			sdk.modules = append(sdk.modules, fields[0])
		case fields[2] == market.name:
			market.modules = append(market.modules, fields[0])
		default:
			return nil, fmt.Errorf("api/modules.txt: %q is neither sdk nor market", fields[2])
		}
	}
	if len(market.modules) == 0 {
		return nil, errors.New("api/modules.txt names no module of the market")
	}
	return []*release{sdk, market}, nil
}

// choose notes the versions to release, given as the tags of their first modules:
// v1.2.3 for the SDK, market/v1.2.3 for the market.
func choose(all []*release, tags []string) error {
	for _, tag := range tags {
		prefix, version := splitTag(tag)
		i := slices.IndexFunc(all, func(r *release) bool { return r.prefix == prefix })
		switch {
		case i < 0 || !isRelease(version):
			return fmt.Errorf("%q is not of the form v1.2.3 or market/v1.2.3", tag)
		case all[i].version != "":
			return fmt.Errorf("%s and %s are versions of the same modules", all[i].version, version)
		}
		if _, major, _ := module.SplitPathVersion(modulePath); module.CheckPathMajor(version, major) != nil {
			return fmt.Errorf("%s needs a module with another path", tag)
		}
		all[i].version = version
	}
	return nil
}

func splitTag(tag string) (prefix, version string) {
	i := strings.LastIndexByte(tag, '/') + 1
	return tag[:i], tag[i:]
}

// pathOf returns the path of the module in a folder.
func pathOf(dir string) string {
	if dir == "." {
		return modulePath
	}
	return modulePath + "/" + dir
}

// tagOf returns the tag of a version of the module in a folder.
func tagOf(dir, version string) string {
	if dir == "." {
		return version
	}
	return dir + "/" + version
}

// tags returns the tags of a version to release.
func (r *release) tags() []string {
	var all []string
	for _, dir := range r.modules {
		all = append(all, tagOf(dir, r.version))
	}
	return all
}

// isRelease says whether a version can be a tag: complete, nothing after a +.
func isRelease(version string) bool {
	return semver.IsValid(version) && semver.Canonical(version) == version && !module.IsPseudoVersion(version)
}

// lastVersion returns the highest version of a release that may be, or "".
func (c checkout) lastVersion(prefix string, may func(version string) bool) (string, error) {
	out, err := c.git("tag", "--list", prefix+"v*")
	if err != nil {
		return "", err
	}
	return highest(out, prefix, may), nil
}

// highest returns the highest version of a release that may be among tags with a prefix, or "".
func highest(tags, prefix string, may func(version string) bool) string {
	last := ""
	for tag := range strings.FieldsSeq(tags) {
		v := strings.TrimPrefix(tag, prefix)
		if isRelease(v) && may(v) && (last == "" || semver.Compare(v, last) > 0) {
			last = v
		}
	}
	return last
}

func every(string) bool { return true }

// newer says whether a version is above the last one of its release.
func (c checkout) newer(r *release) error {
	last, err := c.lastVersion(r.prefix, every)
	if err == nil && last != "" && semver.Compare(r.version, last) <= 0 {
		err = fmt.Errorf("%s is not above %s", r.version, last)
	}
	return err
}

// next returns the lowest minor version above the last one of a release.
func (c checkout) next(r *release) (string, error) {
	last, err := c.lastVersion(r.prefix, every)
	if err != nil || last == "" {
		return "v0.1.0", err
	}
	var major, minor int
	_, err = fmt.Sscanf(semver.MajorMinor(last), "v%d.%d", &major, &minor)
	return fmt.Sprintf("v%d.%d.0", major, minor+1), err
}
