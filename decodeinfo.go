package jobboard

import (
	"github.com/jobboard-sdk/jobboard-go/internal/jsonscan"
	"github.com/jobboard-sdk/jobboard-go/internal/window"
)

// The parts of a job information while it is read.
type (
	labelPiece    struct{ id, label piece }
	questionPiece struct {
		id, kind, label piece
		answers         int // -1: no list
	}
	placePiece struct {
		part           [9]piece // by field
		country, state string
	}
)

// The fields of a job information.
const (
	_ = iota
	infoID
	infoTitle
	infoLanguage
	infoApply
	infoLink
	infoQuestions
	infoNationalities
	infoTimestamp
	infoCompany
	infoCompanyID
	infoLocation
	infoAdditional
)

var infoFields = [...]string{
	infoID:            "jobId",
	infoTitle:         "jobTitle",
	infoLanguage:      "jobLanguage",
	infoApply:         "applyPossible",
	infoLink:          "dataSecurityLink",
	infoQuestions:     "questions",
	infoNationalities: "nationalities",
	infoTimestamp:     "timestamp",
	infoCompany:       "companyName",
	infoCompanyID:     "companyId",
	infoLocation:      "location",
	infoAdditional:    "additionalLocations",
}

var infoMembers = members(infoFields[:]...)

func infoField(key []byte) int {
	switch string(key) {
	case "jobId":
		return infoID
	case "jobTitle":
		return infoTitle
	case "jobLanguage":
		return infoLanguage
	case "applyPossible":
		return infoApply
	case "dataSecurityLink":
		return infoLink
	case "questions":
		return infoQuestions
	case "nationalities":
		return infoNationalities
	case "timestamp":
		return infoTimestamp
	case "companyName":
		return infoCompany
	case "companyId":
		return infoCompanyID
	case "location":
		return infoLocation
	case "additionalLocations":
		return infoAdditional
	}
	return 0
}

// decodeJobInformation reads a job information. Its catalogue comes from cat,
// or goes there; cat may be nil.
func decodeJobInformation(body []byte, cat *catalogueCache) (*JobInformation, error) {
	d := newDecoder()
	defer d.release()
	d.s.ResetBytes(body)
	if int64(len(body)) >= elsewhere {
		d.s.Fail(window.ErrTooLarge)
	}
	d.budget = memory(2 * int64(len(body)))
	d.startItem()
	j := new(JobInformation)
	if d.jobInformation(j, cat); d.s.Err() != nil {
		return nil, d.err()
	}
	return j, nil
}

func (d *decoder) jobInformation(j *JobInformation, cat *catalogueCache) {
	s := &d.s
	if !s.Object() {
		return
	}
	var (
		seen                                   uint
		title, language, link, company, compID piece
		hasQuestions, hasAdditional            bool
	)
	// The first place is the job's own, those behind it are the further ones.
	d.places = append(d.places[:0], placePiece{})
	d.questions = d.questions[:0]
	d.labels = d.labels[:0]
	field, last := 0, 0
	for {
		field = int(d.infoOrder[last])
		if field == 0 || !s.Is(infoMembers[field]) {
			field = 0
			key, ok := s.NextKey("")
			if !ok {
				break
			}
			if field = infoField(key); field == 0 {
				s.Skip()
				continue
			}
			d.infoOrder.learn(last, field)
		}
		last = field
		if seen&(1<<field) != 0 {
			s.Fail(errTwice)
			break
		}
		seen |= 1 << field
		switch field {
		case infoID:
			j.JobID = JobID(s.Int())
		case infoTitle:
			title = d.str(&d.text)
		case infoLanguage:
			language = d.optStr(&d.text)
		case infoApply:
			j.ApplyPossible = s.Bool()
		case infoLink:
			link = d.optStr(&d.text)
		case infoQuestions:
			hasQuestions = d.questionList()
		case infoNationalities:
			j.Nationalities = d.nationalities(cat)
		case infoTimestamp:
			j.Timestamp = d.timestamp()
		case infoCompany:
			company = d.optStr(&d.text)
		case infoCompanyID:
			compID = d.idText(&d.text)
		case infoLocation:
			if !s.Null() {
				d.place(&d.places[0])
			}
		case infoAdditional:
			hasAdditional = d.placeList()
		}
		if s.Err() != nil {
			break
		}
		field = 0
	}
	if s.Err() == nil {
		field = d.require(seen, infoID, infoTitle, infoApply)
	}
	if s.Err() != nil {
		if field != 0 {
			d.within(infoFields[field])
		}
		return
	}
	if s.End(); s.Err() != nil {
		return
	}

	text := d.string(&d.text)
	if !d.charge(len(d.questions)*72 + len(d.labels)*32 + len(d.places)*128) {
		return
	}
	j.JobTitle = title.in(text)
	j.JobLanguage = language.in(text)
	j.DataSecurityLink = link.in(text)
	j.CompanyName = company.in(text)
	j.CompanyID = compID.in(text)
	if hasQuestions {
		j.Questions = d.questionsIn(text)
	}
	d.places[0].in(text, &j.Location)
	if hasAdditional {
		j.AdditionalLocations = make([]Location, len(d.places)-1)
		for i := range j.AdditionalLocations {
			d.places[i+1].in(text, &j.AdditionalLocations[i])
		}
	}
}

// questionList reads the questions, with all their answers one behind the
// other in d.labels. It reports false for null.
func (d *decoder) questionList() bool {
	s := &d.s
	if s.Null() || !s.Array() {
		return false
	}
	for i := 0; s.Next(); i++ {
		q := questionPiece{answers: -1}
		if d.question(&q); s.Err() != nil {
			d.withinIndex(i)
			return false
		}
		if len(d.questions) == cap(d.questions) {
			d.questions = grown(d, d.questions, 32)
		}
		d.questions = append(d.questions, q)
	}
	return true
}

// The fields of a question.
const (
	_ = iota
	questionID
	questionType
	questionLabel
	questionAnswers
)

var (
	questionFields  = [...]string{"", "id", "type", "label", "answers"}
	questionMembers = members(questionFields[:]...)
)

func questionField(key []byte) int {
	switch string(key) {
	case "id":
		return questionID
	case "type":
		return questionType
	case "label":
		return questionLabel
	case "answers":
		return questionAnswers
	}
	return 0
}

func (d *decoder) question(q *questionPiece) {
	s := &d.s
	if !s.Object() {
		return
	}
	seen, last := 0, 0
	for {
		field := int(d.questionOrder[last])
		if field == 0 || !s.Is(questionMembers[field]) {
			key, ok := s.NextKey("")
			if !ok {
				return
			}
			if field = questionField(key); field == 0 {
				s.Skip()
				continue
			}
			d.questionOrder.learn(last, field)
		}
		last = field
		if seen&(1<<field) != 0 {
			s.Fail(errTwice)
		}
		seen |= 1 << field
		switch field {
		case questionID:
			q.id = d.idText(&d.text)
		case questionType:
			q.kind = d.optStr(&d.text)
		case questionLabel:
			q.label = d.optStr(&d.text)
		case questionAnswers:
			q.answers = d.labelList()
		}
		if s.Err() != nil {
			d.within(questionFields[field])
			return
		}
	}
}

// labelList reads a list of IDLabel to the end of d.labels and returns how
// many there are, -1 for null.
func (d *decoder) labelList() (n int) {
	s := &d.s
	if s.Null() || !s.Array() {
		return -1
	}
	for ; s.Next(); n++ {
		if d.label(&d.text, d.newLabel(), 0); s.Err() != nil {
			d.withinIndex(n)
			return n
		}
	}
	return n
}

func (d *decoder) newLabel() *labelPiece {
	if len(d.labels) == cap(d.labels) {
		d.labels = grown(d, d.labels, 16)
	}
	d.labels = append(d.labels, labelPiece{})
	return &d.labels[len(d.labels)-1]
}

// The fields of an IDLabel.
const (
	_ = iota
	labelID
	labelText
)

var labelFields = [...]string{"", "id", "label"}

// label reads an IDLabel and marks its pieces.
func (d *decoder) label(t *texts, l *labelPiece, mark uint32) {
	s := &d.s
	seen, field := 0, 0
	if s.OpenIs(`{"id":`) {
		field = labelID
	} else if !s.Object() {
		return
	}
	for {
		switch {
		case field != 0:
		case seen == 1<<labelID && s.Is(`,"label":`):
			field = labelText
		default:
			key, ok := s.NextKey("")
			if !ok {
				return
			}
			switch string(key) {
			case "id":
				field = labelID
			case "label":
				field = labelText
			default:
				s.Skip()
				continue
			}
		}
		if seen&(1<<field) != 0 {
			s.Fail(errTwice)
		}
		seen |= 1 << field
		if field == labelID {
			l.id = d.idText(t)
			l.id.lo |= mark
		} else {
			l.label = d.optStr(t)
			l.label.lo |= mark
		}
		if s.Err() != nil {
			d.within(labelFields[field])
			return
		}
		field = 0
	}
}

func (d *decoder) questionsIn(text string) []Question {
	questions := make([]Question, len(d.questions))
	all := make([]IDLabel, len(d.labels))
	for i, l := range d.labels {
		all[i] = IDLabel{ID: l.id.in(text), Label: l.label.in(text)}
	}
	for i, q := range d.questions {
		questions[i] = Question{ID: q.id.in(text), Type: QuestionType(q.kind.in(text)), Label: q.label.in(text)}
		if n := q.answers; n >= 0 {
			questions[i].Answers = all[:n:n]
			all = all[n:]
		}
	}
	return questions
}

// nationalities reads the catalogue, which is one of cat's if cat has it.
//
// Its strings are cut from a copy of its JSON, which is where most of them
// stand as they are, and by which cat knows it.
func (d *decoder) nationalities(cat *catalogueCache) []IDLabel {
	s := &d.s
	switch s.Peek() {
	case 'n':
		s.Null()
		return nil
	case '[':
		if cat != nil {
			if known := cat.find(s.Rest()); known != nil {
				s.Advance(len(known.json))
				return known.list
			}
		}
	}
	first := len(d.labels)
	rest := s.Rest()
	n := d.catalogue(rest)
	raw := rest[:len(rest)-len(s.Rest())]
	if s.Err() != nil || !d.charge(len(raw)+n*32) {
		return nil
	}
	json := string(raw)
	odd := d.string(&d.catalogueText)
	if s.Err() != nil {
		return nil
	}
	list := make([]IDLabel, n)
	for i, l := range d.labels[first:] {
		list[i] = IDLabel{ID: l.id.of(json, odd), Label: l.label.of(json, odd)}
	}
	d.labels = d.labels[:first]
	if cat == nil {
		return list
	}
	return cat.add(json, list)
}

// catalogue reads the catalogue, with whose JSON b begins, to the end of
// d.labels: as pieces of b, or of d.catalogueText if they are marked.
func (d *decoder) catalogue(b []byte) (n int) {
	s := &d.s
	if !s.Array() {
		return 0
	}
	for {
		i := len(b) - len(s.Rest())
		usual, end := d.usualLabels(b, i)
		n += usual
		if s.Err() != nil {
			return n
		}
		if usual > 0 {
			s.Advance(end - i)
		}
		if !s.Next() {
			return n
		}
		if d.label(&d.catalogueText, d.newLabel(), elsewhere); s.Err() != nil {
			d.withinIndex(n)
			return n
		}
		n++
	}
}

// usualLabels reads those elements of a list that begin at i and are spelled as
// they usually are. It returns how many these were, and where they end.
func (d *decoder) usualLabels(b []byte, i int) (n, end int) {
	const first, between, last = `{"id":"`, `","label":"`, `"}`
	for {
		id := i + len(first)
		if b[i-1] != '[' {
			if i == len(b) || b[i] != ',' {
				return n, i
			}
			id++
		}
		if id > len(b) || string(b[id-len(first):id]) != first {
			return n, i
		}
		idEnd := id + jsonscan.Verbatim(b[id:])
		label := idEnd + len(between)
		if label > len(b) || string(b[idEnd:label]) != between {
			return n, i
		}
		labelEnd := label + jsonscan.Verbatim(b[label:])
		end := labelEnd + len(last)
		if end > len(b) || string(b[labelEnd:end]) != last {
			return n, i
		}
		*d.newLabel() = labelPiece{piece{uint32(id), uint32(idEnd)}, piece{uint32(label), uint32(labelEnd)}}
		i = end
		n++
	}
}

// elsewhere marks a piece of d.catalogueText.
const elsewhere = 1 << 31

func (p piece) of(json, odd string) string {
	if p.lo&elsewhere == 0 {
		return p.in(json)
	}
	return odd[p.lo&^elsewhere : p.hi]
}

// placeList reads the further locations behind the first place. It reports
// false for null.
func (d *decoder) placeList() bool {
	s := &d.s
	if s.Null() || !s.Array() {
		return false
	}
	for i := 0; s.Next(); i++ {
		if len(d.places) == cap(d.places) {
			d.places = grown(d, d.places, 104)
		}
		d.places = append(d.places, placePiece{})
		if d.place(&d.places[len(d.places)-1]); s.Err() != nil {
			d.withinIndex(i)
			return false
		}
	}
	return true
}

// The fields of a location.
const (
	_ = iota
	placeLat
	placeLong
	placeName
	placeCountry
	placeState
	placeCity
	placeZip
	placeStreet
)

var (
	placeFields = [...]string{
		placeLat:     "geoLat",
		placeLong:    "geoLong",
		placeName:    "geoName",
		placeCountry: "geoCountry",
		placeState:   "geoState",
		placeCity:    "geoCity",
		placeZip:     "geoZip",
		placeStreet:  "geoStreet",
	}
	placeMembers = members(placeFields[:]...)
)

func placeField(key []byte) int {
	switch string(key) {
	case "geoLat":
		return placeLat
	case "geoLong":
		return placeLong
	case "geoName":
		return placeName
	case "geoCountry":
		return placeCountry
	case "geoState":
		return placeState
	case "geoCity":
		return placeCity
	case "geoZip":
		return placeZip
	case "geoStreet":
		return placeStreet
	}
	return 0
}

func (d *decoder) place(p *placePiece) {
	s := &d.s
	if !s.Object() {
		return
	}
	seen, last := 0, 0
	for {
		field := int(d.placeOrder[last])
		if field == 0 || !s.Is(placeMembers[field]) {
			key, ok := s.NextKey("")
			if !ok {
				return
			}
			if field = placeField(key); field == 0 {
				s.Skip()
				continue
			}
			d.placeOrder.learn(last, field)
		}
		last = field
		if seen&(1<<field) != 0 {
			s.Fail(errTwice)
		}
		seen |= 1 << field
		switch field {
		case placeLat, placeLong, placeZip:
			p.part[field] = d.idText(&d.text)
		case placeCountry:
			p.country, p.part[field] = d.shared()
		case placeState:
			p.state, p.part[field] = d.shared()
		default:
			p.part[field] = d.optStr(&d.text)
		}
		if s.Err() != nil {
			d.within(placeFields[field])
			return
		}
	}
}

// shared reads a string, or null for "", of which there are few in all the
// answers: one that is short is shared, any other a piece.
func (d *decoder) shared() (string, piece) {
	t := &d.text
	p := d.optStr(t)
	n := int(p.hi - p.lo)
	if n == 0 || n > maxInterned || int(p.lo) < t.base || d.s.Err() != nil {
		return "", p
	}
	b := t.cur[int(p.lo)-t.base:]
	t.cur = t.cur[:len(t.cur)-n]
	return d.names.get(b), piece{}
}

func (p *placePiece) in(text string, l *Location) {
	*l = Location{
		GeoLat:     p.part[placeLat].in(text),
		GeoLong:    p.part[placeLong].in(text),
		GeoName:    p.part[placeName].in(text),
		GeoCountry: p.country,
		GeoState:   p.state,
		GeoCity:    p.part[placeCity].in(text),
		GeoZip:     p.part[placeZip].in(text),
		GeoStreet:  p.part[placeStreet].in(text),
	}
	if p.country == "" {
		l.GeoCountry = p.part[placeCountry].in(text)
	}
	if p.state == "" {
		l.GeoState = p.part[placeState].in(text)
	}
}
