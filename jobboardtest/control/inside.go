package control

import (
	"io"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/door"
)

// inside has the methods of a server that package jobboardtest does not export. They are
// described there.
type inside interface {
	HasClient(id string) bool
	HasApplicant(id int64) bool
	AuthorizationCode(clientID string, applicant int64) string
	NarrowToken(value string) bool
	Subscriptions() []jobboardtest.Subscription
	DecodeState(r io.Reader) (jobboardtest.State, error)
	Revision() int64
	Reset()

	Faults() []*jobboardtest.ActiveFault
	Instead(a *jobboardtest.ActiveFault) string

	Request(number int) (r jobboardtest.Request, ok bool)
	RequestsAfter(number int) []jobboardtest.Request
	AnswerHolds(number int, word string) bool
	Journal() (first, kept int)

	Mount(path string, h http.Handler)
	OnShutdown(f func())
}

func reach(srv *jobboardtest.Server) inside { return door.Of(srv).(inside) }
