package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// Bounds on the size of a stripped program that makes one search with the
// client, compared with the same program on net/http and encoding/json.
const (
	maxTimes = 1.20
	maxMore  = 1200 << 10 // bytes
)

// ours and bare are programs that make one search at the address in their first
// argument and print the result.
const (
	ours = `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jobboard-sdk/jobboard-go"
)

func main() {
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: os.Args[1], ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	page, err := client.Search(context.Background(), "27828_extern", jobboard.Query{Text: "nurse"})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range page.Results {
		fmt.Println(p.JobPostingID, p.Title)
	}
}
`
	bare = `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	req, err := http.NewRequest("GET", os.Args[1]+"/api/rest/v2/frontend/jobboards/27828_extern/jobs?search=nurse", nil)
	if err != nil {
		log.Fatal(err)
	}
	req.SetBasicAuth("10", "")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var page struct {
		Results []struct {
			JobPostingID int64
			Title        string
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		log.Fatal(err)
	}
	for _, p := range page.Results {
		fmt.Println(p.JobPostingID, p.Title)
	}
}
`
)

// user simulates a machine without the checkout: it fetches modules into its
// own cache and builds programs.
type user struct {
	checkout
	tmp, proxy string
}

// newUser returns a user that gets modules from the packed versions and the
// checkout's module cache, which holds all compiled modules after the check of
// licences. It uses no network, where the version does not exist yet.
func (c checkout) newUser(tmp, proxy string) (user, error) {
	// Requiring a module reads more go.mod files than building it.
	for _, dir := range append([]string{"."}, c.released...) {
		if _, err := c.run("go", "-C", filepath.Join(c.dir, dir), "mod", "graph"); err != nil {
			return user{}, err
		}
	}
	cache, err := c.run("go", "env", "GOMODCACHE")
	if err != nil {
		return user{}, err
	}
	cache = filepath.Join(strings.TrimSpace(cache), "cache", "download")
	return user{checkout: c, tmp: tmp, proxy: fileURL(proxy) + "," + fileURL(cache)}, nil
}

func fileURL(dir string) string {
	if dir = filepath.ToSlash(dir); !strings.HasPrefix(dir, "/") {
		dir = "/" + dir
	}
	return "file://" + dir
}

// goes runs the go command. It does not use a checksum database, which does not
// know the version: earlier builds have compared the checksums in our go.sum
// files.
func (u user) goes(args ...string) (string, error) {
	return u.runWith([]string{
		"GOPROXY=" + u.proxy, "GOMODCACHE=" + filepath.Join(u.tmp, "modules"), "GOBIN=" + filepath.Join(u.tmp, "bin"),
		"GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=", "GOFLAGS=-buildvcs=false -modcacherw", "CGO_ENABLED=0",
	}, "go", args...)
}

// build compiles a stripped program from one source file, with the required
// modules or packages at their versions.
func (u user) build(name, source string, required ...string) (string, error) {
	dir := filepath.Join(u.tmp, "programs", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	gomod := "module example.com/" + name + "\n\ngo 1.26.0\n"
	for file, text := range map[string]string{"main.go": source, "go.mod": gomod} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	if len(required) > 0 {
		if _, err := u.goes(append([]string{"-C", dir, "get"}, required...)...); err != nil {
			return "", err
		}
	}
	binary := filepath.Join(u.tmp, name+".exe")
	_, err := u.goes("-C", dir, "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	return binary, err
}

// client builds a user's program with the client, compares its size with the
// bare program, and compares the requests of both.
func (u user) client(version string) error {
	theirs, err := u.build("bare", bare)
	if err != nil {
		return err
	}
	binary, err := u.build("ours", ours, modulePath+"@"+version)
	if err != nil {
		return err
	}
	var agent atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent.Store(r.UserAgent())
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"totalNumberOfJobs":1,"actualPage":1,"numPages":1,"itemsPerPage":10,`+
			`"results":[{"jobPostingId":5,"title":"Nurse"}]}`)
	}))
	defer srv.Close()
	for _, b := range []string{theirs, binary} {
		if out, err := u.run(b, srv.URL); err != nil || out != "5 Nurse\n" {
			return fmt.Errorf("%s found %q: %w", filepath.Base(b), out, err)
		}
	}
	sent, _ := agent.Load().(string)
	fmt.Fprintf(u.out, "      it calls itself %s\n", sent)
	if want := "jobboard-go/" + version; sent != want {
		return fmt.Errorf("the program calls itself %q, want %q", sent, want)
	}
	a, err := os.Stat(binary)
	if err != nil {
		return err
	}
	b, err := os.Stat(theirs)
	if err != nil {
		return err
	}
	fmt.Fprintf(u.out,
		"      a program that makes one search: %d KB; with net/http alone: %d KB; %d KB more, %.2f times\n",
		a.Size()>>10, b.Size()>>10, (a.Size()-b.Size())>>10, float64(a.Size())/float64(b.Size()))
	return sizes(a.Size(), b.Size())
}

func sizes(ours, bare int64) error {
	if times := float64(ours) / float64(bare); times > maxTimes {
		return fmt.Errorf("%.2f times as large, the bound is %.2f", times, maxTimes)
	}
	if more := ours - bare; more > maxMore {
		return fmt.Errorf("%d KB more, the bound is %d", more>>10, maxMore>>10)
	}
	return nil
}

// nested builds the released modules, which now require the version: from dir,
// and from the downloads of users. For users it builds one program with all
// packages, and each command.
func (u user) nested(dir, version string) error {
	var bad []error
	var libraries, programs []string
	source := "package main\n\nimport (\n"
	for _, module := range append([]string{"."}, u.released...) {
		in := filepath.Join(dir, module)
		if _, err := u.goes("-C", in, "build", "-trimpath", "./..."); err != nil {
			bad = append(bad, err)
			continue
		}
		listed, err := u.goes("-C", in, "list", "-f", "{{.ImportPath}} {{.Name}} {{len .GoFiles}}", "./...")
		if err != nil {
			return err
		}
		for line := range strings.Lines(listed) {
			fields := strings.Fields(line)
			switch {
			case fields[1] == "main":
				programs = append(programs, fields[0]+"@"+version)
			case fields[2] != "0" && !slices.Contains(strings.Split(fields[0], "/"), "internal"):
				libraries = append(libraries, fields[0]+"@"+version)
				source += fmt.Sprintf("\t_ %q\n", fields[0])
			}
		}
	}
	if bad != nil {
		return errors.Join(bad...)
	}
	if _, err := u.build("everything", source+")\n\nfunc main() {}\n", libraries...); err != nil {
		return err
	}
	for _, program := range programs {
		if _, err := u.goes("install", "-trimpath", program); err != nil {
			return err
		}
	}
	fmt.Fprintf(u.out, "      a program of %d packages, and %d programs that are installed\n", len(libraries), len(programs))
	out, err := u.run(filepath.Join(u.tmp, "bin", "jobboard"), "--version")
	if err != nil {
		return err
	}
	fmt.Fprintf(u.out, "      the installed tool says %s", out)
	if !strings.Contains(out, version) {
		return fmt.Errorf("the installed tool does not say %s", version)
	}
	return nil
}
