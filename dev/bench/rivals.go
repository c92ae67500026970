//go:build rivals

package main

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/go-faster/jx"
	"github.com/mailru/easyjson"

	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/easyclient"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/oapiclient"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/ogenclient"
)

// absent is empty: all contenders take part.
var absent []string

func newOapi(address string, transport http.RoundTripper) (*oapiclient.ClientWithResponses, error) {
	return oapiclient.NewClientWithResponses(address, oapiclient.WithHTTPClient(&http.Client{Transport: transport}),
		oapiclient.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
			req.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
}

type ogenToken struct{}

func (ogenToken) User(context.Context, ogenclient.OperationName) (ogenclient.User, error) {
	return ogenclient.User{Token: token}, nil
}

func newOgen(address string, transport http.RoundTripper) (*ogenclient.Client, error) {
	return ogenclient.NewClient(address, ogenToken{}, ogenclient.WithClient(&http.Client{Transport: transport}))
}

// newRivals makes both generated clients, each over a transport of its own.
func newRivals(address string, transport func() http.RoundTripper) (*oapiclient.ClientWithResponses, *ogenclient.Client, error) {
	oapiClient, err := newOapi(address, transport())
	if err != nil {
		return nil, nil, err
	}
	ogenClient, err := newOgen(address, transport())
	return oapiClient, ogenClient, err
}

type ogenDecoder interface {
	Decode(*jx.Decoder) error
	Validate() error
}

// decodeOgen decodes a body as ogen's client does once it has read it.
func decodeOgen(body []byte, v ogenDecoder) error {
	d := jx.DecodeBytes(body)
	if err := v.Decode(d); err != nil {
		return err
	}
	if err := d.Skip(); err != io.EOF {
		return errors.New("unexpected trailing data")
	}
	return v.Validate()
}

// rivalPages decodes a page in memory.
func rivalPages(page []byte) []contender {
	transport := &inMemory{page}
	return []contender{
		{name: oapi, run: func() (any, error) {
			r, err := oapiclient.ParseSearchResponse(transport.response()) //nolint:bodyclose // it closes the body
			if err != nil {
				return nil, err
			}
			return r.JSON200, nil
		}},
		whole(ogen, page, func(b []byte, v *ogenclient.JobSearchResult) error { return decodeOgen(b, v) }),
		whole(easy, page, func(b []byte, v *easyclient.Page) error { return easyjson.Unmarshal(b, v) }),
	}
}

// rivalInfos decodes a job information in memory.
func rivalInfos(info []byte) []contender {
	transport := &inMemory{info}
	return []contender{
		{name: oapi, run: func() (any, error) {
			r, err := oapiclient.ParseJobInformationResponse(transport.response()) //nolint:bodyclose // it closes the body
			if err != nil {
				return nil, err
			}
			return r.JSON200, nil
		}},
		whole(ogen, info, func(b []byte, v *ogenclient.JobInformation) error { return decodeOgen(b, v) }),
		whole(easy, info, func(b []byte, v *easyclient.Info) error { return easyjson.Unmarshal(b, v) }),
	}
}

// rivalCalls asks once whether the applicant has applied.
func rivalCalls(address string, transport func() http.RoundTripper) ([]contender, error) {
	ctx := context.Background()
	oapiClient, ogenClient, err := newRivals(address, transport)
	if err != nil {
		return nil, err
	}
	return []contender{
		{name: oapi, run: func() (any, error) {
			r, err := oapiClient.HasAppliedWithResponse(ctx, job)
			if err != nil {
				return nil, err
			}
			if r.JSON200 == nil {
				return nil, errInvalid
			}
			return *r.JSON200, nil
		}},
		{name: ogen, run: func() (any, error) {
			return ogenClient.HasApplied(ctx, ogenclient.HasAppliedParams{JobDbId: job})
		}},
	}, nil
}

// rivalSearches searches a channel over loopback.
func rivalSearches(address, channel string) ([]contender, error) {
	ctx := context.Background()
	oapiClient, ogenClient, err := newRivals(address, func() http.RoundTripper { return tuned() })
	if err != nil {
		return nil, err
	}
	return []contender{
		{name: oapi, run: func() (any, error) {
			r, err := oapiClient.SearchWithResponse(ctx, channel, nil)
			if err != nil {
				return nil, err
			}
			return r.JSON200, nil
		}},
		{name: ogen, run: func() (any, error) { return ogenClient.Search(ctx, ogenclient.SearchParams{ChannelID: channel}) }},
	}, nil
}

// rivalCrowds looks up many jobs at once.
func rivalCrowds(address string) []crowd {
	return []crowd{
		{oapiCrowd, func() (func(int, int) error, func(), error) {
			over, done := closing(tuned())
			client, err := newOapi(address, over)
			return func(callers, n int) error {
				return ask(callers, n, func(ctx context.Context, job int64) error {
					r, err := client.JobInformationWithResponse(ctx, &oapiclient.JobInformationParams{Jobid: job})
					if err != nil {
						return err
					}
					return check(r.JSON200 != nil)
				})
			}, done, err
		}},
		{ogenCrowd, func() (func(int, int) error, func(), error) {
			over, done := closing(tuned())
			client, err := newOgen(address, over)
			return func(callers, n int) error {
				return ask(callers, n, func(ctx context.Context, job int64) error {
					_, err := client.JobInformation(ctx, ogenclient.JobInformationParams{Jobid: job})
					return err
				})
			}, done, err
		}},
	}
}

// rivalLookups looks up one job information after the other.
func rivalLookups(transport http.RoundTripper) ([]lookups, error) {
	ctx := context.Background()
	oapiClient, ogenClient, err := newRivals(memoryAddress, func() http.RoundTripper { return transport })
	if err != nil {
		return nil, err
	}
	return []lookups{
		{oapi, func(i int) (any, error) {
			r, err := oapiClient.JobInformationWithResponse(ctx, &oapiclient.JobInformationParams{Jobid: int64(i)})
			if err != nil {
				return nil, err
			}
			return r.JSON200, nil
		}},
		{ogen, func(i int) (any, error) {
			return ogenClient.JobInformation(ctx, ogenclient.JobInformationParams{Jobid: int64(i)})
		}},
	}, nil
}
