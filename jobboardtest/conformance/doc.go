// Package conformance checks whether a service keeps the rules of the job board
// interface. Run it against the mock server of package jobboardtest, a mock of
// your own in any language, or, with ReadOnly, a live address.
//
//	func TestMock(t *testing.T) {
//		conformance.Run(t, conformance.Target{
//			BaseURL: "http://127.0.0.1:8080", JobDBURL: "http://127.0.0.1:8081",
//			Channel: "27828_extern", ClientID: "10",
//			ApplicantToken: "...", OpenJob: 4711, AppliedJob: 4712,
//		})
//	}
//
// [Run] makes a subtest of each rule, [Check] needs no test, and [Checks] lists the
// rules. A rule names its section of the interface. It is skipped, with the reason,
// if the [Target] lacks a field that the rule needs, or if a simpler rule that it
// builds on is broken.
//
// The package judges bytes: it reads answers with encoding/json into shapes of
// its own and shares no type with the client or the mock server.
//
// # Where the interface is silent
//
// The rules accept every form that the interface leaves open: identifiers as numbers
// or quoted numbers; dates as epoch milliseconds, as a number or quoted, or as ISO
// 8601; null where a text, a list or an object may be missing; plain messages with any
// label, also as a JSON string; a coded error as its bare code; the ERROR_ codes of
// section 7.3 with any status and in any shape; 401 or 403 for a refused credential;
// the application identifier bare or quoted; an unknown channel as an error or as no
// results.
package conformance
