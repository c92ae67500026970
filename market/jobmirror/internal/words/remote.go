package words

import "slices"

// remotes has the words by which people ask for work that they may do at home or elsewhere. A posting that says of itself
// in a field that it is such work has them all: see Texts.Remote.
var remotes = [][]string{{"homeoffice"}, {"home", "office"}, {"remote"}, {"mobiles", "arbeiten"}, {"mobile", "arbeit"}}

// remoteToken is the token of a posting that has Texts.Remote.
const remoteToken = "_r"

// markRemote notes of the terms that ask for remote work that they do.
func markRemote(groups [][]term) {
	for i, group := range groups {
		for j := range group {
			group[j].remote = group[j].remote || isRemote(group[j:j+1])
		}
		// Of two words that follow each other each is one.
		if i+1 == len(groups) || len(group) != 1 || len(groups[i+1]) != 1 {
			continue
		}
		if isRemote([]term{group[0], groups[i+1][0]}) {
			group[0].remote, groups[i+1][0].remote = true, true
		}
	}
}

// isRemote reports whether some terms together ask for remote work.
func isRemote(terms []term) bool {
	var typed []string
	for _, t := range terms {
		if t.quoted {
			return false
		}
		typed = append(typed, t.words...)
	}
	return slices.ContainsFunc(remotes, func(list []string) bool { return slices.Equal(list, typed) })
}
