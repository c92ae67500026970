package conformance

import (
	"errors"
	"net/http"
	"strings"
)

var subscriptionRules = []rule{
	changing("subscriptions/subscribe", "4.5, 9", "POST subscribes to a channel", func(p *probe) {
		if id := p.subscribe(true); id != "" {
			_, _ = p.try(p.subscriptionRequest(http.MethodDelete, id)) // leaves nothing behind
		}
	}),
	changing("subscriptions/confirm", "4.5, 9", "PUT confirms a subscription", func(p *probe) {
		p.onSubscription(http.MethodPut)
	}),
	changing("subscriptions/stop", "4.5, 9", "DELETE stops a subscription", func(p *probe) {
		p.onSubscription(http.MethodDelete)
	}),
}

func (p *probe) subscriptionRequest(method, id string) request {
	path := p.Subscription.Path
	if path == "" {
		path = "/jobabo"
	}
	rq := request{method: method, url: p.BaseURL + "/" + strings.Trim(path, "/")}
	switch method {
	case http.MethodPost:
		if len(p.Subscription.Query) > 0 {
			rq.url += "?" + p.Subscription.Query.Encode()
		}
		rq.body = p.Subscription.Body
	case http.MethodPut:
		rq.body = p.Subscription.ConfirmBody
	}
	if id != "" {
		rq.url += "/" + escape(id)
	}
	rq.json = rq.body != ""
	if p.plain != nil {
		rq.auth = p.plain.auth
	} else if creds := p.searchCredentials(); len(creds) > 0 {
		rq.auth = creds[0]
	}
	return rq
}

// subscribe makes a subscription and returns its identifier, or "" where there is
// none. A rule that does not own the POST is skipped then.
func (p *probe) subscribe(own bool) string {
	if p.lacks(p.BaseURL == "", "BaseURL") || p.lacks(len(p.Subscription.Query) == 0 && p.Subscription.Body == "", "Subscription") {
		return ""
	}
	rs, err := p.try(p.subscriptionRequest(http.MethodPost, ""))
	switch {
	case own && err != nil:
		p.errorf("%s", err)
		return ""
	case own && rs.status/100 != 2:
		p.errorf("it is answered with %s", rs)
		return ""
	case err != nil || rs.status/100 != 2:
		p.unless("subscriptions/subscribe")
		return ""
	}
	find := p.Subscription.ID
	if find == nil {
		find = p.memberID
	}
	id, err := find(rs.body)
	if err == nil && id == "" {
		err = errors.New("it is empty")
	}
	if err == nil {
		return id
	}
	if !own { // where the identifier is, the interface does not show
		p.skip("the aboId cannot be found in the answer: %v", err)
	}
	return ""
}

func (p *probe) memberID(answer []byte) (string, error) {
	v, err := parse(answer)
	if err != nil {
		return "", err
	}
	o, _ := v.(object)
	switch m := o[p.Subscription.IDMember].(type) {
	case string:
		return m, nil
	case []any:
		if len(m) > 0 {
			if s, ok := m[0].(string); ok {
				return s, nil
			}
		}
	}
	return "", errors.New("the answer has no such member, or it is no text")
}

func (p *probe) onSubscription(method string) {
	id := p.subscribe(false)
	if id == "" {
		return
	}
	if rs, ok := p.send(p.subscriptionRequest(method, id)); ok && rs.status/100 != 2 {
		p.errorf("it is answered with %s", rs)
	}
	if method != http.MethodDelete {
		_, _ = p.try(p.subscriptionRequest(http.MethodDelete, id)) // leaves nothing behind
	}
}
