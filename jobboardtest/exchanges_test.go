package jobboardtest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// exchange is a request as a published client of this kind of service sends it,
// and what must come back.
type exchange struct {
	name   string
	method string // GET where it is empty
	path   string // {jobdb} stands for the lookup's address, {name} for what an exchange before kept
	header string // "Name: value", a line each
	body   string // a form where it has no brace

	status   int
	says     string // is in the body
	isNot    string // is not in the body
	answers  string // "Name: value", of the answer's header
	keep     string // the member of the answer that is kept
	as       string // the name that it is kept by
	variants jobboardtest.Variants
}

const (
	tokens   = "/api/rest/oauth/frontend/token"
	jobsOf   = "/api/rest/v2/frontend/jobboards/{channel}/jobs"
	jobCalls = "/api/rest/v3/frontend/jobs/"
	lookup   = "{jobdb}/jobdb/public/apply/external?jobid="
	abos     = "/api/rest/v2/frontend/jobabo"
)

func basic(s string) string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(s))
}

// exchanges go one after the other, against the demo.
var exchanges = []exchange{
	// A search: whoever it comes from, with what is left out and what is empty.
	{name: "identifier and colon", path: jobsOf, header: basic("10:"), status: 200, says: `"totalNumberOfJobs":42`},
	{name: "identifier without the colon", path: jobsOf, header: basic("10"), status: 200, says: `"totalNumberOfJobs":42`},
	{name: "a client's token", path: jobsOf, header: "Authorization: Bearer {client_token}", status: 200, says: `"results":[{`},
	{name: "an applicant's token", path: jobsOf, header: "Authorization: Bearer {applicant_token}", status: 200, says: `"results":[{`},
	{name: "scheme in small letters", path: jobsOf, header: "Authorization: bearer {client_token}", status: 200, says: `"results":[{`},
	{name: "empty parameters", path: jobsOf + "?search=&geoLocation=", header: basic("10:"), status: 200, says: `"totalNumberOfJobs":42`},
	{name: "one empty parameter", path: jobsOf + "?search=", header: basic("10:"), status: 200, says: `"totalNumberOfJobs":42`},
	{name: "with a content type", path: jobsOf, header: basic("10:") + "\nContent-Type: application/json", status: 200, says: `"totalNumberOfJobs":42`},
	{name: "content type with a charset", path: jobsOf, header: basic("10:") + "\nContent-Type: application/json; charset=utf-8", status: 200, says: `"totalNumberOfJobs":42`},
	{name: "anything accepted", path: jobsOf, header: basic("10:") + "\nAccept: */*", status: 200, says: `"totalNumberOfJobs":42`, answers: "Content-Type: application/json"},
	{name: "place as it is", path: jobsOf + "?geoLocation=52.520014::13.373006::50", header: basic("10:"), status: 200, says: `"totalNumberOfJobs":11`},
	{name: "place encoded", path: jobsOf + "?geoLocation=52.520014%3A%3A13.373006%3A%3A50", header: basic("10:"), status: 200, says: `"totalNumberOfJobs":11`},
	{name: "text in English", path: jobsOf + "?search=nurse", header: basic("10:") + "\nAccept-Language: en", status: 200, says: "Registered Nurse"},
	{name: "text in German", path: jobsOf + "?search=Pflegefachkraft", header: basic("10:") + "\nAccept-Language: de-DE,de;q=0.9", status: 200, says: "Pflegefachkraft (m/w/d)"},
	{name: "text and place", path: jobsOf + "?search=data&geoLocation=52.52::13.405::50", header: basic("10:"), status: 200, says: "Data Analyst"},
	{name: "text that nothing has", path: jobsOf + "?search=zzzz", header: basic("10:"), status: 200, says: `"totalNumberOfJobs":0`},
	{name: "unknown channel", path: "/api/rest/v2/frontend/jobboards/1_nowhere/jobs", header: basic("10:"), status: 200, says: `"totalNumberOfJobs":0`},
	{name: "unknown channel, 404", path: "/api/rest/v2/frontend/jobboards/1_nowhere/jobs", header: basic("10:"), status: 404, variants: jobboardtest.Variants{UnknownChannel: 404}},
	{name: "nobody", path: jobsOf, status: 401},
	{name: "a token that is none", path: jobsOf, header: "Authorization: Bearer nonsense", status: 401, answers: `WWW-Authenticate: error="invalid_token"`},
	{name: "an expired token", path: jobsOf, header: "Authorization: Bearer {expired_token}", status: 401, answers: `WWW-Authenticate: token expired or otherwise invalid`},
	{name: "too narrow a token", path: jobsOf, header: "Authorization: Bearer {narrow_token}", status: 403, answers: `WWW-Authenticate: error="insufficient_scope"`},
	{name: "refusal in the body", path: jobsOf, header: "Authorization: Bearer nonsense", status: 401, says: `"error":"invalid_token"`, variants: jobboardtest.Variants{AuthErrors: jobboardtest.AuthInBody}},
	{name: "identifier and secret", path: jobsOf, header: basic("{confidential_client}:{confidential_secret}"), status: 401},
	{name: "identifier and secret, by a switch", path: jobsOf, header: basic("{confidential_client}:{confidential_secret}"), status: 200, says: `"results":[{`, variants: jobboardtest.Variants{ConfidentialBasic: true}},

	// Tokens.
	{name: "token of a client", method: "POST", path: tokens, header: basic("{confidential_client}:{confidential_secret}"), body: "grant_type=client_credentials", status: 200, says: `"token_type":"Bearer"`, isNot: "refresh_token", keep: "access_token", as: "new_client_token"},
	{name: "that searches", path: jobsOf, header: "Authorization: Bearer {new_client_token}", status: 200, says: `"results":[{`},
	{name: "token of a client, in the form", method: "POST", path: tokens, body: "grant_type=client_credentials&client_id={confidential_client}&client_secret={confidential_secret}", status: 200, says: `"expires_in":3600`},
	{name: "wrong secret", method: "POST", path: tokens, header: basic("{confidential_client}:wrong"), body: "grant_type=client_credentials", status: 401, says: `"error":"invalid_client"`},
	{name: "token of a public client", method: "POST", path: tokens, header: basic("10:"), body: "grant_type=client_credentials", status: 400, says: `"error":"unauthorized_client"`},
	{name: "password, public with the colon", method: "POST", path: tokens, header: basic("10:"), body: "grant_type=password&username={username}&password={password}", status: 200, says: `"expires_in":3600`, keep: "access_token", as: "new_user_token"},
	{name: "that asks for the applicant", path: jobCalls + "{applied_job}/applied", header: "Authorization: Bearer {new_user_token}", status: 200, says: "true"},
	{name: "password, public without the colon", method: "POST", path: tokens, header: basic("10"), body: "grant_type=password&username={username}&password={password}", status: 200, says: `"access_token":"`},
	{name: "password, public in the form", method: "POST", path: tokens, body: "grant_type=password&client_id=10&username={username}&password={password}", status: 200, says: `"access_token":"`},
	{name: "password, confidential", method: "POST", path: tokens, header: basic("{confidential_client}:{confidential_secret}"), body: "grant_type=password&username={username}&password={password}", status: 200, says: `"access_token":"`},
	{name: "wrong password", method: "POST", path: tokens, header: basic("10:"), body: "grant_type=password&username={username}&password=wrong", status: 400, says: `"error":"invalid_grant"`},
	{name: "a code", method: "POST", path: tokens, header: basic("{confidential_client}:{confidential_secret}"), body: "grant_type=authorization_code&code={code}&redirect_uri=https%3A%2F%2Fsite.example%2Fback", status: 200, says: `"access_token":"`},
	{name: "the same code again", method: "POST", path: tokens, header: basic("{confidential_client}:{confidential_secret}"), body: "grant_type=authorization_code&code={code}", status: 400, says: `"error":"invalid_grant"`},
	{name: "a refresh, which there is not", method: "POST", path: tokens, header: basic("10:"), body: "grant_type=refresh_token&refresh_token=x", status: 400, says: `"error":"unsupported_grant_type"`},

	// What the applicant has done.
	{name: "has not applied", path: jobCalls + "{open_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 200, says: "false"},
	{name: "has applied", path: jobCalls + "{applied_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 200, says: "true"},
	{name: "has withdrawn", path: jobCalls + "{withdrawn_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 200, says: "true"},
	{name: "unknown job", path: jobCalls + "{unknown_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 404, says: "get_project_error"},
	{name: "job of another company", path: jobCalls + "{other_company_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 404, says: "not accessible"},
	{name: "inactive job", path: jobCalls + "{inactive_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 410, says: "JobPosting inactive for jobId {inactive_job}"},
	{name: "internal job", path: jobCalls + "{internal_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 403, says: "JobPosting not accessible for jobId {internal_job}"},
	{name: "job without a posting", path: jobCalls + "{unpublished_job}/applied", header: "Authorization: Bearer {applicant_token}", status: 404, says: "JobPosting not found for jobId {unpublished_job}"},
	{name: "asked by a client", path: jobCalls + "{open_job}/applied", header: "Authorization: Bearer {client_token}", status: 401, answers: "WWW-Authenticate: user token required, but client token sent"},
	{name: "asked with Basic", path: jobCalls + "{open_job}/applied", header: basic("10:"), status: 401},
	{name: "the application", path: jobCalls + "{applied_job}/application", header: "Authorization: Bearer {applicant_token}", status: 200, says: "{application_id}", isNot: `"`},
	{name: "the application, quoted", path: jobCalls + "{applied_job}/application", header: "Authorization: Bearer {applicant_token}", status: 200, says: `"{application_id}"`, variants: jobboardtest.Variants{ApplicationID: jobboardtest.ApplicationIDQuoted}},
	{name: "no application", path: jobCalls + "{open_job}/application", header: "Authorization: Bearer {applicant_token}", status: 404, says: "get_application_error"},

	// The lookup, which asks nobody who they are.
	{name: "information", path: lookup + "{open_job}", status: 200, says: `"applyPossible":true`},
	{name: "information of a closed job", path: lookup + "{closed_job}", status: 200, says: `"applyPossible":false`},
	{name: "information of an inactive job", path: lookup + "{inactive_job}", status: 404, says: "ERROR_JOB_INACTIVE"},
	{name: "information of no job", path: lookup + "{unknown_job}", status: 404, says: "ERROR_JOB_UNAVAILABLE"},
	{name: "information without a posting", path: lookup + "{unpublished_job}", status: 404, says: "ERROR_POSTING_UNAVAILABLE"},
	{name: "the same with status 200", path: lookup + "{inactive_job}", status: 200, says: "ERROR_JOB_INACTIVE", variants: jobboardtest.Variants{ErrorStatus: 200}},

	// Subscriptions.
	{name: "subscribe", method: "POST", path: abos + "?channel={channel}&types=rss::email&email=a%40b.example", header: basic("10:") + "\nContent-Type: application/json", body: `{"5512":["5512-a"]}`, status: 200, says: `"email":"ok"`, keep: "rss", as: "abo"},
	{name: "confirm with null", method: "PUT", path: abos + "/{abo}", header: basic("10") + "\nContent-Type: application/json", body: "null", status: 200, says: "true"},
	{name: "confirm an unknown one", method: "PUT", path: abos + "/nobody", header: basic("10:"), status: 200, says: "false"},
	{name: "unsubscribe", method: "DELETE", path: abos + "/{abo}", header: "Authorization: Bearer {client_token}", status: 200, says: "true"},
	{name: "unsubscribe again", method: "DELETE", path: abos + "/{abo}", header: "Authorization: Bearer {client_token}", status: 200, says: "false"},
}

// What published clients of this kind of service send is answered as they need it.
func TestExchangesOfPublishedClients(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithDemo())
	t.Cleanup(srv.Close)
	known := map[string]string{
		"jobdb": srv.JobDBURL, "code": srv.AuthorizationCode(srv.Demo.ConfidentialClient, srv.Demo.Applicant),
	}
	info, err := json.Marshal(srv.Demo)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]any{}
	dec := json.NewDecoder(strings.NewReader(string(info)))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		t.Fatal(err)
	}
	for name, v := range members {
		known[name] = fmt.Sprint(v)
	}
	for _, x := range exchanges {
		t.Run(x.name, func(t *testing.T) {
			srv.SetVariants(x.variants)
			x.run(t, srv, known)
		})
	}
}

func (x exchange) run(t *testing.T, srv *jobboardtest.Server, known map[string]string) {
	var names, escaped []string
	for name, value := range known {
		names = append(names, "{"+name+"}", value)
		escaped = append(escaped, "{"+name+"}", url.QueryEscape(value))
	}
	fill := strings.NewReplacer(names...).Replace
	address, body := fill(x.path), x.body
	if strings.HasPrefix(address, "/") {
		address = srv.BaseURL + address
	}
	isForm := strings.HasPrefix(body, "grant_type=")
	if isForm {
		body = strings.NewReplacer(escaped...).Replace(body)
	}
	method := "GET"
	if x.method != "" {
		method = x.method
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if isForm {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for line := range strings.Lines(x.header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if credential, ok := strings.CutPrefix(value, "Basic "); ok {
			raw, _ := base64.StdEncoding.DecodeString(credential)
			value = "Basic " + base64.StdEncoding.EncodeToString([]byte(fill(string(raw))))
		}
		req.Header.Set(name, fill(value))
	}
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := string(raw)
	if res.StatusCode != x.status || !strings.Contains(got, fill(x.says)) || x.isNot != "" && strings.Contains(got, x.isNot) {
		t.Errorf("%d %.300s, want %d with %s", res.StatusCode, got, x.status, fill(x.says))
	}
	if name, want, ok := strings.Cut(x.answers, ": "); ok && !strings.Contains(res.Header.Get(name), want) {
		t.Errorf("%s is %q, want %q in it", name, res.Header.Get(name), want)
	}
	if x.as == "" {
		return
	}
	members := map[string]any{}
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	known[x.as] = fmt.Sprint(members[x.keep])
}
