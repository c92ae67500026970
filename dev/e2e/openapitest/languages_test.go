package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// answersInAnyLanguage lists what each client of the folder languages prints: the calls
// with the statuses of their answers.
const answersInAnyLanguage = `client token 200
applicant token 200
wrong password 400
search, Basic 200
search, token 200
search, near 200
search, no credential 401
search, failing 500
lookup, open 200
applied, open 200
application, open 404
applied, applied 200
application, applied 200
applied, withdrawn 200
applied, no credential 401
applied, client token 401
applied, expired token 401
applied, narrow token 403
applied, inactive 410
applied, unknown 404
applied, internal 403
applied, other company 404
applied, unpublished 404
lookup, inactive 404
lookup, unknown 404
subscribe 200
confirm 200
stop 200
`

// Clients in other languages, with nothing but what each language brings, ask the mock server
// through the validating proxy for tokens, searches, a precheck, applied checks with every
// refusal, and a subscription. The proxy finds fault with no answer, and only with the requests
// that have no credential on purpose. The test also holds if the two fields of a 401 are in the
// body.
func TestOtherLanguages(t *testing.T) {
	for _, c := range []struct {
		name    string
		program string
		args    []string
	}{
		{"Python", "python3", []string{"client.py"}},
		{"Node", "node", []string{"client.mjs"}},
		{"PHP", "php", []string{"client.php"}},
		{"Java", "java", []string{"Client.java"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := testenv.Program(t, c.program, "apt-get install php-cli php-curl default-jdk-headless")
			for _, where := range []jobboardtest.AuthPlace{"", jobboardtest.AuthInBoth} {
				srv := fake(t)
				srv.SetVariants(jobboardtest.Variants{AuthErrors: where})
				web := httptest.NewServer(srv.Handler())
				p := newPrism(t, web.URL)
				to, err := url.Parse(p.address)
				if err != nil {
					t.Fatal(err)
				}
				// The client asks this proxy, which notes what Prism finds.
				noted := httptest.NewServer(&httputil.ReverseProxy{
					Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: p,
				})
				got := askIn(t, program, c.args, srv, noted.URL)
				noted.Close()
				web.Close()
				if got != answersInAnyLanguage {
					t.Errorf("it printed\n%s", got)
				}
				for _, v := range p.found {
					if !slices.Equal(v.Location, []string{"request"}) || !strings.HasSuffix(v.Of, " 401") {
						t.Errorf("%+v", v)
					}
				}
				if want := strings.Count(answersInAnyLanguage, "\n"); p.asked != want {
					t.Errorf("%d requests went through the proxy, not %d", p.asked, want)
				}
			}
		})
	}
}

// askIn runs a client of the folder languages with the demonstration in its environment, and
// returns what it prints.
func askIn(t *testing.T, program string, args []string, srv *jobboardtest.Server, address string) string {
	t.Helper()
	data, err := json.Marshal(srv.Demo)
	if err != nil {
		t.Fatal(err)
	}
	demo := json.NewDecoder(bytes.NewReader(data))
	demo.UseNumber()
	values := map[string]any{}
	if err := demo.Decode(&values); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = "languages"
	cmd.Env = append(os.Environ(), "BASE_URL="+address+"/board", "JOBDB_URL="+address+"/info")
	for key, value := range values {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%v", strings.ToUpper(key), value))
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &stderr)
	}
	return string(out)
}
