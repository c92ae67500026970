package redact

import "slices"

// Secrets holds the secrets that the texts of one call must hide. The zero value holds
// nothing.
type Secrets struct {
	all []string
	few [2]string // avoids an allocation for all
}

// Add adds secrets, but no empty ones.
func (s *Secrets) Add(secrets ...string) {
	if s.all == nil {
		s.all = s.few[:0]
	}
	for _, secret := range secrets {
		if secret != "" && !slices.Contains(s.all, secret) {
			s.all = append(s.all, secret)
		}
	}
}

// Hide returns text as the function Hide does.
func (s *Secrets) Hide(text string) string { return Hide(text, s.all) }

// Head returns the beginning of text without secrets and fit for a log line, of
// at most limit bytes.
func (s *Secrets) Head(text string, limit int) string {
	return Clean(s.Hide(text[:min(len(text), 40*limit)]), limit)
}
