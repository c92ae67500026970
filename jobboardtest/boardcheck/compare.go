package boardcheck

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Change is a difference between a board's answers and its earlier profile.
type Change struct {
	Where string `json:"where"` // such as "search results[].jobStartDate"
	What  string `json:"what"`

	// Note marks a new observation that agrees with the interface or with the
	// board's other answers, and so is no change of the board.
	Note bool `json:"note,omitempty"`
}

// String returns a line.
func (c Change) String() string {
	if c.Note {
		return c.Where + ": " + c.What + " (no change of the board)"
	}
	return c.Where + ": " + c.What
}

// samples is the number of objects that must have had a member, and the number that
// must lack it now, before Compare reports its absence: members come and go with each
// posting (section 2.3).
const samples = 20

// Since sets Changes to the changes since an earlier profile, and merges this check
// into that profile. Since an empty profile, or nil, there are no changes.
func (r *Report) Since(earlier *Profile) {
	if earlier == nil {
		return
	}
	if earlier.Runs > 0 {
		r.Changes = earlier.Compare(r.Profile)
	}
	earlier.Merge(r.Profile)
}

// Compare returns the changes that a later profile shows: a new path, form, code,
// status or content type; a member or form that vanished (at least 20 objects had it,
// all of them, and at least 20 objects lack it now) or became universal; a rule whose
// verdict changed between kept and broken. Changes come before notes.
func (p *Profile) Compare(later *Profile) []Change {
	c := comparing{old: p, now: later, told: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(later.Rules)) {
		if was, ok := p.Rules[name]; ok && was != later.Rules[name] && !(was == Broken && p.fickle(name)) {
			c.tell("rule "+name, fmt.Sprintf("was %s and is %s", was, later.Rules[name]), p.fickle(name))
		}
	}
	kinds := slices.Sorted(maps.Keys(later.Answers))
	slices.SortStableFunc(kinds, func(a, b string) int { // a whole page tells more than a part of it
		return strings.Count(a, "narrowed") - strings.Count(b, "narrowed")
	})
	for _, kind := range kinds {
		c.kind(kind)
	}
	slices.SortStableFunc(c.changes, func(a, b Change) int {
		if a.Note != b.Note {
			if a.Note {
				return 1
			}
			return -1
		}
		return 0
	})
	return append([]Change{}, c.changes...)
}

type comparing struct {
	old, now *Profile
	changes  []Change
	told     map[string]bool // changes without their counts
}

// tell notes a change, once: two kinds of answers may have it, with other counts.
func (c *comparing) tell(where, what string, note bool) {
	short, _, _ := strings.Cut(what, " (")
	short, _, _ = strings.Cut(short, ", ")
	if key := where + ": " + short; !c.told[key] {
		c.told[key] = true
		c.changes = append(c.changes, Change{where, what, note})
	}
}

// ofTypes are the rules about types, which a null breaks.
var ofTypes = []string{
	"search/posting-fields", "search/timestamps", "search/config", "lookup/fields", "lookup/questions",
	"lookup/answers-of-questions", "lookup/nationalities", "lookup/locations",
}

// fickle reports whether it depends on the postings and jobs of the day whether the board breaks a
// rule: some of them have had null for an empty value.
func (p *Profile) fickle(rule string) bool {
	if !slices.Contains(ofTypes, rule) {
		return false
	}
	for kind, a := range p.Answers {
		if operation(kind) != operation(rule) {
			continue
		}
		s := shapeOf(kind, a)
		for path, m := range a.Members {
			if m.Forms[formNull] > 0 && m.Forms[formNull] < m.Seen && s.named(path) != nil {
				return true
			}
		}
	}
	return false
}

// siblings returns the profile's answers whose members have the same shape.
func (p *Profile) siblings(kind string) []*Answer {
	kinds := []string{kind}
	switch kind {
	case "search/page":
		kinds = append(kinds, "search/narrowed")
	case "search/narrowed":
		kinds = append(kinds, "search/page")
	}
	var out []*Answer
	for _, k := range kinds {
		if a := p.Answers[k]; a != nil {
			out = append(out, a)
		}
	}
	return out
}

// label returns the kind of an answer in words.
func label(kind string) string {
	op, what, _ := strings.Cut(kind, "/")
	switch what {
	case "page", "narrowed", "job", "answer", "feed", "token":
		return op
	}
	return op + ", " + what
}

// statusesOf holds the kinds of answers in the interface, with the statuses that it
// names.
var statusesOf = map[string][]string{
	"search/page": {"200"}, "search/narrowed": {"200"}, "search/failure": {"500"}, "search/unknown channel": {},
	"search/refused": {"401", "403"}, "applied/refused": {"401", "403"}, "application/refused": {"401", "403"},
	"applied/answer": {"200"}, "application/answer": {"200"}, "lookup/job": {"200"}, "lookup/error": {},
	"applied/message": {"403", "404", "410"}, "application/message": {"403", "404", "410"},
	"applied/coded": {"404"}, "application/coded": {"404"}, "feed/feed": {"200"}, "token/token": {"200"},
	"search/probe": {"200", "401", "403"},
}

var knownCodes = []string{
	"get_project_error", "get_application_error",
	"ERROR_JOB_INACTIVE", "ERROR_JOB_UNAVAILABLE", "ERROR_POSTING_UNAVAILABLE",
}

func (c *comparing) kind(kind string) {
	now, old := c.now.Answers[kind], c.old.siblings(kind)
	where := label(kind)
	statuses, inInterface := statusesOf[kind]
	if len(old) == 0 {
		asked := slices.ContainsFunc(slices.Collect(maps.Keys(c.old.Answers)), func(k string) bool {
			return operation(k) == operation(kind)
		})
		for _, status := range slices.Sorted(maps.Keys(now.Statuses)) {
			c.tell(where, "an answer with status "+status+" was never seen", inInterface || !asked)
		}
		return
	}
	never := func(string) bool { return false }
	c.counts(where, "status", now, old, statusCounts, func(s string) bool { return slices.Contains(statuses, s) })
	c.counts(where, "content type", now, old, types, never)
	c.counts(where, "body", now, old, bodies, never)
	c.counts(where, "code", now, old, codes, func(s string) bool { return slices.Contains(knownCodes, s) })
	c.counts(where, "peculiarity", now, old, peculiarities, softFact)
	c.languages(where, now, c.old.Answers[kind])
	for _, path := range slices.Sorted(maps.Keys(now.Members)) {
		c.member(kind, path)
	}
	if kind != "search/narrowed" {
		c.gone(kind)
	}
}

// peculiarities returns an answer's facts, without the facts that languages
// compares.
func peculiarities(a *Answer) map[string]int {
	out := maps.Clone(a.Facts)
	delete(out, factTranslated)
	delete(out, factSame)
	return out
}

// softFact reports whether a fact depends on the board's current content.
func softFact(fact string) bool {
	for _, begin := range []string{factPageSize, factPage, factOnePage, factLifetime, factLinks, "gzip"} {
		if strings.HasPrefix(fact, begin) {
			return true
		}
	}
	return false
}

// languages reports that postings now differ by language, or no longer do, unless chance
// explains it: if postings differed as often in both checks, such a result would come in
// less than one check of a million.
func (c *comparing) languages(where string, now, old *Answer) {
	if old == nil {
		return
	}
	n, nOf := now.Facts[factTranslated], now.Facts[factTranslated]+now.Facts[factSame]
	o, oOf := old.Facts[factTranslated], old.Facts[factTranslated]+old.Facts[factSame]
	chance := func(k, of, others int) float64 {
		return math.Pow(1-float64(k)/float64(of+1), float64(others)) // of+1: one of one is not all
	}
	switch {
	case o > 0 && n == 0 && chance(o, oOf, nOf) < 1e-6:
		c.tell(where, fmt.Sprintf("none of %d postings differs by language, and %d of %d did", nOf, o, oOf), false)
	case o == 0 && n > 0 && chance(n, nOf, min(oOf, nOf)) < 1e-6: // of many checks' postings most are the same ones
		c.tell(where, fmt.Sprintf("%d of %d postings differ by language, and none of %d did", n, nOf, oOf), false)
	}
}

// counts reports keys that were never seen before.
func (c *comparing) counts(where, what string, now *Answer, old []*Answer, of func(*Answer) map[string]int, note func(string) bool) {
	var before []string
	for _, a := range old {
		before = slices.AppendSeq(before, maps.Keys(of(a)))
	}
	slices.Sort(before)
	before = slices.Compact(before)
	for _, x := range slices.Sorted(maps.Keys(of(now))) {
		if slices.Contains(before, x) {
			continue
		}
		text := fmt.Sprintf("the %s %s was never seen", what, x)
		if len(before) > 0 && what != "code" && what != "peculiarity" {
			text += ", only " + strings.Join(before, ", ")
		}
		c.tell(where, text, note(x))
	}
}

// container returns the path of the object or list around a path.
func container(path string) string {
	if up, ok := parent(path); ok {
		return up
	}
	return strings.TrimSuffix(path, "[]")
}

func shapeOf(kind string, a *Answer) *Shape {
	s := &Shape{members: map[string]*Member{}, tables: tablesOf[operation(kind)]}
	if strings.HasSuffix(kind, "/error") {
		s.tables = nil
	}
	if a != nil {
		s.members = a.Members
	}
	return s
}

// member reports what is new about a member: the member itself, its items or
// forms.
func (c *comparing) member(kind, path string) {
	now := c.now.Answers[kind].Members[path]
	at := shapeOf(kind, nil).named(path)
	old, around := c.before(kind, path)
	where := strings.TrimSpace(label(kind) + " " + path)
	switch {
	case old.Seen > 0:
		for _, form := range slices.Sorted(maps.Keys(now.Forms)) {
			if old.Forms[form] == 0 {
				seen := fmt.Sprintf("(%d of %d), only %s", now.Forms[form], now.Seen, list(old.Forms))
				c.tell(where, "the form "+form+" was never seen "+seen, c.softForm(kind, at, form, &old))
			}
		}
	case path == "" || around == 0:
		// The object or list around it is new, and reported itself.
	case strings.HasSuffix(path, "[]"):
		c.tell(where, "an item was never seen", true)
	default:
		all := around >= samples && now.Of >= samples && now.Seen == now.Of
		c.tell(where, fmt.Sprintf("the member was never seen, and is there in %d of %d", now.Seen, now.Of), at != nil && !all)
	}
}

// before returns a member's earlier counts, and the number of objects or lists in which
// it could have occurred.
func (c *comparing) before(kind, path string) (old Member, around int) {
	for _, a := range c.old.siblings(kind) {
		if m := a.Members[path]; m != nil {
			old.Seen += m.Seen
			addCounts(&old.Forms, m.Forms)
		}
		switch m := a.Members[container(path)]; {
		case m == nil:
		case strings.HasSuffix(path, "[]"):
			around += m.Forms[formArray] + m.Forms[formNoItems]
		default:
			around += m.objects()
		}
	}
	return old, around
}

func list(forms map[string]int) string {
	var out []string
	for _, f := range slices.Sorted(maps.Keys(forms)) {
		out = append(out, f+" ("+strconv.Itoa(forms[f])+")")
	}
	return strings.Join(out, ", ")
}

// Each row holds forms of the same kind of value, which are distinguished only
// for readers of a profile.
var alike = [][]string{
	{formNoItems, formArray},
	{formNoMember, formObject},
	{formAddress, formJobLink, formVersion, formEmpty},
	{formUUID, formQuoted, formEmpty},
}

var textForms = []string{
	formEmpty, formText, formQuoted, formUUID, formAddress, formRelative,
	formISOZ, formISOColon, formISOPlain, formDate, formHTML,
}

func isTextForm(form string) bool {
	return slices.Contains(textForms, form) || strings.HasPrefix(form, formOffset)
}

// softForm reports whether the board's content alone may explain a new form.
func (c *comparing) softForm(kind string, at *named, form string, old *Member) bool {
	texts := 0
	for f, n := range old.Forms {
		if isTextForm(f) {
			texts += n
		}
	}
	empty := old.Forms[formEmpty] + old.Forms[formNull]
	switch {
	case isAlike(at, form, old):
		return true
	case at == nil:
		return isTextForm(form) && variesFreely(form, texts, old)
	case form == formEmpty && texts > 0:
		return true
	case form == formNull, form == formEmpty:
		return at.optional && c.old.optionalForm(operation(kind), form)
	case at.kind == aWord:
		return at.has(form)
	case at.kind == aDate:
		empty += old.Forms[formZero]
		return form == formZero || form == formMillis && empty == old.Seen
	}
	return empty == old.Seen
}

// has reports whether a form is one of a member's words.
func (at *named) has(word string) bool {
	return slices.Contains(at.words, word) || at.open && word == formOther
}

// variesFreely reports whether a new form of text is normal for a member that the
// interface does not name: texts vary freely, unless many had the same form.
func variesFreely(form string, texts int, old *Member) bool {
	return texts > 0 && (old.Forms[formText] > 0 || form == formEmpty || texts < samples)
}

// isAlike reports whether the table alike has a row with both this form and a form seen before.
func isAlike(at *named, form string, old *Member) bool {
	for i, forms := range alike {
		ofKind := i < 2 || at != nil && (i == 2 && at.kind == aLink || i == 3 && at.kind == aCode)
		seen := slices.ContainsFunc(forms, func(f string) bool { return old.Forms[f] > 0 })
		if ofKind && seen && slices.Contains(forms, form) {
			return true
		}
	}
	return false
}

// optionalForm reports whether a form represented an empty value of some
// member.
func (p *Profile) optionalForm(op, form string) bool {
	for kind, a := range p.Answers {
		if operation(kind) != op {
			continue
		}
		s := shapeOf(kind, a)
		for path, m := range a.Members {
			if at := s.named(path); at != nil && at.optional && m.Forms[form] > 0 {
				return true
			}
		}
	}
	return false
}

// gone reports members and forms that every object had and none has now.
func (c *comparing) gone(kind string) {
	old, now := c.old.Answers[kind], c.now.Answers[kind]
	if old == nil {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(old.Members)) {
		m, n := old.Members[path], now.Members[path]
		where := strings.TrimSpace(label(kind) + " " + path)
		if up, ok := parent(path); ok && n == nil {
			if of := now.Members[up].objects(); m.Of >= samples && m.Seen == m.Of && of >= samples {
				c.tell(where, fmt.Sprintf("the member is gone: %d of %d had it, and of %d none has", m.Seen, m.Of, of), false)
			}
			continue
		}
		if n != nil && m.Seen >= samples && n.Seen >= samples && (!strings.HasSuffix(path, "[]") || m.Forms[formObject] > 0) {
			c.goneForm(where, m, n)
		}
	}
}

// goneForm reports a form that every value had and none has now, unless a new
// form of the member is already reported.
func (c *comparing) goneForm(where string, old, now *Member) {
	for _, form := range slices.Sorted(maps.Keys(old.Forms)) {
		if old.Forms[form] == old.Seen && now.Forms[form] == 0 && !c.news(where) {
			c.tell(where, fmt.Sprintf("the form was %s in all of %d, and is %s", form, old.Seen, list(now.Forms)), false)
		}
	}
}

// news reports whether Changes already has a change at a place.
func (c *comparing) news(where string) bool {
	return slices.ContainsFunc(c.changes, func(x Change) bool { return x.Where == where && !x.Note })
}

// most returns the key with the largest count, and of several the alphabetically first.
func most(counts map[string]int) string {
	best := ""
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || cmp.Compare(counts[k], counts[best]) > 0 {
			best = k
		}
	}
	return best
}
