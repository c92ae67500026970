package boardcheck_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// planted are values of people and secrets that a board might send. None may be kept.
var planted = []string{
	"jana.doe@example.org", "+49 151 2345678", "Jana Doe", "s3cr3tT0ken", "DE89370400440532013000", "https://x.example/cv/jana-doe.pdf",
	"1990-04-01", "s3cr3t:T0ken@host",
}

const plantedNumber = "4915112345678"

// plants gives the planted values one after the other.
type plants struct{ n int }

func (p *plants) next() string {
	p.n++
	return planted[p.n%len(planted)]
}

// plant puts values into every member of an answer, and adds some whose name is a value.
func (p *plants) plant(v any) any {
	switch v := v.(type) {
	case string:
		return p.next()
	case json.Number:
		return json.Number(plantedNumber)
	case []any:
		for i := range v {
			v[i] = p.plant(v[i])
		}
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = p.plant(v[name])
		}
		name := p.next()
		v["note"], v["x"+plantedNumber], v[name] = object{"of": []any{name}}, name, name
	}
	return v
}

// texts puts values into the texts of an answer, which stays readable.
func (p *plants) texts(_ string, _ int, v any) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	for _, name := range []string{"jobTitle", "companyName", "companyId", "jobLanguage", "dataSecurityLink", "timestamp", "message"} {
		if _, ok := o[name]; ok {
			o[name] = p.next()
		}
	}
	results, _ := o["results"].([]any)
	for _, r := range results {
		posting := r.(object)
		posting["title"] = p.next()
		for _, key := range slices.Sorted(maps.Keys(configOf(posting))) {
			configOf(posting)[key] = []any{p.next()}
		}
	}
	questions, _ := o["questions"].([]any)
	for _, q := range questions {
		q.(object)["type"], q.(object)["label"] = p.next(), p.next()
	}
	return o
}

// headers puts values into headers, and into bodies that are no JSON.
func (p *plants) headers(_ string, resp *http.Response, body []byte) []byte {
	resp.Header.Set("Content-Type", resp.Header.Get("Content-Type")+`; charset="`+p.next()+`"`)
	resp.Header.Set("X-Note", p.next())
	if !json.Valid(body) {
		return append(body, " "+p.next()+" ERROR_9 "+p.next()...)
	}
	return body
}

// redirects leads each applied check to an address with a value in it.
func (p *plants) redirects(path string, resp *http.Response, body []byte) []byte {
	to := url.URL{Scheme: "https", Host: "login.example", Path: "/" + p.next() + "/x", RawQuery: "a=" + url.QueryEscape(p.next())}
	return redirect("/applied", to.String())(path, resp, body)
}

// Secrets and personal data that stand in every member of every answer, in names of members, headers and redirects, are neither in the
// profile nor in the report.
func TestNoValueIsKept(t *testing.T) {
	p := &plants{}
	for name, e := range map[string]edit{
		"everywhere": {json: func(_ string, _ int, v any) any { return p.plant(v) }, raw: p.headers},
		"texts":      {json: p.texts},
		"keys": {json: each("results", func(_ int, o object) {
			for _, value := range planted {
				configOf(o)[value], configOf(o)["key of "+value] = []any{value}, value
			}
		})},
		"few keys":  {json: few("results", 4, func(o object) { configOf(o)["JanaDoe"] = []any{"x"} })},
		"redirects": {raw: p.redirects},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, known := told(t, e, nil)
				data, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				profile := written(t, known)
				secrets := append(slices.Clone(planted), "jana", "Jana", plantedNumber, "27828_extern", "Nurse", "nurse", "Ulm", "E13")
				for _, file := range []string{string(data), profile} {
					for _, secret := range secrets {
						if i := strings.Index(file, secret); i >= 0 {
							t.Errorf("%q is kept: %s", secret, file[max(0, i-200):min(len(file), i+100)])
						}
					}
				}
				if name == "keys" && !strings.Contains(profile, `"results[].config.*": {"in":`) {
					t.Errorf("the keys are not counted: %s", profile)
				}
			})
		})
	}
}
