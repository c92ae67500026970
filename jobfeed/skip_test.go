package jobfeed_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// TestSkip skips entries by their bytes: neither the loop nor the positions of the other
// entries show the skipped ones.
func TestSkip(t *testing.T) {
	broken := strings.Replace(opening(3), "<Id>", "<Id><x></y>", 1)
	feed := "<Jobs>\n" + opening(1) + "\n" + opening(2) + broken + "<PositionOpening>" + opening(4) + opening(5) + "</Jobs>"
	all, _, _ := read(t, strings.NewReader(feed), nil)
	if len(all) != 6 || all[2].err != jobfeed.ErrSyntax || all[3].err != jobfeed.ErrSyntax {
		t.Fatal(all)
	}
	var seen []string
	for _, test := range []struct {
		skip string // what a skipped entry holds
		want []item
	}{
		{"no such thing", all},
		{">2<", append(append([]item{}, all[:1]...), all[2:]...)},
		{">3<", append(append([]item{}, all[:2]...), all[3:]...)},
		{">5<", all[:5]},
		{"", []item{all[3]}}, // one that does not end where it should is never skipped
	} {
		opts := &jobfeed.Options{Skip: func(raw []byte) bool {
			seen = append(seen, string(raw))
			return strings.Contains(string(raw), test.skip)
		}}
		for _, src := range ways(feed) {
			seen = nil
			var got []jobboard.JobID
			for id := range jobfeed.NewReader(src, opts).JobIDs() { //nolint:errcheck // 0 stands for an error
				got = append(got, id)
			}
			var want []jobboard.JobID
			for _, it := range test.want {
				want = append(want, it.id)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("skipping %q: jobs %v, want %v", test.skip, got, want)
			}
			if want := []string{opening(1), opening(2), broken, opening(4), opening(5)}; !reflect.DeepEqual(seen, want) {
				t.Errorf("asked about %q, want %q", seen, want)
			}
		}
		if got, _, end := read(t, strings.NewReader(feed), opts); !reflect.DeepEqual(got, test.want) || end != nil {
			t.Errorf("skipping %q: %v, %v; want %v", test.skip, got, end, test.want)
		}
	}
}

// TestPostings reads what an entry says of its postings.
func TestPostings(t *testing.T) {
	posting := func(id, link string) string {
		return fmt.Sprintf("<PositionPosting><Id><IdValue>%s</IdValue></Id><Link>%s</Link></PositionPosting>", id, link)
	}
	feed := strings.Replace(opening(1), "</PositionOpening>", "<PositionPostings>"+
		posting(" 900 ", "https://jobs.example/job/1/x?l=de&amp;jobDbPVId=90")+
		posting("<![CDATA[700]]>", "../job/1/x?jobDbPVId=70")+posting("900", "<![CDATA[../job/1/x?jobDbPVId=90&l=en]]>")+
		posting("posting-8", "../job/1/x")+posting("0", "")+posting("-5", "")+posting("99999999999999999999", "")+
		"</PositionPostings><PositionProfile><HowToApply><ApplicationMethod><InternetWebAddress>?jobDbPVId=80"+
		"</InternetWebAddress></ApplicationMethod></HowToApply></PositionProfile></PositionOpening>", 1)
	_, entries, end := read(t, strings.NewReader(feed), nil)
	if len(entries) != 1 || end != nil {
		t.Fatal(entries, end)
	}
	e := entries[0]
	if want := []jobboard.JobPostingID{700, 900}; !reflect.DeepEqual(e.Postings, want) {
		t.Errorf("postings %v, want %v", e.Postings, want)
	}
	if want := []jobboard.PostingVersionID{70, 80, 90}; !reflect.DeepEqual(e.PostingVersions, want) {
		t.Errorf("versions %v, want %v", e.PostingVersions, want)
	}
	if e.JobID != 1 || len(e.Links) != 5 {
		t.Errorf("job %d, links %v", e.JobID, e.Links)
	}
}
