package jobboard

import (
	"fmt"
	"strconv"
)

// Identifiers, one type each, so that one cannot stand where another belongs.
type (
	// ChannelID names a channel of postings, such as "27828_extern" (4.1).
	ChannelID string
	// ApplicationID names an application (2.4). Its form is the service's.
	ApplicationID string
	// SubscriptionID names a subscription, the {aboId} of section 4.5.
	SubscriptionID string
	// JobID names a job: jobDbId in the paths of sections 4.2 and 4.3, jobid
	// in 4.4, IdValue in a job feed. It is not a posting's identifier, and no
	// call of the interface turns one into the other.
	JobID int64
	// JobPostingID names a posting (2.2).
	JobPostingID int64
	// PostingVersionID names one version of a posting (2.2).
	PostingVersionID int64
)

// ParseJobID reads a job identifier as it stands in a feed, a path or a flag:
// decimal digits, at least 1. The error of anything else is ErrInvalidInput.
func ParseJobID(s string) (JobID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || s[0] == '+' {
		return 0, fmt.Errorf("jobboard: job identifier %.40q is not a positive number: %w", s, ErrInvalidInput)
	}
	return JobID(n), nil
}

// String is the identifier as it stands in a path.
func (id JobID) String() string { return strconv.FormatInt(int64(id), 10) }
