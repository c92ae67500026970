// Package boardcheck asks a live board each night whether a program still reads it as it did the
// night before. It makes its calls with a [jobboard.Client] and package jobfeed, so what it calls
// unreadable is what the program cannot read, and compares the outcomes of the calls and the shape of
// the answers with a profile of earlier nights.
//
//	func TestBoard(t *testing.T) {
//		boardcheck.Run(t, "testdata/board.json", boardcheck.Board{
//			Config: jobboard.Config{
//				BaseURL: "https://jobs.example", JobDBURL: "https://jobdb.example", ClientID: "10",
//			},
//			Channels: []jobboard.ChannelID{"27828_extern"},
//		})
//	}
//
// A check sends GETs only, at most [MaxRequests] with repeats and redirects, five a second, one call
// at a time; [Board.Plan] lists the calls. It changes nothing. It does not judge the rules of the
// interface: package jobboardtest/conformance does.
//
// A profile holds outcomes, statuses, media types, names of members and their types, and counts. It
// holds no value of an answer, no channel, no identifier and no credential. docs/check.md lists what
// is a change, and what is only a note.
package boardcheck
