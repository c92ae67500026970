package conformance

import (
	"errors"
	"net/http"
	"strings"
)

var subscriptionRules = []rule{
	changing("subscriptions/subscribe", "4.5, 9", "POST subscribes to a channel", subscribe),
	changing("subscriptions/confirm", "4.5, 9", "PUT confirms a subscription", onSubscription(http.MethodPut)),
	changing("subscriptions/stop", "4.5, 9", "DELETE stops a subscription", onSubscription(http.MethodDelete)),
}

func subscribe(p *probe) {
	if p.lacksSubscription() {
		return
	}
	rs, ok := p.send(p.subscriptionRequest(http.MethodPost, ""))
	if !ok {
		return
	}
	if rs.status/100 != 2 {
		p.errorf("it is answered with %s", rs)
		return
	}
	if id, err := p.subscriptionID(rs.body); err == nil { // the interface does not show where the identifier stands
		p.stop(id)
	}
}

// onSubscription returns the check of a call about a subscription. The check
// subscribes first.
func onSubscription(method string) func(*probe) {
	return func(p *probe) {
		if p.lacksSubscription() {
			return
		}
		made, err := p.try(p.subscriptionRequest(http.MethodPost, ""))
		if err != nil || made.status/100 != 2 {
			p.unless("subscriptions/subscribe")
			return
		}
		id, err := p.subscriptionID(made.body)
		if err != nil {
			p.skip("the aboId cannot be found in the answer: %v", err)
			return
		}
		if rs, ok := p.send(p.subscriptionRequest(method, id)); ok && rs.status/100 != 2 {
			p.errorf("it is answered with %s", rs)
		}
		if method != http.MethodDelete {
			p.stop(id)
		}
	}
}

// stop ends a subscription, so that a check leaves none behind.
func (p *probe) stop(id string) { _, _ = p.try(p.subscriptionRequest(http.MethodDelete, id)) }

func (p *probe) lacksSubscription() bool {
	nothing := len(p.Subscription.Query) == 0 && p.Subscription.Body == ""
	return p.lacks("BaseURL") || p.without(nothing, "Subscription")
}

func (p *probe) subscriptionRequest(method, id string) request {
	path := p.Subscription.Path
	if path == "" {
		path = "/jobabo"
	}
	rq := request{method: method, url: p.BaseURL + "/" + strings.Trim(path, "/"), line: method + " {base_url}/jobabo"}
	switch method {
	case http.MethodPost:
		if query := p.Subscription.Query.Encode(); query != "" {
			rq.url += "?" + query
		}
		rq.body = p.Subscription.Body
	case http.MethodPut:
		rq.body = p.Subscription.ConfirmBody
	}
	if id != "" {
		rq.url += "/" + escape(id)
		rq.line += "/{aboId}"
	}
	rq.json = rq.body != ""
	if p.plain != nil {
		rq.auth = p.plain.auth
	} else if creds := p.searchCredentials(); len(creds) > 0 {
		rq.auth = creds[0]
	}
	return rq
}

func (p *probe) subscriptionID(answer []byte) (string, error) {
	find := p.Subscription.ID
	if find == nil {
		find = p.memberID
	}
	id, err := find(answer)
	if err == nil && id == "" {
		err = errors.New("it is empty")
	}
	return id, err
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
	return "", errors.New("the member is missing, or is no text")
}
