// Package boardcheck finds out on the same day when a board changes. It sends read-only
// requests to a live board, judges the rules of package conformance, and compares the shape
// of the answers with the profile of earlier checks: the members and their forms, statuses,
// codes and content types. A profile contains no values of answers.
//
//	func TestBoard(t *testing.T) {
//		boardcheck.Run(t, "testdata/board.json", boardcheck.Board{Target: conformance.Target{
//			BaseURL: "https://jobs.example", JobDBURL: "https://jobdb.example", Channel: "27828_extern", ClientID: "10",
//		}})
//	}
//
// # What is sent
//
// At most [MaxRequests] requests, 5 a second: GETs, and one POST to exchange a client secret
// for a token. [Board.Plan] lists them in advance. A check changes nothing, and sends no
// credential that the board would refuse, unless Board.WrongCredentials allows it. It does not
// follow redirects. An answer may take 30 s and have 16 MiB, and all answers together 256 MiB.
// A check takes at most 10 minutes (Board.Timeout). After four failures in a row an endpoint
// gets no further requests, and after eight requests in a row without an answer a host; refusals
// of wrong credentials do not count. After status 429, or 503 with Retry-After, a request is
// repeated once, after up to 30 s.
//
// # What is a change
//
// [Profile.Compare] reports a new path, form, code, status or content type. It also reports a
// member or form that vanished or became universal: earlier at least 20 objects all had it and
// now at least 20 lack it, or the reverse. Fewer objects prove nothing, because members of a
// posting's config come and go (section 2.3 of the interface). A new observation that agrees
// with the interface, such as the first inactive job, is a note. Web pages, overload statuses,
// broken-off answers, and 401 to a credential that the check was given and that the board has not
// taken in this check, such as a token that has expired, say nothing about the board: they are
// listed in Report.Troubles and do not affect the profile.
//
// # A mock server like the board
//
// [Profile.Like] returns the switches that make the mock server of package jobboardtest
// behave like the board, and lists behaviour that it cannot imitate. jobboardtest.Like and
// jobboard-fake -like start a mock server with these switches.
//
// The package shares no type with the client or the mock server, and imports
// neither.
package boardcheck
