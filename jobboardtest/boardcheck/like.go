package boardcheck

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Like holds the switches that make a mock server behave like a board.
type Like struct {
	Switches      []Switch     // switches with a value other than zero, in the order of jobboardtest.Variants
	NotObservable []Unobserved // switches that the profile cannot decide
	NotImitated   []string     // behaviour of the board that no switch imitates
}

// Switch is one field of jobboardtest.Variants.
type Switch struct {
	Name  string // JSON name, such as "quoted_ids"
	Field string // Go name, such as "QuotedIDs"
	Value any    // a string, an int or true
}

// Unobserved is a switch that the profile cannot decide, with the reason.
type Unobserved struct {
	Name string `json:"switch"`
	Why  string `json:"why"`
}

// JSON returns the switches in the form that the mock server's control interface takes by
// PATCH, and that jobboardtest.Like reads from a profile.
func (l Like) JSON() json.RawMessage {
	m := map[string]any{}
	for _, s := range l.Switches {
		m[s.Name] = s.Value
	}
	data, _ := json.Marshal(m) // cannot fail: only texts, numbers and booleans
	return data
}

// Go returns the switches as Go code.
func (l Like) Go() string {
	var b strings.Builder
	b.WriteString("jobboardtest.WithVariants(jobboardtest.Variants{\n")
	for _, s := range l.Switches {
		fmt.Fprintf(&b, "\t%s: %#v,\n", s.Field, s.Value)
	}
	b.WriteString("})")
	return b.String()
}

// deriving derives the value of a switch from a profile: nil for the zero value, or the reason
// why the profile cannot decide.
type deriving struct {
	name, field string
	value       func(*Profile) (value any, why string)
}

const changesNothing = "the check changes nothing"

// derivings holds a deriving for each switch, in the order of
// jobboardtest.Variants.
var derivings = []deriving{
	{"plain_errors", "PlainErrors", likePlain},
	{"not_fount", "NotFount", yesNo("says fount", "says found", noUnpublished)},
	{"coded_errors", "CodedErrors", likeCoded},
	{"application_id", "ApplicationID", likeApplication},
	{"error_status", "ErrorStatus", likeErrorStatus},
	{"error_shape", "ErrorShape", likeErrorShape},
	{"error_field", "ErrorField", likeErrorField},
	{"auth_errors", "AuthErrors", likeAuth},
	{"invalid_token_space", "InvalidTokenSpace", likeSpace},
	{"basic_needs_colon", "BasicNeedsColon", yesNo(
		"Basic without a colon refused", "Basic without a colon taken", "it takes WrongCredentials and a public ClientID",
	)},
	{"confidential_basic", "ConfidentialBasic", yesNo(
		"Basic with a secret taken", "Basic with a secret refused", "it takes WrongCredentials and a ClientSecret",
	)},
	{"quoted_ids", "QuotedIDs", likeIDs},
	{"dates", "Dates", likeDates},
	{"missing", "Missing", likeMissing},
	{"compress", "Compress", likeCompress},
	{"empty_server_errors", "EmptyServerErrors", likeServerErrors},
	{"unknown_channel", "UnknownChannel", likeUnknownChannel},
	{"page_size", "PageSize", likePaging(factPageSize)},
	{"page", "Page", likePaging(factPage)},
	{"subscriptions_need_credential", "SubscriptionsNeedCredential", never(changesNothing)},
	{"links", "Links", likeLinks},
	{"feed", "Feed", likeFeed},
	{"feed_unnamed", "FeedUnnamed", yesNo(factUnnamed, factNamed, noFeed)},
	{"feed_unlinked", "FeedUnlinked", yesNo(factUnlinked, factLinked, noFeed)},
	{"subscription_lists", "SubscriptionLists", never(changesNothing)},
	{"token_seconds", "TokenSeconds", likeTokens},
}

const noUnpublished = "no job without a posting was found: give UnpublishedJob"

const noFeed = "no feed with postings was read: give FeedURL"

// Like returns the switches that make the mock server behave like the board.
func (p *Profile) Like() Like {
	var l Like
	for _, d := range derivings {
		switch value, why := d.value(p); {
		case why != "":
			l.NotObservable = append(l.NotObservable, Unobserved{d.name, why})
		case value != nil:
			l.Switches = append(l.Switches, Switch{d.name, d.field, value})
		}
	}
	l.NotImitated = p.notImitated()
	return l
}

func never(why string) func(*Profile) (any, string) {
	return func(*Profile) (any, string) { return nil, why }
}

// sum adds up counts over answers of some kinds. A kind such as "/error" stands for this kind
// of every operation, and "" for all kinds.
func (p *Profile) sum(of func(*Answer) map[string]int, kinds ...string) map[string]int {
	out := map[string]int{}
	for kind, a := range p.Answers {
		for _, k := range kinds {
			if kind == k || strings.HasPrefix(k, "/") && strings.HasSuffix(kind, k) || k == "" {
				addCounts(&out, of(a))
			}
		}
	}
	return out
}

func facts(a *Answer) map[string]int        { return a.Facts }
func statusCounts(a *Answer) map[string]int { return a.Statuses }
func codes(a *Answer) map[string]int        { return a.Codes }
func types(a *Answer) map[string]int        { return a.Types }
func bodies(a *Answer) map[string]int       { return a.Bodies }

// yesNo derives a boolean switch from two facts.
func yesNo(yes, no, why string) func(*Profile) (any, string) {
	return func(p *Profile) (any, string) {
		seen := p.sum(facts, "")
		switch {
		case seen[yes] == 0 && seen[no] == 0:
			return nil, why
		case seen[yes] > seen[no]:
			return true, ""
		}
		return nil, ""
	}
}

// word returns the value of a switch; the empty word is the zero value.
func word(s string) (any, string) {
	if s == "" {
		return nil, ""
	}
	return s, ""
}

func isJSON(types map[string]int) bool { return strings.HasPrefix(most(types), "application/json") }

func likePlain(p *Profile) (any, string) {
	forms := p.sum(bodies, "/message")
	switch {
	case len(forms) == 0:
		return nil, "no plain message of section 7.2 came: give InactiveJob, InternalJob or UnpublishedJob, and ApplicantToken"
	case most(forms) == "JSON string":
		return "json-string", ""
	case isJSON(p.sum(types, "/message")):
		return "as-json", ""
	}
	return nil, ""
}

func likeCoded(p *Profile) (any, string) {
	forms := p.sum(bodies, "/coded")
	switch {
	case len(forms) == 0:
		return nil, "no error with a code of section 7.2 came: give ApplicantToken"
	case most(forms) == "bare text":
		return "code-word", ""
	case !isJSON(p.sum(types, "/coded")):
		return "as-text", ""
	}
	return nil, ""
}

func likeApplication(p *Profile) (any, string) {
	switch most(p.sum(bodies, "application/answer")) {
	case "":
		return nil, "no application was found: give AppliedJob and ApplicantToken"
	case "JSON string":
		return "quoted", ""
	case "bare text and a newline":
		return "newline", ""
	}
	return nil, ""
}

const noLookupError = "no ERROR_ code of section 7.3 came: give JobDBURL"

func likeErrorStatus(p *Profile) (any, string) {
	status, err := strconv.Atoi(most(p.sum(statusCounts, "lookup/error")))
	switch {
	case err != nil:
		return nil, noLookupError
	case status == 404:
		return nil, ""
	}
	return status, ""
}

func likeErrorShape(p *Profile) (any, string) {
	switch most(p.sum(bodies, "lookup/error")) {
	case "":
		return nil, noLookupError
	case "JSON string":
		return "json-string", ""
	case "bare text":
		return "text", ""
	}
	return nil, ""
}

func likeErrorField(p *Profile) (any, string) {
	at := map[string]int{}
	for fact, n := range p.sum(facts, "lookup/error") {
		if place, ok := strings.CutPrefix(fact, factCodeAt); ok {
			at[place] += n
		}
	}
	switch place := most(at); {
	case len(at) == 0:
		return nil, noLookupError
	case place == "errorCode":
		return nil, ""
	case place == "":
		return nil, "the ERROR_ code stands in no member"
	case strings.Contains(place, otherName):
		return nil, "the name of the member with the ERROR_ code is not kept"
	default:
		return word(place)
	}
}

func likeAuth(p *Profile) (any, string) {
	header, body := 0, 0
	for fact, n := range p.sum(facts, "/refused") {
		if strings.HasSuffix(fact, " in the header") {
			header += n
		} else if strings.HasSuffix(fact, " in the body") {
			body += n
		}
	}
	switch {
	case header == 0 && body == 0:
		return nil, "no refusal told its error: it takes WrongCredentials"
	case header == 0:
		return "body", ""
	case body > 0:
		return "both", ""
	}
	return nil, ""
}

func likeSpace(p *Profile) (any, string) {
	space, line := 0, 0
	for fact, n := range p.sum(facts, "/refused") {
		if strings.HasPrefix(fact, "invalid token ") {
			space += n
		} else if strings.HasPrefix(fact, "invalid_token ") {
			line += n
		}
	}
	switch {
	case space == 0 && line == 0:
		return nil, "no token was refused as invalid: it takes WrongCredentials"
	case space > line:
		return true, ""
	}
	return nil, ""
}

// forms adds up the forms of all members that want selects.
func (p *Profile) forms(want func(*named) bool) map[string]int {
	out := map[string]int{}
	for _, kind := range []string{"search/page", "search/narrowed", "lookup/job"} {
		a := p.Answers[kind]
		if a == nil {
			continue
		}
		s := shapeOf(kind, a)
		for path, m := range a.Members {
			if at := s.named(path); at != nil && want(at) {
				addCounts(&out, m.Forms)
			}
		}
	}
	return out
}

func likeIDs(p *Profile) (any, string) {
	forms := p.forms(func(at *named) bool { return at.kind == anID })
	switch {
	case forms[formQuoted] == 0 && forms[formNumber] == 0:
		return nil, "no posting and no job was seen"
	case forms[formQuoted] > forms[formNumber]:
		return true, ""
	}
	return nil, ""
}

func likeDates(p *Profile) (any, string) {
	words := map[string]string{formISOZ: "iso-z", formISOColon: "iso-colon", formISOPlain: "iso-plain"}
	forms := p.forms(func(at *named) bool { return at.kind == aDate })
	delete(forms, formZero)
	delete(forms, formNull)
	if form := most(forms); form != "" {
		return word(words[form])
	}
	switch form := most(p.forms(func(at *named) bool { return at.kind == aTime })); form {
	case formISOColon, formISOPlain:
		return words[form], ""
	}
	return nil, "no posting with a date was seen"
}

// mayBeMissing reports whether null or absence of a member represents an empty value. It
// excludes keys of a config, which come and go, and answers, which only some types of
// questions have.
func mayBeMissing(path string, at *named) bool {
	return at != nil && at.optional && !openKeys(path) && !strings.HasSuffix(path, ".answers")
}

func likeMissing(p *Profile) (any, string) {
	null, empty, absent := 0, 0, 0
	for _, kind := range []string{"search/page", "lookup/job"} {
		a := p.Answers[kind]
		if a == nil {
			continue
		}
		s := shapeOf(kind, a)
		for _, t := range s.tables {
			of := a.Members[t.at].objects()
			for name, at := range t.members {
				path := below(t.at, name)
				m := a.Members[path]
				if !mayBeMissing(path, &at) {
					continue
				}
				if m == nil {
					absent += of
					continue
				}
				null += m.Forms[formNull]
				empty += m.Forms[formEmpty] + m.Forms[formNoItems] + m.Forms[formNoMember]
				absent += max(0, of-m.Seen)
			}
		}
	}
	switch {
	case null > empty && null >= absent:
		return "null", ""
	case absent > empty:
		return "absent", ""
	case empty == 0:
		return nil, "no optional value was empty"
	}
	return nil, ""
}

func likeCompress(p *Profile) (any, string) {
	switch {
	case len(p.Answers) == 0:
		return nil, "there was no answer"
	case p.sum(facts, "")["gzip"] > 0:
		return true, ""
	}
	return nil, ""
}

func likeServerErrors(p *Profile) (any, string) {
	switch most(p.sum(bodies, "search/failure")) {
	case "":
		return nil, "no search failed: give FailingChannel"
	case "none":
		return true, ""
	}
	return nil, ""
}

func likeUnknownChannel(p *Profile) (any, string) {
	switch status := most(p.sum(statusCounts, "search/unknown channel")); status {
	case "":
		return nil, "no unknown channel was searched"
	case "400":
		return 400, ""
	case "404":
		return 404, ""
	}
	return nil, ""
}

func likePaging(fact string) func(*Profile) (any, string) {
	return func(p *Profile) (any, string) {
		seen := p.sum(facts, "search/page")
		values := map[string]int{}
		for f, n := range seen {
			if v, ok := strings.CutPrefix(f, fact); ok {
				values[v] += n
			}
		}
		switch n, err := strconv.Atoi(most(values)); {
		case err != nil && seen[factOnePage] == 0:
			return nil, "no page of the channel was read"
		case err != nil || n == 0:
			return nil, ""
		default:
			return n, ""
		}
	}
}

func likeLinks(p *Profile) (any, string) {
	forms := p.forms(func(at *named) bool { return at.kind == aLink && !at.optional })
	for _, kind := range []string{"search/page", "search/narrowed"} {
		if a := p.Answers[kind]; a != nil && a.Members["results[].applyOnlineLink"] != nil {
			addCounts(&forms, a.Members["results[].applyOnlineLink"].Forms)
		}
	}
	inFeed := p.sum(facts, "feed/feed")
	switch {
	case inFeed[factLinks+formRelative] > 0:
		return "relative", ""
	case forms[formVersion] > 0:
		return nil, ""
	case forms[formJobLink] > 0:
		return "plain", ""
	case forms[formAddress] > 0:
		return "opaque", ""
	}
	return nil, "no posting with a link was seen"
}

func likeFeed(p *Profile) (any, string) {
	names := map[string]int{}
	for fact, n := range p.sum(facts, "feed/feed") {
		if v, ok := strings.CutPrefix(fact, factNames); ok {
			names[v] += n
		}
	}
	switch form := most(names); form {
	case "":
		return nil, "no feed was read: give FeedURL"
	case "plain":
		return nil, ""
	default:
		return form, ""
	}
}

func likeTokens(p *Profile) (any, string) {
	values := map[string]int{}
	for fact, n := range p.sum(facts, "token/token") {
		if v, ok := strings.CutPrefix(fact, factLifetime); ok {
			values[v] += n
		}
	}
	switch n, err := strconv.Atoi(most(values)); {
	case err != nil:
		return nil, "no token was fetched: give ClientSecret"
	case n == 3600:
		return nil, ""
	default:
		return n, ""
	}
}

// mockTypes are the content types that the mock server sends.
var mockTypes = []string{"application/json", "text/plain; charset=utf-8", "application/xml; charset=utf-8", "none"}

// notImitated lists behaviour of the board that no switch of the mock server
// imitates.
func (p *Profile) notImitated() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, name := range p.Unknown() {
		add("%s: a member that the interface does not name", name)
	}
	for _, kind := range slices.Sorted(maps.Keys(p.Answers)) {
		a := p.Answers[kind]
		for _, t := range slices.Sorted(maps.Keys(a.Types)) {
			if kind != "search/probe" && !slices.Contains(mockTypes, t) {
				add("%s: the content type %s", label(kind), t)
			}
		}
		if strings.HasSuffix(kind, "/another") {
			add("%s answers with status %s", operation(kind), strings.Join(slices.Sorted(maps.Keys(a.Statuses)), ", "))
		}
		if kind == "lookup/job" || kind == "search/page" {
			out = append(out, formsNotImitated(kind, a)...)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(p.sum(codes, ""))) {
		if !slices.Contains(knownCodes, code) {
			add("the code %s", code)
		}
	}
	return out
}

func formsNotImitated(kind string, a *Answer) (out []string) {
	s := shapeOf(kind, a)
	for _, path := range slices.Sorted(maps.Keys(a.Members)) {
		at := s.named(path)
		for _, form := range slices.Sorted(maps.Keys(a.Members[path].Forms)) {
			if at != nil && !at.imitable(form) {
				out = append(out, fmt.Sprintf("%s %s: the form %s", label(kind), path, form))
			}
		}
	}
	return out
}

// imitable reports whether the mock server can send a form of a member.
func (at *named) imitable(form string) bool {
	ok := map[kind][]string{
		aText: {formText, formEmpty}, aNumber: {formNumber}, anID: {formNumber, formQuoted},
		aDate:  {formMillis, formZero, formNumber, formISOZ, formISOColon, formISOPlain},
		aTime:  {formISOZ, formISOColon, formISOPlain},
		aLink:  {formAddress, formJobLink, formVersion, formEmpty},
		aDigit: {formQuoted}, aCode: {formUUID, formQuoted, formText, formEmpty}, aDecimal: {formQuoted, formEmpty},
		aTruth: {formBoolean}, aList: {formArray, formNoItems}, aRecord: {formObject, formNoMember},
		aWord: append(slices.Clone(at.words), formEmpty),
	}[at.kind]
	missing := form == formNull && (at.optional || at.kind == aList)
	return slices.Contains(ok, form) || at.open && form == formOther || missing
}
