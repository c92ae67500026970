package control

import (
	"cmp"
	"net/http"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

type tokenOrder struct {
	Kind      string `json:"kind"`
	Client    string `json:"client_id"`
	Applicant int64  `json:"applicant_id"`
}

func (c *Control) issueToken(v tokenOrder) (any, error) {
	var token string
	switch v.Kind {
	case "client":
		if v.Applicant != 0 {
			return nil, bad("applicant_id", "a client token belongs to no applicant")
		}
		if err := c.needClient(v.Client); err != nil {
			return nil, err
		}
		token = c.srv.ClientToken(v.Client)
	case "user":
		if v.Client != "" {
			return nil, bad("client_id", "a user token is issued for applicant_id alone")
		}
		if err := c.needApplicant(v.Applicant); err != nil {
			return nil, err
		}
		token = c.srv.UserToken(v.Applicant)
	case "lookup":
		token = c.srv.LookupToken()
	case "":
		return nil, needed("kind", v.Kind)
	default:
		return nil, bad("kind", "kind is %s, and not client, user or lookup", quote(v.Kind))
	}
	return created{map[string]string{"token": token}}, nil
}

type codeOrder struct {
	Client    string `json:"client_id"`
	Applicant int64  `json:"applicant_id"`
}

func (c *Control) issueCode(v codeOrder) (any, error) {
	if err := cmp.Or(c.needClient(v.Client), c.needApplicant(v.Applicant)); err != nil {
		return nil, err
	}
	return created{map[string]string{"code": c.inside.AuthorizationCode(v.Client, v.Applicant)}}, nil
}

// needClient and needApplicant check that a record exists, because Server would
// panic without it. No call removes it meanwhile: calls that change the server
// run one at a time.
func (c *Control) needClient(id string) error {
	if id != "" && !c.inside.HasClient(id) {
		return bad("client_id", "there is no client %s", quote(id))
	}
	return needed("client_id", id)
}

func (c *Control) needApplicant(id int64) error {
	if id != 0 && !c.inside.HasApplicant(id) {
		return bad("applicant_id", "there is no applicant %d", id)
	}
	return needed("applicant_id", id)
}

type tokenValue struct {
	Token string `json:"token"`
}

func onToken(f func(string) bool) call {
	return with(func(v tokenValue) (any, error) {
		if err := needed("token", v.Token); err != nil {
			return nil, err
		}
		if !f(v.Token) {
			return nil, notFound("there is no such token")
		}
		return nil, nil //nolint:nilnil // 204
	})
}

// setVariants sets all switches: those that the body does not name go back to
// their zero values.
func (c *Control) setVariants(r *http.Request) (any, error) {
	return c.decodeVariants(r, jobboardtest.Variants{})
}

// changeVariants sets only the switches that the body names.
func (c *Control) changeVariants(r *http.Request) (any, error) {
	return c.decodeVariants(r, c.srv.Variants())
}

func (c *Control) decodeVariants(r *http.Request, v jobboardtest.Variants) (any, error) {
	v, err := patch(r, v)
	if err != nil {
		return nil, err
	}
	if err := v.Check(); err != nil {
		return nil, bad(culprit(v, jobboardtest.Variants.Check), "%s", plain(err))
	}
	c.srv.SetVariants(v)
	return v, nil
}
