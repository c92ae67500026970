package jobboard

import "github.com/jobboard-sdk/jobboard-go/internal/redact"

// HideSecrets returns text with [hidden] in place of each secret, as the errors of this package do.
// It finds a secret unencoded, in hexadecimal, in base64 at any offset, and quoted for a URL, JSON,
// Go or HTML, whether some or all of its characters are quoted, once or several times. If text ends
// inside a secret, and has six characters of it or more, these are hidden too. A secret of one or
// two characters is hidden only after the name of an authentication scheme, as in "Bearer x":
// elsewhere it would ruin every text. Empty secrets are ignored. The time is linear in the length
// of text.
//
// Use it before printing a text that the program did not write itself, such as the answer of a
// token endpoint or the output of another program.
func HideSecrets(text string, secrets ...string) string { return redact.Hide(text, secrets) }
