package jobfeed

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jobboard-sdk/jobboard-go"
)

// The parser takes one entry that is whole in memory. It accepts what
// encoding/xml accepts, except that it knows no directives and no entities but
// XML's five, bounds the depth, and does not look up letters beyond ASCII in
// names. It is several times as fast because it makes no tokens.

// node is what an element means, decided by its parent's meaning and its name.
type node uint8

const (
	other node = iota
	nOpening
	nRecord
	nRecordID
	nIDValue
	nStatus
	nPostings
	nPosting
	nPostingID
	nPostingIDValue
	nPostingTitle
	nLink
	nProfile
	nProfileName
	nOrganization
	nOrganizationName
	nSupplier
	nEntityName
	nDetail
	nTitle
	nCompany
	nCompanyName
	nLocation
	nLocationName
	nAddress
	nCountry
	nRegion
	nCity
	nPostalCode
	nDelivery
	nStreet
	nBuilding
	nAddressLine
	nArea
	nAreaValue
	nHow
	nMethod
	nApply
	nInner // within an element whose text is taken
	nNodes
)

// child gives the meaning of an element by its lower-case local name.
func child(parent node, name []byte) node {
	switch parent {
	case nOpening:
		switch string(name) {
		case "positionrecordinfo":
			return nRecord
		case "positionpostings":
			return nPostings
		case "positionposting":
			return nPosting
		case "positionprofile":
			return nProfile
		case "positionsupplier":
			return nSupplier
		}
	case nRecord:
		switch string(name) {
		case "id":
			return nRecordID
		case "status":
			return nStatus
		}
	case nRecordID:
		if string(name) == "idvalue" {
			return nIDValue
		}
	case nPostings:
		if string(name) == "positionposting" {
			return nPosting
		}
	case nPostingID:
		if string(name) == "idvalue" {
			return nPostingIDValue
		}
	case nPosting:
		switch string(name) {
		case "id":
			return nPostingID
		case "title":
			return nPostingTitle
		case "link":
			return nLink
		case "howtoapply":
			return nHow
		}
	case nProfile:
		switch string(name) {
		case "positiondetail":
			return nDetail
		case "profilename":
			return nProfileName
		case "organization":
			return nOrganization
		case "howtoapply":
			return nHow
		case "physicallocation":
			return nLocation
		}
	case nOrganization:
		if string(name) == "organizationname" {
			return nOrganizationName
		}
	case nSupplier:
		if string(name) == "entityname" {
			return nEntityName
		}
	case nDetail:
		switch string(name) {
		case "positiontitle":
			return nTitle
		case "company":
			return nCompany
		case "physicallocation":
			return nLocation
		}
	case nCompany:
		if string(name) == "name" {
			return nCompanyName
		}
	case nLocation:
		switch string(name) {
		case "name":
			return nLocationName
		case "postaladdress":
			return nAddress
		case "area":
			return nArea
		}
	case nAddress:
		switch string(name) {
		case "countrycode":
			return nCountry
		case "region":
			return nRegion
		case "municipality":
			return nCity
		case "postalcode":
			return nPostalCode
		case "deliveryaddress":
			return nDelivery
		}
	case nDelivery:
		switch string(name) {
		case "streetname":
			return nStreet
		case "buildingnumber":
			return nBuilding
		case "addressline":
			return nAddressLine
		}
	case nArea:
		switch string(name) {
		case "value":
			return nAreaValue
		case "area":
			return nArea
		}
	case nHow:
		if string(name) == "applicationmethod" {
			return nMethod
		}
	case nMethod:
		if string(name) == "internetwebaddress" {
			return nApply
		}
	case nPostingIDValue, nStatus, nPostingTitle, nLink, nProfileName, nOrganizationName, nEntityName, nTitle, nCompanyName, nLocationName,
		nCountry, nRegion, nCity, nPostalCode, nStreet, nBuilding, nAddressLine, nAreaValue, nApply, nInner:
		return nInner
	}
	return other
}

// takesText: the elements whose text is wanted.
var takesText = [nNodes]bool{
	nIDValue: true, nPostingIDValue: true, nStatus: true, nPostingTitle: true, nLink: true, nProfileName: true, nOrganizationName: true, nEntityName: true,
	nTitle: true, nCompany: true, nCompanyName: true, nLocationName: true, nCountry: true, nRegion: true, nCity: true,
	nPostalCode: true, nStreet: true, nBuilding: true, nAddressLine: true, nAreaValue: true, nApply: true, nInner: true,
}

type element struct {
	name, end int // of the name in raw
	node      node
	area      node // of an Area: the part of the location its value is
}

type attribute struct{ name, nameEnd, value, valueEnd int }

// dates are a validFrom and a validTo of one element.
type dates struct{ from, to Date }

// parser reads entries one after the other; its buffers are used again.
type parser struct {
	maxDepth int
	idOnly   bool // fill in nothing but the identifier

	raw   []byte
	open  []element
	attrs []attribute // of the last start tag
	text  []byte      // of the element whose text is taken

	entry    *Entry
	idAt     int  // of the first IdValue that has text
	idSeen   bool // there is one
	idErr    error
	idNested bool // an element in the IdValue

	profileName, postingTitle, organization, supplier string
	profileLang, openingLang                          string
	posting, status, record                           dates
	building, street                                  string
	lines                                             []string
}

// fault is what is wrong with an entry.
type fault struct {
	at     int
	kind   error
	reason string
}

// parse fills in e. On a fault, e.JobID is there if it came before.
func (p *parser) parse(raw []byte, e *Entry) *fault {
	*p = parser{
		maxDepth: p.maxDepth, idOnly: p.idOnly, raw: raw, entry: e,
		open: p.open[:0], attrs: p.attrs, text: p.text[:0], lines: p.lines[:0],
	}
	if f := p.elements(); f != nil {
		return f
	}
	switch {
	case !p.idSeen:
		return &fault{0, ErrNoJobID, "no value at PositionRecordInfo > Id > IdValue"}
	case p.idErr != nil:
		return &fault{p.idAt, ErrBadJobID, p.idErr.Error()}
	}
	if p.idOnly {
		return nil
	}
	e.Title = first(e.Title, p.profileName, p.postingTitle)
	e.Company = first(e.Company, p.organization, p.supplier)
	e.Language = first(p.profileLang, p.openingLang, e.Language)
	e.Postings, e.PostingVersions = ascending(e.Postings), ascending(e.PostingVersions)
	for _, d := range [...]dates{p.posting, p.status, p.record} {
		if d != (dates{}) {
			e.ValidFrom, e.ValidTo = d.from, d.to
			break
		}
	}
	return nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// errOpen is the fault of an entry that ends while elements are open. The
// reader knows why it ends.
var errOpen = &fault{kind: ErrSyntax, reason: "not closed"}

func syntax(at int, format string, args ...any) *fault {
	return &fault{at, ErrSyntax, fmt.Sprintf(format, args...)}
}

func (p *parser) elements() *fault {
	raw := p.raw
	for i := 0; i < len(raw); {
		take := len(p.open) > 0 && takesText[p.open[len(p.open)-1].node]
		if raw[i] != '<' {
			j := bytes.IndexByte(raw[i:], '<')
			if j < 0 {
				j = len(raw) - i
			}
			if f := p.chars(i, i+j, content, take); f != nil {
				return f
			}
			i += j
			continue
		}
		rest := raw[i:]
		var f *fault
		switch {
		case len(rest) < 2:
			return errOpen
		case rest[1] == '/':
			if i, f = p.endTag(i); f != nil {
				return f
			}
		case rest[1] == '?':
			end := bytes.Index(rest[2:], []byte("?>"))
			if end < 0 {
				return errOpen
			}
			if n := p.nameEnd(i + 2); n == i+2 || !p.validName(i+2, n) {
				return syntax(i, "processing instruction without a target")
			}
			i += 2 + end + 2
		case bytes.HasPrefix(rest, []byte("<!--")):
			end := bytes.Index(rest[4:], []byte("--"))
			switch {
			case end < 0 || 4+end+2 == len(rest):
				return errOpen
			case rest[4+end+2] != '>':
				return syntax(i+4+end, `"--" in a comment`)
			}
			i += 4 + end + 3
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			end := bytes.Index(rest[9:], []byte("]]>"))
			if end < 0 {
				return errOpen
			}
			if f := p.chars(i+9, i+9+end, cdata, take); f != nil {
				return f
			}
			i += 9 + end + 3
		case rest[1] == '!':
			return syntax(i, "a declaration inside an entry")
		default:
			at := i
			var empty bool
			if i, empty, f = p.startTag(i); f != nil {
				return f
			}
			if len(p.open) == p.maxDepth {
				return &fault{at, ErrTooDeep, fmt.Sprintf("over %d elements deep", p.maxDepth)}
			}
			p.begin(at)
			if empty {
				p.finish()
			}
		}
		if len(p.open) == 0 { // after the entry's end; nothing but its start tag comes before
			if i < len(raw) {
				return syntax(i, "text after the entry's end tag")
			}
			return nil
		}
	}
	return errOpen
}

func (p *parser) nameEnd(i int) int {
	for i < len(p.raw) && nameByte[p.raw[i]] {
		i++
	}
	return i
}

// validName checks a name that consists of name bytes.
func (p *parser) validName(i, j int) bool {
	name := p.raw[i:j]
	if len(name) == 0 {
		return false
	}
	colons := 0
	ascii := true
	for _, c := range name {
		if c == ':' {
			colons++
		}
		ascii = ascii && c < 0x80
	}
	c := name[0]
	return colons <= 1 && !(c >= '0' && c <= '9' || c == '-' || c == '.') && (ascii || utf8.Valid(name))
}

func (p *parser) space(i int) int {
	for i < len(p.raw) && isSpace(p.raw[i]) {
		i++
	}
	return i
}

func (p *parser) endTag(i int) (int, *fault) {
	j := p.nameEnd(i + 2)
	k := p.space(j)
	switch {
	case k == len(p.raw):
		return 0, errOpen
	case p.raw[k] != '>' || !p.validName(i+2, j):
		return 0, syntax(i, "malformed end tag")
	}
	name := p.raw[i+2 : j]
	if len(p.open) == 0 {
		return 0, syntax(i, "end tag %.40q without a start tag", name)
	}
	top := &p.open[len(p.open)-1]
	if want := p.raw[top.name:top.end]; !bytes.Equal(name, want) {
		return 0, syntax(i, "element %.40q closed by %.40q", want, name)
	}
	p.finish()
	return k + 1, nil
}

// startTag reads the tag at i into attrs.
func (p *parser) startTag(i int) (end int, empty bool, f *fault) {
	p.attrs = p.attrs[:0]
	raw := p.raw
	j := p.nameEnd(i + 1)
	if j == len(raw) {
		return 0, false, errOpen
	}
	if !p.validName(i+1, j) {
		return 0, false, syntax(i, "malformed start tag")
	}
	for {
		if j = p.space(j); j == len(raw) {
			return 0, false, errOpen
		}
		switch raw[j] {
		case '>':
			return j + 1, false, nil
		case '/':
			if j+1 == len(raw) {
				return 0, false, errOpen
			}
			if raw[j+1] != '>' {
				return 0, false, syntax(j, `"/" in a tag`)
			}
			return j + 2, true, nil
		}
		a := attribute{name: j}
		a.nameEnd = p.nameEnd(j)
		j = p.space(a.nameEnd)
		if j == len(raw) {
			return 0, false, errOpen
		}
		if !p.validName(a.name, a.nameEnd) {
			return 0, false, syntax(a.name, "malformed attribute")
		}
		if raw[j] != '=' {
			return 0, false, syntax(a.name, "attribute %.40q without a value", raw[a.name:a.nameEnd])
		}
		if j = p.space(j + 1); j == len(raw) {
			return 0, false, errOpen
		}
		if raw[j] != '"' && raw[j] != '\'' {
			return 0, false, syntax(a.name, "value of attribute %.40q without quotes", raw[a.name:a.nameEnd])
		}
		n := bytes.IndexByte(raw[j+1:], raw[j])
		a.value = j + 1
		if lt := bytes.IndexByte(raw[j+1:], '<'); lt >= 0 && (n < 0 || lt < n) {
			return 0, false, syntax(j+1+lt, `"<" in the value of attribute %.40q`, raw[a.name:a.nameEnd])
		}
		if n < 0 {
			return 0, false, errOpen
		}
		a.valueEnd = j + 1 + n
		if f := p.chars(a.value, a.valueEnd, quoted, false); f != nil {
			return 0, false, f
		}
		p.attrs = append(p.attrs, a)
		j = a.valueEnd + 1
	}
}

// attr is the value of the attribute with that lower-case local name.
func (p *parser) attr(name string) string {
	for _, a := range p.attrs {
		if _, local := splitName(p.raw[a.name:a.nameEnd]); equalFold(local, name) {
			return p.value(a)
		}
	}
	return ""
}

// lang is the value of xml:lang, or of a lang without a prefix.
func (p *parser) lang() string {
	for _, a := range p.attrs {
		prefix, local := splitName(p.raw[a.name:a.nameEnd])
		if equalFold(local, "lang") && (len(prefix) == 0 || equalFold(prefix, "xml")) {
			return p.value(a)
		}
	}
	return ""
}

func (p *parser) value(a attribute) string {
	n := len(p.text)
	p.chars(a.value, a.valueEnd, quoted, true)
	v := strings.TrimSpace(string(p.text[n:]))
	p.text = p.text[:n]
	return v
}

func splitName(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// equalFold compares with lower-case letters, in ASCII only.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// begin opens the element whose start tag at i was just read.
func (p *parser) begin(i int) {
	e := element{name: i + 1, end: p.nameEnd(i + 1), node: nOpening}
	if len(p.open) > 0 {
		parent := &p.open[len(p.open)-1]
		e.node = other
		if parent.node == nIDValue {
			p.idNested = true
		}
		if parent.node != other {
			var lower [32]byte
			if _, local := splitName(p.raw[e.name:e.end]); len(local) <= len(lower) {
				for i, c := range local {
					if c >= 'A' && c <= 'Z' {
						c |= 0x20
					}
					lower[i] = c
				}
				e.node = child(parent.node, lower[:len(local)])
			} else {
				e.node = child(parent.node, nil)
			}
			e.area = parent.area
		}
		if p.idOnly && e.node != nRecord && e.node != nRecordID && e.node != nIDValue {
			e.node = other
		}
	}
	p.open = append(p.open, e)
	top := &p.open[len(p.open)-1]
	if takesText[e.node] && e.node != nInner {
		p.text = p.text[:0]
		if e.node == nIDValue {
			p.idNested = false
		}
	}
	if p.idOnly {
		return
	}
	switch e.node {
	case nOpening:
		p.openingLang = p.lang()
	case nProfile:
		p.profileLang = first(p.profileLang, p.lang())
	case nPostingID:
		p.validity(&p.posting)
	case nStatus:
		p.validity(&p.status)
	case nRecordID:
		p.validity(&p.record)
	case nLocation:
		p.entry.Locations = append(p.entry.Locations, Location{})
		p.street, p.building, p.lines = "", "", p.lines[:0]
	case nArea:
		top.area = other
		switch strings.ToLower(p.attr("type")) {
		case "countrycode", "country":
			top.area = nCountry
		case "region":
			top.area = nRegion
		case "municipality":
			top.area = nCity
		case "postalcode":
			top.area = nPostalCode
		}
	}
}

// validity takes the dates of the last start tag, unless there are some.
func (p *parser) validity(d *dates) {
	if *d == (dates{}) {
		*d = dates{Date(p.attr("validfrom")), Date(p.attr("validto"))}
	}
}

// finish closes the innermost element.
func (p *parser) finish() {
	top := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	e := p.entry
	if top.node == nLocation {
		l := &e.Locations[len(e.Locations)-1]
		l.Street = strings.TrimSpace(p.street + " " + p.building)
		if p.street == "" && len(p.lines) > 0 {
			l.Street = strings.Join(p.lines, ", ")
		}
		if *l == (Location{}) {
			e.Locations = e.Locations[:len(e.Locations)-1]
		}
		return
	}
	if !takesText[top.node] || top.node == nInner {
		return
	}
	trimmed := bytes.TrimSpace(p.text)
	p.text = p.text[:0]
	if top.node == nIDValue {
		p.identifier(trimmed, top.end)
		return
	}
	if len(trimmed) == 0 {
		return
	}
	text := string(trimmed)
	if top.node == nAreaValue {
		top.node = top.area
	}
	set := func(s *string) { *s = first(*s, text) }
	var l *Location
	if n := len(e.Locations); n > 0 {
		l = &e.Locations[n-1]
	}
	switch top.node {
	case nStatus:
		set(&e.Status)
	case nTitle:
		set(&e.Title)
	case nProfileName:
		set(&p.profileName)
	case nPostingTitle:
		set(&p.postingTitle)
	case nCompany, nCompanyName:
		set(&e.Company)
	case nOrganizationName:
		set(&p.organization)
	case nEntityName:
		set(&p.supplier)
	case nPostingIDValue:
		if n, err := strconv.ParseUint(text, 10, 63); err == nil && n > 0 {
			e.Postings = append(e.Postings, jobboard.JobPostingID(n))
		}
	case nLink:
		e.addLink(Link{LinkPosting, text})
	case nApply:
		e.addLink(Link{LinkApply, text})
	case nLocationName:
		set(&l.Name)
	case nCountry:
		set(&l.Country)
	case nRegion:
		set(&l.Region)
	case nCity:
		set(&l.City)
	case nPostalCode:
		set(&l.PostalCode)
	case nStreet:
		set(&p.street)
	case nBuilding:
		set(&p.building)
	case nAddressLine:
		p.lines = append(p.lines, text)
	}
}

// identifier takes the text of an IdValue whose name ends at i.
func (p *parser) identifier(text []byte, i int) {
	if p.idSeen || len(text) == 0 && !p.idNested {
		return
	}
	p.idSeen = true
	p.idAt = i + 1
	if p.idNested {
		p.idErr = errors.New("an element inside IdValue")
		return
	}
	id, err := jobboard.ParseJobID(string(text))
	if err != nil {
		p.idErr = fmt.Errorf("%.40q is not a positive number", text)
		return
	}
	p.entry.JobID = id
}

// The kinds of text.
type textKind uint8

const (
	content textKind = iota
	cdata
	quoted
)

// plain: the bytes that stand for themselves in every kind of text.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c < 0x80 && c != '&' && c != ']' || c == '\t' || c == '\n'
	}
	return t
}()

// chars checks raw[i:j] and, to take it, appends what it stands for to text.
func (p *parser) chars(i, j int, kind textKind, take bool) *fault {
	raw := p.raw
	run := i // where what is not yet taken begins
	flush := func(end int) {
		if take {
			p.text = append(p.text, raw[run:end]...)
		}
	}
	for i < j {
		c := raw[i]
		if plain[c] {
			i++
			continue
		}
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(raw[i:j])
			if r == utf8.RuneError && n == 1 {
				return syntax(i, "invalid UTF-8")
			}
			if r == 0xfffe || r == 0xffff {
				return syntax(i, "character %U is not allowed", r)
			}
			i += n
		case c == '\r': // ends a line, alone or with LF
			flush(i)
			if i++; i == j || raw[i] != '\n' {
				if take {
					p.text = append(p.text, '\n')
				}
			}
			run = i
		case c == '&' && kind != cdata:
			r, n := reference(raw[i:j])
			if n == 0 {
				return syntax(i, "undefined entity or malformed reference %.20q", raw[i:min(j, i+20)])
			}
			if !allowed(r) {
				return syntax(i, "reference to character %U, which is not allowed", r)
			}
			flush(i)
			if take {
				p.text = utf8.AppendRune(p.text, r)
			}
			i += n
			run = i
		case c == ']' && kind == content && bytes.HasPrefix(raw[i:j], []byte("]]>")):
			return syntax(i, `"]]>" outside of a CDATA section`)
		case c == '&', c == ']':
			i++
		default:
			return syntax(i, "character %U is not allowed", rune(c))
		}
	}
	flush(j)
	return nil
}

// allowed tells whether XML has the character.
func allowed(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000
}

// reference reads the reference at the beginning of b; n is 0 if it is none.
// A surrogate is U+FFFD.
func reference(b []byte) (r rune, n int) {
	end := 1
	for end < len(b) && (nameByte[b[end]] || b[end] == '#') {
		end++
	}
	if end < 2 || end == len(b) || b[end] != ';' {
		return 0, 0
	}
	name := b[1:end]
	switch string(name) {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "apos":
		return '\'', end + 1
	case "quot":
		return '"', end + 1
	}
	if name[0] != '#' {
		return 0, 0
	}
	digits, base := name[1:], rune(10)
	if len(digits) > 0 && digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	if len(digits) == 0 {
		return 0, 0
	}
	for _, c := range digits {
		var d rune
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case base == 16 && c >= 'a' && c <= 'f':
			d = rune(c-'a') + 10
		case base == 16 && c >= 'A' && c <= 'F':
			d = rune(c-'A') + 10
		default:
			return 0, 0
		}
		if r = r*base + d; r > utf8.MaxRune {
			return 0, 0
		}
	}
	if r >= 0xd800 && r <= 0xdfff {
		r = utf8.RuneError
	}
	return r, end + 1
}
