package jobboard

import (
	"net/url"
	"strconv"
	"strings"
)

// LinkedJob returns what the address of an ad says of itself: the job of a path
// that goes .../job/{job id}/..., and the posting's version of a query with
// jobDbPVId={posting version id}. Either is 0 where the address does not say it,
// or says two different things. Relative addresses are read, too; the host is
// not looked at.
//
// The interface does not promise these forms, so what they say is evidence and
// no proof. The job information lookup (4.4) confirms it: its title is the
// posting's.
func LinkedJob(link string) (JobID, PostingVersionID) {
	if !strings.Contains(link, "job/") && !strings.Contains(link, "jobDbPVId=") {
		return 0, 0 // as most links are, and parsing them is slow
	}
	u, err := url.Parse(link)
	if err != nil {
		return 0, 0
	}
	var job, version onlyNumber
	segments := strings.Split(u.Path, "/")
	for i, segment := range segments[1:] {
		if segments[i] == "job" {
			job.add(segment)
		}
	}
	for _, value := range u.Query()["jobDbPVId"] {
		version.add(value)
	}
	return JobID(job.value()), PostingVersionID(version.value())
}

// JobInLink returns the job in the path of the posting's own ApplyOnlineLink,
// by the rules of [LinkedJob]; false: there is none.
func (p *JobPosting) JobInLink() (JobID, bool) {
	job, _ := LinkedJob(p.ApplyOnlineLink)
	return job, job != 0
}

// onlyNumber is the one positive number among texts.
type onlyNumber struct {
	n           int64
	contradicts bool
}

// add takes a text that consists of digits; others are no numbers.
func (o *onlyNumber) add(s string) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || s[0] == '+' {
		return
	}
	o.contradicts = o.contradicts || o.n != 0 && o.n != n
	o.n = n
}

func (o *onlyNumber) value() int64 {
	if o.contradicts {
		return 0
	}
	return o.n
}
