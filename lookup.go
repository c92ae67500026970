package jobboard

import (
	"context"
	"strconv"
)

// JobInformation gives what is needed before an application to the job is
// started (4.4): whether applying is possible, the prescreening questions, the
// privacy statement's address, the language, and the nationalities in it. It
// sends no credential, unless Config.JobDBTokenSource gives one.
//
// Errors: ErrJobInactive, ErrJobUnavailable, ErrPostingUnavailable, however
// the service delivers their codes, and those of every call.
func (c *Client) JobInformation(ctx context.Context, job JobID) (*JobInformation, error) {
	if job < 1 {
		return nil, c.lookup.refuse(ctx, opJobInformation, invalid("job identifier %d is not positive", int64(job)))
	}
	req := request{path: lookupPath, query: "jobid=" + strconv.FormatInt(int64(job), 10), header: &c.config.headers.plain}
	var info *JobInformation
	err := c.lookup.do(ctx, opJobInformation, req, func(a *answer) error {
		body, err := a.bytes()
		if err != nil {
			return err
		}
		if info, err = decodeJobInformation(body, c.config.catalogues); err == nil {
			if info.JobID != job {
				return errUndecodable("the answer is about another job")
			}
			return nil
		}
		// Not a job information: it may still be one of the codes of 7.3,
		// which come with any status.
		w := readWords(opJobInformation, a.status, a.header, body[:min(len(body), maxErrorBody)])
		if condition := classify(opJobInformation, a.status, w); condition != nil {
			return &toldCondition{condition, w}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}
