package jobfeed

import (
	"cmp"
	"encoding/xml"
)

// meaning holds the functions that read an element. An element that the parser ignores has the zero
// meaning.
type meaning struct {
	begin   func(p *parser, attrs []xml.Attr)
	text    func(p *parser, text string) // gets the element's text, which may be empty
	ownText bool                         // text excludes the texts of child elements
	end     func(p *parser)
	in      elements
}

// elements holds the meanings of elements by their names in lower case.
type elements map[string]meaning

// opening describes an entry, PositionOpening, and its elements, nested as in the feed.
var opening = meaning{
	begin: func(p *parser, a []xml.Attr) { p.openingLang = language(a) },
	in: elements{
		"positionrecordinfo": {in: elements{
			"id": {
				begin: func(p *parser, a []xml.Attr) { p.record.validity(a) },
				in:    elements{"idvalue": {text: (*parser).identifier}},
			},
			"status": {
				begin: func(p *parser, a []xml.Attr) { p.status.validity(a) },
				text:  func(p *parser, s string) { set(&p.entry.Status, s) },
			},
		}},
		"positionsupplier": {in: elements{
			"entityname": {text: func(p *parser, s string) { set(&p.supplier, s) }},
		}},
		"positionposting":  posting,
		"positionpostings": {in: elements{"positionposting": posting}},
		"positionprofile": {
			begin: func(p *parser, a []xml.Attr) { set(&p.profileLang, language(a)) },
			in: elements{
				"profilename": {text: func(p *parser, s string) { set(&p.profileName, s) }},
				"organization": {in: elements{
					"organizationname": {text: func(p *parser, s string) { set(&p.organization, s) }},
				}},
				"physicallocation": location,
				"howtoapply":       howToApply,
				"positiondetail": {in: elements{
					"positiontitle": {text: func(p *parser, s string) { set(&p.entry.Title, s) }},
					"company": {
						text:    func(p *parser, s string) { set(&p.entry.Company, s) },
						ownText: true,
						in:      elements{"name": {text: func(p *parser, s string) { set(&p.entry.Company, s) }}},
					},
					"physicallocation": location,
				}},
			},
		},
	},
}

var posting = meaning{in: elements{
	"id": {
		begin: func(p *parser, a []xml.Attr) { p.posting.validity(a) },
		in:    elements{"idvalue": {text: (*parser).postingID}},
	},
	"title":      {text: func(p *parser, s string) { set(&p.postingTitle, s) }},
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

func init() { area.in["area"] = area } // an area may contain areas

// set sets *s if it is still empty.
func set(s *string, text string) { *s = cmp.Or(*s, text) }
