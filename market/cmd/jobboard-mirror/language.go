package main

import (
	"strings"

	"golang.org/x/text/language"
)

// readerLanguage returns the language of the person at the terminal, such as de: that of the
// settings, or else that of the locale. It is empty if neither names one.
func readerLanguage(getenv func(string) string) string {
	for _, name := range []string{"JOBBOARD_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"} {
		text, _, _ := strings.Cut(getenv(name), ".") // de_DE.UTF-8
		text, _, _ = strings.Cut(text, ",")          // a list by preference
		if base := baseOf(text); base != "" && text != "C" && text != "POSIX" {
			return base
		}
	}
	return ""
}

// baseOf returns the language of a code without region, such as de for de-AT, or "" for a text
// that is no code.
func baseOf(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return ""
	}
	base, _ := tag.Base()
	return base.String()
}
