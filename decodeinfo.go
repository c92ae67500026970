package jobboard

// The parts of a job information while it is read.
type (
	labelPiece    struct{ id, label piece }
	questionPiece struct {
		id, kind, label piece
		answers         int // -1: no list
	}
	placePiece struct {
		part           [8]piece
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
	d.budget = memory(int64(len(body)))
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
	field := 0
	for {
		key, ok := s.NextKey()
		if !ok {
			break
		}
		if field = infoField(key); field == 0 {
			s.Skip()
			continue
		}
		if seen&(1<<field) != 0 {
			s.Fail(reasonTwice)
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

func (d *decoder) question(q *questionPiece) {
	s := &d.s
	if !s.Object() {
		return
	}
	seen := 0
	for {
		key, ok := s.NextKey()
		if !ok {
			return
		}
		field, name := 0, ""
		switch string(key) {
		case "id":
			field, name = 1, "id"
		case "type":
			field, name = 2, "type"
		case "label":
			field, name = 4, "label"
		case "answers":
			field, name = 8, "answers"
		default:
			s.Skip()
			continue
		}
		if seen&field != 0 {
			s.Fail(reasonTwice)
		}
		seen |= field
		switch field {
		case 1:
			q.id = d.idText(&d.text)
		case 2:
			q.kind = d.optStr(&d.text)
		case 4:
			q.label = d.optStr(&d.text)
		case 8:
			q.answers = d.labelList(&d.text)
		}
		if s.Err() != nil {
			d.within(name)
			return
		}
	}
}

// labelList reads a list of IDLabel to the end of d.labels and returns how
// many there are, -1 for null.
func (d *decoder) labelList(t *texts) (n int) {
	s := &d.s
	if s.Null() || !s.Array() {
		return -1
	}
	for ; s.Next(); n++ {
		if len(d.labels) == cap(d.labels) {
			d.labels = grown(d, d.labels, 16)
		}
		d.labels = append(d.labels, labelPiece{})
		if d.label(t, &d.labels[len(d.labels)-1]); s.Err() != nil {
			d.withinIndex(n)
			return n
		}
	}
	return n
}

func (d *decoder) label(t *texts, l *labelPiece) {
	s := &d.s
	seen := 0
	if s.OpenIs(`{"id":"`) {
		l.id = d.moreStr(t)
		seen = 1
		if s.Is(`,"label":"`) {
			l.label = d.moreStr(t)
			seen = 3
		}
	} else if !s.Object() {
		return
	}
	for {
		key, ok := s.NextKey()
		if !ok {
			return
		}
		switch string(key) {
		case "id":
			if seen&1 != 0 {
				s.Fail(reasonTwice)
			}
			seen |= 1
			if l.id = d.idText(t); s.Err() != nil {
				d.within("id")
				return
			}
		case "label":
			if seen&2 != 0 {
				s.Fail(reasonTwice)
			}
			seen |= 2
			if l.label = d.optStr(t); s.Err() != nil {
				d.within("label")
				return
			}
		default:
			s.Skip()
		}
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
func (d *decoder) nationalities(cat *catalogueCache) []IDLabel {
	s := &d.s
	if s.Peek() == '[' && cat != nil {
		if known := cat.find(s.Rest()); known != nil {
			s.Advance(len(known.json))
			return known.list
		}
	}
	rest := s.Rest()
	first := len(d.labels)
	n := d.labelList(&d.catalogueText)
	if s.Err() != nil || n < 0 {
		return nil
	}
	text := d.string(&d.catalogueText)
	if !d.charge(n * 32) {
		return nil
	}
	list := make([]IDLabel, n)
	for i, l := range d.labels[first:] {
		list[i] = IDLabel{ID: l.id.in(text), Label: l.label.in(text)}
	}
	d.labels = d.labels[:first]
	if cat == nil {
		return list
	}
	raw := rest[:len(rest)-len(s.Rest())]
	if !d.charge(min(len(raw), maxCatalogueBytes)) {
		return nil
	}
	return cat.add(raw, list)
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
			d.places = grown(d, d.places, 96)
		}
		d.places = append(d.places, placePiece{})
		if d.place(&d.places[len(d.places)-1]); s.Err() != nil {
			d.withinIndex(i)
			return false
		}
	}
	return true
}

var placeFields = [...]string{
	"geoLat", "geoLong", "geoName", "geoCountry", "geoState", "geoCity", "geoZip", "geoStreet",
}

const (
	placeLat = iota
	placeLong
	placeName
	placeCountry
	placeState
	placeCity
	placeZip
	placeStreet
)

func (d *decoder) place(p *placePiece) {
	s := &d.s
	if !s.Object() {
		return
	}
	seen := 0
	for {
		key, ok := s.NextKey()
		if !ok {
			return
		}
		field := 0
		switch string(key) {
		case "geoLat":
			field = placeLat
		case "geoLong":
			field = placeLong
		case "geoName":
			field = placeName
		case "geoCountry":
			field = placeCountry
		case "geoState":
			field = placeState
		case "geoCity":
			field = placeCity
		case "geoZip":
			field = placeZip
		case "geoStreet":
			field = placeStreet
		default:
			s.Skip()
			continue
		}
		if seen&(1<<field) != 0 {
			s.Fail(reasonTwice)
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
