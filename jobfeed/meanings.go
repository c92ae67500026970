package jobfeed

import (
	"cmp"
	"encoding/xml"
	"strings"
)

// meaning holds the functions that read an element. An element that the parser ignores has the zero
// meaning.
type meaning struct {
	begin   func(p *parser, attrs []xml.Attr)
	text    func(p *parser, text string) // gets the element's text, which may be empty
	ownText bool                         // text excludes the texts of child elements
	end     func(p *parser)
	in      elements
	others  *meaning // of elements that in lacks; nil: the parser ignores them
}

// elements holds the meanings of elements by their names in lower case.
type elements map[string]meaning

// opening describes an entry, PositionOpening, and its elements, nested as in the feed.
var opening = meaning{
	begin: func(p *parser, a []xml.Attr) { p.openingLang = language(a) },
	in: elements{
		"positionrecordinfo": {
			begin: func(p *parser, _ []xml.Attr) { p.beginRecord() },
			in: elements{
				"id": {
					begin: func(p *parser, a []xml.Attr) { p.now.ids.validity(a) },
					in:    elements{"idvalue": {text: (*parser).identifier}},
				},
				"status": {
					begin: func(p *parser, a []xml.Attr) { p.now.active.validity(a) },
					text:  func(p *parser, s string) { set(&p.now.status, s) },
				},
			},
		},
		"positionsupplier": {in: elements{
			"entityname": {text: func(p *parser, s string) { set(&p.now.supplier, s) }},
		}},
		"positionposting":  posting,
		"positionpostings": {in: elements{"positionposting": posting}},
		"positionprofile": {
			begin: func(p *parser, a []xml.Attr) { set(&p.now.profileLang, language(a)) },
			in: elements{
				"profilename": {text: func(p *parser, s string) { set(&p.now.profileName, s) }},
				"organization": {in: elements{
					"organizationname": {text: func(p *parser, s string) { set(&p.now.organization, s) }},
				}},
				"physicallocation": location,
				"howtoapply":       howToApply,
				"positiondetail": {in: elements{
					"positiontitle": {text: func(p *parser, s string) { set(&p.now.title, s) }},
					"company": {
						text:    func(p *parser, s string) { set(&p.now.company, s) },
						ownText: true,
						in:      elements{"name": {text: func(p *parser, s string) { set(&p.now.company, s) }}},
					},
					"physicallocation": location,
				}},
			},
		},
	},
}

var posting = meaning{in: elements{
	"id": {
		begin: func(p *parser, a []xml.Attr) { p.now.posting.validity(a) },
		in:    elements{"idvalue": {text: (*parser).postingID}},
	},
	"title":      {text: func(p *parser, s string) { set(&p.now.postingTitle, s) }},
	"link":       {text: func(p *parser, url string) { p.link(LinkPosting, url) }},
	"howtoapply": howToApply,
}}

var howToApply = meaning{in: elements{
	"applicationmethod": {in: elements{
		"internetwebaddress": {text: func(p *parser, url string) { p.link(LinkApply, url) }},
	}},
}}

var location = meaning{
	end: (*parser).endLocation,
	in: elements{
		"name": {text: func(p *parser, s string) { set(&p.place.Name, s) }},
		"area": area,
		"postaladdress": {in: elements{
			"countrycode":  {text: func(p *parser, s string) { set(&p.place.Country, s) }},
			"region":       {text: func(p *parser, s string) { set(&p.place.Region, s) }},
			"municipality": {text: func(p *parser, s string) { set(&p.place.City, s) }},
			"postalcode":   {text: func(p *parser, s string) { set(&p.place.PostalCode, s) }},
			"deliveryaddress": {in: elements{
				"streetname":     {text: func(p *parser, s string) { set(&p.place.street, s) }},
				"buildingnumber": {text: func(p *parser, s string) { set(&p.place.building, s) }},
				"addressline":    {text: (*parser).addressLine},
			}},
		}},
	},
}

var area = meaning{in: elements{"value": {text: (*parser).inArea}}}

// roots has the elements in lower case that may stand around the entries of a feed: a document that
// begins with one of them is a feed, if an empty one. Longer names are for one kind of document each.
var roots = map[string]bool{
	"feed": true, "hrxml": true, "jobfeed": true, "joblist": true, "jobs": true, "positionlist": true, "positionopeninglist": true,
	"positionopenings": true, "positions": true, "staffingorder": true, "staffingorders": true,
}

// isOfFeed reports whether an element is one of a feed's, by its name without a prefix. isRoot tells that
// it is the first element.
func isOfFeed(name []byte, isRoot bool) bool {
	if len(name) > longestOfFeed {
		return false
	}
	lower := strings.ToLower(string(name))
	if isRoot && roots[lower] {
		return true
	}
	_, known := opening.in[lower]
	return known
}

// longestOfFeed is the length of the longest name that isOfFeed knows.
const longestOfFeed = len("positionopeninglist")

// aside describes elements that are none of a feed's. Each may hold a job of its own, with all that an
// opening may have.
var aside = meaning{
	begin: func(p *parser, _ []xml.Attr) { p.beginAside() },
	end:   (*parser).endAside,
	in:    opening.in,
}

func init() {
	area.in["area"] = area // an area may contain areas
	aside.others = &aside
	opening.others = &aside
}

// set sets *s if it is still empty.
func set(s *string, text string) { *s = cmp.Or(*s, text) }
