package jobboard

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"

	"github.com/jobboard-sdk/jobboard-go/internal/address"
	"github.com/jobboard-sdk/jobboard-go/internal/call"
	"github.com/jobboard-sdk/jobboard-go/internal/credential"
	"github.com/jobboard-sdk/jobboard-go/internal/transport"
)

// SubscriptionRequest holds the query and the body that Subscribe sends. The interface does not
// document the payload, so the caller chooses query and body; the zero value sends neither.
type SubscriptionRequest struct {
	Query url.Values // such as channel, types, email
	Body  any        // encoded as JSON; nil: no body
}

// Subscribe subscribes to a posting channel (4.5). It repeats the request only if the service
// certainly did not execute the first. It returns the service's JSON, nil if the answer was empty.
//
// Deprecated: the interface keeps subscriptions for existing consumers only.
func (c *Client) Subscribe(ctx context.Context, req SubscriptionRequest) (json.RawMessage, error) {
	return c.subscription(ctx, opSubscribe, "", req.Query, req.Body)
}

// ConfirmSubscription confirms a subscription (4.5). It sends body as JSON, no
// body for nil, and null for json.RawMessage("null"). It returns the service's
// JSON, nil if the answer was empty.
//
// Deprecated: the interface keeps subscriptions for existing consumers only.
func (c *Client) ConfirmSubscription(ctx context.Context, id SubscriptionID, body any) (json.RawMessage, error) {
	return c.subscription(ctx, opConfirm, id, nil, body)
}

// Unsubscribe ends a subscription (4.5). It returns the service's JSON, nil if
// the answer was empty.
//
// Deprecated: the interface keeps subscriptions for existing consumers only.
func (c *Client) Unsubscribe(ctx context.Context, id SubscriptionID) (json.RawMessage, error) {
	return c.subscription(ctx, opUnsubscribe, id, nil, nil)
}

func (c *Client) subscription(ctx context.Context, op *operation, id SubscriptionID, query url.Values, body any) (json.RawMessage, error) {
	e := c.base.made()
	req := request{Request: call.Request{Path: e.config.SubscriptionPath, Query: query.Encode()}}
	if op != opSubscribe {
		var wrong string
		req.Path, req.Raw, wrong = address.Fill(e.config.SubscriptionPath+"/{aboId}", string(id))
		if wrong != "" {
			return nil, e.refuse(ctx, op, invalid("subscription identifier %s", wrong))
		}
	}
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, e.refuse(ctx, op, invalid("the body cannot be encoded as JSON: %s", err.Error()))
		}
		req.Body, req.Kind = encoded, credential.WithBody
	}
	for _, values := range query {
		req.hide = append(req.hide, values...)
	}
	var reply json.RawMessage
	err := e.do(ctx, op, req, func(a answer) error {
		body, err := a.Bytes()
		if err != nil {
			return err
		}
		if reply, err = decodeRaw(body); err == nil && !transport.Framed(a.Response) && !showsItsEnd(reply) {
			return errUndecodable("the answer has no length, and may be cut off")
		}
		return err
	})
	return reply, err
}

// showsItsEnd reports whether a JSON value is certainly whole. A truncated number looks like a
// whole number, and a truncated answer may be empty.
func showsItsEnd(value []byte) bool {
	return len(value) > 0 && (value[len(value)-1] < '0' || value[len(value)-1] > '9')
}

// decodeRaw returns a copy of a body that holds one JSON value, and nil for an
// empty body.
func decodeRaw(body []byte) (json.RawMessage, error) {
	text := bytes.Trim(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) == 0 {
		return nil, nil
	}
	d := newDecoder(body)
	defer d.release()
	d.Skip()
	if err := d.end(); err != nil {
		return nil, err
	}
	return append(json.RawMessage(nil), text...), nil
}
