package boardcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Profile holds the shapes of a board's answers, without values. The zero value is an
// empty profile.
type Profile struct {
	Format  int                `json:"format"` // 1
	Runs    int                `json:"runs"`
	Rules   map[string]State   `json:"rules"`   // verdicts of the judged rules, by name
	Answers map[string]*Answer `json:"answers"` // by operation and meaning, such as "lookup/error"
}

// Answer holds the shape of one kind of answers. Each count is a number of answers.
type Answer struct {
	Seen     int                `json:"seen"`
	Statuses map[string]int     `json:"statuses"`
	Types    map[string]int     `json:"types"`             // content types
	Bodies   map[string]int     `json:"bodies"`            // forms of whole bodies
	Codes    map[string]int     `json:"codes,omitempty"`   // of sections 7.2 and 7.3
	Facts    map[string]int     `json:"facts,omitempty"`   // further peculiarities, such as gzip
	Members  map[string]*Member `json:"members,omitempty"` // by path
}

const profileFormat = 1

func newProfile() *Profile {
	return &Profile{Format: profileFormat, Rules: map[string]State{}, Answers: map[string]*Answer{}}
}

// maxProfile is the largest profile in bytes.
const maxProfile = 16 << 20

// ReadProfile reads a profile that Write wrote.
func ReadProfile(r io.Reader) (*Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil, fmt.Errorf("boardcheck: %w", err)
	}
	if len(data) > maxProfile {
		return nil, errors.New("boardcheck: the profile is larger than 16 MiB")
	}
	p := newProfile()
	p.Format = 0
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("boardcheck: this is no profile of a board: %w", err)
	}
	if p.Format != profileFormat {
		return nil, fmt.Errorf("boardcheck: the profile has the format %d, and this version reads %d", p.Format, profileFormat)
	}
	for kind, a := range p.Answers {
		if a == nil || slices.Contains(slices.Collect(maps.Values(a.Members)), nil) {
			return nil, fmt.Errorf("boardcheck: the profile holds nothing of %q", kind)
		}
	}
	return p, nil
}

// Load reads a profile from a file. If the file does not exist, the error wraps
// fs.ErrNotExist.
func Load(file string) (*Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("boardcheck: %w", err)
	}
	defer f.Close()
	return ReadProfile(f)
}

// Write writes the profile as JSON, with the switches of [Profile.Like] in it. The same
// profile gives the same bytes.
func (p *Profile) Write(w io.Writer) error {
	like := p.Like()
	data, err := json.MarshalIndent(struct {
		*Profile
		Like      json.RawMessage `json:"like"`
		NotLike   []string        `json:"not_imitated,omitempty"`
		Unlearned []Unobserved    `json:"not_observable,omitempty"`
	}{p, like.JSON(), like.NotImitated, like.NotObservable}, "", " ")
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	return err
}

// Save replaces a file by the profile in one step. It creates the folder if necessary.
func (p *Profile) Save(file string) error {
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err != nil {
		return fmt.Errorf("boardcheck: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".boardcheck-*")
	if err != nil {
		return fmt.Errorf("boardcheck: %w", err)
	}
	defer os.Remove(f.Name())
	err = p.Write(f)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("boardcheck: %w", err)
	}
	return nil
}

// answer returns the Answer of a kind, and adds it if it is new.
func (p *Profile) answer(kind string) *Answer {
	a := p.Answers[kind]
	if a == nil {
		a = &Answer{
			Statuses: map[string]int{}, Types: map[string]int{}, Bodies: map[string]int{}, Codes: map[string]int{},
			Facts: map[string]int{}, Members: map[string]*Member{},
		}
		p.Answers[kind] = a
	}
	return a
}

// operation returns the first part of a kind of answers.
func operation(kind string) string {
	op, _, _ := strings.Cut(kind, "/")
	return op
}

// settle sets Member.Of, the number of objects that could have each member.
func (p *Profile) settle() {
	for _, a := range p.Answers {
		for path, m := range a.Members {
			m.Of = m.Seen
			if up, ok := parent(path); ok {
				m.Of = a.Members[up].objects()
			}
		}
	}
}

// Merge adds the counts of a later profile, and takes over its verdicts of rules. A rule
// stays broken if only some postings or jobs break it.
func (p *Profile) Merge(later *Profile) {
	if p.Rules == nil {
		p.Rules = map[string]State{}
	}
	if p.Answers == nil {
		p.Answers = map[string]*Answer{}
	}
	p.Format = profileFormat
	p.Runs += later.Runs
	for name, state := range later.Rules {
		if p.Rules[name] != Broken || !p.fickle(name) {
			p.Rules[name] = state
		}
	}
	for kind, b := range later.Answers {
		a := p.answer(kind)
		a.Seen += b.Seen
		for _, c := range []struct{ to, from *map[string]int }{
			{&a.Statuses, &b.Statuses},
			{&a.Types, &b.Types},
			{&a.Bodies, &b.Bodies},
			{&a.Codes, &b.Codes},
			{&a.Facts, &b.Facts},
		} {
			addCounts(c.to, *c.from)
		}
		if a.Members == nil {
			a.Members = map[string]*Member{}
		}
		for path, m := range b.Members {
			n := a.Members[path]
			if n == nil {
				n = &Member{}
				a.Members[path] = n
			}
			n.Seen += m.Seen
			addCounts(&n.Forms, m.Forms)
		}
	}
	p.settle()
}

func addCounts(to *map[string]int, from map[string]int) {
	if *to == nil {
		*to = map[string]int{}
	}
	for k, n := range from {
		(*to)[k] += n
	}
}

// Unknown returns the members that the interface does not name, each with the kind of its
// answer.
func (p *Profile) Unknown() []string {
	seen := map[string]bool{}
	for kind, a := range p.Answers {
		if op := operation(kind); (op == "search" || op == "lookup") && !strings.HasSuffix(kind, "/error") {
			s := Shape{members: a.Members, tables: tablesOf[op]}
			for _, path := range s.Unknown() {
				seen[op+" "+path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
