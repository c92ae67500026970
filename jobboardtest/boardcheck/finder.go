package boardcheck

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// finder finds values for the target's fields that the rules need and the user
// has not set.
type finder struct {
	Board
	ctx       context.Context
	transport *requester
	found     []string
	client    string // Target.ClientID, before find takes it away

	postings []posting
	jobs     []*job // in the order of their identifiers
	lookups  map[int64]*exchange
}

type posting struct {
	id, job int64
	title   string
	text    string // the whole posting's text, in lower case
}

// job collects the board's answers about one job.
type job struct {
	id       int64
	inactive bool // by the feed
	posting  int64
	code     string // code of the lookup's error
	info     object
	status   int    // status of the applied check; 0: not asked
	word     string // result of the applied check: true, false, or the kind of refusal
}

func (f *finder) find() {
	t := &f.Target
	f.client = t.ClientID
	f.fetchToken()
	f.searchChannel()
	f.readFeed()
	f.lookUp()
	f.askApplied()
	if t.UnknownJob == 0 {
		t.UnknownJob = neverGiven
	}
	f.chooseJobs()
	f.chooseText()
	f.choosePlaces()
	f.chooseLanguages()
}

// neverGiven is an identifier so high that no board uses it.
const neverGiven = 999_999_999_999_983

// get sends a GET request. Without an answer the exchange has status 0.
func (f *finder) get(address, authorization, language string) *exchange {
	r, err := http.NewRequestWithContext(f.ctx, http.MethodGet, address, nil)
	if err != nil {
		return &exchange{}
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	if language != "" {
		r.Header.Set("Accept-Language", language)
	}
	return f.send(r)
}

func (f *finder) send(r *http.Request) *exchange {
	r.Header.Set("User-Agent", "jobboard-check")
	if strings.Contains(r.URL.Path, searchPath) {
		r.Header.Set("Content-Type", "application/json")
	}
	x, err := f.transport.ask(r)
	if err != nil {
		return &exchange{}
	}
	return x
}

func basicHeader(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func (f *finder) fetchToken() {
	t := &f.Target
	if f.ClientSecret == "" {
		return
	}
	if f.fetchesToken() {
		form := url.Values{"grant_type": {"client_credentials"}}.Encode()
		r, err := http.NewRequestWithContext(f.ctx, http.MethodPost, f.TokenURL, strings.NewReader(form))
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", basicHeader(url.QueryEscape(t.ClientID), url.QueryEscape(f.ClientSecret)))
		v, _ := f.send(r).parsed()
		t.ClientToken = memberText(v, "access_token")
	}
	t.ClientID = "" // a confidential client has no Basic credential for a search
}

func (f *finder) authorization() string {
	t := &f.Target
	switch {
	case t.ClientToken != "":
		return "Bearer " + t.ClientToken
	case t.ClientID != "":
		return basicHeader(t.ClientID, "")
	case t.ApplicantToken != "":
		return "Bearer " + t.ApplicantToken
	}
	return ""
}

func (f *finder) searchAddress() string {
	return f.Target.BaseURL + searchPath + url.PathEscape(f.Target.Channel) + "/jobs"
}

func (f *finder) searches() bool {
	return f.Target.BaseURL != "" && f.Target.Channel != "" && f.authorization() != ""
}

func (f *finder) results(language string) []object {
	v, _ := f.get(f.searchAddress(), f.authorization(), language).parsed()
	page, _ := v.(object)
	list, _ := page["results"].([]any)
	var out []object
	for _, e := range list {
		if o, ok := e.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

func whole(v any) int64 {
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (f *finder) searchChannel() {
	if !f.searches() {
		return
	}
	results := f.results("")
	for _, o := range results {
		p := posting{id: whole(o["jobPostingId"])}
		p.title, _ = o["title"].(string)
		p.text = strings.ToLower(fmt.Sprint(o))
		link, _ := o["applyOnlineLink"].(string)
		if m := jobInLink.FindStringSubmatch(link); m != nil {
			p.job = whole(m[1])
			f.job(p.job).posting = p.id
		}
		f.postings = append(f.postings, p)
	}
	f.readOwnLinks(results)
}

// job returns the job with an identifier, and adds it if it is new.
func (f *finder) job(id int64) *job {
	i, ok := slices.BinarySearchFunc(f.jobs, id, func(j *job, id int64) int { return int(max(-1, min(1, j.id-id))) })
	if !ok {
		f.jobs = slices.Insert(f.jobs, i, &job{id: id})
	}
	return f.jobs[i]
}

func (f *finder) readFeed() {
	if f.FeedURL == "" {
		return
	}
	x := f.get(f.FeedURL, "", "")
	if x.status != http.StatusOK {
		return
	}
	for _, j := range walkFeed(x.body).jobs {
		f.job(j.id).inactive = j.inactive
	}
}

// spread returns at most n elements, evenly spaced over the list.
func spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	out := make([]T, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

// sample returns at most n usable jobs. Up to a third are jobs that the feed calls
// inactive, and these come first.
func (f *finder) sample(n int, usable func(*job) bool) []*job {
	var inactive, others []*job
	for _, j := range f.jobs {
		switch {
		case !usable(j):
		case j.inactive:
			inactive = append(inactive, j)
		default:
			others = append(others, j)
		}
	}
	first := spread(inactive, n/3)
	return append(slices.Clone(first), spread(others, n-len(first))...)
}

func (f *finder) lookUp() {
	if f.Target.JobDBURL == "" {
		return
	}
	for _, j := range f.sample(maxLookups, func(*job) bool { return true }) {
		x := f.lookup(j.id)
		v, _ := x.parsed()
		o, _ := v.(object)
		if x.status == http.StatusOK && o["jobId"] != nil {
			j.info = o
		} else {
			j.code = findCode.FindString(string(x.body))
		}
	}
}

// lookup asks for the information of a job, once.
func (f *finder) lookup(id int64) *exchange {
	if x := f.lookups[id]; x != nil {
		return x
	}
	auth := ""
	if f.Target.LookupToken != "" {
		auth = "Bearer " + f.Target.LookupToken
	}
	x := f.get(f.Target.JobDBURL+lookupPath+"?jobid="+strconv.FormatInt(id, 10), auth, "")
	if f.lookups == nil {
		f.lookups = map[int64]*exchange{}
	}
	f.lookups[id] = x
	return x
}

func (f *finder) askApplied() {
	if f.Target.BaseURL == "" || f.Target.ApplicantToken == "" {
		return
	}
	// Ask first about jobs with a lookup error, to see each kind of refusal.
	jobs := f.sample(maxApplied/2, func(j *job) bool { return j.code != "" || j.inactive })
	jobs = append(jobs, f.sample(maxApplied-len(jobs), func(j *job) bool { return !slices.Contains(jobs, j) })...)
	for _, j := range jobs {
		address := f.Target.BaseURL + jobsPath + strconv.FormatInt(j.id, 10) + "/applied"
		x := f.get(address, "Bearer "+f.Target.ApplicantToken, "")
		v, form := x.parsed()
		j.status, j.word = x.status, strings.TrimSpace(string(x.body))
		if form == formPage {
			j.word = form // which of the errors it is, is not told
		} else if o, ok := v.(object); ok {
			j.word = "coded"
			if m, _ := o["message"].(string); strings.Contains(m, "accessible") {
				j.word = "not accessible"
			}
		} else if x.status != http.StatusOK {
			j.word = "message"
			isEmpty := x.status == http.StatusForbidden && len(x.body) == 0
			if isEmpty || codeWord.MatchString(strings.Trim(string(x.body), "\" \n")) {
				j.word = "coded"
			}
		}
	}
}

// set sets a field of the target, unless the user has set it.
func (f *finder) set(name string, value any) {
	field := reflect.ValueOf(&f.Target).Elem().FieldByName(name)
	if v := reflect.ValueOf(value); field.IsZero() && !v.IsZero() {
		field.Set(v)
		f.found = append(f.found, name)
	}
}

// chooseJobs chooses a job for each of the target's fields. It decides by one call about
// a job, so that the rules can judge the other calls.
func (f *finder) chooseJobs() {
	var open *job
	for _, j := range f.jobs {
		possible, known := j.info["applyPossible"].(bool)
		free := f.isFree(j, known)
		switch field := j.refusal(); {
		case field != "":
			f.set(field, j.id)
		case j.hidden() && j.code != "":
			// The board hides this job from the applicant, so nothing is known of its state.
		case j.answers("true"):
			f.set("AppliedJob", j.id)
		case free && known && !possible:
			f.set("ClosedJob", j.id)
		case free && j.weight() > open.weight():
			open = j
		}
	}
	if open != nil {
		f.set("OpenJob", open.id)
	}
}

// isFree reports whether the applicant may apply to a job, as far as the available calls
// show. known tells whether the lookup has answered about the job.
func (f *finder) isFree(j *job, known bool) bool {
	asked := f.Target.ApplicantToken != "" && f.Target.BaseURL != "" && !f.transport.hasRefused(applicantsToken)
	return (!asked || j.answers("false")) && (known || f.Target.JobDBURL == "")
}

// answers reports whether the applied check answered with a word.
func (j *job) answers(word string) bool { return j.status == http.StatusOK && j.word == word }

// refusal returns the target's field for a job with this refusal, or "".
func (j *job) refusal() string {
	switch {
	case j.hidden() && j.code != "":
		return ""
	case j.code == "ERROR_JOB_INACTIVE" || j.status == http.StatusGone:
		return "InactiveJob"
	case j.code == "ERROR_JOB_UNAVAILABLE":
		return "DeletedJob"
	case j.code == "ERROR_POSTING_UNAVAILABLE" || j.status == http.StatusNotFound && j.word == "message":
		return "UnpublishedJob"
	case j.status == http.StatusForbidden && j.word == "message":
		return "InternalJob"
	case j.status == http.StatusNotFound && j.word == "not accessible":
		return "OtherCompanyJob"
	}
	return ""
}

// hidden reports whether the applicant has no access to a job.
func (j *job) hidden() bool {
	return j.status == http.StatusForbidden || j.status == http.StatusNotFound && j.word == "not accessible" ||
		j.status == http.StatusNotFound && j.word == "message" && j.code == "ERROR_JOB_INACTIVE"
}

// weight returns the amount of detail in a job's information. Rules about tables need a
// job with all optional members, because a board may leave out empty ones.
func (j *job) weight() int {
	if j == nil {
		return -1
	}
	questions, _ := j.info["questions"].([]any)
	more, _ := j.info["additionalLocations"].([]any)
	n := 2*min(len(questions), 4) + min(len(more), 2)
	for _, q := range questions {
		if o, _ := q.(object); whole(o["id"]) < 0 {
			n += 10
		}
	}
	for _, list := range append(more, j.info["location"], j.info) {
		o, _ := list.(object)
		for _, v := range o {
			if v != nil && v != "" {
				n += 5
			}
		}
	}
	return n
}

// chooseText chooses a word from a title that not all postings contain.
func (f *finder) chooseText() {
	best, bestIn := "", 0
	for _, p := range f.postings {
		for word := range strings.FieldsFuncSeq(strings.ToLower(p.title), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if len(word) < 5 || word == best {
				continue
			}
			in := 0
			for _, other := range f.postings {
				if strings.Contains(other.text, word[:len(word)-1]) { // the board may search by stems
					in++
				}
			}
			// Prefer a word in many postings, but at most half of them; of
			// equally frequent words the alphabetically first.
			if in < len(f.postings) && (in > bestIn && in <= len(f.postings)/2 || best == "" || in == bestIn && word < best) {
				best, bestIn = word, in
			}
		}
	}
	f.set("SearchText", best)
}

type point struct{ lat, long float64 }

func pointOf(v any) (p point, text string, ok bool) {
	o, _ := v.(object)
	lat, _ := o["geoLat"].(string)
	long, _ := o["geoLong"].(string)
	var err1, err2 error
	p.lat, err1 = strconv.ParseFloat(lat, 64)
	p.long, err2 = strconv.ParseFloat(long, 64)
	if err1 != nil || err2 != nil || math.Abs(p.lat) > 90 || math.Abs(p.long) > 180 {
		return p, "", false
	}
	return p, fmt.Sprintf("%s::%s::", lat, long), true
}

// kilometers returns the distance between two points on the Earth.
func (p point) kilometers(q point) float64 {
	const degree = math.Pi / 180
	dLat, dLong := (q.lat-p.lat)*degree/2, (q.long-p.long)*degree/2
	h := math.Pow(math.Sin(dLat), 2) + math.Cos(p.lat*degree)*math.Cos(q.lat*degree)*math.Pow(math.Sin(dLong), 2)
	return 2 * 6371 * math.Asin(math.Sqrt(min(1, h)))
}

// choosePlaces chooses a circle around one job's places but not another's, an additional
// location far from its main location, and a posting without a place.
func (f *finder) choosePlaces() {
	type placed struct {
		j      *job
		points []point
		text   string
	}
	var all []placed
	for _, j := range f.jobs {
		if j.info == nil || j.posting == 0 {
			continue
		}
		main, text, ok := pointOf(j.info["location"])
		more, _ := j.info["additionalLocations"].([]any)
		p := placed{j: j, text: text}
		if ok {
			p.points = append(p.points, main)
		}
		for _, m := range more {
			at, where, there := pointOf(m)
			if !there {
				continue
			}
			p.points = append(p.points, at)
			if ok && main.kilometers(at) > 60 && f.Target.AdditionalNear == "" {
				f.set("AdditionalNear", where+"5")
				f.set("AdditionalPosting", j.posting)
			}
		}
		if len(p.points) == 0 {
			f.set("UnlocatedPosting", j.posting)
			continue
		}
		if ok {
			all = append(all, p)
		}
	}
	for _, a := range all {
		for _, b := range all {
			if !slices.ContainsFunc(b.points, func(p point) bool { return a.points[0].kilometers(p) <= 80 }) {
				f.set("Near", a.text+"30")
				return
			}
		}
	}
}

// chooseLanguages chooses two languages in which some posting's title differs.
func (f *finder) chooseLanguages() {
	if len(f.Target.Languages) > 0 || !f.searches() || len(f.postings) == 0 {
		return
	}
	titles := map[string]map[int64]string{}
	for _, language := range []string{"en", "de", "fr"} {
		titles[language] = map[int64]string{}
		for _, o := range f.results(language) {
			title, _ := o["title"].(string)
			titles[language][whole(o["jobPostingId"])] = title
		}
		if language == "en" {
			continue
		}
		differ, same := 0, 0
		for id, title := range titles["en"] {
			switch other, ok := titles[language][id]; {
			case ok && other != title:
				differ++
			case ok && title != "":
				same++
			}
		}
		f.transport.record.languages(differ, same)
		if differ > 0 {
			f.set("Languages", []string{"en", language})
			return
		}
	}
}

// tryBasic probes two forms of Basic that some clients send: an identifier
// without the colon, and an identifier with a secret.
func (f *finder) tryBasic() {
	if !f.WrongCredentials || f.Target.BaseURL == "" || f.Target.Channel == "" || f.client == "" {
		return
	}
	try := func(what, authorization string) {
		ctx := context.WithValue(f.ctx, probeKey{}, what)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.searchAddress(), nil)
		if err == nil {
			r.Header.Set("Authorization", authorization)
			f.send(r)
		}
	}
	if f.ClientSecret != "" {
		try("Basic with a secret", basicHeader(f.client, f.ClientSecret))
		return
	}
	try("Basic without a colon", "Basic "+base64.StdEncoding.EncodeToString([]byte(f.client)))
}
