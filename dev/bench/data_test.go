package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	token   = "a-static-token"
	channel = "1000" // the board's channels are named after the number of their postings
	job     = 2797227
	adText  = "platform_internalAdText"
)

var (
	cities      = []string{"Berlin", "München", "Köln", "Hamburg", "Saarbrücken", "Leipzig"}
	professions = []string{"Softwareentwickler", "Pflegefachkraft", "Bürokauffrau", "Data Engineer", "Elektriker"}
	words       = strings.Fields(`Wir suchen für unser Team am Standort eine engagierte Persönlichkeit mit Freude an
		moderner Technik und Gespür für Kundinnen und Kunden Sie bringen Erfahrung mit, arbeiten gern selbständig,
		und wachsen an neuen Aufgaben flexible hours salary benefits training remote health insurance`)
)

// makePage returns a search answer of n postings with 2 to 6 KB of German advertisement each. Each posting ends with more:
// further members, or nothing. The same n gives the same bytes.
func makePage(n int, more string) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	var b bytes.Buffer
	b.Grow(n * 5100)
	fmt.Fprintf(&b, `{"itemsPerPage":%d,"numPages":1,"offset":0,"actualPage":0,"firstPostingOnPage":1,"lastPostingOnPage":%d,`+
		`"totalNumberOfJobs":%d,"results":[`, n, n, n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		city := cities[rnd.IntN(len(cities))]
		title := quoted(fmt.Sprintf("%s (m/w/d) in %s", professions[rnd.IntN(len(professions))], city))
		fmt.Fprintf(&b, `{"jobPostingId":%d,"postingVersionId":%d,"title":%s,`+
			`"applyOnlineLink":"https://jobs.example.com/apply/%d?l=de","config":{`, 4_000_000+i, 9_000_000+i, title, 4_000_000+i)
		fmt.Fprintf(&b, `"ProjectLocation":["%d"],"location":["%d"],"ProjectLocationGerman":[%s],"ProjectNumber":["P-%05d"],`,
			100+i%60, 100+i%60, quoted(city), i)
		fmt.Fprintf(&b, `"audience":["%d"],"platformvisibility":["visible"],"listingStartDate":["%d"],"internalPostingName":[%s],`,
			i%7, 1_700_000_000_000+int64(i)*977, title)
		fmt.Fprintf(&b, `"`+adText+`":[%s],"jobcategory":["%d"],"ProjectCompanyNameGerman":["Beispiel & Söhne GmbH"],`+
			`"sg_remote_status":["FULLY_REMOTE"]},`, quoted(makeAd(rnd, 2000+rnd.IntN(4000))), 300+i%20)
		fmt.Fprintf(&b, `"jobStartDate":%d,"postingVersionStartDate":%d,"postingVersionEndDate":0%s}`,
			1_710_000_000_000+i, 1_709_000_000_000+i, more)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// makeAd returns an advertisement in the HTML of an editor.
func makeAd(rnd *rand.Rand, size int) string {
	var b strings.Builder
	b.WriteString(`<div class="ad">` + "\n")
	for b.Len() < size-40 {
		b.WriteString(`<p style="margin:0">`)
		for range 12 + rnd.IntN(30) {
			b.WriteString(words[rnd.IntN(len(words))] + " ")
		}
		b.WriteString("</p>\n<ul><li>Urlaub: 30 Tage</li><li>Kantine</li></ul>\n")
	}
	b.WriteString("</div>")
	return b.String()
}

// quoted returns s as a JSON string without HTML escapes, as most services write it.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// makeInfo returns a job information with 5 questions, 3 locations and that many nationalities. It ends with more: further
// members, or nothing.
func makeInfo(nationalities int, more string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"jobId":%d,"jobTitle":"Elektriker (m/w/d)","jobLanguage":"de","applyPossible":true,`+
		`"dataSecurityLink":"https://jobs.example.com/privacy/%d","questions":[`, job, job)
	b.WriteString(`{"id":"8","type":"YESNO","label":"Haben Sie einen Führerschein?",` +
		`"answers":[{"id":"2900101","label":"Ja"},{"id":"2900100","label":"Nein"}]},` +
		`{"id":"9","type":"TEXT","label":"Wie haben Sie von uns erfahren?","answers":[]},` +
		`{"id":"10","type":"TEXTAREA","label":"Warum möchten Sie bei uns arbeiten?","answers":[]},` +
		`{"id":"11","type":"CATALOG","label":"Ihr Abschluss?",` +
		`"answers":[{"id":"0b0e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a11","label":"Lehre"},` +
		`{"id":"1c1e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a22","label":"Bachelor"}]},` +
		`{"id":"-1","type":"CATALOG","label":"Bevorzugter Standort?",` +
		`"answers":[{"id":"1","label":"Berlin"},{"id":"2","label":"Köln"},{"id":"3","label":"Leipzig"}]}],"nationalities":[`)
	for i := range nationalities {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"28%05d","label":"Staat %d"}`, i, i*i)
	}
	b.WriteString(`],"timestamp":"2026-01-31T08:30:00.123Z","companyName":"Beispiel & Söhne GmbH",` +
		`"companyId":"5a1e8ba2-7d3c-4a0b-9f27-2f9f3e0c3a99","location":`)
	place := func(i int, city string) {
		fmt.Fprintf(&b, `{"geoLat":"52.5%d","geoLong":"13.3%d","geoName":"Allee %d, 1011%d %s","geoCountry":"Deutschland",`+
			`"geoState":"Land %s","geoCity":"%s","geoZip":"1011%d","geoStreet":"Allee %d"}`, i, i, i, i, city, city, city, i, i)
	}
	place(1, "Berlin")
	b.WriteString(`,"additionalLocations":[`)
	place(2, "Köln")
	b.WriteByte(',')
	place(3, "Leipzig")
	b.WriteString("]" + more + "}")
	return b.Bytes()
}

// threeMembers and twelveMembers are what the interface does not name: texts, numbers and small objects.
const threeMembers = `,"salaryBand":"B7","shift":["early","late"],"remote":true`

var twelveMembers = func() string {
	var b strings.Builder
	for i := range 4 {
		fmt.Fprintf(&b, `,"text%d":"a text of some length","number%d":%d,"object%d":{"from":%d,"to":"%d"}`,
			i, i, 1000*i, i, i, i)
	}
	return b.String()
}()

// infoOf returns a job information of makeInfo as that of another job.
func infoOf(info []byte, id int) []byte {
	b := make([]byte, 0, len(info)+8)
	b = strconv.AppendInt(append(b, `{"jobId":`...), int64(id), 10)
	return append(b, info[bytes.IndexByte(info, ','):]...)
}
