package jobboardtest_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func TestSubscriptions(t *testing.T) {
	for _, root := range []string{"/jobabo", "/api/rest/v2/frontend/jobabo"} {
		srv := jobboardtest.New(t)
		srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
		srv.AddClient(jobboardtest.ClientApp{ID: "10"})
		base := srv.BaseURL + root

		res, body := do(t, srv, "POST", base+"?channel=27828_extern&types=rss::email&email=a%40b.example", "10:", string(typed(t, "subscription_request.json")))
		got := decode(t, body).(map[string]any)
		want := decode(t, typed(t, "subscription_created.json")).(map[string]any)
		if res.StatusCode != 200 || got["email"] != want["email"] || len(got) != len(want) {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
		id, _ := got["rss"].(string)

		subs := srv.Snapshot().Subscriptions
		if len(subs) != 2 {
			t.Fatalf("%d subscriptions", len(subs))
		}
		for _, s := range subs {
			if s.Status != jobboardtest.Unconfirmed || s.Channel != "27828_extern" || (s.Type == "rss") != (s.ID == id) || (s.Type == "email") != (s.Email == "a@b.example") {
				t.Errorf("%+v", s)
			}
			if want := map[string][]string{"5512": {"5512-a", "5512-b"}, "2901": {"Berlin"}}; !reflect.DeepEqual(s.Categories, want) {
				t.Errorf("categories %v", s.Categories)
			}
		}
		status := func() jobboardtest.SubscriptionStatus {
			for _, s := range srv.Snapshot().Subscriptions {
				if s.ID == id {
					return s.Status
				}
			}
			return "lost"
		}
		for _, step := range []struct {
			method, path, body, file string
			after                    jobboardtest.SubscriptionStatus
		}{
			{"PUT", "/nobody", "null", "subscription_unknown.json", jobboardtest.Unconfirmed},
			{"PUT", "/" + id, "null", "subscription_confirmed.json", jobboardtest.Confirmed},
			{"PUT", "/" + id, "", "subscription_confirmed.json", jobboardtest.Confirmed},
			{"DELETE", "/nobody", "", "subscription_unknown.json", jobboardtest.Confirmed},
			{"DELETE", "/" + id, "", "subscription_confirmed.json", jobboardtest.Gone},
			{"DELETE", "/" + id, "", "subscription_unknown.json", jobboardtest.Gone},
			{"PUT", "/" + id, "", "subscription_unknown.json", jobboardtest.Gone},
		} {
			res, body := do(t, srv, step.method, base+step.path, "", step.body)
			if res.StatusCode != 200 || string(body) != string(typed(t, step.file)) || status() != step.after {
				t.Errorf("%s %s: %d %s, then %s", step.method, step.path, res.StatusCode, body, status())
			}
		}

		// What failed says so in the same place.
		for query, want := range map[string]string{
			"?channel=27828_extern&types=email":           `{"email":"invalid email address"}`,
			"?channel=no&types=rss":                       `{"rss":"unknown channel"}`,
			"?channel=27828_extern&types=fax":             `{"fax":"unknown subscription type"}`,
			"?channel=27828_extern":                       `{}`,
			"?channel=27828_extern&types=fax::fax::email": `{"email":"invalid email address","fax":"unknown subscription type"}`,
			"?channel=27828_extern&types=::fax":           `{"fax":"unknown subscription type"}`,
		} {
			if res, body := do(t, srv, "POST", base+query, "", ""); res.StatusCode != 200 || string(body) != want {
				t.Errorf("%s: %d %s", query, res.StatusCode, body)
			}
		}
		before := len(srv.Snapshot().Subscriptions)
		do(t, srv, "POST", base+"?channel=27828_extern&types=rss::rss::rss", "10:", `{"5512":"one","2901":[7],"2902":null}`)
		subs = srv.Snapshot().Subscriptions
		if n := len(subs) - before; n != 1 {
			t.Errorf("a type that is named three times makes %d subscriptions", n)
		}
		categories := map[string][]string{"5512": {"one"}, "2901": {"7"}, "2902": nil}
		if !slices.ContainsFunc(subs, func(s jobboardtest.Subscription) bool { return reflect.DeepEqual(s.Categories, categories) }) {
			t.Errorf("no subscription has the categories %v: %+v", categories, subs)
		}
		if res, _ := do(t, srv, "POST", base, "nobody-issued-this", ""); res.StatusCode != 401 {
			t.Errorf("a bad token: %d", res.StatusCode)
		}
		srv.SetVariants(jobboardtest.Variants{SubscriptionsNeedCredential: true})
		for _, method := range []string{"PUT", "DELETE"} {
			if res, _ := do(t, srv, method, base+"/x", "", ""); res.StatusCode != 401 {
				t.Errorf("%s without a credential: %d", method, res.StatusCode)
			}
		}
		if res, _ := do(t, srv, "POST", base, "", "[]"); res.StatusCode != 401 {
			t.Errorf("POST without a credential: %d", res.StatusCode)
		}
		if res, _ := do(t, srv, "POST", base, "10:", "[]"); res.StatusCode != 400 {
			t.Errorf("a list for a map: %d", res.StatusCode)
		}
	}
}

// The other forms of the answer, held against those typed by hand: lists, and an
// error's text in the place of a result.
func TestSubscriptionForms(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddChannel(jobboardtest.Channel{ID: "27828_extern"})
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	for _, c := range []struct {
		lists       bool
		email, file string
	}{
		{false, "a%40b.example", "subscription_created.json"},
		{true, "a%40b.example", "subscription_created_lists.json"},
		{false, "nobody", "subscription_partly_failed.json"},
	} {
		srv.SetVariants(jobboardtest.Variants{SubscriptionLists: c.lists})
		res, body := do(t, srv, "POST", srv.BaseURL+"/jobabo?channel=27828_extern&types=rss::email&email="+c.email, "10:", "{}")
		got, want := decode(t, body).(map[string]any), decode(t, typed(t, c.file)).(map[string]any)
		// The identifier is new each time; its form is not.
		if id, ok := got["rss"].([]any); ok && len(id) == 1 {
			got["rss"] = []any{"new"}
		} else if _, ok := got["rss"].(string); ok {
			got["rss"] = "new"
		}
		if _, ok := want["rss"].([]any); ok {
			want["rss"] = []any{"new"}
		} else {
			want["rss"] = "new"
		}
		if res.StatusCode != 200 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d %s", c.file, res.StatusCode, body)
		}
	}
}

// A snapshot begins with the oldest subscription; subscriptions of the same time come in the
// order of their identifiers.
func TestSubscriptionsByAge(t *testing.T) {
	var given jobboardtest.State
	var want []string
	for i := range 40 {
		id := fmt.Sprintf("%02d", i)
		want = append(want, id)
		given.Subscriptions = append(given.Subscriptions, jobboardtest.Subscription{
			ID: id, Channel: "c", Type: "rss", Status: jobboardtest.Confirmed, Created: time.Unix(int64(i/2), 0).UTC(),
		})
	}
	srv := jobboardtest.New(t)
	if err := srv.Restore(given); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range srv.Snapshot().Subscriptions {
		got = append(got, s.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the subscriptions are %v", got)
	}
}
