package jobboardtest

import "fmt"

// ClientToken issues a client access token. It panics if the client was not
// added.
func (s *Server) ClientToken(clientID string) string {
	s.read(func(st *state) {
		if _, ok := st.clients[clientID]; !ok {
			panic(fmt.Sprintf("jobboardtest: ClientToken: no client %q; add it with AddClient", clientID))
		}
	})
	return s.addToken(Token{Kind: clientToken, ClientID: clientID}, s.tokenLifetime())
}

// UserToken issues a user access token of an applicant. It panics if the
// applicant was not added.
func (s *Server) UserToken(applicant int64) string {
	s.read(func(st *state) {
		if _, ok := st.applicants[applicant]; !ok {
			panic(fmt.Sprintf("jobboardtest: UserToken: no applicant %d; add it with AddApplicant", applicant))
		}
	})
	return s.addToken(Token{Kind: userToken, ApplicantID: applicant}, s.tokenLifetime())
}

// LookupToken issues a token for the job information lookup. The lookup works
// without a token; a strict server refuses every other credential for the lookup.
func (s *Server) LookupToken() string {
	return s.addToken(Token{Kind: lookupToken}, s.tokenLifetime())
}

// ExpireToken makes a token expired at once; it reports whether the token
// exists.
func (s *Server) ExpireToken(value string) bool {
	return s.updateToken(value, func(t *token) { t.Expired = true })
}

func (s *Server) updateToken(value string, f func(*token)) (found bool) {
	s.change(func(st *state) {
		var t *token
		if t, found = st.tokens[value]; found {
			f(t)
		}
	})
	return found
}
