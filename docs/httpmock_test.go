package docs_test

import (
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/jobboard-sdk/jobboard-go"
)

func TestWithHTTPMock(t *testing.T) {
	mock := httpmock.NewMockTransport()
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: "https://board.example", ClientID: "10", HTTPClient: &http.Client{Transport: mock},
	})
	if err != nil {
		t.Fatal(err)
	}
	// A responder without a query answers every query.
	mock.RegisterResponderWithQuery(http.MethodGet, "https://board.example/api/rest/v2/frontend/jobboards/27828_extern/jobs",
		map[string]string{"search": "nurse"}, httpmock.NewStringResponder(http.StatusOK, `{"totalNumberOfJobs":0,"results":[]}`))
	if _, err := client.Search(t.Context(), "27828_extern", jobboard.Query{Text: "nurse"}); err != nil {
		t.Error(err)
	}
}
