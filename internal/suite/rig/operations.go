package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
)

// Job is the job that all operations ask about.
const Job = jobboard.JobID(5310482)

// Operation is one call of the client, told in confidence: its search text,
// channel, e-mail address and subscription are canaries.
type Operation struct {
	Label    string // unlike all others
	Name     string // what an Error calls it
	Column   Column
	Method   string
	Path     string // after the base address's own
	Template string
	File     string // of testdata: the good answer
	Kind     string // its content type
	Slot     Slot   // the credential that the operation needs
	Body     string // the body of the request

	// Call returns the operation's result, or nil without one. If the operation returned a result
	// beside an error, Call's error says so.
	Call func(ctx context.Context, c *jobboard.Client, a *jobboard.Applicant) (any, error)
}

// Column is a set of the interface's seven operations; the client has several methods for Search.
type Column uint

// The operations of the interface.
const (
	Search Column = 1 << iota
	HasApplied
	ApplicationID
	JobInformation
	Subscribe
	Confirm
	Unsubscribe
)

// Slot is a place for a credential.
type Slot int

// The places for credentials.
const (
	Base Slot = iota
	Applicant
	Lookup
)

// Changes reports whether the operation changes something.
func (op *Operation) Changes() bool { return op.Column >= Subscribe }

// Streamed reports whether the operation hands out postings one by one.
func (op *Operation) Streamed() bool { return op.Name == "Postings" }

var query = jobboard.Query{Text: SearchText.Secret, Near: jobboard.Near(52.5, 13.4, 50), Language: "de"}

// Operations are all calls.
var Operations = []*Operation{
	searching("Search", Base, func(ctx context.Context, c *jobboard.Client, _ *jobboard.Applicant) (any, error) {
		return Page(c.Search(ctx, jobboard.ChannelID(Channel.Secret), query))
	}),
	searching("Postings", Base, func(ctx context.Context, c *jobboard.Client, _ *jobboard.Applicant) (any, error) {
		return Collect(c.Postings(ctx, jobboard.ChannelID(Channel.Secret), query))
	}),
	searching(
		"Applicant.Search", Applicant,
		func(ctx context.Context, _ *jobboard.Client, a *jobboard.Applicant) (any, error) {
			return Page(a.Search(ctx, jobboard.ChannelID(Channel.Secret), query))
		},
	),
	searching(
		"Applicant.Postings", Applicant,
		func(ctx context.Context, _ *jobboard.Client, a *jobboard.Applicant) (any, error) {
			return Collect(a.Postings(ctx, jobboard.ChannelID(Channel.Secret), query))
		},
	),
	{
		Label: "HasApplied", Name: "HasApplied", Column: HasApplied, Slot: Applicant, Method: http.MethodGet,
		Path: "/api/rest/v3/frontend/jobs/5310482/applied", Template: "/api/rest/v3/frontend/jobs/{jobDbId}/applied",
		File: "applied_true.json", Kind: "application/json",
		Call: func(ctx context.Context, _ *jobboard.Client, a *jobboard.Applicant) (any, error) {
			return Only(a.HasApplied(ctx, Job))
		},
	},
	{
		Label: "ApplicationID", Name: "ApplicationID", Column: ApplicationID, Slot: Applicant, Method: http.MethodGet,
		Path: "/api/rest/v3/frontend/jobs/5310482/application", Template: "/api/rest/v3/frontend/jobs/{jobDbId}/application",
		File: "application_quoted.json", Kind: "text/plain",
		Call: func(ctx context.Context, _ *jobboard.Client, a *jobboard.Applicant) (any, error) {
			return Only(a.ApplicationID(ctx, Job))
		},
	},
	{
		Label: "JobInformation", Name: "JobInformation", Column: JobInformation, Slot: Lookup, Method: http.MethodGet,
		Path: "/jobdb/public/apply/external", Template: "/jobdb/public/apply/external",
		File: "jobinfo.json", Kind: "application/json",
		Call: func(ctx context.Context, c *jobboard.Client, _ *jobboard.Applicant) (any, error) {
			return Only(c.JobInformation(ctx, Job))
		},
	},
	{
		Label: "Subscribe", Name: "Subscribe", Column: Subscribe, Slot: Base, Method: http.MethodPost,
		Path: "/jobabo", Template: "/jobabo", File: "subscription_created.json", Kind: "application/json",
		Body: `{"5512":["a","` + Email.Secret + `"]}`,
		Call: func(ctx context.Context, c *jobboard.Client, _ *jobboard.Applicant) (any, error) {
			return Raw(c.Subscribe(ctx, jobboard.SubscriptionRequest{
				Query: url.Values{
					"channel": {Channel.Secret}, "types": {"rss"}, "email": {Email.Secret}, "search": {SearchText.Secret},
				},
				Body: map[string][]string{"5512": {"a", Email.Secret}},
			}))
		},
	},
	{
		Label: "ConfirmSubscription", Name: "ConfirmSubscription", Column: Confirm, Slot: Base, Method: http.MethodPut,
		Path: "/jobabo/" + Subscription.Secret, Template: "/jobabo/{aboId}", File: "subscription_confirmed.json",
		Kind: "application/json", Body: "null",
		Call: func(ctx context.Context, c *jobboard.Client, _ *jobboard.Applicant) (any, error) {
			return Raw(c.ConfirmSubscription(ctx, jobboard.SubscriptionID(Subscription.Secret), json.RawMessage("null")))
		},
	},
	{
		Label: "Unsubscribe", Name: "Unsubscribe", Column: Unsubscribe, Slot: Base, Method: http.MethodDelete,
		Path: "/jobabo/" + Subscription.Secret, Template: "/jobabo/{aboId}", File: "subscription_confirmed.json",
		Kind: "application/json",
		Call: func(ctx context.Context, c *jobboard.Client, _ *jobboard.Applicant) (any, error) {
			return Raw(c.Unsubscribe(ctx, jobboard.SubscriptionID(Subscription.Secret)))
		},
	},
}

// Op returns the operation of a label.
func Op(label string) *Operation {
	for _, op := range Operations {
		if op.Label == label {
			return op
		}
	}
	panic(label)
}

func searching(
	label string, slot Slot, call func(context.Context, *jobboard.Client, *jobboard.Applicant) (any, error),
) *Operation {
	return &Operation{
		Label: label, Name: strings.TrimPrefix(label, "Applicant."), Column: Search, Slot: slot, Method: http.MethodGet,
		Path:     "/api/rest/v2/frontend/jobboards/" + Channel.Secret + "/jobs",
		Template: "/api/rest/v2/frontend/jobboards/{channelID}/jobs",
		File:     "search.json", Kind: "application/json", Call: call,
	}
}

// Only returns a result, or an error if value comes beside err.
func Only[T comparable](value T, err error) (any, error) {
	var none T
	switch {
	case err != nil && value != none:
		return nil, fmt.Errorf("%v beside the error %w", value, err)
	case err != nil:
		return nil, err
	}
	return value, nil
}

// Raw works as Only does, and returns a nil result for nil JSON.
func Raw(raw json.RawMessage, err error) (any, error) {
	switch {
	case err != nil && raw != nil:
		return nil, fmt.Errorf("%s beside the error %w", raw, err)
	case err != nil || raw == nil:
		return nil, err
	}
	return raw, nil
}

// Page returns the postings of a page, and complains as Only does.
func Page(result *jobboard.JobSearchResult, err error) (any, error) {
	if value, err := Only(result, err); err != nil {
		return value, err
	}
	return append([]jobboard.JobPosting{}, result.Results...), nil
}

// Collect returns the first thousand postings of a stream, which it reads to its end, and
// complains as Only does.
func Collect(postings iter.Seq2[*jobboard.JobPosting, error]) (any, error) {
	all := []jobboard.JobPosting{}
	var failed error
	for p, err := range postings {
		switch {
		case failed != nil:
			return nil, fmt.Errorf("an item after the error %w", failed)
		case err != nil && p != nil:
			return nil, fmt.Errorf("a posting beside the error %w", err)
		case err != nil:
			failed = err
		case p == nil:
			return nil, errors.New("neither a posting nor an error")
		case len(all) < 1000:
			all = append(all, *p)
		}
	}
	if failed != nil {
		return nil, failed
	}
	return all, nil
}
