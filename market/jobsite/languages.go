package jobsite

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// checkLanguages compares the site's languages with those in which the mirror's process copies its channels,
// which are none for one that only reads. It logs each language that is not copied, whose list would be
// empty without copiedLanguage, and returns an error if no language is copied.
func (s *Site) checkLanguages() error {
	s.named = s.mirror.Languages()
	if len(s.named) == 0 {
		return nil
	}
	found := slices.Contains(s.named, "") // the board chooses the language, which may be any
	for _, lang := range s.cfg.Languages {
		if slices.Contains(s.named, lang) {
			found = true
			continue
		}
		_, near := closest(lang, s.named)
		found = found || near
		s.cfg.Logger.Warn("jobsite: no channel is copied in a language of the site: its lists have another",
			"language", lang, "copied", strings.Join(s.named, ","))
	}
	if !found {
		return &ConfigError{
			"Config.Languages", "has none of the languages in which the mirror copies its channels: " + strings.Join(s.named, ", "),
		}
	}
	return nil
}

// copiedLanguage returns the language in which to search for readers of lang: lang itself if a channel is
// copied in it, else the closest copied language, or "" for any.
func (s *Site) copiedLanguage(ctx context.Context, lang string) (string, error) {
	if slices.Contains(s.named, lang) {
		return lang, nil
	}
	stored, err := s.mirror.StoredLanguages(ctx)
	if err != nil || len(stored) == 0 || slices.Contains(stored, lang) {
		return lang, err
	}
	if near, ok := closest(lang, stored); ok {
		return near, nil
	}
	for _, other := range s.cfg.Languages {
		if slices.Contains(stored, other) {
			return other, nil
		}
	}
	return stored[0], nil
}

// closest returns the language among others that readers of lang understand, such as "de-AT" for "de".
func closest(lang string, others []string) (string, bool) {
	var tags []language.Tag
	for _, other := range others {
		tags = append(tags, language.Make(other))
	}
	_, i, sure := language.NewMatcher(tags).Match(language.Make(lang))
	return others[i], sure >= language.High
}
