package advertisement

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/dev/e2e/browsertest"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/hostileads"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/market/jobpublish"
)

// onePage is the number of ads on one page.
const onePage = 250

// places lists where an ad may stand in a page: the markup before it and after it.
var places = [][2]string{
	{`<div><div data-ad=%d>`, `</div></div><p class=after>after %d</p>`},
	{`<ul><li class=after>one</li><li data-ad=%d>`, `</li><li class=after>after %d</li></ul>`},
	{`<ul><li><div data-ad=%d>`, `</div></li><li class=after>after %d</li></ul>`},
	{`<table><tbody><tr><td><div data-ad=%d>`, `</div></td></tr><tr><td class=after>after %d</td></tr></tbody></table>`},
	{`<dl><dt>x</dt><dd><article data-ad=%d>`, `</article></dd><dd class=after>after %d</dd></dl>`},
	{`<b><section data-ad=%d>`, `</section><i class=after>after %d</i></b>`},
}

// show writes a page of ads with the structured data that each would have.
func show(w http.ResponseWriter, ads []string, data bool) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!DOCTYPE html><html lang=de><head><meta charset=utf-8><title>Jobs</title><link rel=icon href="data:,"></head><body>`+
		`<header class=after>Jobs</header><main>`)
	for i, ad := range ads {
		place := places[i%len(places)]
		fmt.Fprintf(w, place[0], i)
		fmt.Fprint(w, ad)
		fmt.Fprintf(w, place[1], i)
		if data {
			b, err := json.Marshal(structured(ad))
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(w, `<script type="application/ld+json">%s</script>`, b)
		}
	}
	fmt.Fprint(w, `</main><footer class=after>end</footer></body></html>`)
}

// structured is the data of an open job whose every text is hostile.
func structured(ad string) jobpublish.StructuredData {
	now := time.Now()
	evil := "x" + html.UnescapeString(ad)
	job := jobpublish.Job{
		URL: "https://jobs.example/1",
		Posting: &jobboard.JobPosting{
			Title: evil, PostingVersionStartDate: 1,
			Config: jobboard.NewPostingConfig(map[string][]string{jobboard.KeyAdText: {"x" + ad}, jobboard.KeyCompanyName: {evil}}),
		},
		Information: &jobboard.JobInformation{JobID: 1, ApplyPossible: true, Location: jobboard.Location{GeoCountry: evil, GeoCity: evil}},
		Answered:    now,
	}
	d, err := job.StructuredData(now)
	if err != nil {
		panic(err)
	}
	return d
}

// site serves the ads in pages: cleaned, empty, or as they came.
func site(t *testing.T, ads []string, clean func(string) string) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{way}/{page}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("page"))
		if err != nil || n*onePage >= len(ads) {
			http.NotFound(w, r)
			return
		}
		part := append([]string{}, ads[n*onePage:min(len(ads), (n+1)*onePage)]...)
		way := r.PathValue("way")
		for i, ad := range part {
			if part[i] = clean(ad); way == "empty" {
				part[i] = ""
			}
		}
		if way == "policy" {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:")
		}
		show(w, part, way != "empty")
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// outside is the page's text without ads and data: as text, with the look of what comes after
// each ad, and with the names that scripts of the page would see.
const outside = `(() => {
	const page = document.cloneNode(true);
	for (const s of page.querySelectorAll("script")) s.remove();
	for (const ad of page.querySelectorAll("[data-ad]")) ad.replaceChildren();
	const looks = [...document.querySelectorAll(".after")].map((e) => {
		const s = getComputedStyle(e);
		return [s.color, s.backgroundColor, s.fontFamily, s.fontSize, s.fontWeight, s.fontStyle, s.display, s.visibility, s.opacity, s.direction, s.position,
			s.textDecorationLine, s.listStyleType, e.getBoundingClientRect().left, e.textContent].join();
	});
	return JSON.stringify([page.documentElement.outerHTML, looks, Object.getOwnPropertyNames(window).sort(), Object.getOwnPropertyNames(document).sort(),
		document.title, location.hash, document.forms.length, document.images.length, document.scripts.length - document.querySelectorAll("script").length,
		frames.length, document.styleSheets.length, document.activeElement === document.body, history.length > 0, document.cookie, document.dir]);
})()`

// inside says what is wrong within the ads, and lets all events happen there that
// a reader could cause.
const inside = `(async () => {
	const wrong = [], links = new Set(["https:", "http:", "mailto:", "tel:", ":"]); // ":" is no address, and leads nowhere
	document.addEventListener("click", (e) => e.preventDefault(), true);
	for (const ad of document.querySelectorAll("[data-ad]")) {
		const all = [...ad.querySelectorAll("*")];
		for (const e of all) {
			if (e.shadowRoot || e.namespaceURI !== "http://www.w3.org/1999/xhtml" || /^(script|style|link|meta|base|img|iframe|object|embed|form|input|svg|math|template)$/.test(e.localName))
				wrong.push(ad.dataset.ad + ": <" + e.localName + ">");
			for (const a of e.attributes)
				if (!/^(href|rel|dir|colspan|rowspan|scope|start|type|value)$/.test(a.name)) wrong.push(ad.dataset.ad + ": " + e.localName + " " + a.name);
			if (e.localName === "a" && (!links.has(e.protocol) || !/nofollow/.test(e.rel))) wrong.push(ad.dataset.ad + ": " + e.outerHTML);
			for (const name of ["mouseover", "click", "focus", "error", "load", "toggle", "animationstart", "pointerdown", "keydown"])
				e.dispatchEvent(new Event(name, {bubbles: true, cancelable: true}));
		}
		ad.scrollIntoView();
	}
	const data = [...document.querySelectorAll("script[type='application/ld+json']")];
	for (const s of data)
		try {
			const d = JSON.parse(s.textContent);
			if (d["@type"] !== "JobPosting" || !d.description.startsWith("x")) wrong.push("data: " + s.textContent.slice(0, 200));
		} catch (e) { wrong.push("data: " + e + s.textContent.slice(0, 200)); }
	if (data.length !== document.querySelectorAll("[data-ad]").length) wrong.push(data.length + " pieces of data");
	await new Promise((done) => setTimeout(done, 20));
	return wrong;
})()`

// ways are the cleaners that hostile ads are cleaned by: the usual one, and one for a
// page with headings of its own and links from elsewhere.
var ways = []jobpublish.Cleaner{{}, {Base: "https://jobs.example/job/1/nurse", Headings: 3}}

// Thousands of hostile ads, cleaned, run no script, load nothing, and change nothing outside of their
// element, with a content security policy and without. A change tries 2000 of a seed, and the night 10 000.
func TestHostile(t *testing.T) {
	n := 2000
	if testenv.Whole() {
		n = 10_000
	}
	seed := testenv.Seed(t)
	browsertest.Need(t)
	ads, err := hostileads.Ads(n, seed)
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	b.show(t, ads, jobpublish.Cleaner{}.Clean)
	b.show(t, ads[:n/4], ways[1].Clean)
	t.Logf("figure: %d hostile ads, shown twice, with seed %d: 0 scripts, 0 requests, 0 changes outside", n+n/4, seed)
}

// The same test with the inputs from another sanitizer's tests.
func TestFixturesOfOthers(t *testing.T) {
	browsertest.Need(t)
	fixtures := testenv.File(t, "./node_modules/dompurify/test/fixtures/expect.js", "npm ci")
	program := `console.log(JSON.stringify(require("` + fixtures + `").map((f) => f.payload)))`
	out, err := exec.CommandContext(t.Context(), testenv.Program(t, "node", "Debian: nodejs"), "-e", program).Output()
	var ads []string
	if err == nil {
		err = json.Unmarshal(out, &ads)
	}
	if err != nil || len(ads) < 100 {
		t.Fatalf("%d fixtures, %v", len(ads), err)
	}
	b := newBrowser(t)
	for _, way := range ways {
		b.show(t, ads, way.Clean)
	}
	t.Logf("figure: %d fixtures, shown four times: 0 scripts, 0 requests, 0 changes outside", len(ads))
}

// show shows ads and fails the test for whatever they do.
func (b *browser) show(t *testing.T, ads []string, clean func(string) string) {
	t.Helper()
	url := site(t, ads, clean)
	for number := 0; number*onePage < len(ads); number++ {
		b.open(fmt.Sprintf("%s/empty/%d", url, number))
		empty := eval[string](b, outside)
		for _, way := range []string{"open", "policy"} {
			at := fmt.Sprintf("%s/%s/%d", url, way, number)
			b.open(at)
			scripts, requests, said := b.happened()
			if full := eval[string](b, outside); full != empty {
				t.Errorf("%s: outside of the ads the page is\n%s\nand with empty ads\n%s", at, differs(full, empty), differs(empty, full))
			}
			_, _, _ = b.happened() // what was evaluated just now is a script
			if wrong := eval[[]string](b, inside); len(wrong) > 0 {
				t.Errorf("%s: %q", at, wrong)
			}
			late, more, saidMore := b.happened()
			scripts, requests, said = append(scripts, late...), append(requests, more...), append(said, saidMore...)
			if len(scripts) > 1 { // the one that asked
				t.Errorf("%s: scripts ran: %q", at, scripts)
			}
			if others := only(requests, at); len(others) > 0 {
				t.Errorf("%s: it asked for %q", at, others)
			}
			if len(said) > 0 {
				t.Errorf("%s: the browser says %q", at, said)
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// differs returns the part of a that begins where a and b differ, with a little before it.
func differs(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return a[max(0, i-150):min(len(a), i+300)]
}

// The browser notices what it should: as they came, the same ads run scripts, load
// things and change the page, each on a page of its own.
func TestHostileUncleaned(t *testing.T) {
	browsertest.Need(t)
	ads, err := hostileads.Ads(122, 1) // before the frames, which keep a page from ever being loaded
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		ad := ads[n]
		if r.URL.Query().Has("empty") {
			ad = ""
		}
		// A dialog would stop everything.
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<script>alert = confirm = prompt = () => {}</script>")
		show(w, []string{ad}, false)
	}))
	defer srv.Close()
	b := newBrowser(t)
	b.open(srv.URL + "/0?empty")
	empty := eval[string](b, outside)
	var ran, loaded, changed int
	for i := range ads {
		at := fmt.Sprintf("%s/%d", srv.URL, i)
		if strings.Contains(ads[i], "refresh") { // it would leave
			continue
		}
		b.open(at)
		scripts, requests, _ := b.happened()
		if len(scripts) > 1 {
			ran++
		}
		if len(only(requests, at)) > 0 {
			loaded++
		}
		if eval[string](b, outside) != empty {
			changed++
		}
	}
	t.Logf("figure: of %d uncleaned ads %d ran scripts, %d loaded something, %d changed the page", len(ads), ran, loaded, changed)
	if ran < 15 || loaded < 20 || changed < 30 {
		t.Error("the tests would not notice what ads do")
	}
}
