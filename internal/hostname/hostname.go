// Package hostname writes the names of hosts as they stand in requests.
package hostname

import (
	"net"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ASCII returns a host, with or without a port, as browsers and other programs send it: the
// name jobs.bücher.example as jobs.xn--bcher-kva.example. A host of ASCII characters alone,
// and what no name can be made of, is returned as it is.
func ASCII(host string) string {
	ascii := !strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf })
	if ascii || !utf8.ValidString(host) {
		return host
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	sent, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return host
	}
	if port == "" {
		return sent
	}
	return net.JoinHostPort(sent, port)
}
