package jobboard_test

import (
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

func TestLinkedJob(t *testing.T) {
	for _, test := range []struct {
		link    string
		job     jobboard.JobID
		version jobboard.PostingVersionID
	}{
		{"https://jobs.example/job/2797227/nurse-berlin?jobDbPVId=77&l=de", 2797227, 77},
		{"https://jobs.example/job/2797227/nurse", 2797227, 0},
		{"https://jobs.example/de/career/job/2797227", 2797227, 0},
		{"../job/2797227/K%C3%B6chin?l=de&jobDbPVId=77", 2797227, 77},
		{"job/2797227/", 2797227, 0},
		{"https://jobs.example/jobs/2797227/nurse-berlin", 2797227, 0},
		{"../jobs/2797227/nurse?jobDbPVId=77", 2797227, 77},
		{"https://jobs.example/jobs/7/x/job/7/", 7, 0},
		{"//jobs.example/job/2797227/x#job/5/", 2797227, 0},
		{"https://jobs.example/apply?jobDbPVId=77", 0, 77},
		{"?jobDbPVId=77", 0, 77},
		{"https://jobs.example/job/9223372036854775807/x", 9223372036854775807, 0},
		{"https://jobs.example/job/7/job/7/?jobDbPVId=7&jobDbPVId=7", 7, 7},

		// Two things at once, and what is no number.
		{"https://jobs.example/job/7/job/8/?jobDbPVId=7&jobDbPVId=8", 0, 0},
		{"https://jobs.example/job/7/job/8/job/7/", 0, 0},
		{"https://jobs.example/job/nurse-7/?jobDbPVId=x7", 0, 0},
		{"https://jobs.example/job/+7/?jobDbPVId=-7", 0, 0},
		{"https://jobs.example/job/0/?jobDbPVId=0", 0, 0},
		{"https://jobs.example/job/9223372036854775808/x", 0, 0},
		{"https://jobs.example/ajobs/7/?jobdbpvid=7", 0, 0},
		{"https://jobs.example/job/7/x/jobs/8/", 0, 0},
		{"https://jobs.example/Jobs/7/", 0, 0},
		{"https://jobs.example/job//7", 0, 0},
		{"https://job/7/", 0, 0}, // a host
		{"mailto:a@jobs.example", 0, 0},
		{"https://jobs.example/job/7/%zz", 0, 0},
		{"7", 0, 0},
		{"", 0, 0},
		{strings.Repeat("/job/", 100_000), 0, 0},
	} {
		if job, version := jobboard.JobFromLink(test.link); job != test.job || version != test.version {
			t.Errorf("%.80s: job %d, version %d; want %d, %d", test.link, job, version, test.job, test.version)
		}
		p := jobboard.JobPosting{ApplyOnlineLink: test.link}
		if job, ok := p.LinkedJob(); job != test.job || ok != (test.job != 0) {
			t.Errorf("%.80s: LinkedJob: %d, %v", test.link, job, ok)
		}
	}
}
