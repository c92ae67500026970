package conformance

import (
	"encoding/base64"
	"reflect"
)

// credential is a credential that rules send.
type credential struct {
	name   string
	field  string                    // field of the target with the value; empty: a value that nobody issued
	scheme func(value string) string // makes an Authorization header; nil: no header
}

var (
	clientToken  = credential{"a client token", "ClientToken", bearer}
	userToken    = credential{"a user token", "ApplicantToken", bearer}
	otherUser    = credential{"the user token of another", "InternalToken", bearer}
	expiredToken = credential{"an expired token", "ExpiredToken", bearer}
	basicClient  = credential{"Basic", "ClientID", basic}
	tokenAsBasic = credential{"a token as Basic credential", "ClientToken", basic}

	noCredential  = credential{name: "no credential"}
	unknownToken  = credential{name: "a token that nobody issued", scheme: bearer}
	unknownClient = credential{name: "an unknown client identifier", scheme: basic}
)

func bearer(token string) string { return "Bearer " + token }

// basic returns the credential of section 5: the identifier, a colon, no password.
func basic(id string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":")) }

// authorization returns the Authorization header of a credential.
func (t Target) authorization(c credential) string {
	switch {
	case c.scheme == nil:
		return ""
	case c.field == "":
		return c.scheme(noSuch)
	}
	return c.scheme(reflect.ValueOf(t).FieldByName(c.field).String())
}

var credentialRules = []rule{
	says("search/client-token", "5", "the search takes a client access token", searchTakes(clientToken)),
	says("search/user-token", "5", "the search takes a user access token", searchTakes(userToken)),
	says("search/basic", "5", "the search takes HTTP Basic with the client identifier, a colon and an empty password", searchTakes(basicClient)),
	refusing(says("search/no-credential", "5, 7.1", "a search without credential is refused with 401 or 403",
		searchRefuses(noCredential))),
	refusing(says("search/unknown-token", "5, 7.1", "a search with a token that nobody issued is refused with 401 or 403", searchRefuses(unknownToken))),
	refusing(says("search/unknown-client", "5, 7.1", "a search with Basic and an unknown client identifier is refused with 401 or 403", searchRefuses(unknownClient))),
	refusing(says("search/expired-token", "5, 7.1", "a search with an expired token is refused with 401 or 403",
		searchRefuses(expiredToken))),
	refusing(says("search/scheme", "5", "the scheme of a credential counts: a token is no Basic credential", searchRefuses(tokenAsBasic))),
}

func searchTakes(c credential) func(*probe) {
	return func(p *probe) {
		if p.lacks("BaseURL", "Channel", c.field) {
			return
		}
		if rs, _ := p.send(p.searchRequest(query{auth: p.authorization(c)})); rs.refused() {
			p.errorf("the search with the target's %s is refused: %s", c.field, rs)
		}
	}
}

func searchRefuses(c credential) func(*probe) {
	return func(p *probe) {
		if p.lacks(c.field) {
			return
		}
		if _, ok := p.needPlain(); !ok { // a service that refuses everything must not pass
			return
		}
		rs, ok := p.send(p.searchRequest(query{auth: p.authorization(c)}))
		if ok && !rs.refused() {
			p.errorf("a search with %s is answered with %s", c.name, rs)
		}
	}
}
