package jobboardtest_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The feed holds the published jobs and their identifiers, read where the interface says
// they stand.
func TestFeed(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithDemo())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.FeedURL(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var feed struct {
		Positions []struct {
			ID    string `xml:"PositionRecordInfo>Id>IdValue"`
			Title string `xml:"PositionProfile>PositionDetail>PositionTitle"`
		} `xml:"PositionOpening"`
	}
	if err := xml.NewDecoder(resp.Body).Decode(&feed); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, p := range feed.Positions {
		ids[p.ID] = p.Title
	}
	demo := srv.Demo
	for job, want := range map[int64]bool{
		demo.OpenJob: true, demo.InactiveJob: true, demo.AppliedJob: true, demo.InternalJob: true,
		demo.DeletedJob: false, demo.UnknownJob: false, demo.UnpublishedJob: false,
	} {
		if title, ok := ids[fmt.Sprint(job)]; ok != want || ok && title == "" {
			t.Errorf("job %d is in the feed: %t with title %q, want %t", job, ok, title, want)
		}
	}
	if len(ids) < 40 || srv.Count() != 0 {
		t.Errorf("%d jobs, %d requests in the journal", len(ids), srv.Count())
	}

	post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.FeedURL(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	refused, err := srv.Client().Do(post)
	if err != nil {
		t.Fatal(err)
	}
	defer refused.Body.Close()
	if body, _ := io.ReadAll(refused.Body); refused.StatusCode != http.StatusMethodNotAllowed {
		t.Error(refused.Status, string(body))
	}
}
