package boardcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Profile holds what earlier checks of a board found. It has no value of an answer. The zero value is
// that of a board which was never asked.
type Profile struct {
	data profileData
}

// profileData is the file. Its maps are sorted when it is written.
type profileData struct {
	Format  int                     `json:"format"`
	SDK     string                  `json:"sdk"` // version of the last check
	Nights  int                     `json:"nights"`
	Counts  map[string]int          `json:"counts"`  // of the last check
	Effects map[string]*effect      `json:"effects"` // of all checks
	Calls   map[string]*kindProfile `json:"calls"`
}

type kindProfile struct {
	Headers  map[string]int      `json:"headers,omitempty"` // Deprecation and Sunset: checks that saw them
	Outcomes map[string]*outcome `json:"outcomes"`
	Types    map[string]int      `json:"question_types,omitempty"`
	Members  map[string]*member  `json:"members,omitempty"`
}

type outcome struct {
	Seen    int            `json:"seen"`
	Answers map[string]int `json:"answers"` // by status, media type and redirects
}

const (
	profileFormat = 2
	maxProfile    = 16 << 20
)

// Load reads a profile from a file. If the file does not exist, the error wraps fs.ErrNotExist.
func Load(file string) (*Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("boardcheck: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxProfile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("boardcheck: %w", err)
	case len(text) > maxProfile:
		return nil, errors.New("boardcheck: the profile is larger than 16 MiB")
	}
	p := &Profile{}
	if err := json.Unmarshal(text, &p.data); err != nil {
		return nil, fmt.Errorf("boardcheck: this is no profile of a board: %w", err)
	}
	if p.data.Format != profileFormat {
		return nil, fmt.Errorf("boardcheck: the profile has the format %d, and this version reads %d", p.data.Format, profileFormat)
	}
	return p, p.data.check()
}

func (d *profileData) check() error {
	for name, k := range d.Calls {
		if k == nil || slices.Contains(slices.Collect(maps.Values(k.Outcomes)), nil) ||
			slices.Contains(slices.Collect(maps.Values(k.Members)), nil) {
			return fmt.Errorf("boardcheck: the profile has nothing under %q", name)
		}
		for path, m := range k.Members {
			if len(m.Last) != 0 && len(m.Last) != 2 {
				return fmt.Errorf("boardcheck: the profile has no two numbers in last of %q", path)
			}
		}
	}
	if slices.Contains(slices.Collect(maps.Values(d.Effects)), nil) {
		return errors.New("boardcheck: the profile has an empty effect")
	}
	return nil
}

// Save replaces a file by the profile in one step, and makes its folder if there is none. Equal profiles
// give equal bytes, with a line for each member.
func (p *Profile) Save(file string) error {
	text, err := p.text()
	if err != nil {
		return fmt.Errorf("boardcheck: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("boardcheck: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".boardcheck-*")
	if err != nil {
		return fmt.Errorf("boardcheck: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("boardcheck: %w", err)
	}
	return nil
}

// text returns the file: an object in an object begins a line down to the members, which take a line each.
func (p *Profile) text() ([]byte, error) {
	d := p.data
	d.Format = profileFormat
	plain, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := writeLines(&out, plain, 0, ""); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// oneLine are the objects whose members take a line each.
var oneLine = map[string]bool{"members": true, "outcomes": true, "effects": true}

func writeLines(out *bytes.Buffer, text []byte, depth int, name string) error {
	var object map[string]json.RawMessage
	if len(text) == 0 || text[0] != '{' || depth < 0 {
		out.Write(text)
		return nil
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	out.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(bytes.Repeat([]byte(" "), depth+1))
		quoted, err := json.Marshal(key)
		if err != nil {
			return err
		}
		out.Write(quoted)
		out.WriteString(": ")
		below := depth + 1
		if oneLine[name] {
			below = -1
		}
		if err := writeLines(out, object[key], below, key); err != nil {
			return err
		}
	}
	if len(object) > 0 {
		out.WriteByte('\n')
		out.Write(bytes.Repeat([]byte(" "), depth))
	}
	out.WriteByte('}')
	return nil
}

// merge adds a night. What was not judged stays as it was.
func (p *Profile) merge(r *Report) {
	d := &p.data
	d.Nights++
	d.SDK = r.sdk
	if d.Calls == nil {
		d.Calls, d.Effects = map[string]*kindProfile{}, map[string]*effect{}
	}
	for name, k := range r.night.kinds {
		if !r.judged(name) {
			continue
		}
		if d.Calls[name] == nil {
			d.Calls[name] = &kindProfile{}
		}
		d.Calls[name].merge(k)
	}
	if d.Counts == nil {
		d.Counts = map[string]int{}
	}
	maps.Copy(d.Counts, r.counts())
	for name, e := range r.effects() {
		was := d.Effects[name]
		if was == nil || (was.Changed == 0) != (e.Changed == 0) {
			was = &effect{} // it has begun, or has ended
			d.Effects[name] = was
		}
		was.Changed += e.Changed
		was.Of += e.Of
	}
}

func (k *kindProfile) merge(n *kindNight) {
	if k.Outcomes == nil {
		k.Outcomes = map[string]*outcome{}
	}
	if k.Members == nil {
		k.Members = map[string]*member{}
	}
	if k.Types == nil {
		k.Types = map[string]int{}
	}
	if k.Headers == nil {
		k.Headers = map[string]int{}
	}
	for name, now := range n.outcomes {
		o := k.Outcomes[name]
		if o == nil {
			o = &outcome{}
			k.Outcomes[name] = o
		}
		if o.Answers == nil {
			o.Answers = map[string]int{}
		}
		o.Seen += now.count
		addCounts(o.Answers, now.answers)
	}
	for name, seen := range n.headers() {
		if seen {
			k.Headers[name]++
		}
	}
	addCounts(k.Types, n.shape.types)
	n.shape.foldKeys(k.Members)
	for path := range n.shape.members {
		if k.Members[path] == nil {
			k.Members[path] = &member{Forms: map[string]int{}}
		}
	}
	for path, m := range k.Members {
		m.merge(n.shape, path)
	}
}

func (m *member) merge(s *shape, path string) {
	of, in := s.of(path), 0
	if now := s.members[path]; now != nil {
		in = now.In
		if m.Forms == nil {
			m.Forms = map[string]int{}
		}
		addCounts(m.Forms, now.Forms)
	}
	m.In += in
	m.Of += of
	if of > 0 {
		m.Last = []int{in, of}
	}
}

func (k *kindNight) headers() map[string]bool {
	return map[string]bool{"Deprecation": k.deprecation, "Sunset": k.sunset}
}
