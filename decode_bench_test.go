package jobboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// makePage is a page of n postings, with 2 to 6 KB of advertisement each, the
// same for the same n.
func makePage(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"itemsPerPage":%d,"numPages":1,"offset":0,"actualPage":0,"firstPostingOnPage":1,"lastPostingOnPage":%d,"totalNumberOfJobs":%d,"results":[`, n, n, n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		city := cities[rnd.IntN(len(cities))]
		title := fmt.Sprintf("%s (m/w/d) in %s", jobs[rnd.IntN(len(jobs))], city)
		fmt.Fprintf(&b, `{"jobPostingId":%d,"postingVersionId":%d,"title":%s,"applyOnlineLink":%s,"config":{`,
			4_000_000+i, 9_000_000+i, quoted(title), quoted(fmt.Sprintf("https://jobs.example.com/apply/%d?l=de", 4_000_000+i)))
		fmt.Fprintf(&b, `"ProjectLocation":["%d"],"location":["%d"],"ProjectLocationGerman":[%s],"ProjectNumber":["P-%05d"],`, 100+i%60, 100+i%60, quoted(city), i)
		fmt.Fprintf(&b, `"audience":["%d"],"platformvisibility":["visible"],"listingStartDate":["%d"],"internalPostingName":[%s],`, i%7, 1_700_000_000_000+int64(i)*977, quoted(title))
		fmt.Fprintf(&b, `"platform_internalAdText":[%s],"jobcategory":["%d"],"ProjectCompanyNameGerman":["Beispiel & Söhne GmbH"],"sg_remote_status":["FULLY_REMOTE"]},`,
			quoted(adText(rnd, 2000+rnd.IntN(4000))), 300+i%20)
		fmt.Fprintf(&b, `"jobStartDate":%d,"postingVersionStartDate":%d,"postingVersionEndDate":0}`, 1_710_000_000_000+int64(i), 1_709_000_000_000+int64(i))
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

var (
	cities  = []string{"Berlin", "München", "Köln", "Hamburg", "Saarbrücken", "Leipzig"}
	jobs    = []string{"Softwareentwickler", "Pflegefachkraft", "Bürokauffrau", "Data Engineer", "Elektriker"}
	adWords = strings.Fields(`Wir suchen für unser Team am Standort eine engagierte Persönlichkeit mit Freude an
		moderner Technik und Gespür für Kundinnen und Kunden Sie bringen Erfahrung mit, arbeiten gern selbständig,
		und wachsen an neuen Aufgaben flexible hours salary benefits training remote health insurance`)
)

// adText is HTML as an editor makes it: tags with attributes, lines, umlauts.
func adText(rnd *rand.Rand, size int) string {
	var b strings.Builder
	b.WriteString(`<div class="ad">` + "\n")
	for b.Len() < size-40 {
		b.WriteString(`<p style="margin:0">`)
		for range 12 + rnd.IntN(30) {
			b.WriteString(adWords[rnd.IntN(len(adWords))])
			b.WriteByte(' ')
		}
		b.WriteString("</p>\n<ul><li>Urlaub: 30 Tage</li><li>Kantine</li></ul>\n")
	}
	b.WriteString("</div>")
	return b.String()
}

// quoted is s in JSON as most services write it, without escapes for HTML.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// makeInfo is a job information with 5 questions, 200 nationalities and 3
// locations.
func makeInfo(job, language int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"jobId":%d,"jobTitle":"Elektriker (m/w/d)","jobLanguage":"de","applyPossible":true,"dataSecurityLink":"https://jobs.example.com/privacy/%d","questions":[`, job, job)
	fmt.Fprintf(&b, `{"id":"8","type":"YESNO","label":"Haben Sie einen Führerschein?","answers":[{"id":"2900101","label":"Ja"},{"id":"2900100","label":"Nein"}]},`)
	fmt.Fprintf(&b, `{"id":"9","type":"TEXT","label":"Wie haben Sie von uns erfahren?"},{"id":"10","type":"TEXTAREA","label":"Warum möchten Sie bei uns arbeiten?"},`)
	fmt.Fprintf(&b, `{"id":"11","type":"CATALOG","label":"Ihr Abschluss?","answers":[{"id":"0b0e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a11","label":"Lehre"},{"id":"1c1e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a22","label":"Bachelor"}]},`)
	fmt.Fprintf(&b, `{"id":"-1","type":"CATALOG","label":"Bevorzugter Standort?","answers":[{"id":"1","label":"Berlin"},{"id":"2","label":"Köln"},{"id":"3","label":"Leipzig"}]}],"nationalities":[`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"28%05d","label":"Staat %d-%d"}`, i, language, i*i)
	}
	fmt.Fprintf(&b, `],"timestamp":"2026-01-31T08:30:00.123Z","companyName":"Beispiel & Söhne GmbH","companyId":"5a1e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a99","location":`)
	place := func(i int, city string) {
		fmt.Fprintf(&b, `{"geoLat":"52.5%d","geoLong":"13.3%d","geoName":"Allee %d, 1011%d %s","geoCountry":"Deutschland","geoState":"Land %s","geoCity":"%s","geoZip":"1011%d","geoStreet":"Allee %d"}`, i, i, i, i, city, city, city, i, i)
	}
	place(1, "Berlin")
	b.WriteString(`,"additionalLocations":[`)
	place(2, "Köln")
	b.WriteByte(',')
	place(3, "Leipzig")
	b.WriteString(`]}`)
	return b.Bytes()
}

// The shapes for encoding/json, as a generated client has them.
type (
	plainPage struct {
		ItemsPerPage       int            `json:"itemsPerPage"`
		NumPages           int            `json:"numPages"`
		Offset             int            `json:"offset"`
		ActualPage         int            `json:"actualPage"`
		FirstPostingOnPage int            `json:"firstPostingOnPage"`
		LastPostingOnPage  int            `json:"lastPostingOnPage"`
		TotalNumberOfJobs  int            `json:"totalNumberOfJobs"`
		Results            []plainPosting `json:"results"`
	}
	plainPosting struct {
		JobPostingID            int64               `json:"jobPostingId"`
		PostingVersionID        int64               `json:"postingVersionId"`
		Title                   string              `json:"title"`
		ApplyOnlineLink         string              `json:"applyOnlineLink"`
		Config                  map[string][]string `json:"config"`
		JobStartDate            int64               `json:"jobStartDate"`
		PostingVersionStartDate int64               `json:"postingVersionStartDate"`
		PostingVersionEndDate   int64               `json:"postingVersionEndDate"`
	}
	plainInfo struct {
		JobID               int64           `json:"jobId"`
		JobTitle            string          `json:"jobTitle"`
		JobLanguage         string          `json:"jobLanguage"`
		ApplyPossible       bool            `json:"applyPossible"`
		DataSecurityLink    string          `json:"dataSecurityLink"`
		Questions           []plainQuestion `json:"questions"`
		Nationalities       []IDLabel       `json:"nationalities"`
		Timestamp           time.Time       `json:"timestamp"`
		CompanyName         string          `json:"companyName"`
		CompanyID           string          `json:"companyId"`
		Location            Location        `json:"location"`
		AdditionalLocations []Location      `json:"additionalLocations"`
	}
	plainQuestion struct {
		ID      string    `json:"id"`
		Type    string    `json:"type"`
		Label   string    `json:"label"`
		Answers []IDLabel `json:"answers"`
	}
)

// compare times ours, and says how many times faster than theirs it is: the
// median of rounds that take turns, so that both meet the same weather, and
// leave each other no garbage.
func compare(b *testing.B, size int, theirs, ours func()) {
	round := func(f func()) time.Duration {
		runtime.GC()
		n := 0
		start := time.Now()
		for n == 0 || time.Since(start) < 60*time.Millisecond {
			f()
			n++
		}
		return time.Since(start) / time.Duration(n)
	}
	var ratios []float64
	for range 7 {
		t, o := round(theirs), round(ours)
		ratios = append(ratios, float64(t)/float64(o))
	}
	slices.Sort(ratios)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		ours()
	}
	b.ReportMetric(ratios[len(ratios)/2], "x-encoding/json")
}

func must(tb testing.TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}

func BenchmarkSearch(b *testing.B) {
	page := makePage(1000)
	lim := decodeLimits{maxBytes: 64 << 20}
	b.Run("kept", func(b *testing.B) {
		compare(b, len(page), func() {
			var v plainPage
			must(b, json.Unmarshal(page, &v))
		}, func() {
			_, err := decodeSearch(bytes.NewReader(page), lim, nil)
			must(b, err)
		})
	})
	for _, c := range []struct {
		name string
		omit []string
	}{{"streamed", nil}, {"streamed without ad text", []string{KeyAdText}}} {
		b.Run(c.name, func(b *testing.B) {
			compare(b, len(page), func() {
				var v plainPage
				must(b, json.NewDecoder(bytes.NewReader(page)).Decode(&v))
			}, func() {
				p := newPostingReader(bytes.NewReader(page), decodeLimits{1 << 30, 1 << 20}, c.omit)
				for {
					if _, err := p.next(); err != nil {
						if err != io.EOF {
							b.Fatal(err)
						}
						break
					}
				}
				p.close()
			})
		})
	}
}

func BenchmarkJobInformation(b *testing.B) {
	info := makeInfo(123456789, 1)
	const batch = 64
	for _, known := range []bool{false, true} {
		name := "new catalogue"
		if known {
			name = "known catalogue"
		}
		b.Run(name, func(b *testing.B) {
			cat := new(catalogueCache)
			compare(b, len(info)*batch, func() {
				for range batch {
					var v plainInfo
					must(b, json.Unmarshal(info, &v))
				}
			}, func() {
				for range batch {
					if !known {
						cat = new(catalogueCache)
					}
					_, err := decodeJobInformation(info, cat)
					must(b, err)
				}
			})
		})
	}
}
