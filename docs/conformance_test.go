package docs_test

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest/conformance"
)

func TestMock(t *testing.T) {
	mock := jobboardtest.New(t, jobboardtest.WithStrict(false), jobboardtest.WithDemo()) // or yours
	conformance.Run(t, conformance.Target{
		BaseURL: mock.BaseURL, JobDBURL: mock.JobDBURL,
		Channel: mock.Demo.Channel, ClientID: mock.Demo.ClientID,
		ApplicantToken: mock.Demo.ApplicantToken,
		OpenJob:        mock.Demo.OpenJob, AppliedJob: mock.Demo.AppliedJob,
	})
}
