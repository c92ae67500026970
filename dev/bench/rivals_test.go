//go:build rivals

package bench

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/go-faster/jx"
	"github.com/mailru/easyjson"

	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/oapiclient"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/ogenclient"
	"github.com/jobboard-sdk/jobboard-go/dev/bench/internal/plain"

	// The imports of the generated code, so that go mod tidy keeps them in a checkout without this code.
	_ "github.com/go-faster/errors"
	_ "github.com/mailru/easyjson/gen" // of the program that easyjson writes in order to generate
	_ "github.com/mailru/easyjson/jlexer"
	_ "github.com/mailru/easyjson/jwriter"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/ogen-go/ogen/conv"
	_ "github.com/ogen-go/ogen/http"
	_ "github.com/ogen-go/ogen/json"
	_ "github.com/ogen-go/ogen/ogenerrors"
	_ "github.com/ogen-go/ogen/uri"
	_ "github.com/ogen-go/ogen/validate"
)

func init() {
	kinds = append(kinds, kind{oapi, openOapi}, kind{ogen, openOgen})
	pageDecoders = append(pageDecoders,
		decoder{oapi, func(document []byte) (any, error) {
			r, err := oapiclient.ParseSearchResponse((&inMemory{document}).response())
			if err != nil {
				return nil, err
			}
			return r.JSON200, nil
		}},
		into(ogen, func(b []byte, v *ogenclient.JobSearchResult) error { return decodeOgen(b, v) }),
		into("easyjson", func(b []byte, v *plain.Page) error { return easyjson.Unmarshal(b, v) }),
	)
	infoDecoders = append(infoDecoders,
		decoder{oapi, func(document []byte) (any, error) {
			r, err := oapiclient.ParseJobInformationResponse((&inMemory{document}).response())
			if err != nil {
				return nil, err
			}
			return r.JSON200, nil
		}},
		into(ogen, func(b []byte, v *ogenclient.JobInformation) error { return decodeOgen(b, v) }),
		into("easyjson", func(b []byte, v *plain.Info) error { return easyjson.Unmarshal(b, v) }),
	)
}

type ogenDecoder interface {
	Decode(d *jx.Decoder) error
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

func openOapi(address string, over http.RoundTripper) (caller, error) {
	client, err := oapiclient.NewClientWithResponses(address, oapiclient.WithHTTPClient(&http.Client{Transport: over}),
		oapiclient.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
			req.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	return caller{
		applied: func() error {
			r, err := client.HasAppliedWithResponse(context.Background(), job)
			return expected(err == nil && r.JSON200 != nil && *r.JSON200, err)
		},
		search: func() error {
			r, err := client.SearchWithResponse(context.Background(), channel, nil)
			return expected(err == nil && r.JSON200 != nil && len(r.JSON200.Results) == 1000, err)
		},
		lookup: func(ctx context.Context, job int64) error {
			r, err := client.JobInformationWithResponse(ctx, &oapiclient.JobInformationParams{Jobid: job})
			return expected(err == nil && r.JSON200 != nil && r.JSON200.JobId == job, err)
		},
	}, err
}

type ogenToken struct{}

func (ogenToken) User(context.Context, ogenclient.OperationName) (ogenclient.User, error) {
	return ogenclient.User{Token: token}, nil
}

func openOgen(address string, over http.RoundTripper) (caller, error) {
	client, err := ogenclient.NewClient(address, ogenToken{}, ogenclient.WithClient(&http.Client{Transport: over}))
	return caller{
		applied: func() error {
			applied, err := client.HasApplied(context.Background(), ogenclient.HasAppliedParams{JobDbId: job})
			return expected(applied, err)
		},
		search: func() error {
			page, err := client.Search(context.Background(), ogenclient.SearchParams{ChannelID: channel})
			return expected(err == nil && len(page.Results) == 1000, err)
		},
		lookup: func(ctx context.Context, job int64) error {
			info, err := client.JobInformation(ctx, ogenclient.JobInformationParams{Jobid: job})
			return expected(err == nil && info.JobId == job, err)
		},
	}, err
}
