// Package jobboard calls a recruiting job board: it searches the postings of a
// channel, reports whether an applicant has applied to a job and under which
// identifier, and returns what an applicant must know before applying. Comments
// name sections of the interface; docs/interface.md in the repository describes
// each section.
//
//	client, err := jobboard.NewClient(jobboard.Config{
//		BaseURL:  "https://jobs.example",
//		JobDBURL: "https://jobdb.example",
//		ClientID: "10",
//	})
//	result, err := client.Search(ctx, "27828_extern", jobboard.Query{Text: "nurse"})
//	info, err := client.JobInformation(ctx, 2797227)
//	applied, err := client.Applicant(jobboard.StaticToken(token)).HasApplied(ctx, 2797227)
//
// # Operations
//
//	Client.Search, Client.Postings            4.1  postings of a channel, at once or as they arrive
//	Applicant.HasApplied                      4.2  has this applicant applied
//	Applicant.ApplicationID                   4.3  the identifier of that application
//	Client.JobInformation                     4.4  what to know before applying
//	Client.Subscribe and its two companions   4.5  deprecated
//
// Built on these operations: [Client.BulkJobInformation] and [Applicant.BulkHasApplied] for many
// jobs, [Applicant.Precheck] to decide whether an applicant may apply,
// package prescreen to ask the prescreening questions and check the answers, and package
// snapshot to find the changes of a channel.
//
// A search returns one page: the interface documents no parameter for another.
// [JobSearchResult.Partial] reports whether the search found more.
//
// # Credentials
//
// Each credential goes to one of the two addresses, and to no other, whatever
// redirects say (section 5):
//
//	Config.ClientID          BaseURL   search, subscriptions: HTTP Basic, of an application without a secret
//	Config.TokenSource       BaseURL   search, subscriptions: bearer, of an application with a secret
//	Config.JobDBTokenSource  JobDBURL  lookup: bearer; without it the lookup sends no credential
//	Client.Applicant         BaseURL   the calls for one applicant: bearer, that applicant's own
//
// The applied check is a method of [Applicant], so a client's credential cannot
// be used for it by mistake. [StaticToken] holds a given token; [RenewingToken]
// fetches one when it is needed, and another when the service calls it
// expired. Any other oauth2.TokenSource works too: the client keeps its token until
// shortly before the Expiry, or for a second if the token has none. A source of package
// oauth2 cannot replace a token before its Expiry, even if the service calls it
// expired. The client waits for a source no longer than the context of the call
// lasts.
//
// # Errors
//
// Every failed call returns an [*Error] and satisfies errors.Is with one
// condition. The first three are classes, which errors.Is finds in some of the others:
//
//	ErrNotFound               ErrPostingNotFound, ErrProjectNotAvailable, ErrJobUnavailable
//	ErrInactive               ErrPostingInactive, ErrJobInactive
//	ErrNotVisible             ErrPostingNotAccessible, ErrProjectNotAccessible
//
//	ErrPostingNotFound        applied check, application   404  no posting for the job
//	ErrPostingNotAccessible   applied check, application   403  such as an internal job
//	ErrPostingInactive        applied check, application   410  deactivated
//	ErrProjectNotAvailable    applied check, application   404  no job for the identifier
//	ErrProjectNotAccessible   applied check, application   404  such as another company's job
//	ErrApplicationNotFound    application                  404  no application yet
//	ErrJobInactive            lookup                       any  deactivated
//	ErrJobUnavailable         lookup                       any  gone or deleted
//	ErrPostingUnavailable     lookup                       any  a technical error: says nothing of the job
//	ErrUnauthorized           every call                   401
//	ErrForbidden              every call                   403
//	ErrServer                 every call                   5xx
//	ErrRateLimited            every call                   429
//	ErrRedirect               every call                   3xx that is not followed
//	ErrDecode                 every call                   an answer in a form that the interface does not promise
//	ErrResponseTooLarge       every call                   an answer over its bound
//	ErrTransport, ErrTimeout  every call                   no answer, or half of one
//	ErrToken                  calls with a token source    the source returned no usable token
//	ErrInvalidInput           every call                   nothing was sent
//
// An answer that the interface does not name, such as a 400, is an *Error without a condition. So is
// a 404 or 410 whose message is not a sentence of the interface about a posting, and a
// get_project_error whose message says neither "not available" nor "not accessible": a wrong
// address or a failure must not read as a closed job. Such a 403 is ErrForbidden. Postings
// leaves out entries that it cannot read, and yields an [*UnreadableError] after the last posting; Search
// counts them. errors.Is finds the end of the caller's context by context.Canceled or
// context.DeadlineExceeded.
//
// # What the lookup is for
//
// The lookup is for partners of a marketplace. The interface says that it is not suitable for
// building an application form or a job portal of one's own (1.3), and that its job identifier is
// the one needed later to post the application (4.4). So a form made from the lookup prepares and
// checks the answers, and then sends the applicant to the board's own form.
//
// # Retries
//
// [RetryPolicy] is the contract. In short: five attempts, waits that double
// from 200 ms to 5 s with jitter, Retry-After honoured up to 30 s, and never a
// wait that does not fit the caller's deadline: then the last answer comes back
// at once. A truncated answer counts as a failed attempt. A Client and its
// Applicants share a budget: successes fill it, repeats use it up, so that
// repeats do not make an outage worse. A call whose context has no deadline ends
// after a minute; Postings and Snapshot are then bounded only by the limits that
// RetryPolicy sets an attempt. A POST that the service may have executed is never repeated.
//
// # Limits
//
// Every read is bounded: 64 MiB for a search, 4 MiB for other answers, 1 MiB a posting and 1 GiB in
// all for a stream, 256 KiB of headers, 64 levels of nesting, 64 KiB of a failed answer. Bounds are
// of decompressed bytes, and the compressed bytes are bounded too. The decoded result of a search
// may take 2.2 times its bound in memory. Config.MaxBodyBytes and Config.MaxPostingBytes change the
// bounds. A stream yields a posting over 1 MiB without its advertisement; a posting that is too
// large without it ends the stream.
//
// # Untrusted texts
//
// Titles, labels, ad texts and messages are untrusted strings of the service: escape them for the
// page or query that you put them in. [JobPosting.ApplyURL] and [JobInformation.DataSecurityURL]
// return only http and https links; the fields ApplyOnlineLink and DataSecurityLink are unchecked.
//
// # Testing your code
//
// Package jobboardtest is a mock server of the board, with state, the interface's rules and faults
// on demand, in process or as a program.
package jobboard
