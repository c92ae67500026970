package jobboard

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/catalogue"
	"github.com/jobboard-sdk/jobboard-go/internal/gate"
	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
)

// JobInformation holds the facts that an applicant needs before applying to a job (2.5). It encodes
// to the interface's JSON and decodes from it. The texts come from the service and are untrusted.
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

	Unknown map[string]json.RawMessage `json:"-"` // further members, by their names; see JobPosting
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
	return marshalObject(plain(j), j.Unknown, infoObject.HasLike)
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

// DataSecurityURL returns DataSecurityLink as an address that is safe to link to: absolute, http or
// https, with a host and without a user. It returns [ErrDecode] for any other link, also if it is
// empty.
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
	// Answers holds the answers to choose from. It is nil, and JSON leaves it out, for a question
	// without choices.
	Answers []IDLabel `json:"answers,omitzero"`

	Unknown map[string]json.RawMessage `json:"-"` // further members, by their names; see JobPosting
}

// MarshalJSON returns the question in the form of section 2.5, with its unknown
// members. A struct that embeds a Question encodes to the question alone.
func (q Question) MarshalJSON() ([]byte, error) {
	type plain Question
	return marshalObject(plain(q), q.Unknown, questionObject.HasLike)
}

// UnmarshalJSON reads a question by the rules of the lookup; null changes nothing.
// It returns [ErrDecode] for anything else.
func (q *Question) UnmarshalJSON(b []byte) error {
	return decodePart(b, (*infoDecoder).readQuestion, func(d *infoDecoder, text string) {
		if all := d.questionsOf(text); all != nil {
			*q = all[0]
		}
	})
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

	Unknown map[string]json.RawMessage `json:"-"` // further members, by their names; see JobPosting
}

// MarshalJSON returns the location in the form of section 2.5, with its unknown
// members. A struct that embeds a Location encodes to the location alone.
func (l Location) MarshalJSON() ([]byte, error) {
	type plain Location
	return marshalObject(plain(l), l.Unknown, placeObject.HasLike)
}

// UnmarshalJSON reads a location by the rules of the lookup; null changes nothing.
// It returns [ErrDecode] for anything else.
func (l *Location) UnmarshalJSON(b []byte) error {
	return decodePart(b, (*infoDecoder).readNextPlace, func(d *infoDecoder, text string) { *l = d.places[0].of(text) })
}

// Coordinates returns the latitude and longitude in degrees. It reports false
// unless both are decimal numbers on the globe, with or without an exponent.
func (l Location) Coordinates() (latitude, longitude float64, ok bool) {
	latitude, north := degrees(l.GeoLat, 90)
	longitude, east := degrees(l.GeoLong, 180)
	if !north || !east {
		return 0, 0, false
	}
	return latitude, longitude, true
}

// degrees reads a decimal number of at most limit. It accepts an exponent, because many programs
// write numbers close to 0 with one. strconv alone would also take hexadecimal, underscores and
// words.
func degrees(text string, limit float64) (float64, bool) {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "0123456789.+-eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && math.Abs(v) <= limit
}

// catalogueCache shares catalogues of nationalities between the thousands of
// answers that have the same one.
type catalogueCache = catalogue.Cache[[]IDLabel]

// An infoDecoder reads one job information at a time and is reused.
type infoDecoder struct {
	decoder
	infoParts
	catalogues *catalogueCache // nil: none
	catalogue  catalogue.Reading

	infoOrder, questionOrder, labelOrder, placeOrder jsonread.Order
}

// The parts of a job information while it is read.
type (
	infoParts struct {
		info                                           *JobInformation
		jobTitle, language, policy, company, companyID jsonread.Piece
		hasQuestions, hasAdditional                    bool

		questions []rawQuestion
		labels    []rawLabel // the answers of all questions
		places    []rawPlace // location, then additionalLocations
		place     int        // index in places of the location being read
	}
	rawQuestion struct {
		id, kind, label jsonread.Piece
		answers         int // -1: no list
		unknown         unknownMembers
	}
	rawLabel struct{ id, label jsonread.Piece }
	rawPlace struct {
		lat, long, name, country, state, city, zip, street jsonread.Piece
		unknown                                            unknownMembers
	}
)

type infoMember = jsonread.Member[*infoDecoder]

var infoDecoders = sync.Pool{New: func() any { return new(infoDecoder) }}

var infoObject = jsonread.NewObject([]infoMember{
	{Name: "jobId", Required: true, Read: func(d *infoDecoder) { d.info.JobID = JobID(d.Int()) }},
	{Name: "jobTitle", Required: true, Read: func(d *infoDecoder) { d.jobTitle = d.text() }},
	{Name: "jobLanguage", Read: func(d *infoDecoder) { d.language = d.text() }},
	{Name: "applyPossible", Required: true, Read: func(d *infoDecoder) { d.info.ApplyPossible = d.Bool() }},
	{Name: "dataSecurityLink", Read: func(d *infoDecoder) { d.policy = d.text() }},
	{Name: "questions", Read: func(d *infoDecoder) { d.hasQuestions = d.readList((*infoDecoder).readQuestion) >= 0 }},
	{Name: "nationalities", Read: func(d *infoDecoder) {
		d.info.Nationalities = catalogue.Read(&d.catalogue, &d.Reader, d.catalogues, newIDLabel)
	}},
	{Name: "timestamp", Read: func(d *infoDecoder) { d.info.Timestamp, _ = d.tryTimestamp() }},
	{Name: "companyName", Read: func(d *infoDecoder) { d.company = d.text() }},
	{Name: "companyId", Read: func(d *infoDecoder) { d.companyID = d.text() }},
	{Name: "location", Read: func(d *infoDecoder) {
		if d.readPlace(0); d.Flaw.Reason != "" {
			d.places[0] = rawPlace{}
		}
	}},
	{Name: "additionalLocations", Read: func(d *infoDecoder) {
		if d.Peek() != '[' {
			d.Skip()
			return
		}
		d.hasAdditional = d.readList((*infoDecoder).readNextPlace) >= 0
	}},
}).KeepUnknown(func(d *infoDecoder) *unknownMembers { return &d.info.Unknown })

var questionObject = jsonread.NewObject([]infoMember{
	{Name: "id", Read: func(d *infoDecoder) { d.question().id = d.optText() }},
	{Name: "type", Read: func(d *infoDecoder) { d.question().kind = d.optText() }},
	{Name: "label", Read: func(d *infoDecoder) { d.question().label = d.optText() }},
	{Name: "answers", Read: func(d *infoDecoder) { d.question().answers = d.readList((*infoDecoder).readLabel) }},
}).KeepUnknown(func(d *infoDecoder) *unknownMembers { return &d.question().unknown })

var labelObject = jsonread.NewObject([]infoMember{
	{Name: "id", Read: func(d *infoDecoder) { d.label().id = d.optText() }},
	{Name: "label", Read: func(d *infoDecoder) { d.label().label = d.optText() }},
})

var placeObject = jsonread.NewObject([]infoMember{
	{Name: "geoLat", Read: func(d *infoDecoder) { d.places[d.place].lat = d.text() }},
	{Name: "geoLong", Read: func(d *infoDecoder) { d.places[d.place].long = d.text() }},
	{Name: "geoName", Read: func(d *infoDecoder) { d.places[d.place].name = d.text() }},
	{Name: "geoCountry", Read: func(d *infoDecoder) { d.places[d.place].country = d.text() }},
	{Name: "geoState", Read: func(d *infoDecoder) { d.places[d.place].state = d.text() }},
	{Name: "geoCity", Read: func(d *infoDecoder) { d.places[d.place].city = d.text() }},
	{Name: "geoZip", Read: func(d *infoDecoder) { d.places[d.place].zip = d.text() }},
	{Name: "geoStreet", Read: func(d *infoDecoder) { d.places[d.place].street = d.text() }},
}).Lenient().KeepUnknown(func(d *infoDecoder) *unknownMembers { return &d.places[d.place].unknown })

// isNoInfoMember reports whether a job information has no member of that name.
func isNoInfoMember(name string) bool { return !infoObject.Has(name) }

// decodeJobInformation reads a job information. It shares its nationalities through cat, which may
// be nil.
func decodeJobInformation(body []byte, cat *catalogueCache) (*JobInformation, error) {
	d := infoDecoders.Get().(*infoDecoder)
	defer d.release()
	d.start(body)
	d.Allow(allocations(2 * int64(len(body))))
	j := new(JobInformation)
	if d.readInfo(j, cat); d.Err() != nil {
		return nil, d.err()
	}
	return j, nil
}

// decodePart reads a document that is a part of a job information, and passes the decoder and the
// texts to take. It ignores null.
func decodePart(b []byte, read func(*infoDecoder), take func(d *infoDecoder, text string)) error {
	if string(b) == "null" {
		return nil
	}
	d := infoDecoders.Get().(*infoDecoder)
	defer d.release()
	d.start(b)
	read(d)
	d.refuseFlaw()
	d.End()
	if text := d.Join(&d.item); d.Err() == nil {
		take(d, text)
	}
	return d.err()
}

// readInfo reads a job information into j, to the end of the document.
func (d *infoDecoder) readInfo(j *JobInformation, cat *catalogueCache) {
	d.info, d.catalogues = j, cat
	d.places = append(d.places, rawPlace{})
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

// release keeps the decoder for the next answer, without buffers that an unusual
// answer made large.
func (d *infoDecoder) release() {
	d.forget()
	d.catalogue.Release()
	d.catalogues = nil
	d.infoParts = infoParts{
		questions: jsonread.Reuse(d.questions), labels: jsonread.Reuse(d.labels), places: jsonread.Reuse(d.places),
	}
	infoDecoders.Put(d)
}

// readList reads a list, or null, and returns how many elements it has, -1 for
// null.
func (d *infoDecoder) readList(element func(*infoDecoder)) (n int) {
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

func (d *infoDecoder) readQuestion() {
	d.questions = jsonread.Append(&d.Reader, d.questions, rawQuestion{answers: -1})
	questionObject.Read(&d.Reader, &d.questionOrder, d)
}

func (d *infoDecoder) question() *rawQuestion { return &d.questions[len(d.questions)-1] }

func (d *infoDecoder) readLabel() {
	d.labels = jsonread.Append(&d.Reader, d.labels, rawLabel{})
	labelObject.Read(&d.Reader, &d.labelOrder, d)
}

func (d *infoDecoder) label() *rawLabel { return &d.labels[len(d.labels)-1] }

func (d *infoDecoder) readPlace(i int) {
	d.place = i
	placeObject.Read(&d.Reader, &d.placeOrder, d)
}

// readNextPlace reads a place, and leaves it out if it cannot be read.
func (d *infoDecoder) readNextPlace() {
	d.places = jsonread.Append(&d.Reader, d.places, rawPlace{})
	last := len(d.places) - 1
	if d.readPlace(last); d.Flaw.Reason != "" && d.Err() == nil {
		d.places = d.places[:last]
	}
}

func (p *rawPlace) of(text string) Location {
	return Location{
		GeoLat: p.lat.In(text), GeoLong: p.long.In(text), GeoName: p.name.In(text), GeoCountry: p.country.In(text),
		GeoState: p.state.In(text), GeoCity: p.city.In(text), GeoZip: p.zip.In(text), GeoStreet: p.street.In(text),
		Unknown: p.unknown,
	}
}

func (d *infoDecoder) questionsOf(text string) []Question {
	questions := jsonread.Make[Question](&d.Reader, len(d.questions))
	answers := jsonread.Make[IDLabel](&d.Reader, len(d.labels))
	if d.Err() != nil {
		return nil
	}
	for i, l := range d.labels {
		answers[i] = IDLabel{ID: l.id.In(text), Label: l.label.In(text)}
	}
	for i, q := range d.questions {
		questions[i] = Question{
			ID: q.id.In(text), Type: QuestionType(q.kind.In(text)), Label: q.label.In(text), Unknown: q.unknown,
		}
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
	e := c.lookup.made()
	if err := checkJob(job); err != nil {
		return nil, e.refuse(ctx, opJobInformation, err)
	}
	req := request{Request: call.Request{Path: lookupPath, Query: "jobid=" + strconv.FormatInt(int64(job), 10), Turn: turn}}
	var info *JobInformation
	err := e.do(ctx, opJobInformation, req, func(a answer) error {
		body, err := a.Bytes()
		if err != nil {
			return err
		}
		found, err := decodeJobInformation(body, &e.catalogues)
		switch {
		case err == nil && found.JobID != job:
			return errUndecodable("the answer is about another job")
		case err == nil:
			info = found
			return nil
		}
		// The body is no job information, but may hold a code of 7.3, because these codes come with
		// any status.
		head := body[:min(len(body), maxErrorBody)]
		words, condition := classify(opJobInformation, a.Response.StatusCode, a.Response.Header, head, isNoInfoMember)
		if condition != nil {
			return &told{condition, words}
		}
		return err
	})
	return info, err
}
