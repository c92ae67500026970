package jobboardtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/inprocess"
)

// Repeat sends a request of the journal again, with a fresh credential of the same
// kind, and returns the number of the repeated request. status is 0 if a fault
// broke it before an answer. The error says which part of the request the journal
// did not keep.
func (in Inside) Repeat(ctx context.Context, number int) (again, status int, err error) {
	s := in.s
	r, ok := s.journal.find(number)
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("the journal has no request %d", number)
	case !r.kept, slices.Contains([]string{credBadBasic, credApplication, credBadApplication}, r.cred.kind):
		return 0, 0, errors.New("the journal has not kept all of it, such as secrets and long texts")
	}
	at, host := anyAddress, s.base.host
	if r.Address == jobDBAddress.String() {
		at, host = jobDBAddress, s.jobDB.host
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, "http://"+host+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return 0, 0, err
	}
	req.URL.RawQuery = r.Query.Encode()
	req.Header = r.Header.Clone()
	for _, name := range []string{"Authorization", "Connection", "Content-Length"} {
		req.Header.Del(name)
	}
	if r.Body == "" {
		req.Body = http.NoBody
	}
	defer s.authorizeAgain(req, r.cred)()
	var numbered atomic.Int64
	req = req.WithContext(context.WithValue(ctx, repeatedAs{}, &numbered))
	resp, err := inprocess.RoundTrip(s.ctx, func(w http.ResponseWriter, r *http.Request) { s.serve(at, w, r) }, req)
	if err == nil { // a reset or a stall is no failure of Repeat
		status = resp.StatusCode
		resp.Body.Close()
	}
	return int(numbered.Load()), status, nil
}

// repeatedAs is the context key under which record stores the number of a
// repeated request.
type repeatedAs struct{}

// authorizeAgain gives a request a credential of the same kind as cred. revoke
// removes the credential again.
func (s *core) authorizeAgain(r *http.Request, cred credential) (revoke func()) {
	revoke = func() {}
	switch cred.kind {
	case credNone:
	case credBasic:
		client, _ := s.application(cred.clientID)
		r.SetBasicAuth(client.ID, client.Secret)
	case clientToken, userToken, lookupToken:
		value := s.addToken(Token{
			Kind: cred.kind, ClientID: cred.clientID, ApplicantID: cred.applicant, Narrow: cred.narrow, Expired: cred.expired,
		}, s.tokenLifetime())
		r.Header.Set("Authorization", "Bearer "+value)
		revoke = func() { s.change(func(st *state) { delete(st.tokens, value) }) }
	default:
		r.Header.Set("Authorization", "Bearer nobody-issued-this")
	}
	return revoke
}
