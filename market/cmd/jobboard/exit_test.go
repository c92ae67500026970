package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

func TestExitCodes(t *testing.T) {
	srv := demo(t)
	d := srv.Demo
	id := func(n int64) string { return fmt.Sprint(n) }
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	for _, test := range []struct {
		name  string
		fault jobboardtest.Fault
		env   env
		args  []string
		code  int
		err   string
	}{
		{name: "ok", args: []string{"search"}, code: setup.ExitOK},
		{name: "unknown channel", args: []string{"search", "--channel", "x"}, code: setup.ExitOK, err: "a channel that does not exist"},
		{name: "no credential", env: env{"CLIENT_ID": "", "USER_TOKEN": ""}, args: []string{"search"}, code: setup.ExitUsage, err: "needs a credential"},
		{name: "unknown client", env: env{"CLIENT_ID": "99"}, args: []string{"search"}, code: setup.ExitCredential, err: "jobboard doctor"},
		{name: "expired applicant", env: env{"USER_TOKEN": d.ExpiredToken}, args: []string{"status", id(d.OpenJob)}, code: setup.ExitCredential},
		{name: "scope", env: env{"CLIENT_ID": "", "USER_TOKEN": d.NarrowToken}, args: []string{"search"}, code: setup.ExitCredential},
		{name: "inactive", args: []string{"info", id(d.InactiveJob)}, code: setup.ExitNo, err: "job inactive"},
		{name: "unknown job", args: []string{"info", id(d.UnknownJob)}, code: setup.ExitNo, err: "job unavailable"},
		{name: "a posting", args: []string{"info", "600100"}, code: setup.ExitNo, err: "600100 is the identifier of a posting, "},
		{name: "a version", args: []string{"info", "910200"}, code: setup.ExitNo, err: "910200 is the identifier of a posting's version, "},
		{name: "unpublished", args: []string{"info", id(d.UnpublishedJob)}, code: setup.ExitService, err: "says nothing of the job"},
		{name: "closed is still information", args: []string{"info", id(d.ClosedJob)}, code: setup.ExitOK},
		{name: "status closed", args: []string{"status", id(d.ClosedJob)}, code: setup.ExitNo},
		{name: "status applied", args: []string{"status", id(d.AppliedJob)}, code: setup.ExitNo},
		{name: "status withdrawn", args: []string{"status", id(d.WithdrawnJob)}, code: setup.ExitNo},
		{name: "status inactive", args: []string{"status", id(d.InactiveJob)}, code: setup.ExitNo},
		{name: "status internal", args: []string{"status", id(d.InternalJob)}, code: setup.ExitNo},
		{name: "status of another company", args: []string{"status", id(d.OtherCompanyJob)}, code: setup.ExitNo},
		{name: "server", fault: jobboardtest.Fault{Status: 500, Body: "boom"}, args: []string{"search"}, code: setup.ExitService, err: "try again later"},
		{name: "rate", fault: jobboardtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"3600"}}}, args: []string{"search"}, code: setup.ExitService},
		{name: "redirect", fault: jobboardtest.Fault{Status: 302, Header: http.Header{"Location": {"https://elsewhere.example/"}}}, args: []string{"search"}, code: setup.ExitService},
		{name: "login page", fault: jobboardtest.Fault{
			Header: http.Header{"Content-Type": {"text/html"}}, Body: "<!DOCTYPE html><title>Sign in</title>",
		}, args: []string{"search"}, code: setup.ExitService},
		{name: "strange status", fault: jobboardtest.Fault{Status: 418, Body: "tea"}, args: []string{"info"}, code: setup.ExitService},
		{name: "reset", fault: jobboardtest.Fault{Break: jobboardtest.ResetBefore}, args: []string{"info"}, code: setup.ExitNetwork},
		{name: "time-out", fault: jobboardtest.Fault{Break: jobboardtest.StallBefore}, args: []string{"info", "--timeout", "50ms"}, code: setup.ExitNetwork},
		{name: "refused", env: env{"BASE_URL": refused.URL}, args: []string{"search"}, code: setup.ExitNetwork},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer srv.LiftFaults()
			if !isZeroFault(test.fault) {
				srv.Fail(test.fault)
			}
			newProcess().pointAt(srv).with(test.env).run(t, append(test.args, "--attempts", "1")...).want(t, test.code).wantErr(t, test.err)
		})
	}
}

func isZeroFault(f jobboardtest.Fault) bool {
	b, _ := json.Marshal(f)
	return string(b) == "{}"
}
