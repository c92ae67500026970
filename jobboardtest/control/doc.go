// Package control drives a jobboardtest.Server over HTTP. Test suites in other
// languages use it when the mock server runs as a program or in a container, and a
// person uses its page in a browser.
//
//	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
//	defer srv.Close()
//	fmt.Println(control.Mount(srv)) // http://127.0.0.1:41234/board/_fake/
//
// # From another language
//
// Everything speaks JSON. Here are a few calls; the OpenAPI document at
// openapi.json describes all:
//
//	curl $FAKE/info                                        # addresses and credentials
//	curl -X POST $FAKE/reset                               # back to the start
//	curl --json '{"applicant_id":7,"job_id":4711}' $FAKE/applications
//	curl -X POST $FAKE/jobs/4711/deactivate
//	curl --json '{"operation":"search","status":503,"times":2}' $FAKE/faults
//	curl -X PATCH --json '{"quoted_ids":true}' $FAKE/variants
//	curl --json '{"by":"1h"}' $FAKE/clock/advance
//	curl "$FAKE/requests/wait?count=3&operation=search&timeout=5s"
//	curl -T board.json -H 'Content-Type: application/json' $FAKE/state
//
// A refusal has a status of 400 or more, and a JSON object that says what is wrong
// and names the member of the body or the parameter:
//
//	{"error": "unknown member \"titel\"", "field": "titel"}
//
// # At a browser
//
// The path itself is a page: the jobs with their places, applicants, the journal
// as it grows, faults and switches.
//
// # Who may call it
//
// Everybody who reaches the port may call it: it is a test tool, and the mock server
// listens on the loopback interface unless told otherwise. Pages of other sites in a
// browser may not call it: package control refuses requests that a browser marks as
// cross-site, bodies that are not labelled as JSON, and host names that a stranger could
// point at this machine (see [New]).
package control
