package validators

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/hostileads"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// issue holds what the validator of a search engine's rules says.
type issue struct {
	Severity, Message string
	Fields            []string
}

type answer struct {
	Data  [][]issue
	RSS   json.RawMessage
	Atom  json.RawMessage
	Pages []struct {
		URL     string
		Lastmod string
	}
	Crawled []string // the pages of the sitemap, to another reader
	Parts   []struct{ URL string }
}

// check asks the validators from npm.
func check(t *testing.T, input map[string]any) (a answer) {
	t.Helper()
	testenv.File(t, "node_modules", "npm ci")
	b, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), testenv.Program(t, "node", "Debian: nodejs"), "check.mjs")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(b), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return a
}

// demo is every job of the demo, and the same ones with hostile texts.
func demo(t *testing.T) []jobpublish.Job {
	fake := jobboardtest.New(t, jobboardtest.WithDemo())
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: fake.BaseURL, JobDBURL: fake.JobDBURL, ClientID: fake.Demo.ClientID, HTTPClient: fake.Client(),
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.Search(t.Context(), jobboard.ChannelID(fake.Demo.Channel), jobboard.Query{})
	if err != nil {
		t.Fatal(err)
	}
	ads, err := hostileads.Ads(2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []jobpublish.Job
	for i, p := range result.Results {
		job := jobpublish.Job{URL: fmt.Sprintf("https://jobs.example/job/%d/Köln & more?a=1&b=<", p.JobPostingID), Posting: &p}
		// The demo's postings do not tell their jobs: they are numbered alike.
		id := jobboard.JobID(fake.Demo.OpenJob + (int64(p.JobPostingID)-600_100)/7*11)
		info, err := client.JobInformation(t.Context(), id)
		job.SetLookup(info, err, time.Now())
		if info != nil {
			job.Language = info.JobLanguage
		}
		if job.DirectApply = i%2 == 0; job.DirectApply {
			job.ValidFor = 30 * 24 * time.Hour
			job.Organization = jobpublish.Organization{Logo: "https://jobs.example/logo.png", SameAs: "https://firma.example/"}
		}
		jobs = append(jobs, job)
		if err != nil {
			continue
		}
		for k := range 8 {
			evil := job
			q, wicked := p, *info
			ad := "x" + ads[(i*8+k)%len(ads)]
			q.JobPostingID += jobboard.JobPostingID(1_000_000 * (k + 1))
			q.Title = ad
			q.Config = jobboard.NewPostingConfig(map[string][]string{
				jobboard.KeyAdText: {ad}, jobboard.KeyCompanyName: {ad}, jobboard.KeyRemoteStatus: {"FULLY_REMOTE"},
			})
			wicked.Location.GeoCity, wicked.Location.GeoCountry = ad, ad
			evil.Posting, evil.Information = &q, &wicked
			evil.URL = fmt.Sprintf("https://jobs.example/%d/%d", p.JobPostingID, k)
			jobs = append(jobs, evil)
		}
	}
	return jobs
}

func TestStructuredData(t *testing.T) {
	var data []jobpublish.StructuredData
	for _, job := range demo(t) {
		d, err := job.StructuredData(time.Now())
		if err == nil {
			data = append(data, d)
		}
	}
	if len(data) < 200 {
		t.Fatalf("only %d of the demo's jobs can be published", len(data))
	}
	a := check(t, map[string]any{"data": data})
	for i, issues := range a.Data {
		var missing []string
		for _, is := range issues {
			if is.Severity != "WARNING" {
				t.Errorf("%s: %+v", data[i]["url"], is)
			}
			missing = append(missing, is.Fields...)
		}
		// What it recommends is what the library says is missing.
		if want := data[i].Missing(); !slices.Equal(slices.Sorted(slices.Values(missing)), want) {
			t.Errorf("%s: the validator misses %q, the library %q", data[i]["url"], missing, want)
		}
	}
	if out, err := types(t, data); err != nil {
		t.Errorf("the types of schema.org: %v\n%.3000s", err, out)
	}
	if t.Failed() {
		return
	}
	t.Logf("figure: %d jobs' structured data: no error by a search engine's rules, none by the types of schema.org", len(data))

	// They notice what they should.
	var names []string
	var broken []jobpublish.StructuredData
	for name, change := range map[string]func(d jobpublish.StructuredData){
		"title": func(d jobpublish.StructuredData) { delete(d, "title") }, "datePosted": func(d jobpublish.StructuredData) { d["datePosted"] = "soon" },
		"hiringOrganization": func(d jobpublish.StructuredData) { delete(d, "hiringOrganization") },
		"addressCountry":     func(d jobpublish.StructuredData) { d["jobLocation"] = map[string]any{"@type": "Place", "name": "x"} },
	} {
		d := maps.Clone(data[0])
		change(d)
		names, broken = append(names, name), append(broken, d)
	}
	for i, issues := range check(t, map[string]any{"data": broken}).Data {
		if !slices.ContainsFunc(issues, func(i issue) bool { return i.Severity == "ERROR" }) {
			t.Errorf("without a good %s the validator says %+v", names[i], issues)
		}
	}
	names, broken = nil, nil
	for name, value := range map[string]any{"titel": "x", "jobLocation": map[string]any{"@type": "Plaza"}, "directApply": map[string]any{"a": 1}} {
		names = append(names, name)
		broken = append(broken, jobpublish.StructuredData{"@context": "https://schema.org/", "@type": "JobPosting", name: value})
	}
	out, _ := types(t, broken)
	for i, name := range names {
		if !strings.Contains(out, fmt.Sprintf("data.ts(%d,", i+2)) { // a line each below the import
			t.Errorf("the types of schema.org accept %s: %s", name, out)
		}
	}
}

// types holds data against the types of schema.org, which know every property and
// what it may hold. It returns what the compiler says; data[i] is line i+2 of its source.
func types(t *testing.T, data []jobpublish.StructuredData) (string, error) {
	t.Helper()
	testenv.File(t, "node_modules", "npm ci")
	var source strings.Builder
	source.WriteString(`import type { JobPosting, WithContext } from "schema-dts";` + "\n")
	for i, d := range data {
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		// The context may end with a slash; the types have it without.
		b = bytes.Replace(b, []byte(`"https://schema.org/"`), []byte(`"https://schema.org"`), 1)
		fmt.Fprintf(&source, "export const job%d: WithContext<JobPosting> = %s;\n", i, b)
	}
	// Within this folder, where the types are found.
	dir, err := os.MkdirTemp("node_modules", ".types-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "data.ts")
	if err := os.WriteFile(file, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "node_modules/.bin/tsc", "--noEmit", "--strict", "--skipLibCheck",
		"--module", "nodenext", "--moduleResolution", "nodenext", "--target", "es2022", file).CombinedOutput()
	return string(out), err
}

// file returns what a handler answers.
func file(t *testing.T, h http.Handler, target string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	if w.Code != 200 {
		t.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	return w.Body.String()
}

func newFeeds(t *testing.T, jobs []jobpublish.Job) *jobpublish.Feeds {
	t.Helper()
	feeds, err := jobpublish.NewFeeds(jobpublish.Config{
		URL: "https://jobs.example", Title: "Jobs <&> more", Description: "of the lake", Language: "de",
		Jobs: func(context.Context) iter.Seq2[jobpublish.Job, error] {
			return func(yield func(jobpublish.Job, error) bool) {
				for _, j := range jobs {
					if !yield(j, nil) {
						return
					}
				}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return feeds
}

// valid runs a validator of XML.
func valid(t *testing.T, xml string, tool, where string, args ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.xml")
	if err := os.WriteFile(path, []byte(xml), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), testenv.Program(t, tool, where), append(args, path)...).CombinedOutput()
	if broken := strings.Contains(t.Name(), "Notice"); (err != nil) != broken {
		t.Errorf("%s: %v\n%.2000s", tool, err, out)
	}
}

func validFeed(t *testing.T, schema, xml string) {
	t.Helper()
	valid(t, xml, "jing", "Debian: jing", "-c", filepath.Join("schemas", schema))
}

func validSitemap(t *testing.T, xml string) {
	t.Helper()
	testenv.File(t, "node_modules", "npm ci")
	valid(t, xml, "xmllint", "Debian: libxml2-utils", "--noout", "--schema", "node_modules/sitemap/schema/sitemap.xsd")
}

func TestFeeds(t *testing.T) {
	all := demo(t)
	for name, jobs := range map[string][]jobpublish.Job{"all": all, "one": all[:1], "none": nil} {
		t.Run(name, func(t *testing.T) {
			var open []jobpublish.Job
			for _, j := range jobs {
				if j.Check(time.Now()) == nil {
					open = append(open, j)
				}
			}
			feeds := newFeeds(t, jobs)
			rss, atom := file(t, feeds.RSS("/jobs.rss"), "/jobs.rss"), file(t, feeds.Atom("/jobs.atom"), "/jobs.atom")
			pages := file(t, feeds.Sitemap("/sitemap.xml"), "/sitemap.xml")
			validFeed(t, "rss.rnc", rss)
			validFeed(t, "atom.rnc", atom)
			validSitemap(t, pages)
			a := check(t, map[string]any{"rss": rss, "atom": atom, "sitemap": pages})
			if len(a.Pages) != max(1, len(open)) {
				t.Errorf("the parser of sitemaps finds %d pages of %d", len(a.Pages), len(open))
			}
			for i, p := range a.Pages {
				if i >= len(a.Crawled) || a.Crawled[i] != p.URL || len(a.Crawled) != len(a.Pages) {
					t.Fatalf("a crawler finds %d pages of %d, without %s", len(a.Crawled), len(a.Pages), p.URL)
				}
			}
			for kind, text := range map[string]string{"RSS": rss, "Atom": atom} {
				feed, err := gofeed.NewParser().ParseString(text)
				if err != nil || len(feed.Items) != len(open) || feed.Language != "de" || !strings.HasPrefix(feed.Link, "https://jobs.example/") {
					t.Fatalf("%s: %v, %d items of %d, %q, %q", kind, err, len(feed.Items), len(open), feed.Language, feed.Link)
				}
				seen := map[string]bool{}
				for i, item := range feed.Items {
					ad := open[i].Posting.Config.AdText()
					content := strings.Fields(item.Content + item.Description)
					if seen[item.GUID] || item.GUID == "" || item.PublishedParsed == nil {
						t.Errorf("%s: item %d is %q, %q", kind, i, item.GUID, item.Published)
					}
					if want := strings.Fields(jobpublish.Cleaner{Base: open[i].Posting.ApplyOnlineLink}.Clean(ad)); !slices.Equal(content, want) {
						t.Errorf("%s: item %d has %q\nwant %q", kind, i, content, want)
					}
					seen[item.GUID] = true
				}
			}
			type item struct{ ID string }
			var r struct{ Items []item }
			var f struct{ Entries []item }
			if err := json.Unmarshal(a.RSS, &r); err != nil || len(r.Items) != len(open) {
				t.Errorf("the other parser finds %d items in RSS, %v", len(r.Items), err)
			}
			if err := json.Unmarshal(a.Atom, &f); err != nil || len(f.Entries) != len(open) {
				t.Errorf("the other parser finds %d entries in Atom, %v", len(f.Entries), err)
			}
		})
	}
}

func TestSitemapIndex(t *testing.T) {
	var jobs []jobpublish.Job
	first := demo(t)[0]
	for i := range 50_001 {
		j := first
		j.URL = fmt.Sprintf("https://jobs.example/%d?a&b='", i)
		jobs = append(jobs, j)
	}
	h := newFeeds(t, jobs).Sitemap("/sitemap.xml")
	a := check(t, map[string]any{"index": file(t, h, "/sitemap.xml")})
	if len(a.Parts) != 2 {
		t.Fatalf("the parser of sitemaps finds %d parts", len(a.Parts))
	}
	for i, n := range []int{50_000, 1} {
		part := file(t, h, a.Parts[i].URL)
		validSitemap(t, part)
		if a := check(t, map[string]any{"sitemap": part}); len(a.Pages) != n || !strings.HasPrefix(a.Pages[0].URL, "https://jobs.example/") {
			t.Errorf("part %d: %d pages", i, len(a.Pages))
		}
	}
}

// The schemas refuse what is not valid.
func TestNotice(t *testing.T) {
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x:y</id><title>x</title>%s<author><name>x</name></author></feed>`
	validFeed(t, "atom.rnc", fmt.Sprintf(atom, ``))
	validFeed(t, "atom.rnc", fmt.Sprintf(atom, `<updated>yesterday</updated>`))
	validFeed(t, "atom.rnc", fmt.Sprintf(atom, `<updated>2026-01-01T00:00:00Z</updated><entry/>`))
	validFeed(t, "rss.rnc", `<rss version="2.0"><channel><title>x</title></channel></rss>`)
	validSitemap(t, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`)
	validSitemap(t, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>x</loc></url></urlset>`)
}
