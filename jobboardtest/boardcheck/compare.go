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

// Change is a difference between a board and what was known of it.
type Change struct {
	Where string `json:"where"` // such as "search results[].jobStartDate"
	What  string `json:"what"`

	// Note marks what is new, and as the interface or the board's other answers have
	// it: the board did not change.
	Note bool `json:"note,omitempty"`
}

// String returns a line.
func (c Change) String() string {
	if c.Note {
		return c.Where + ": " + c.What + " (no change of the board)"
	}
	return c.Where + ": " + c.What
}

// samples is how many objects must have had a member, and how many must lack it, before
// its absence is told: members come and go with each posting (section 2.3).
const samples = 20

// Since puts what changed since an earlier profile into Changes and adds this check to
// the profile, in place. An empty profile, or nil, tells of no change.
func (r *Report) Since(earlier *Profile) {
	if earlier == nil {
		return
	}
	if earlier.Runs > 0 {
		r.Changes = earlier.Compare(r.Profile)
	}
	earlier.Merge(r.Profile)
}

// Compare returns what a later profile shows that this one does not: a path, a form, a
// code, a status or a content type that was never seen; a member or a form that each of
// at least 20 had and none of at least 20 has, or the other way round; a rule that is
// broken and was kept, or the other way round. Changes come before notes.
func (p *Profile) Compare(later *Profile) []Change {
	c := comparing{old: p, now: later, told: map[Change]bool{}}
	for _, name := range slices.Sorted(maps.Keys(later.Rules)) {
		if was, ok := p.Rules[name]; ok && was != later.Rules[name] {
			c.tell("rule "+name, fmt.Sprintf("was %s and is %s", was, later.Rules[name]), false)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(later.Answers)) {
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
	told     map[Change]bool
}

func (c *comparing) tell(where, what string, note bool) {
	change := Change{where, what, note}
	if !c.told[Change{Where: where, What: what}] {
		c.told[Change{Where: where, What: what}] = true
		c.changes = append(c.changes, change)
	}
}

// siblings returns what is known of answers whose members are of the same shape.
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

// The kinds of answers that the interface has, with their statuses where it shows them.
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

// peculiarities returns the facts of an answer but those that languages compares.
func peculiarities(a *Answer) map[string]int {
	out := maps.Clone(a.Facts)
	delete(out, factTranslated)
	delete(out, factSame)
	return out
}

// softFact reports whether a fact is a matter of what the board holds today.
func softFact(fact string) bool {
	for _, begin := range []string{factPageSize, factPage, factOnePage, factLifetime, factLinks, "gzip"} {
		if strings.HasPrefix(fact, begin) {
			return true
		}
	}
	return false
}

// languages tells that postings have come to differ by language, or no longer do, where that
// is no matter of which of them are shown today: would each posting of one check differ as
// often as those of the other, all of them would be alike in one check of a million.
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

// counts tells what was never seen.
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

// container returns the path of the object or list that a path stands in.
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

// member tells what is new of a member.
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
		// What is around it is new itself.
	case strings.HasSuffix(path, "[]"):
		c.tell(where, "an item was never seen", true)
	default:
		all := around >= samples && now.Of >= samples && now.Seen == now.Of
		c.tell(where, fmt.Sprintf("the member was never seen, and is there in %d of %d", now.Seen, now.Of), at != nil && !all)
	}
}

// before returns what was known of a member, and how many objects or lists could have had it.
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

// Forms of the same value, told apart for the sake of who reads a profile.
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

// softForm reports whether a form that was never seen is a matter of what the board holds.
func (c *comparing) softForm(kind string, at *named, form string, old *Member) bool {
	texts := 0
	for _, f := range textForms {
		texts += old.Forms[f]
	}
	empty := old.Forms[formEmpty] + old.Forms[formNull]
	switch {
	case isAlike(at, form, old):
		return true
	case at == nil:
		return slices.Contains(textForms, form) && variesFreely(form, texts, old)
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

// variesFreely reports whether a form of text is to be expected of a member that nobody
// describes: texts vary, but not those of which many had one form.
func variesFreely(form string, texts int, old *Member) bool {
	return texts > 0 && (old.Forms[formText] > 0 || form == formEmpty || texts < samples)
}

// isAlike reports whether a form is told apart from one that was seen for the reader alone.
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

// optionalForm reports whether a form stood for an empty value somewhere.
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

// gone tells of members and forms that all had and none has.
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

// goneForm tells of a form that all had and none has, unless a new one is told.
func (c *comparing) goneForm(where string, old, now *Member) {
	for _, form := range slices.Sorted(maps.Keys(old.Forms)) {
		if old.Forms[form] == old.Seen && now.Forms[form] == 0 && !c.news(where) {
			c.tell(where, fmt.Sprintf("the form was %s in all of %d, and is %s", form, old.Seen, list(now.Forms)), false)
		}
	}
}

// news reports whether a change of a place is told already.
func (c *comparing) news(where string) bool {
	return slices.ContainsFunc(c.changes, func(x Change) bool { return x.Where == where && !x.Note })
}

// most returns the key that was counted most often, the first of the alphabet of several.
func most(counts map[string]int) string {
	best := ""
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || cmp.Compare(counts[k], counts[best]) > 0 {
			best = k
		}
	}
	return best
}
