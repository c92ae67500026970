package jobboard

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/internal/catalogue"
	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
)

// JobInformation holds what an applicant must know before an application to a
// job (2.5). It encodes to the interface's JSON and decodes from it. The texts
// come from the service and are untrusted.
type JobInformation struct {
	JobID            JobID      `json:"jobId"`
	JobTitle         string     `json:"jobTitle"`
	JobLanguage      string     `json:"jobLanguage"` // of the advertisement, such as "de"
	ApplyPossible    bool       `json:"applyPossible"`
	DataSecurityLink string     `json:"dataSecurityLink"` // see DataSecurityURL
	Questions        []Question `json:"questions"`
	// Nationalities holds the catalogue in the job's language. Other answers
	// may share it: do not change its elements; appending to it copies.
	Nationalities       []IDLabel  `json:"nationalities"`
	Timestamp           Timestamp  `json:"timestamp"`
	CompanyName         string     `json:"companyName"`
	CompanyID           string     `json:"companyId"`
	Location            Location   `json:"location"`
	AdditionalLocations []Location `json:"additionalLocations"`
}

// MarshalJSON returns the answer in the form of section 2.5; its lists are never
// null.
func (j JobInformation) MarshalJSON() ([]byte, error) {
	type plain JobInformation
	if j.Questions == nil {
		j.Questions = []Question{}
	}
	if j.Nationalities == nil {
		j.Nationalities = []IDLabel{}
	}
	if j.AdditionalLocations == nil {
		j.AdditionalLocations = []Location{}
	}
	return json.Marshal(plain(j))
}

// UnmarshalJSON reads an answer by the rules of the lookup; null changes
// nothing. It returns [ErrDecode] for anything else.
func (j *JobInformation) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	v, err := decodeJobInformation(b, nil)
	if err != nil {
		return err
	}
	*j = *v
	return nil
}

// DataSecurityURL returns DataSecurityLink as an address that is safe to link
// to: absolute, http or https, with a host and without a user. It returns
// [ErrDecode] for any other link and for an empty one.
func (j *JobInformation) DataSecurityURL() (*url.URL, error) {
	return webURL("dataSecurityLink", j.DataSecurityLink)
}

// QuestionType names how a question is answered. Other values than the constants
// may occur and are kept.
type QuestionType string

// The types that the interface shows (2.5).
const (
	QuestionYesNo    QuestionType = "YESNO"    // one of two answers
	QuestionText     QuestionType = "TEXT"     // a line
	QuestionTextArea QuestionType = "TEXTAREA" // several lines
	QuestionCatalog  QuestionType = "CATALOG"  // one of the answers
)

// Question holds a prescreening question (2.5).
type Question struct {
	ID    string       `json:"id"` // numeric text; negative for the preferred location
	Type  QuestionType `json:"type"`
	Label string       `json:"label"` // what is asked
	// Answers holds the answers to choose from. It is nil, and not encoded, if
	// the question has no list of them.
	Answers []IDLabel `json:"answers,omitzero"`
}

// IDLabel holds an entry of a list to choose from (2.5).
type IDLabel struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

func newIDLabel(id, label string) IDLabel { return IDLabel{id, label} }

// Location holds the place of a job (2.5).
type Location struct {
	GeoLat     string `json:"geoLat"`  // latitude, decimal; see Coordinates
	GeoLong    string `json:"geoLong"` // longitude, decimal
	GeoName    string `json:"geoName"` // full address
	GeoCountry string `json:"geoCountry"`
	GeoState   string `json:"geoState"`
	GeoCity    string `json:"geoCity"`
	GeoZip     string `json:"geoZip"`
	GeoStreet  string `json:"geoStreet"` // with number
}

// Coordinates returns the latitude and longitude in degrees. It reports false
// unless both are decimal numbers on the globe.
func (l Location) Coordinates() (latitude, longitude float64, ok bool) {
	latitude, ok = degrees(l.GeoLat, 90)
	if !ok {
		return 0, 0, false
	}
	longitude, ok = degrees(l.GeoLong, 180)
	if !ok {
		return 0, 0, false
	}
	return latitude, longitude, true
}

// degrees reads a decimal number of at most limit. strconv alone would also
// take hexadecimal, underscores and words.
func degrees(text string, limit float64) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789.+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && math.Abs(v) <= limit
}

// catalogueCache shares catalogues of nationalities between the thousands of
// answers that have the same one.
type catalogueCache = catalogue.Cache[[]IDLabel]

// The parts of a job information while it is read.
type (
	infoReading struct {
		info                                           *JobInformation
		catalogues                                     *catalogueCache // nil: none
		jobTitle, language, policy, company, companyID jsonread.Piece
		hasQuestions, hasAdditional                    bool

		questions []questionPiece
		labels    []labelPiece // the answers of all questions
		places    []placePiece // first the job's own, then the further ones
		place     int          // the one being read
		catalogue catalogue.Reading

		infoOrder, questionOrder, labelOrder, placeOrder jsonread.Order
	}
	questionPiece struct {
		id, kind, label jsonread.Piece
		answers         int // -1: no list
	}
	labelPiece struct{ id, label jsonread.Piece }
	placePiece struct {
		lat, long, name, city, zip, street jsonread.Piece
		country, state                     sharedPiece
	}
	// sharedPiece is a string that other answers have, too, or else a piece.
	sharedPiece struct {
		text  string
		piece jsonread.Piece
	}
)

var infoObject = jsonread.NewObject(
	decoderMember{Name: "jobId", Required: true, Read: func(d *decoder) { d.info.JobID = JobID(d.Int()) }},
	decoderMember{Name: "jobTitle", Required: true, Read: func(d *decoder) { d.jobTitle = d.str() }},
	decoderMember{Name: "jobLanguage", Read: func(d *decoder) { d.language = d.optStr() }},
	decoderMember{Name: "applyPossible", Required: true, Read: func(d *decoder) { d.info.ApplyPossible = d.Bool() }},
	decoderMember{Name: "dataSecurityLink", Read: func(d *decoder) { d.policy = d.optStr() }},
	decoderMember{Name: "questions", Read: func(d *decoder) { d.hasQuestions = d.readList((*decoder).readQuestion) >= 0 }},
	decoderMember{Name: "nationalities", Read: func(d *decoder) {
		d.info.Nationalities = catalogue.Read(&d.catalogue, &d.Reader, d.catalogues, newIDLabel)
	}},
	decoderMember{Name: "timestamp", Read: func(d *decoder) { d.info.Timestamp = d.timestamp() }},
	decoderMember{Name: "companyName", Read: func(d *decoder) { d.company = d.optStr() }},
	decoderMember{Name: "companyId", Read: func(d *decoder) { d.companyID = d.optID() }},
	decoderMember{Name: "location", Read: func(d *decoder) {
		if !d.Null() {
			d.readPlace(0)
		}
	}},
	decoderMember{Name: "additionalLocations", Read: func(d *decoder) {
		d.hasAdditional = d.readList(func(d *decoder) {
			d.places = jsonread.Append(&d.Reader, d.places, placePiece{})
			d.readPlace(len(d.places) - 1)
		}) >= 0
	}},
)

var questionObject = jsonread.NewObject(
	decoderMember{Name: "id", Read: func(d *decoder) { d.question().id = d.optID() }},
	decoderMember{Name: "type", Read: func(d *decoder) { d.question().kind = d.optStr() }},
	decoderMember{Name: "label", Read: func(d *decoder) { d.question().label = d.optStr() }},
	decoderMember{Name: "answers", Read: func(d *decoder) { d.question().answers = d.readList((*decoder).readLabel) }},
)

var labelObject = jsonread.NewObject(
	decoderMember{Name: "id", Read: func(d *decoder) { d.label().id = d.optID() }},
	decoderMember{Name: "label", Read: func(d *decoder) { d.label().label = d.optStr() }},
)

var placeObject = jsonread.NewObject(
	decoderMember{Name: "geoLat", Read: func(d *decoder) { d.places[d.place].lat = d.optID() }},
	decoderMember{Name: "geoLong", Read: func(d *decoder) { d.places[d.place].long = d.optID() }},
	decoderMember{Name: "geoName", Read: func(d *decoder) { d.places[d.place].name = d.optStr() }},
	decoderMember{Name: "geoCountry", Read: func(d *decoder) { d.places[d.place].country = d.optShared() }},
	decoderMember{Name: "geoState", Read: func(d *decoder) { d.places[d.place].state = d.optShared() }},
	decoderMember{Name: "geoCity", Read: func(d *decoder) { d.places[d.place].city = d.optStr() }},
	decoderMember{Name: "geoZip", Read: func(d *decoder) { d.places[d.place].zip = d.optID() }},
	decoderMember{Name: "geoStreet", Read: func(d *decoder) { d.places[d.place].street = d.optStr() }},
)

// decodeJobInformation reads a job information. It takes the catalogue from cat,
// or adds it there; cat may be nil.
func decodeJobInformation(body []byte, cat *catalogueCache) (*JobInformation, error) {
	d := newDecoder(body)
	defer d.release()
	d.Budget = memory(2 * int64(len(body)))
	j := new(JobInformation)
	if d.readInfo(j, cat); d.Err() != nil {
		return nil, d.err()
	}
	return j, nil
}

// readInfo reads a job information into j, to the end of the document.
func (d *decoder) readInfo(j *JobInformation, cat *catalogueCache) {
	d.info, d.catalogues = j, cat
	d.places = append(d.places, placePiece{})
	infoObject.Read(&d.Reader, &d.infoOrder, d)
	d.End()
	text := d.Join(&d.item)
	if d.Err() != nil {
		return
	}
	j.JobTitle = d.jobTitle.In(text)
	j.JobLanguage = d.language.In(text)
	j.DataSecurityLink = d.policy.In(text)
	j.CompanyName = d.company.In(text)
	j.CompanyID = d.companyID.In(text)
	if d.hasQuestions {
		j.Questions = d.questionsOf(text)
	}
	j.Location = d.places[0].of(text)
	if d.hasAdditional {
		j.AdditionalLocations = jsonread.Make[Location](&d.Reader, len(d.places)-1)
		for i := range j.AdditionalLocations {
			j.AdditionalLocations[i] = d.places[i+1].of(text)
		}
	}
}

// release empties the buffers.
func (r *infoReading) release() {
	r.catalogue.Release()
	*r = infoReading{
		questions: jsonread.Reuse(r.questions), labels: jsonread.Reuse(r.labels), places: jsonread.Reuse(r.places),
		catalogue: r.catalogue,
		infoOrder: r.infoOrder, questionOrder: r.questionOrder, labelOrder: r.labelOrder, placeOrder: r.placeOrder,
	}
}

// readList reads a list, or null, and returns how many elements it has, -1 for
// null.
func (d *decoder) readList(element func(*decoder)) (n int) {
	if d.Null() || !d.Array() {
		return -1
	}
	for ; d.Next(); n++ {
		if element(d); d.Err() != nil {
			d.WithinIndex(n)
			return n
		}
	}
	return n
}

func (d *decoder) readQuestion() {
	d.questions = jsonread.Append(&d.Reader, d.questions, questionPiece{answers: -1})
	questionObject.Read(&d.Reader, &d.questionOrder, d)
}

func (d *decoder) question() *questionPiece { return &d.questions[len(d.questions)-1] }

func (d *decoder) readLabel() {
	d.labels = jsonread.Append(&d.Reader, d.labels, labelPiece{})
	labelObject.Read(&d.Reader, &d.labelOrder, d)
}

func (d *decoder) label() *labelPiece { return &d.labels[len(d.labels)-1] }

func (d *decoder) readPlace(i int) {
	d.place = i
	placeObject.Read(&d.Reader, &d.placeOrder, d)
}

func (d *decoder) optShared() sharedPiece {
	text, piece := d.OptShared(&d.item)
	return sharedPiece{text, piece}
}

func (s sharedPiece) of(text string) string {
	if s.text != "" {
		return s.text
	}
	return s.piece.In(text)
}

func (p *placePiece) of(text string) Location {
	return Location{
		GeoLat: p.lat.In(text), GeoLong: p.long.In(text), GeoName: p.name.In(text), GeoCountry: p.country.of(text),
		GeoState: p.state.of(text), GeoCity: p.city.In(text), GeoZip: p.zip.In(text), GeoStreet: p.street.In(text),
	}
}

func (d *decoder) questionsOf(text string) []Question {
	questions := jsonread.Make[Question](&d.Reader, len(d.questions))
	answers := jsonread.Make[IDLabel](&d.Reader, len(d.labels))
	if d.Err() != nil {
		return nil
	}
	for i, l := range d.labels {
		answers[i] = IDLabel{ID: l.id.In(text), Label: l.label.In(text)}
	}
	for i, q := range d.questions {
		questions[i] = Question{ID: q.id.In(text), Type: QuestionType(q.kind.In(text)), Label: q.label.In(text)}
		if n := q.answers; n >= 0 {
			questions[i].Answers = answers[:n:n]
			answers = answers[n:]
		}
	}
	return questions
}

// JobInformation returns what an applicant must know before applying to the job
// (4.4): whether applying is possible, the prescreening questions, the address
// of the privacy statement, the language, and the nationalities in that
// language. It sends no credential unless Config.JobDBTokenSource gives one.
//
// Errors: ErrJobInactive, ErrJobUnavailable, ErrPostingUnavailable, however
// the service delivers their codes, and those of every call.
func (c *Client) JobInformation(ctx context.Context, job JobID) (*JobInformation, error) {
	return c.jobInformation(ctx, job, nil)
}

func (c *Client) jobInformation(ctx context.Context, job JobID, turn *gate.Turn) (*JobInformation, error) {
	if job < 1 {
		return nil, c.lookup.refuse(ctx, opJobInformation, invalid("job identifier %d is not positive", int64(job)))
	}
	req := request{
		path: lookupPath, query: "jobid=" + strconv.FormatInt(int64(job), 10), header: &c.lookup.headers.plain, turn: turn,
	}
	var info *JobInformation
	err := c.lookup.do(ctx, opJobInformation, req, func(a *answer) error {
		body, err := a.bytes()
		if err != nil {
			return err
		}
		if info, err = decodeJobInformation(body, &c.lookup.catalogues); err == nil {
			if info.JobID != job {
				return errUndecodable("the answer is about another job")
			}
			return nil
		}
		// Not a job information: it may still be one of the codes of 7.3,
		// which come with any status.
		w := readWords(opJobInformation, a.status, a.header, body[:min(len(body), maxErrorBody)])
		if condition := classify(opJobInformation, a.status, &w); condition != nil {
			return &toldCondition{condition, w}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}
