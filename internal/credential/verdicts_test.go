package credential

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// What the service said about the tokens of a source, in any order of answers, decides whether a
// call repeats its request with a new one.
//
//nolint:errcheck // the steps are this test's own
func TestWithheld(t *testing.T) {
	type held struct{ byItself, byOrigin bool } // withheld, without and with another source refused
	for name, c := range map[string]struct {
		// happens: "r2" is a call that gets token 2 in place of token 1, "2:401" an answer to token 2.
		happens []string
		want    held
	}{
		"nothing is known":                        {[]string{"r2"}, held{false, true}},
		"the first token was accepted":            {[]string{"1:200", "1:401", "r2"}, held{}},
		"the first was refused":                   {[]string{"1:401", "r2"}, held{false, true}},
		"the renewed one is refused":              {[]string{"1:200", "1:401", "r2", "2:401"}, held{true, true}},
		"404 accepts":                             {[]string{"1:404", "r2"}, held{}},
		"429, 503 and 302 say nothing":            {[]string{"1:429", "1:503", "1:302", "r2"}, held{false, true}},
		"nor do they end a refusal":               {[]string{"1:401", "r2", "2:401", "2:429", "2:500", "2:307"}, held{true, true}},
		"the one after it is not known yet":       {[]string{"1:401", "r2", "2:401", "r3"}, held{true, true}},
		"the one after it is accepted":            {[]string{"1:401", "r2", "2:401", "r3", "3:200"}, held{}},
		"an accepted one ends":                    {[]string{"1:401", "r2", "2:200", "2:401"}, held{}},
		"it ends, and the next is refused":        {[]string{"1:401", "r2", "2:200", "2:401", "r3", "3:401"}, held{true, true}},
		"a late answer accepts an older one":      {[]string{"1:401", "r2", "2:401", "1:200"}, held{}},
		"a late answer refuses an older one":      {[]string{"1:401", "r2", "r3", "3:200", "2:401"}, held{}},
		"a refusal after a late acceptance":       {[]string{"1:401", "r2", "1:200", "2:401"}, held{true, true}},
		"one that replaced none says nothing":     {[]string{"f2", "2:401"}, held{false, true}},
		"given for a rejected one after it came":  {[]string{"f2", "r2", "2:401"}, held{true, true}},
		"given for a rejected one once accepted":  {[]string{"f2", "2:200", "r2", "2:401"}, held{}},
		"the same token comes again, and is good": {[]string{"1:401", "s1", "1:200"}, held{}},
		"the same token comes again":              {[]string{"1:401", "s1", "1:401"}, held{false, true}},
	} {
		bubble(t, name, func(t *testing.T) {
			secret := ""
			k := NewCache(func(context.Context) (*oauth2.Token, error) { return &oauth2.Token{AccessToken: secret}, nil })
			cred := k.Credential()
			tokens := map[int]*Authorization{}
			get := func(number int, rejected string) {
				secret = fmt.Sprint(number)
				auth, err := cred.Header(contextWaiter{t.Context()})
				if rejected != "" {
					auth, err = cred.Renew(contextWaiter{t.Context()}, rejected)
				}
				if err != nil {
					t.Fatal(err)
				}
				tokens[number] = auth
				time.Sleep(fetchPause) // another may be fetched
			}
			get(1, "")
			last := tokens[1]
			for _, step := range c.happens {
				var token, status int
				switch step[0] {
				case 'r': // given in place of the one before
					fmt.Sscanf(step, "r%d", &token)
					get(token, fmt.Sprint(token-1))
					last = tokens[token]
				case 's': // given in place of itself
					fmt.Sscanf(step, "s%d", &token)
					get(token, fmt.Sprint(token))
					last = tokens[token]
				case 'f': // fetched because the one before has ended by the clock
					fmt.Sscanf(step, "f%d", &token)
					k.cached = nil
					get(token, "")
				default:
					fmt.Sscanf(step, "%d:%d", &token, &status)
					tokens[token].Answered(status)
				}
			}
			if got := (held{last.Withheld(false), last.Withheld(true)}); got != c.want {
				t.Errorf("withheld: %+v, want %+v", got, c.want)
			}
		})
	}
	if got := Basic("10"); got.Renew != nil {
		t.Error("Basic can be renewed")
	}
	fixed, err := Bearer(&oauth2.Token{AccessToken: "fixed"}).Header(contextWaiter{t.Context()})
	if err != nil || fixed.Answered(200) != NoVerdict || fixed.Answered(401) != NoVerdict {
		t.Error("a fixed token has a verdict")
	}
}
