package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// makePage returns a search answer of n postings with 2 to 6 KB of German
// advertisement each. The same n gives the same bytes.
func makePage(n int) []byte { return makePageIn(language{"German", words, true, " "}, n) }

// A language describes the texts of a page.
type language struct {
	name  string
	words []string
	html  bool   // with the tags of an editor
	space string // between words
}

var languages = []language{
	{"German, as an editor writes it", words, true, " "},
	{"ASCII", strings.Fields(`We look for an engaged person who likes modern technology and has a feeling for customers at our site
		You bring experience, work independently and grow with new tasks flexible hours salary benefits training`), true, " "},
	{"an umlaut in every tenth character", strings.Fields(`abcd äfgh öklm nopü rstuvwß abcdäfg höjklmno pqürs tuvwxäab cdefgö hijklmü`), false, " "},
	{"Cyrillic", strings.Fields(`Мы ищем для нашей команды увлечённого человека с интересом к современной технике и чутьём к клиентам
		Вы приносите опыт работаете самостоятельно и растёте вместе с новыми задачами гибкий график удалённо`), false, " "},
	{"Chinese", strings.Fields(`我们正在为我们的团队寻找一位充满热情的人才，热爱现代技术，善于与客户沟通。 您有相关经验，能够独立工作， 并且愿意在新的任务中成长。
		弹性工作时间、薪酬、福利、培训、远程办公、健康保险`), false, ""},
}

// makePageIn returns a search answer of n postings in a language.
func makePageIn(l language, n int) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	var b bytes.Buffer
	b.Grow(n * 5100)
	fmt.Fprintf(&b, `{"itemsPerPage":%d,"numPages":1,"offset":0,"actualPage":0,"firstPostingOnPage":1,"lastPostingOnPage":%d,"totalNumberOfJobs":%d,"results":[`, n, n, n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		city := l.words[rnd.IntN(len(l.words))]
		title := l.words[rnd.IntN(len(l.words))] + l.space + city
		if l.name == "German" {
			city = cities[rnd.IntN(len(cities))]
			title = fmt.Sprintf("%s (m/w/d) in %s", professions[rnd.IntN(len(professions))], city)
		}
		fmt.Fprintf(&b, `{"jobPostingId":%d,"postingVersionId":%d,"title":%s,"applyOnlineLink":"https://jobs.example.com/apply/%d?l=de","config":{`,
			4_000_000+i, 9_000_000+i, quoted(title), 4_000_000+i)
		fmt.Fprintf(&b, `"ProjectLocation":["%d"],"location":["%d"],"ProjectLocationGerman":[%s],"ProjectNumber":["P-%05d"],`, 100+i%60, 100+i%60, quoted(city), i)
		fmt.Fprintf(&b, `"audience":["%d"],"platformvisibility":["visible"],"listingStartDate":["%d"],"internalPostingName":[%s],`, i%7, 1_700_000_000_000+int64(i)*977, quoted(title))
		fmt.Fprintf(&b, `"platform_internalAdText":[%s],"jobcategory":["%d"],"ProjectCompanyNameGerman":["Beispiel & Söhne GmbH"],"sg_remote_status":["FULLY_REMOTE"]},`,
			quoted(l.adText(rnd, 2000+rnd.IntN(4000))), 300+i%20)
		fmt.Fprintf(&b, `"jobStartDate":%d,"postingVersionStartDate":%d,"postingVersionEndDate":0}`, 1_710_000_000_000+i, 1_709_000_000_000+i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

const adTextKey = "platform_internalAdText"

var (
	cities      = []string{"Berlin", "München", "Köln", "Hamburg", "Saarbrücken", "Leipzig"}
	professions = []string{"Softwareentwickler", "Pflegefachkraft", "Bürokauffrau", "Data Engineer", "Elektriker"}
	words       = strings.Fields(`Wir suchen für unser Team am Standort eine engagierte Persönlichkeit mit Freude an
		moderner Technik und Gespür für Kundinnen und Kunden Sie bringen Erfahrung mit, arbeiten gern selbständig,
		und wachsen an neuen Aufgaben flexible hours salary benefits training remote health insurance`)
)

// adText returns an advertisement: an editor's HTML with tags, attributes and
// lines, or plain text.
func (l language) adText(rnd *rand.Rand, size int) string {
	var b strings.Builder
	tag := func(text string) {
		if l.html {
			b.WriteString(text)
		}
	}
	tag(`<div class="ad">` + "\n")
	for b.Len() < size-40 {
		tag(`<p style="margin:0">`)
		for range 12 + rnd.IntN(30) {
			b.WriteString(l.words[rnd.IntN(len(l.words))])
			b.WriteString(l.space)
		}
		tag("</p>\n<ul><li>Urlaub: 30 Tage</li><li>Kantine</li></ul>\n")
	}
	tag("</div>")
	return b.String()
}

// quoted returns s as a JSON string without HTML escapes, as most services
// write it.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// makeInfo returns a job information with 5 questions, 200 nationalities and 3
// locations. Only the language decides the catalogue of nationalities.
func makeInfo(language int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"jobId":%d,"jobTitle":"Elektriker (m/w/d)","jobLanguage":"de","applyPossible":true,"dataSecurityLink":"https://jobs.example.com/privacy/%d","questions":[`, job, job)
	b.WriteString(`{"id":"8","type":"YESNO","label":"Haben Sie einen Führerschein?","answers":[{"id":"2900101","label":"Ja"},{"id":"2900100","label":"Nein"}]},`)
	b.WriteString(`{"id":"9","type":"TEXT","label":"Wie haben Sie von uns erfahren?"},{"id":"10","type":"TEXTAREA","label":"Warum möchten Sie bei uns arbeiten?"},`)
	b.WriteString(`{"id":"11","type":"CATALOG","label":"Ihr Abschluss?","answers":[{"id":"0b0e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a11","label":"Lehre"},{"id":"1c1e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a22","label":"Bachelor"}]},`)
	b.WriteString(`{"id":"-1","type":"CATALOG","label":"Bevorzugter Standort?","answers":[{"id":"1","label":"Berlin"},{"id":"2","label":"Köln"},{"id":"3","label":"Leipzig"}]}],"nationalities":[`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"28%05d","label":"Staat %d-%d"}`, i, language, i*i)
	}
	b.WriteString(`],"timestamp":"2026-01-31T08:30:00.123Z","companyName":"Beispiel & Söhne GmbH","companyId":"5a1e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a99","location":`)
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

// leastInfo is the shortest job information that the client accepts.
const leastInfo = `{"jobId":2797227,"jobTitle":"-","applyPossible":true}`
