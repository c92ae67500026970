package jobfeed

import (
	"encoding/xml"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go"
)

// meaning is what an element is for.
type meaning struct {
	begin   func(p *parser, attrs []xml.Attr)
	text    func(p *parser, text string) // takes its text, which may be empty
	ownText bool                         // which is not that of the elements in it
	end     func(p *parser)
}

// meanings has the elements of an entry by their paths; "" is the entry.
var meanings = map[string]meaning{}

// longestPath bounds the paths that are looked up.
var longestPath int

// idValue is the path of the job's identifier.
const idValue = "/positionrecordinfo/id/idvalue"

func init() {
	profile, detail := "/positionprofile", "/positionprofile/positiondetail"
	record, status := "/positionrecordinfo/id", "/positionrecordinfo/status"

	at("", meaning{begin: func(p *parser, a []xml.Attr) { p.openingLang = language(a) }})
	at(record, meaning{begin: func(p *parser, a []xml.Attr) { p.record.validity(a) }})
	at(idValue, meaning{begin: (*parser).beginIdentifier, text: (*parser).identifier})
	at(status, meaning{
		begin: func(p *parser, a []xml.Attr) { p.status.validity(a) },
		text:  func(p *parser, s string) { set(&p.entry.Status, s) },
	})
	textAt("/positionsupplier/entityname", func(p *parser) *string { return &p.supplier })

	at(profile, meaning{begin: func(p *parser, a []xml.Attr) { set(&p.profileLang, language(a)) }})
	textAt(profile+"/profilename", func(p *parser) *string { return &p.profileName })
	textAt(profile+"/organization/organizationname", func(p *parser) *string { return &p.organization })
	linkAt(profile+"/howtoapply/applicationmethod/internetwebaddress", LinkApply)
	textAt(detail+"/positiontitle", func(p *parser) *string { return &p.entry.Title })
	at(detail+"/company", meaning{text: func(p *parser, s string) { set(&p.entry.Company, s) }, ownText: true})
	textAt(detail+"/company/name", func(p *parser) *string { return &p.entry.Company })
	for _, parent := range []string{"", "/positionpostings"} {
		postingAt(parent + "/positionposting")
	}
	for _, parent := range []string{profile, detail} {
		locationAt(parent + "/physicallocation")
	}
}

func postingAt(posting string) {
	at(posting+"/id", meaning{begin: func(p *parser, a []xml.Attr) { p.posting.validity(a) }})
	at(posting+"/id/idvalue", meaning{text: func(p *parser, id string) {
		if n, err := strconv.ParseUint(id, 10, 63); err == nil && n > 0 {
			p.entry.Postings = append(p.entry.Postings, jobboard.JobPostingID(n))
		}
	}})
	textAt(posting+"/title", func(p *parser) *string { return &p.postingTitle })
	linkAt(posting+"/link", LinkPosting)
	linkAt(posting+"/howtoapply/applicationmethod/internetwebaddress", LinkApply)
}

func locationAt(location string) {
	address, delivery := location+"/postaladdress", location+"/postaladdress/deliveryaddress"

	at(location, meaning{begin: (*parser).beginLocation, end: (*parser).endLocation})
	textAt(location+"/name", func(p *parser) *string { return &p.location().Name })
	textAt(address+"/countrycode", func(p *parser) *string { return &p.location().Country })
	textAt(address+"/region", func(p *parser) *string { return &p.location().Region })
	textAt(address+"/municipality", func(p *parser) *string { return &p.location().City })
	textAt(address+"/postalcode", func(p *parser) *string { return &p.location().PostalCode })
	textAt(delivery+"/streetname", func(p *parser) *string { return &p.street })
	textAt(delivery+"/buildingnumber", func(p *parser) *string { return &p.building })
	at(delivery+"/addressline", meaning{text: func(p *parser, line string) {
		if line != "" {
			p.lines = append(p.lines, line)
		}
	}})
	at(location+"/area/value", meaning{text: (*parser).inArea})
}

func at(path string, m meaning) {
	meanings[path] = m
	longestPath = max(longestPath, len(path))
}

// textAt says that the first text of the elements at a path is that of a field.
func textAt(path string, field func(p *parser) *string) {
	at(path, meaning{text: func(p *parser, text string) { set(field(p), text) }})
}

// linkAt says that the texts of the elements at a path are links.
func linkAt(path string, kind LinkKind) {
	at(path, meaning{text: func(p *parser, url string) {
		if url != "" {
			p.entry.addLink(Link{kind, url})
		}
	}})
}
