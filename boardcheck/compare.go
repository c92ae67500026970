package boardcheck

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Finding is something that a check found.
type Finding struct {
	Where string `json:"where"` // a kind of call, with a member, such as "search results[].title"
	What  string `json:"what"`
}

// String returns both in one line.
func (f Finding) String() string { return f.Where + ": " + f.What }

// comparison compares a night with a profile.
type comparison struct {
	old            *profileData
	now            *Report
	changes, notes []Finding
}

func (c *comparison) change(where, format string, args ...any) {
	c.changes = append(c.changes, Finding{where, fmt.Sprintf(format, args...)})
}

func (c *comparison) note(where, format string, args ...any) {
	c.notes = append(c.notes, Finding{where, fmt.Sprintf(format, args...)})
}

func (c *comparison) all() {
	for _, name := range slices.Sorted(maps.Keys(c.now.night.kinds)) {
		k := c.now.night.kinds[name]
		if !c.now.judged(name) {
			continue
		}
		old := c.old.Calls[name]
		if old == nil {
			c.note(name, "it was asked for the first time")
			continue
		}
		k.shape.foldKeys(old.Members)
		c.outcomes(name, old, k)
		c.members(name, old, k.shape)
		c.words(name, old, k)
	}
	c.meaning()
	c.counts()
}

// sdkIsNew reports whether another version of the SDK made the last check: this version may read values
// which the other did not.
func (c *comparison) sdkIsNew() bool { return c.old.SDK != c.now.sdk }

func (c *comparison) outcomes(where string, old *kindProfile, now *kindNight) {
	_, unknown := unknownOf[where]
	for _, name := range slices.Sorted(maps.Keys(now.outcomes)) {
		o := now.outcomes[name]
		if o.class == trouble {
			continue
		}
		if was := old.Outcomes[name]; was != nil && was.Seen > 0 {
			c.answers(where, name, was, o)
			continue
		}
		text := fmt.Sprintf("%s, in %d of %d calls, was never seen", name, o.count, now.asked)
		if (o.class == unread || unknown) && !c.sdkIsNew() {
			c.change(where, "%s", text)
		} else {
			c.note(where, "%s", text)
		}
	}
}

// answers tells a new status, media type or redirect of an outcome.
func (c *comparison) answers(where, name string, was *outcome, now *outcomeNight) {
	for _, answer := range slices.Sorted(maps.Keys(now.answers)) {
		if was.Answers[answer] == 0 {
			before := strings.Join(slices.Sorted(maps.Keys(was.Answers)), " or ")
			c.change(where, "%s came with %s, in %d of %d calls, and before with %s", name, answer, now.answers[answer], now.count, before)
		}
	}
}

const (
	enough    = 20 // objects that say something about a member
	someTexts = 3  // values whose form says something
)

func (c *comparison) members(where string, old *kindProfile, now *shape) {
	for _, path := range slices.Sorted(maps.Keys(old.Members)) {
		c.gone(strings.TrimSpace(where+" "+path), path, old, now)
	}
	for _, path := range slices.Sorted(maps.Keys(now.members)) {
		at := strings.TrimSpace(where + " " + path)
		if was := old.Members[path]; was != nil {
			c.forms(at, path, was, now.members[path])
			continue
		}
		if up, ok := around(path); ok && !strings.HasSuffix(path, otherName) && (up == "" || old.known(up)) {
			c.note(at, "the member was never seen, and is in %d of %d", now.members[path].In, now.of(path))
		}
	}
}

// known reports whether the profile has the object at a path, else what is in it is new as well.
func (k *kindProfile) known(path string) bool {
	for p := range k.Members {
		if strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}

// gone tells a member that is missing where it always was, or everywhere.
func (c *comparison) gone(at, path string, old *kindProfile, now *shape) {
	if _, ok := around(path); !ok || strings.HasSuffix(path, "."+otherName) || path == otherName {
		return
	}
	was, of, in := old.Members[path], now.of(path), 0
	if m := now.members[path]; m != nil {
		in = m.In
	}
	kind, named := interfaceMembers[path]
	missing := of - in
	if m := now.members[path]; m != nil && kind == aList && was.Forms[formNoItem] == 0 {
		missing -= m.Forms[formNull] // perhaps this board's empty list
	}
	switch {
	case named && was.In == was.Of && was.In >= leastOf(path) && missing > 1:
		c.change(at, "it is missing or null in %d of %d, and was in all of %d", missing, of, was.Of)
	case len(was.Last) == 2 && was.Last[1] >= enough && was.Last[0]*5 >= was.Last[1] && of >= enough && in == 0:
		c.change(at, "it is in none of %d, and was in %d of %d", of, was.Last[0], was.Last[1])
	}
}

// leastOf returns how many objects must all have had a member before one without it is a change. Fewer than
// enough pages, postings or jobs are all there are, for a check asks for more where there are more; of what
// comes and goes with each of them, questions and keys of config, more may come.
func leastOf(path string) int {
	up, _ := around(path)
	if up == configPath || strings.Contains(strings.TrimPrefix(up, "results[]"), "[]") {
		return enough
	}
	return 1
}

// forms tells a type or form that a member of the interface never had.
func (c *comparison) forms(at, path string, was, now *member) {
	kind, named := interfaceMembers[path]
	if !named {
		return
	}
	for _, form := range slices.Sorted(maps.Keys(now.Forms)) {
		switch {
		case was.Forms[form] > 0 || now.Forms[form] < someTexts:
		case form == formNull || form == formEmpty || form == formNoItem || form == formZero && kind == aMillis:
		case form == "markup" && anyText[path]:
		case was.In == 0:
		default:
			before := maps.Clone(was.Forms)
			delete(before, formNull)
			c.change(at, "it is %s in %d of %d, and was %s", form, now.Forms[form], now.In, strings.Join(slices.Sorted(maps.Keys(before)), " or "))
		}
	}
}

func (c *comparison) words(where string, old *kindProfile, now *kindNight) {
	for _, word := range slices.Sorted(maps.Keys(now.shape.types)) {
		switch at := where + " questions[].type"; {
		case old.Types[word] > 0:
		case len(old.Types) > 0:
			c.change(at, "the type of question %s was never seen", word)
		default:
			c.note(at, "%s was never seen", word)
		}
	}
	headers := now.headers()
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if headers[name] && old.Headers[name] == 0 {
			c.change(where, "the answers have the header %s", name)
		}
	}
}

// leastChance is how likely the nights' own postings must be the reason why none differs by language.
const leastChance = 1e-3

// meaning tells a parameter that changed the result of searches, and does not any more.
func (c *comparison) meaning() {
	now := c.now.effects()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		was, is := c.old.Effects[name], now[name]
		if was == nil || was.Changed == 0 || is.Changed > 0 {
			continue
		}
		if name == effectLanguage {
			chance := math.Pow(1-float64(was.Changed)/float64(was.Of+1), float64(is.Of))
			if chance < leastChance {
				c.change(kindSearch, "none of %d postings differs by language, and %d of %d did", is.Of, was.Changed, was.Of)
			}
			continue
		}
		c.change(map[string]string{effectWord: kindWord, effectCircle: kindCircle}[name], "the %s does not change the result", name)
	}
}

// counts tells a feed or a channel that has lost its entries.
func (c *comparison) counts() {
	now := c.now.counts()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		was, ok := c.old.Counts[name]
		is := now[name]
		switch {
		case !ok || was == is:
		case is == 0 || is*10 < was:
			c.change(name, "it has %d entries, and had %d", is, was)
		case is*2 < was:
			c.note(name, "it has %d entries, and had %d", is, was)
		}
	}
}
