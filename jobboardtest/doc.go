// Package jobboardtest is a mock server of the job board service: it has the
// service's seven operations, its state and its rules, it can fail in every way a
// network can, and it keeps a journal of the requests. Use it in the tests of a
// program that talks to a job board, in process or, through cmd/jobboard-fake,
// from any language.
//
// # Starting one
//
// [NewServer] is like httptest.NewServer: the caller closes it. [New] is for a
// test: it closes itself, and fails the test when a request breaks a rule of the interface.
// A server without options is empty; [WithDemo] fills it.
//
//	func TestApply(t *testing.T) {
//		srv := jobboardtest.New(t)
//		srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
//		srv.AddClient(jobboardtest.ClientApp{ID: "10"})
//		job, _ := srv.Publish("27828_extern", jobboardtest.Job{Title: "Nurse"})
//		who := srv.AddApplicant(jobboardtest.Applicant{})
//		token := srv.UserToken(who.ID)
//		srv.Apply(who.ID, job.ID)
//		// ... point your program at srv.BaseURL and srv.JobDBURL ...
//		srv.DeactivateJob(job.ID) // search, applied check and lookup all see it
//	}
//
// The two addresses have different origins and different path prefixes, so that
// a request sent to the wrong one is seen.
//
// # Ways in
//
//   - BaseURL and JobDBURL over real sockets, with any client;
//   - [Server.Client] of a server made with [WithoutSockets]: a real HTTP server
//     over in-memory connections, also inside a testing/synctest bubble;
//   - [Server.Transport], an http.RoundTripper that calls the handler directly;
//   - [Server.Handler], to embed the mock server in a server of your own.
//
// Besides the interface, the server has a token endpoint, a page on which an
// applicant signs in, and a job feed, at TokenURL, AuthURL and FeedURL.
//
// # State
//
// AddChannel, AddCompany, AddJob, AddPosting, AddClient and AddApplicant add a
// record and return it with its identifier; Publish adds a job with its posting.
// DeactivateJob, ActivateJob, DeleteJob, UnpublishJob and UpdateJob change a job,
// UpdateApplicant an applicant. Apply and Withdraw keep the rule of section 8: one
// application per job and applicant, a withdrawn one counts. ClientToken, UserToken
// and LookupToken issue credentials. Snapshot returns all records as a [State], and
// Restore replaces them by one. A State also holds records without methods of their
// own: subscriptions, authorization codes and catalogues of nationalities.
// [State.Write] and [ReadState] write and read a State as one JSON document.
//
// # Switches, faults, journal
//
// Where the interface is silent, [Variants] chooses among the forms a real
// service may have; [Server.SetVariants] changes them while the server runs.
// [Server.Fail] plants a [Fault]: a status, a delay, a reset, a cut body and so
// on, for one call, the next n, a share of them, an operation, or for ever.
// [Server.Requests], [Server.Count] and [Server.Wait] read the journal, which
// never holds the value of a credential.
//
// Every method of Server may be called from any number of goroutines, also while
// it serves.
package jobboardtest
