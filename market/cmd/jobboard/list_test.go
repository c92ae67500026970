package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
)

func TestLimitAndFields(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"search --fake --limit 2 --fields title,job,place", `TITLE                     JOB      PLACE
Pflegefachkraft (m/w/d)   2797227  Berlin
Registered Nurse (f/m/x)  2797238  Hamburg

2 of 42 postings
`},
		{"search --fake --limit 2 --fields Job,posting --csv", "job,posting\n2797227,600100\n2797238,600107\n"},
		{"search --fake --limit 1 --fields title,job,apply_link --jsonl", `{"title":"Pflegefachkraft (m/w/d)","job":2797227,"apply_link":"http://BOARD/board/job/2797227/pflegefachkraft-m-w-d?jobDbPVId=910200&l=de"}` + "\n"},
		{"search --fake --limit 1 --json", `      "job": 2797227` + "\n"},
		{"search --fake --limit 1 --csv", "posting,version,title,place,company,remote,since,until,apply_link,job\n600100,910200,Pflegefachkraft (m/w/d),Berlin,"},
		{"search --fake --limit 50", "42 of 42 postings"},
		{"feed --fake --limit 3 --fields job,title --csv", "job,title\n"},
		{"feed --fake --limit 3", "3 entries, 3 different jobs"},
	} {
		r := newProcess().run(t, strings.Fields(test.args)...).want(t, setup.ExitOK)
		out := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).ReplaceAllString(r.out, "http://BOARD/") // a free port
		if !strings.Contains(out, test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.args, out, test.want)
		}
		if strings.Contains(r.err, "the service gave") {
			t.Errorf("%s: what nobody asked for is missed: %s", test.args, r.err)
		}
	}
	out := newProcess().completed(t, "search", "--fields", "title,")
	if !strings.Contains(out, "title,job\n") || !strings.Contains(out, "title,place\n") {
		t.Errorf("after a comma is offered %s", out)
	}
}
