package jobboardtest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// needSubscriber accepts any good credential, and a request without a
// credential unless the variant asks for one.
func (c *call) needSubscriber() (answer, bool) {
	if c.cred.kind == credNone && !c.v.SubscriptionsNeedCredential {
		return answer{}, true
	}
	return c.needAny()
}

// subscribe answers a map from type to result: a public identifier for rss, ok
// for email, or with status 200 too, in place of the result, the text of an
// error.
func (c *call) subscribe() answer {
	if a, ok := c.needSubscriber(); !ok {
		return a
	}
	categories, err := parseCategories(c.body)
	if err != nil {
		return textAnswer(http.StatusBadRequest, "the body must be a JSON map from category to a list of values")
	}
	channel, email := c.query.Get("channel"), c.query.Get("email")
	now := c.s.stamp()
	result := map[string]string{}
	c.s.change(func(st *state) {
		_, known := st.channels[channel]
		for t := range strings.SplitSeq(c.query.Get("types"), "::") {
			if _, twice := result[t]; twice || t == "" {
				continue
			}
			switch {
			case t != "rss" && t != "email":
				result[t] = "unknown subscription type"
				continue
			case !known:
				result[t] = "unknown channel"
				continue
			case t == "email" && !strings.Contains(email, "@"):
				result[t] = "invalid email address"
				continue
			}
			sub := Subscription{
				ID: newHex(), Channel: channel, Type: t, Categories: categories, Status: Unconfirmed, Created: now,
			}
			result[t] = sub.ID
			if t == "email" {
				sub.Email = email
				result[t] = "ok"
			}
			st.subscriptions[sub.ID] = sub
		}
	})
	if !c.v.SubscriptionLists {
		return jsonAnswer(result)
	}
	lists := map[string][]string{}
	for t, said := range result {
		lists[t] = []string{said}
	}
	return jsonAnswer(lists)
}

// parseCategories reads lists of texts by their names; a single text becomes a list with
// one entry.
func parseCategories(body []byte) (map[string][]string, error) {
	if len(strings.TrimSpace(string(body))) == 0 {
		return nil, nil
	}
	var raw map[string]any
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for k, v := range raw {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				out[k] = append(out[k], plainText(x))
			}
		case nil:
			out[k] = nil
		default:
			out[k] = []string{plainText(v)}
		}
	}
	return out, nil
}

func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(marshal(v))
}

// confirm answers true however often a subscription is confirmed, and false for
// an unknown subscription or one that is gone.
func (c *call) confirm() answer { return c.setStatus(Confirmed) }

// unsubscribe answers as confirm does.
func (c *call) unsubscribe() answer { return c.setStatus(Gone) }

// setStatus changes a subscription's status, and answers whether the
// subscription exists and is not gone.
func (c *call) setStatus(to SubscriptionStatus) answer {
	if a, ok := c.needSubscriber(); !ok {
		return a
	}
	done := false
	c.s.change(func(st *state) {
		sub, ok := st.subscriptions[c.param]
		if !ok || sub.Status == Gone {
			return
		}
		sub.Status = to
		st.subscriptions[c.param] = sub
		done = true
	})
	return jsonAnswer(done)
}
