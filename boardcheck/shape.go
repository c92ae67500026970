package boardcheck

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// shape counts the members of JSON objects, and the forms of their values. It holds no value, but for
// the types of questions.
type shape struct {
	objects  map[string]int     // objects at each path
	members  map[string]*member // by path, such as "results[].config.location"
	types    map[string]int     // questions by their type
	postings map[string]*shape  // by identifier: a posting that many answers have is counted once
	whole    bool               // the answer was read to its end
}

// member counts the values at one path.
type member struct {
	In    int            `json:"in"`             // objects that have the member, and not null
	Of    int            `json:"of"`             // objects that could have it
	Forms map[string]int `json:"forms"`          // types and forms of its values
	Last  []int          `json:"last,omitempty"` // In and Of of the last night
}

func newShape() *shape {
	return &shape{objects: map[string]int{}, members: map[string]*member{}, types: map[string]int{}}
}

// answerPath is the path of a whole answer that is no object.
const answerPath = "(answer)"

const (
	maxDepth   = 16
	maxMembers = 600
)

// shapeOf returns the shape of a document that is JSON, else nil. Of one that is not whole it counts
// what came.
func shapeOf(src io.Reader, whole bool) *shape {
	d := json.NewDecoder(src)
	d.UseNumber()
	s := newShape()
	s.whole = whole
	first, err := d.Token()
	if err != nil {
		return nil
	}
	if first != json.Delim('{') {
		if _, ok := first.(json.Delim); ok {
			first = []any{}
		}
		s.count(answerPath, first, kindAt(answerPath))
		return s
	}
	s.objects[""]++
	for d.More() {
		name, err := d.Token()
		key, ok := name.(string)
		if err != nil || !ok {
			break
		}
		if key == "results" {
			err = s.results(d)
		} else {
			var v any
			if err = d.Decode(&v); err == nil {
				s.member("", key, v, 0)
			}
		}
		if err != nil {
			s.whole = false
			break
		}
	}
	return s
}

var errNotJSON = errors.New("not JSON")

// results reads the postings one after the other.
func (s *shape) results(d *json.Decoder) error {
	t, err := d.Token()
	switch {
	case err != nil:
		return err
	case t == json.Delim('{'):
		s.count("results", map[string]any{}, aList)
		return errNotJSON // a search has no such answer
	case t != json.Delim('['):
		s.count("results", t, aList)
		return nil
	}
	list := []any{}
	if d.More() {
		list = append(list, nil)
	}
	s.count("results", list, aList)
	s.postings = map[string]*shape{}
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			return err
		}
		one := newShape()
		one.whole = true
		one.item("results[]", v, 0)
		o, _ := v.(map[string]any)
		s.postings[identity(o["jobPostingId"])] = one
	}
	_, err = d.Token()
	return err
}

func identity(v any) string {
	text, _ := json.Marshal(v)
	return strings.Trim(string(text), `"`)
}

// member counts a member of the object at a path.
func (s *shape) member(at, name string, v any, depth int) {
	path := join(at, memberName(name))
	s.count(path, v, kindAt(path))
	s.inside(path, v, depth)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// inside counts what is in an object or a list.
func (s *shape) inside(path string, v any, depth int) {
	if depth == maxDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		s.object(path, v, depth+1)
	case []any:
		for _, e := range v {
			s.item(path+"[]", e, depth+1)
		}
	}
}

func (s *shape) item(path string, v any, depth int) {
	if o, ok := v.(map[string]any); ok {
		s.object(path, o, depth)
		return
	}
	s.count(path, v, kindAt(path))
	s.inside(path, v, depth)
}

func (s *shape) object(path string, o map[string]any, depth int) {
	s.objects[path]++
	if path == "questions[]" {
		s.question(o)
	}
	others := false
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if memberName(name) == otherName {
			if others {
				continue
			}
			others = true
		}
		if path == "questions[]" && name == "answers" {
			s.inside("questions[].answers", o[name], depth)
			continue
		}
		s.member(path, name, o[name], depth)
	}
}

// question counts a question by its type, and its answers apart for it.
func (s *shape) question(o map[string]any) {
	word, _ := o["type"].(string)
	named := word != ""
	if !isWord(word) {
		word = otherName
	}
	if named {
		addTypes(s.types, map[string]int{word: 1})
	}
	path := "questions[] (" + word + ")"
	s.objects[path]++
	if v, ok := o["answers"]; ok {
		s.count(path+".answers", v, aList)
	}
}

// count counts a value. null is a form, and no value.
func (s *shape) count(path string, v any, kind valueKind) {
	m := s.members[path]
	if m == nil {
		if len(s.members) >= maxMembers {
			return
		}
		m = &member{Forms: map[string]int{}}
		s.members[path] = m
	}
	m.Forms[formOf(v, kind)]++
	if v != nil {
		m.In++
	}
}

// around returns the path of the object that has a member; ok is false for an item of a list.
func around(path string) (at string, ok bool) {
	if path == answerPath || strings.HasSuffix(path, "[]") {
		return "", false
	}
	at, _, _ = cutLast(path)
	return at, true
}

func cutLast(path string) (before, after string, found bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// add adds another shape. Where its answer is not whole, a member that did not come is not missing.
func (s *shape) add(o *shape) {
	for path, m := range o.members {
		n := s.members[path]
		if n == nil {
			if len(s.members) >= maxMembers {
				continue
			}
			n = &member{Forms: map[string]int{}}
			s.members[path] = n
		}
		n.In += m.In
		addCounts(n.Forms, m.Forms)
		if !o.whole {
			n.Of += m.In
		}
	}
	if o.whole {
		addCounts(s.objects, o.objects)
	}
	addTypes(s.types, o.types)
}

// addTypes adds counts of types. Those of more types than maxTypes are one.
func addTypes(to, from map[string]int) {
	for word, n := range from {
		if to[word] == 0 && len(to) >= maxTypes {
			word = otherName
		}
		to[word] += n
	}
}

// of returns in how many objects a member could have been.
func (s *shape) of(path string) int {
	m := s.members[path]
	at, ok := around(path)
	switch {
	case ok && m != nil:
		return s.objects[at] + m.Of
	case ok:
		return s.objects[at]
	case m != nil:
		return m.In
	}
	return 0
}

func addCounts(to, from map[string]int) {
	for k, n := range from {
		to[k] += n
	}
}

// leastOfKey is in how many postings a key of config has to be before its name is kept.
const leastOfKey = 5

const configPath = "results[].config"

// foldKeys puts the keys of config that few postings have under one name, unless they are named or known.
func (s *shape) foldKeys(known map[string]*member) {
	for _, path := range slices.Sorted(maps.Keys(s.members)) {
		key, ok := strings.CutPrefix(path, configPath+".")
		if !ok {
			continue
		}
		key, rest, _ := strings.Cut(key, "[")
		if i := strings.IndexByte(key, '.'); i >= 0 {
			key, rest = key[:i], ""
		} else if rest != "" {
			rest = "[]"
		}
		top := s.members[configPath+"."+key]
		if key == otherName || namedKeys[key] || known[configPath+"."+key] != nil || top != nil && top.In >= leastOfKey {
			continue
		}
		m := s.members[path]
		delete(s.members, path)
		to := configPath + "." + otherName + rest
		n := s.members[to]
		if n == nil {
			n = &member{Forms: map[string]int{}}
			s.members[to] = n
		}
		n.In += m.In
		if rest == "" {
			n.In = min(n.In, s.objects[configPath])
		}
		addCounts(n.Forms, m.Forms)
	}
}

// otherName stands for each name and word that may be a value.
const otherName = "*"

// maxTypes bounds the types of questions.
const maxTypes = 20

var wordForm = regexp.MustCompile(`^[A-Za-z_-]{2,32}$`)

func isWord(s string) bool { return wordForm.MatchString(s) }

func memberName(name string) string {
	if isWord(name) {
		return name
	}
	return otherName
}
