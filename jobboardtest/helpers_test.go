package jobboardtest_test

import (
	"maps"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// violations returns what in the requests of the journal is outside the interface.
func violations(srv *jobboardtest.Server) (all []string) {
	for _, r := range srv.Requests() {
		all = append(all, r.Violations...)
	}
	return all
}

// setNationalities replaces the nationality catalogue of a language.
func setNationalities(t *testing.T, srv *jobboardtest.Server, language string, catalogue []jobboardtest.Choice) {
	t.Helper()
	state := srv.Snapshot()
	state.Nationalities = maps.Clone(state.Nationalities)
	if state.Nationalities == nil {
		state.Nationalities = map[string][]jobboardtest.Choice{}
	}
	state.Nationalities[language] = catalogue
	if err := srv.Restore(state); err != nil {
		t.Fatal(err)
	}
}
