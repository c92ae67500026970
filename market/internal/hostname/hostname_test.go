package hostname_test

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go/market/internal/hostname"
)

func TestASCII(t *testing.T) {
	for host, want := range map[string]string{
		"jobs.bücher.example":       "jobs.xn--bcher-kva.example",
		"Jobs.BÜCHER.example:8443":  "jobs.xn--bcher-kva.example:8443",
		"jobs.bu\u0308cher.example": "jobs.xn--bcher-kva.example", // the accent by itself
		"jobs.straße.example":       "jobs.xn--strae-oqa.example", // as browsers do, and not strasse
		"my_jobs.bücher.example":    "my_jobs.xn--bcher-kva.example",
		"r3---a.bücher.example":     "r3---a.xn--bcher-kva.example",
		"jobs。bücher。example":       "jobs.xn--bcher-kva.example", // full stops of another writing
		"Jobs.Example:8443":         "Jobs.Example:8443",
		"xn--bcher-kva.example":     "xn--bcher-kva.example",
		"[2001:DB8::1]:443":         "[2001:DB8::1]:443",
		"a_b.example":               "a_b.example",
		"":                          "",
		"jobs.b\xfccher.example":    "jobs.b\xfccher.example", // not UTF-8
		"bü cher.example":           "bü cher.example",
		"jobs.bücher.example:80:80": "jobs.bücher.example:80:80",
	} {
		if got := hostname.ASCII(host); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}
