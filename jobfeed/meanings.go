package jobfeed

import (
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// meaning is what an element is for, by its path in the entry.
type meaning struct {
	children map[string]*meaning // by their lower-case local names; nil: what is in it has no meaning of its own

	begin func(p *parser, e *element)
	text  func(p *parser, e *element, text string) // takes the element's text, if there is some
	end   func(p *parser)
}

var (
	opening = new(meaning) // of an entry, and so the root of all others
	idValue *meaning       // of PositionRecordInfo > Id > IdValue
	nothing = new(meaning) // of an element that is not known
)

// child returns the meaning of an element in one of meaning m.
func (m *meaning) child(name string) *meaning {
	var lower [24]byte // longer than every name
	if m.children == nil || len(name) > len(lower) {
		return nothing
	}
	for i := range len(name) {
		lower[i] = lowerByte(name[i])
	}
	if known := m.children[string(lower[:len(name)])]; known != nil {
		return known
	}
	return nothing
}

// at sets the meaning of the element at a path of lower-case names.
func at(path string, m meaning) *meaning {
	found := opening
	for name := range strings.SplitSeq(path, "/") {
		if found.children == nil {
			found.children = map[string]*meaning{}
		}
		if found.children[name] == nil {
			found.children[name] = new(meaning)
		}
		found = found.children[name]
	}
	m.children = found.children
	*found = m
	return found
}

// textTo returns the meaning of an element whose first text goes to a field.
func textTo(field func(p *parser) *string) meaning {
	return meaning{text: func(p *parser, _ *element, text string) { set(field(p), text) }}
}

func init() {
	opening.begin = func(p *parser, e *element) { p.openingLang = language(e.Attr) }

	at("positionrecordinfo/id", meaning{begin: func(p *parser, e *element) { p.record.validity(e) }})
	notNested := func(p *parser, _ *element) { p.idNested = false }
	idValue = at("positionrecordinfo/id/idvalue", meaning{begin: notNested, text: (*parser).identifier})
	status := textTo(func(p *parser) *string { return &p.entry.Status })
	status.begin = func(p *parser, e *element) { p.status.validity(e) }
	at("positionrecordinfo/status", status)
	at("positionsupplier/entityname", textTo(func(p *parser) *string { return &p.supplier }))

	profile := func(p *parser, e *element) { set(&p.profileLang, language(e.Attr)) }
	at("positionprofile", meaning{begin: profile})
	at("positionprofile/profilename", textTo(func(p *parser) *string { return &p.profileName }))
	at("positionprofile/organization/organizationname", textTo(func(p *parser) *string { return &p.organization }))
	at("positionprofile/positiondetail/positiontitle", textTo(func(p *parser) *string { return &p.entry.Title }))
	at("positionprofile/positiondetail/company", textTo(func(p *parser) *string { return &p.entry.Company }))
	at("positionprofile/positiondetail/company/name", textTo(func(p *parser) *string { return &p.entry.Company }))
	apply := meaning{text: func(p *parser, _ *element, url string) { p.entry.addLink(Link{LinkApply, url}) }}
	at("positionprofile/howtoapply/applicationmethod/internetwebaddress", apply)

	postingID := func(p *parser, _ *element, id string) {
		if n, err := strconv.ParseUint(id, 10, 63); err == nil && n > 0 {
			p.entry.Postings = append(p.entry.Postings, jobboard.JobPostingID(n))
		}
	}
	for _, posting := range []string{"positionposting", "positionpostings/positionposting"} {
		at(posting+"/id", meaning{begin: func(p *parser, e *element) { p.posting.validity(e) }})
		at(posting+"/id/idvalue", meaning{text: postingID})
		at(posting+"/title", textTo(func(p *parser) *string { return &p.postingTitle }))
		link := func(p *parser, _ *element, url string) { p.entry.addLink(Link{LinkPosting, url}) }
		at(posting+"/link", meaning{text: link})
		at(posting+"/howtoapply/applicationmethod/internetwebaddress", apply)
	}

	for _, parent := range []string{"positionprofile", "positionprofile/positiondetail"} {
		location := parent + "/physicallocation"
		begin := func(p *parser, _ *element) { p.beginLocation() }
		at(location, meaning{begin: begin, end: (*parser).endLocation})
		at(location+"/name", textTo(func(p *parser) *string { return &p.location().Name }))
		address := location + "/postaladdress"
		at(address+"/countrycode", textTo(func(p *parser) *string { return &p.location().Country }))
		at(address+"/region", textTo(func(p *parser) *string { return &p.location().Region }))
		at(address+"/municipality", textTo(func(p *parser) *string { return &p.location().City }))
		at(address+"/postalcode", textTo(func(p *parser) *string { return &p.location().PostalCode }))
		delivery := address + "/deliveryaddress"
		at(delivery+"/streetname", textTo(func(p *parser) *string { return &p.street }))
		at(delivery+"/buildingnumber", textTo(func(p *parser) *string { return &p.building }))
		line := func(p *parser, _ *element, text string) { p.lines = append(p.lines, text) }
		at(delivery+"/addressline", meaning{text: line})

		kind := func(_ *parser, e *element) { e.area = strings.ToLower(attribute(e.Attr, "type")) }
		area := at(location+"/area", meaning{begin: kind})
		at(location+"/area/value", meaning{text: (*parser).inArea})
		area.children["area"] = area // in one another
	}
}
