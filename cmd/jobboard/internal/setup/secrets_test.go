package setup

import "testing"

// A short token is hidden where it stands alone, and does not ruin other words.
func TestShortSecrets(t *testing.T) {
	var s Secrets
	s.addSet("tok")
	s.addSet("longer-secret")
	for text, want := range map[string]string{
		"set a token, or stoke the fire":       "set a token, or stoke the fire",
		"tok":                                  "[hidden]",
		"Bearer tok.":                          "Bearer [hidden].",
		`you said "tok"`:                       `you said "[hidden]"`,
		`{"said":"\\ntok\\n"}`:                 `{"said":"\\n[hidden]\\n"}`,
		"a%20tok%20b \\u0022tok\\u0022":        "a%20[hidden]%20b \\u0022[hidden]\\u0022",
		"Authorization: Basic dG9rOg==":        "Authorization: [hidden]",
		"token longer-secret and longersecret": "token [hidden] and longersecret",
	} {
		if got := s.Mask(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
