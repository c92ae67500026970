// Package jobsite has what a site of jobs needs between the client of the board, its
// pages and the applicants who visit them. It works with net/http and has no look of
// its own.
//
// A Site has the pages of the jobs in a mirror: Search finds what an address asks for,
// Job returns one job's page, and Jobs is the iterator for package jobpublish. Handle
// answers an error of theirs with its status, Retry-After and words for the visitor:
//
//	site, err := jobsite.New(mirror, jobsite.Config{URL: "https://jobs.example", Languages: []string{"de", "en"}})
//	mux.HandleFunc("GET /job/{job}/{words...}", site.Handle(func(w http.ResponseWriter, r *http.Request) error {
//		page, err := site.Job(r) // 404, 410 and 503 where there is none to show
//		if err != nil {
//			return err
//		}
//		return show(w, page) // by a template of its own
//	}))
//
// A SignIn signs applicants in at the board, by the authorization code flow with PKCE
// and state, and keeps their sessions. Its Handler wraps the pages of the site:
//
//	signIn, err := jobsite.NewSignIn(jobsite.SignInConfig{
//		Client: client, URL: "https://jobs.example",
//		OAuth2: oauth2.Config{ClientID: id, ClientSecret: secret, Endpoint: oauth2.Endpoint{AuthURL: a, TokenURL: t}},
//	})
//	http.ListenAndServe(addr, signIn.Handler(pages))
//
// A page gets the Visitor of a request, with whose Applicant it makes calls, and from
// Precheck an Outcome to show: whether the visitor may apply, with the status and the words
// of the page. Form makes the page of a job's form, opened or sent.
//
// A List holds what the address of a page of jobs asks for: ParseList makes it of what ReadQuery
// returns and names each field that is wrong, Query returns the query for a mirror, and Places and Categories
// return links that narrow it down. Map draws the jobs.
//
// Sections in comments are those of the interface, as in package jobboard.
package jobsite
