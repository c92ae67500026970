package jobboardtest_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/door"
)

// insideServer has what package control does with a server beyond its methods.
type insideServer interface {
	AuthorizationCode(client string, applicant int64) string
	Faults() []*jobboardtest.ActiveFault
	HasApplicant(id int64) bool
	HasClient(id string) bool
	Mount(path string, h http.Handler)
	NarrowToken(value string) bool
	OnShutdown(f func())
	Request(number int) (jobboardtest.Request, bool)
	RequestsAfter(n int) []jobboardtest.Request
	Reset()
	SaveError() error
}

func inside(srv *jobboardtest.Server) insideServer { return door.Open(srv).(insideServer) }

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
