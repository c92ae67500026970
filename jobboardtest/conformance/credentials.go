package conformance

var credentialRules = []rule{
	says("search/client-token", "5", "the search takes a client access token", func(p *probe) {
		p.searchTakes(p.ClientToken == "", "ClientToken", bearer(p.ClientToken))
	}),
	says("search/user-token", "5", "the search takes a user access token", func(p *probe) {
		p.searchTakes(p.ApplicantToken == "", "ApplicantToken", bearer(p.ApplicantToken))
	}),
	says("search/basic", "5", "the search takes HTTP Basic with the client identifier, a colon and an empty password", func(p *probe) {
		p.searchTakes(p.ClientID == "", "ClientID", basic(p.ClientID))
	}),
	says("search/no-credential", "5, 7.1", "a search without credential is refused with 401 or 403", func(p *probe) {
		p.searchRefuses("no credential", "")
	}),
	says("search/unknown-token", "5, 7.1", "a search with a token that nobody issued is refused with 401 or 403", func(p *probe) {
		p.searchRefuses("a token that nobody issued", bearer(noSuch))
	}),
	says("search/unknown-client", "5, 7.1", "a search with Basic and an unknown client identifier is refused with 401 or 403", func(p *probe) {
		p.searchRefuses("an unknown client identifier", basic(noSuch))
	}),
	says("search/expired-token", "5, 7.1", "a search with an expired token is refused with 401 or 403", func(p *probe) {
		if !p.lacks(p.ExpiredToken == "", "ExpiredToken") {
			p.searchRefuses("an expired token", bearer(p.ExpiredToken))
		}
	}),
	says("search/scheme", "5", "the scheme of a credential counts: a token is no Basic credential", func(p *probe) {
		if !p.lacks(p.ClientToken == "", "ClientToken") {
			p.searchRefuses("a token as Basic credential", basic(p.ClientToken))
		}
	}),
}

func (p *probe) searchTakes(missing bool, what, auth string) {
	if p.lacks(p.BaseURL == "", "BaseURL") || p.lacks(p.Channel == "", "Channel") || p.lacks(missing, what) {
		return
	}
	if rs, _ := p.send(p.searchRequest(query{auth: auth})); rs.refused() {
		p.errorf("the search with the target's %s is refused: %s", what, rs)
	}
}

func (p *probe) searchRefuses(what, auth string) {
	if _, ok := p.needPlain(); !ok { // else a service that refuses everything would do
		return
	}
	if rs, ok := p.send(p.searchRequest(query{auth: auth})); ok && !rs.refused() {
		p.errorf("a search with %s is answered with %s", what, rs)
	}
}
