// Package boardcheck tells on the day on which a board changes. It asks a live board,
// read-only, judges the rules of package conformance, and compares the shape of the answers
// with a profile of last time: which members there are, in which forms, with which
// statuses, codes and content types. A profile holds no value of any answer.
//
//	func TestBoard(t *testing.T) {
//		boardcheck.Run(t, "testdata/board.json", boardcheck.Board{Target: conformance.Target{
//			BaseURL: "https://jobs.example", JobDBURL: "https://jobdb.example", Channel: "27828_extern", ClientID: "10",
//		}})
//	}
//
// # What is sent
//
// At most [MaxRequests] requests, 5 a second: GETs, and one POST where a client secret is
// to be exchanged for a token. [Board.Plan] tells them beforehand. Nothing is changed, and
// no credential is sent that the board would refuse, unless Board.WrongCredentials
// allows it. Redirects are not followed. An answer may take 30 s and have 16 MiB, all
// together 256 MiB, and a check takes 10 minutes at most (Board.Timeout). An address that
// fails four times in a row is left alone. A request that is answered with 429, or with 503 and
// Retry-After, is sent once more after up to 30 s.
//
// # What is a change
//
// [Profile.Compare] tells a path, a form, a code, a status or a content type that was never
// seen, and a member or a form that each of at least 20 had and none of at least 20 has, or the
// other way round: members of a posting's config come and go (section 2.3 of the
// interface). What is new and as the interface has it, such as a first inactive job, is
// a note. A web page, a status of an overload and an answer that breaks off tell
// nothing of the board; they stand in Report.Troubles and leave the profile alone.
//
// # A stand-in like the board
//
// [Profile.Like] returns the switches by which the stand-in of package jobboardtest does what
// the board does, and lists what it cannot imitate; jobboardtest.Like and jobboard-fake
// -like start one with them.
//
// The package shares no type with the client or the stand-in, and imports neither.
package boardcheck
