package jobboardtest

import (
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// feedPath holds the path of the feed below {base_url}. The interface does not
// define this path; it only says where in a feed the job identifier stands
// (section 4.4).
const feedPath = "/feed.xml"

// The XML shapes of the feed.
type (
	feedPosition struct {
		XMLName xml.Name      `xml:"PositionOpening"`
		Lang    string        `xml:"http://www.w3.org/XML/1998/namespace lang,attr,omitempty"`
		Record  feedRecord    `xml:"PositionRecordInfo"`
		Company string        `xml:"PositionProfile>Organization>OrganizationName,omitempty"`
		Title   string        `xml:"PositionProfile>PositionDetail>PositionTitle"`
		Place   *feedPlace    `xml:"PositionProfile>PositionDetail>PhysicalLocation"`
		Posted  []feedPosting `xml:"PositionPosting"`
	}
	feedRecord struct {
		ID     string `xml:"Id>IdValue"`
		Status string `xml:"Status"`
	}
	feedPlace struct {
		Country string `xml:"PostalAddress>CountryCode,omitempty"`
		Zip     string `xml:"PostalAddress>PostalCode,omitempty"`
		City    string `xml:"PostalAddress>Municipality,omitempty"`
		Street  string `xml:"PostalAddress>DeliveryAddress>AddressLine,omitempty"`
	}
	feedID struct {
		Value string `xml:"IdValue"`
	}
	// The IdValue of a feedPosting is the posting's identifier, not the job's.
	feedPosting struct {
		ID   *feedID `xml:"Id"`
		Link string  `xml:"Link,omitempty"`
	}
)

func (s *core) serveFeed(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET the feed", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	form := s.variants.Load().Feed
	_, _ = io.WriteString(w, xml.Header+form.root())
	for _, position := range s.feedPositions() {
		if _, err := w.Write(form.entry(position)); err != nil {
			return // the client has left: do not write up to a hundred thousand entries
		}
	}
	_, _ = io.WriteString(w, form.spell("</PositionOpenings>\n"))
}

const feedNamespace = "http://ns.hr-xml.org/2007-04-15"

// root returns the start tag of the feed's root element.
func (form FeedForm) root() string {
	switch form {
	case FeedNamespace:
		return `<PositionOpenings xmlns="` + feedNamespace + `">` + "\n"
	case FeedPrefix:
		return `<hr:PositionOpenings xmlns:hr="` + feedNamespace + `">` + "\n"
	}
	return form.spell("<PositionOpenings>\n")
}

func (form FeedForm) entry(p feedPosition) []byte {
	entry, _ := xml.Marshal(p) // our own shapes: cannot fail
	return []byte(form.spell(string(entry) + "\n"))
}

// spell rewrites the names of elements. A < marks an element, because text and
// attributes escape it.
func (form FeedForm) spell(elements string) string {
	switch form {
	case FeedPrefix:
		return elementName.ReplaceAllString(elements, "${1}hr:$2")
	case FeedLowerCase:
		return elementName.ReplaceAllStringFunc(elements, strings.ToLower)
	}
	return elements
}

// elementName is the beginning of a tag, up to the first letter of the name.
var elementName = regexp.MustCompile(`(</?)([A-Z])`)

// feedPositions returns the feed, in the order of the jobs' identifiers.
func (s *core) feedPositions() (all []feedPosition) {
	v := *s.variants.Load()
	s.read(func(st *state) {
		posted := map[int64][]feedPosting{}
		for _, id := range slices.Sorted(maps.Keys(st.postings)) {
			p := &st.postings[id].Posting
			posted[p.JobID] = append(posted[p.JobID], v.feedPosting(p, s.base.url()))
		}
		for _, id := range slices.Sorted(maps.Keys(st.jobs)) {
			j := st.jobs[id]
			if j.Job.Status == Deleted || len(posted[id]) == 0 {
				continue
			}
			p := feedPosition{
				Lang: j.Language, Title: j.Title, Company: st.companies[j.CompanyID].Name, Posted: posted[id],
				Record: feedRecord{ID: strconv.FormatInt(id, 10), Status: "active"},
			}
			if j.Job.Status == Inactive {
				p.Record.Status = "inactive"
			}
			if l := j.Location; l != (Location{}) {
				p.Place = &feedPlace{Country: l.Country, Zip: l.Zip, City: l.City, Street: l.Street}
			}
			all = append(all, p)
		}
	})
	return all
}

func (v Variants) feedPosting(p *Posting, base string) feedPosting {
	var out feedPosting
	if !v.FeedUnnamed {
		out.ID = &feedID{strconv.FormatInt(p.ID, 10)}
	}
	if !v.FeedUnlinked {
		out.Link = v.link(p, base, true)
	}
	return out
}
