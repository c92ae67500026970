// Package ops holds the files of ops/ against Prometheus, started programs, and the library that
// loads compose files. It needs Debian's package prometheus.
package ops

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/dev/e2e/program"
)

const ops = "../../../market/ops/"

// need returns the path of a program of the package prometheus.
func need(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("there is no " + name + " here (Debian: apt-get install prometheus)")
	}
	return path
}

// TestRules has promtool check the rules and the configuration, fire each alert, and keep each
// silent when all is well.
func TestRules(t *testing.T) {
	promtool := need(t, "promtool")
	for _, args := range [][]string{
		{"check", "rules", ops + "prometheus/rules.yml"},
		{"check", "config", ops + "prometheus/prometheus.yml"},
		{"test", "rules", ops + "prometheus/rules_test.yml"},
	} {
		if out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}
}

// start starts a program that runs until the test ends, and returns what follows a word on the
// first line that has it.
func start(t *testing.T, path, word string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "JOBBOARD_") })
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, found := bufio.NewScanner(said), make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			if _, after, ok := strings.Cut(lines.Text(), word); ok && len(found) == 0 {
				found <- after
			}
			fmt.Fprintln(t.Output(), filepath.Base(path)+":", lines.Text())
		}
	}()
	t.Cleanup(func() {
		<-read // the program ends with the context of the test
		_ = cmd.Wait()
	})
	select {
	case after := <-found:
		return after
	case <-read:
		t.Fatalf("%s ended", path)
	case <-time.After(time.Minute):
		t.Fatalf("%s does not say %q", path, word)
	}
	return ""
}

// prometheus asks a running Prometheus.
type prometheus struct {
	t       *testing.T
	address string
}

// get decodes the data of an answer.
func (p prometheus) get(path string, parameters url.Values, data any) error {
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.address+path+"?"+parameters.Encode(), http.NoBody)
	if err != nil {
		return err
	}
	rs, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer rs.Body.Close()
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(io.LimitReader(rs.Body, 16<<20)).Decode(&answer); err != nil {
		return err
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s", answer.Error)
	}
	return json.Unmarshal(answer.Data, data)
}

// series returns the labels of each series of an expression.
func (p prometheus) series(expression string) ([]map[string]string, error) {
	var data struct {
		Result []struct{ Metric map[string]string }
	}
	err := p.get("/api/v1/query", url.Values{"query": {expression}}, &data)
	var out []map[string]string
	for _, r := range data.Result {
		out = append(out, r.Metric)
	}
	return out, err
}

// waitFor asks until an answer is true, for a minute at most.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-ctx.Done():
			t.Fatal("a minute has passed, and not yet: " + what)
		case <-tick.C:
		}
	}
}

// startAll starts the mirror's program and the site, and a Prometheus with the rules that
// scrapes both.
func startAll(t *testing.T) (_ prometheus, mirror string) {
	t.Helper()
	binary := need(t, "prometheus")
	mirrorProgram := program.Build(t, "market/cmd", "./jobboard-mirror")
	siteProgram := program.Build(t, "market", "./examples/site")
	folder := t.TempDir()
	mirror = start(t, mirrorProgram, "monitor at http://", "run", "--fake", "--db", filepath.Join(folder, "jobs.db"), "--monitor", "127.0.0.1:0")
	site := strings.TrimSuffix(start(t, siteProgram, "metrics at http://", "-addr", "127.0.0.1:0", "-monitor", "127.0.0.1:0"), "/metrics")
	rules, err := filepath.Abs(ops + "prometheus/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(folder, "prometheus.yml")
	if err := os.WriteFile(config, fmt.Appendf(nil, `{global: {scrape_interval: 1s, evaluation_interval: 1s}, rule_files: [%q], scrape_configs: [
		{job_name: mirror, static_configs: [{targets: [%q]}]}, {job_name: site, static_configs: [{targets: [%q]}]}]}`,
		rules, mirror, site), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	start(t, binary, "Server is ready", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address)
	return prometheus{t, "http://" + address}, mirror
}

// expression is one of a panel, or of a rule.
type expression struct{ where, text string }

// dashboard returns the expressions of the dashboard, with its variables filled in.
func dashboard(t *testing.T) (out []expression) {
	t.Helper()
	text, err := os.ReadFile(ops + "grafana/dashboards/jobboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("$job", ".+", "$__rate_interval", "1m")
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			out = append(out, expression{"the panel " + panel.Title, fill.Replace(target.Expr)})
		}
	}
	return out
}

// selector matches a metric of an expression, with its matchers.
var selector = regexp.MustCompile(`\bjobboard_mirror_(?:[a-z_]+)(?:\{[^}]*\})?`)

// grouping matches the labels by which an expression groups and joins, some of which begin as metrics do.
var grouping = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right) ?\([^)]*\)`)

// TestEveryExpressionHasSeries has Prometheus scrape the programs. Every expression of the dashboard
// returns series, every metric that a rule names has one of both programs, and no alert fires.
func TestEveryExpressionHasSeries(t *testing.T) {
	p, mirror := startAll(t)
	waitFor(t, "both programs were scraped several times after their copies were whole", func() bool {
		found, err := p.series(`count_over_time(jobboard_mirror_source_age_seconds[5m]) > 3 and on (job) jobboard_mirror_due == 0`)
		jobs := map[string]bool{}
		for _, labels := range found {
			jobs[labels["job"]] = true
		}
		return err == nil && len(jobs) == 2
	})
	for _, e := range dashboard(t) {
		// What is counted by rate needs two scrapes after the first change.
		waitFor(t, e.where+": "+e.text, func() bool {
			found, err := p.series(e.text)
			if err != nil {
				t.Fatalf("%s: %s: %v", e.where, e.text, err)
			}
			return len(found) > 0
		})
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Name, Query, State string
			}
		}
	}
	if err := p.get("/api/v1/rules", nil, &rules); err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules.Groups[0].Rules {
		if rule.State != "inactive" {
			t.Errorf("all is well, and %s is %s", rule.Name, rule.State)
		}
		if _, err := p.series(rule.Query); err != nil {
			t.Errorf("%s: %v", rule.Name, err)
		}
		named := selector.FindAllString(grouping.ReplaceAllString(rule.Query, ""), -1)
		if len(named) == 0 {
			t.Errorf("%s names no metric", rule.Name)
		}
		for _, metric := range named {
			for _, job := range []string{"mirror", "site"} {
				if found, err := p.series("group by (job) (" + metric + `) and on (job) up{job="` + job + `"}`); err != nil || len(found) == 0 {
					t.Errorf("%s: %s of the %s: no series, %v", rule.Name, metric, job, err)
				}
			}
		}
	}
	checkNames(t, "http://"+mirror+"/metrics")
}

// checkNames asks for metrics as Prometheus 3 does, which takes names with dots where it is given
// them: rules and dashboard would miss those.
func checkNames(t *testing.T, address string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.5,*/*;q=0.1")
	rs, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer rs.Body.Close()
	text, err := io.ReadAll(io.LimitReader(rs.Body, 1<<20))
	if err != nil || !strings.Contains(string(text), "\njobboard_mirror_up{") {
		t.Errorf("%v\n%s", err, text)
	}
}
