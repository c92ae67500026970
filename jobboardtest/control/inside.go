package control

import (
	"context"
	"io"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/door"
)

// insideServer has what a server lets this package do beyond its methods. It is
// described there.
type insideServer interface {
	AuthorizationCode(client string, applicant int64) string
	DecodeState(r io.Reader) (jobboardtest.State, error)
	Faults() []*jobboardtest.ActiveFault
	HasApplicant(id int64) bool
	HasClient(id string) bool
	Mount(path string, h http.Handler)
	NarrowToken(value string) bool
	OnShutdown(f func())
	Repeat(ctx context.Context, number int) (again, status int, err error)
	Request(number int) (r jobboardtest.Request, ok bool)
	RequestsAfter(n int) []jobboardtest.Request
	Reset()
	SaveError() error
	Subscriptions() []jobboardtest.Subscription
}

func openInside(srv *jobboardtest.Server) insideServer { return door.Open(srv).(insideServer) }
