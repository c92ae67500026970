package boardcheck_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/boardcheck"
)

// planted are values of people and secrets that a board might send. None may be kept.
var planted = []string{
	"jana.doe@example.org", "+49 151 2345678", "Jana Doe", "s3cr3tT0ken", "DE89370400440532013000", "https://x.example/cv/jana-doe.pdf",
	"1990-04-01", "geheim", "JANA_DOE", "jana_doe",
}

const plantedNumber = "4915112345678"

// plant puts a value into every member of an answer, and adds some whose name is a value.
func plant(v any, value string) any {
	switch v := v.(type) {
	case string:
		return value
	case json.Number:
		return json.Number(plantedNumber)
	case []any:
		for i := range v {
			v[i] = plant(v[i], value)
		}
	case object:
		for name := range v {
			v[name] = plant(v[name], value)
		}
		v["note"], v["x"+plantedNumber] = object{"of": []any{value}}, value
		if strings.ContainsAny(value, "@ :") { // names of members are kept; this is none
			v[value] = value
		}
	}
	return v
}

// Secrets and personal data that stand in every member of every answer are in no file: not in
// the profile, the JSON or the JUnit of a report, whatever rules they break.
func TestNoValueIsKept(t *testing.T) {
	for _, value := range planted {
		t.Run(value, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, b := demoBoard(t)
				b.WrongCredentials = true
				b.Target.AppliedJob, b.Target.UnpublishedJob = srv.Demo.AppliedJob, srv.Demo.UnpublishedJob
				b.Target.InactiveJob, b.Target.OpenJob = srv.Demo.InactiveJob, srv.Demo.OpenJob
				known := &boardcheck.Profile{}
				check(t, b).Since(known)
				planter := edit{next: srv.Client().Transport}
				planter.json = func(_ string, _ int, v any) any { return plant(v, value) }
				planter.raw = func(_ string, resp *http.Response, body []byte) []byte {
					resp.Header.Set("Content-Type", resp.Header.Get("Content-Type")+"; charset="+`"`+value+`"`)
					resp.Header.Set("X-Note", value)
					if !json.Valid(body) {
						return append(body, " "+value+" ERROR_9 "+value...)
					}
					return body
				}
				b.Target.HTTPClient = &http.Client{Transport: planter}
				r := check(t, b)
				r.Since(known)
				if r.Broken() == 0 || !r.Changed() {
					t.Error("nothing is told")
				}
				data, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				var junit bytes.Buffer
				if err := r.WriteJUnit(&junit); err != nil {
					t.Fatal(err)
				}
				profile := written(t, known)
				for _, file := range []string{string(data), junit.String(), profile, written(t, r.Profile)} {
					for _, secret := range []string{
						value, plantedNumber, b.Target.ApplicantToken, "27828_extern", "pflege", "Pflege", "Nurse",
					} {
						if i := strings.Index(file, secret); i >= 0 {
							t.Errorf("%q is kept: %s", secret, file[max(0, i-200):min(len(file), i+100)])
						}
					}
				}
			})
		})
	}
}
