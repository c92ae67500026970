package jobmirror

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/golden"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// shapes are postings in the shapes that boards give them, of which the client reads what it
// can.
var shapes = []string{
	`{"jobPostingId":1,"postingVersionId":2,"title":"Nurse <b>&amp;</b> \"cook\" \u00e4","applyOnlineLink":"https://jobs.example/job/7/x?a=b&c=d",` +
		`"config":{"jobcategory":["3","4"],"locationName":["Berlin","K\u00f6ln"],"companyname":["Example"],"platform_internalAdText":["<p>One</p>","<p>Two</p>"],` +
		`"other_internalAdText":["Three"],"empty":[]},"jobStartDate":1700000000000,"postingVersionStartDate":1700000000001,"postingVersionEndDate":1700000000002,` +
		`"counter":{"a":[1,2.5,null,true,"x"]}}`,
	`{"jobPostingId":"8","postingVersionId":"9","title":"","applyOnlineLink":"","config":{"jobcategory":["3"],"single":[]},` +
		`"jobStartDate":"1700000000000","postingVersionStartDate":null}`,
	`{"jobPostingId":10,"postingVersionId":11,"title":"x","config":null}`,
	`{"jobPostingId":12,"postingVersionId":13,"title":"Without a config","jobStartDate":0,"postingVersionEndDate":-1}`,
}

// The bytes of a posting are passed over where they are those of the last time, so a copy
// keeps the record that an older version of this package made of them. Whoever changes what
// these bytes become changes recordForm as well; then the flag -update writes the records of
// the new form.
func TestRecordsOfAForm(t *testing.T) {
	var got strings.Builder
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: "https://board.example", ClientID: "10", MaxPostingBytes: 1000,
		HTTPClient: &http.Client{Transport: pages{"a": append(shapes,
			`{"jobPostingId":14,"postingVersionId":15,"title":"Too large","config":{"platform_internalAdText":["`+strings.Repeat("x", 2000)+`"],"a":["b"]}}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for posting, err := range client.PostingStream(t.Context(), "a", jobboard.Query{}).All() {
		if err != nil {
			t.Fatal(err)
		}
		r := rowOf(channelItem{posting, 0}, &sources.Source{Language: "de"}, turn{})
		for _, part := range []string{encode(r.rec), r.ads} {
			if part != "" && !json.Valid([]byte(part)) {
				t.Errorf("posting %d: %s", posting.JobPostingID, part)
			}
			got.WriteString(part + "\n")
		}
		n++
	}
	if n != len(shapes)+1 {
		t.Fatalf("%d postings were read", n)
	}
	file := "testdata/records-" + recordForm + ".txt"
	if had, err := os.ReadFile(file); err == nil && string(had) != got.String() {
		t.Errorf("the same bytes make other records than in form %s: raise recordForm, remove %s, and run this test with -update", recordForm, file)
		t.Logf("now they are\n%s", got.String())
		return
	}
	golden.Compare(t, file, got.String())
}
