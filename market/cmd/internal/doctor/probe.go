package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// probe is one plain request of doctor, without a credential, and the parts of
// the answer that may be shown.
type probe struct {
	What     string `json:"what"`
	Status   int    `json:"status,omitempty"`
	Type     string `json:"contentType,omitempty"`
	Server   string `json:"server,omitempty"`
	Via      string `json:"via,omitempty"`
	Date     string `json:"date,omitempty"`
	Location string `json:"location,omitempty"` // without its query
	TLS      string `json:"tls,omitempty"`
	Took     string `json:"took,omitempty"`
	Failure  string `json:"failure,omitempty"`

	err      error
	started  time.Time
	answered time.Time
	body     string // beginning of the body
	cert     *x509.Certificate
	redirect *url.URL
}

// ask sends a GET without a credential, and does not follow redirects.
func (d *examination) ask(what, address string) *probe {
	p := probe{What: what}
	if p.err = d.exchange(&p, address); p.err != nil {
		p.Failure, _ = networkFailure(p.err)
	}
	d.probes = append(d.probes, p)
	return &p
}

func (d *examination) exchange(p *probe, address string) error {
	next, err := d.board.Transport()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(d.ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "jobboard")
	req.Header.Set("Accept", "application/json, text/plain;q=0.9, */*;q=0.8")
	p.started = d.console.Now()
	resp, err := next.RoundTrip(req)
	if err == nil {
		p.answered = d.console.Now()
		p.read(req, resp)
	}
	p.Took = d.console.Now().Sub(p.started).Round(time.Millisecond).String()
	return err
}

func (p *probe) read(req *http.Request, resp *http.Response) {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // a partial body is enough
	p.body = strings.TrimSpace(string(body))
	p.Status = resp.StatusCode
	p.Type = short(resp.Header.Get("Content-Type"))
	p.Server = short(resp.Header.Get("Server"))
	p.Via = short(resp.Header.Get("Via"))
	p.Date = short(resp.Header.Get("Date"))
	if s := resp.TLS; s != nil {
		p.TLS = tls.VersionName(s.Version)
		if len(s.PeerCertificates) > 0 {
			p.cert = s.PeerCertificates[0]
		}
	}
	if p.isRedirect() {
		if u, err := req.URL.Parse(resp.Header.Get("Location")); err == nil && resp.Header.Get("Location") != "" {
			p.redirect = u
			p.Location = maskedAddress(u.String())
		}
	}
}

func short(s string) string {
	s = term.Printable(s)
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

func (p *probe) isRedirect() bool { return p.Status >= 300 && p.Status <= 399 }

func (p *probe) isHTML() bool {
	start := strings.ToLower(p.body[:min(len(p.body), 512)])
	return strings.Contains(p.Type, "html") || strings.HasPrefix(start, "<!doctype html") ||
		strings.HasPrefix(start, "<html")
}

// skew returns how far the service's clock is ahead of ours, to about a second.
func (p *probe) skew() (time.Duration, bool) {
	at, err := http.ParseTime(p.Date)
	if err != nil {
		return 0, false
	}
	middle := p.started.Add(p.answered.Sub(p.started) / 2)
	return at.Add(500 * time.Millisecond).Sub(middle), true // Date is cut to the second
}

// networkFailure returns the reason in words why a request got no answer, and
// the next step.
func networkFailure(err error) (what, next string) {
	if what, next = tlsFailure(err); what != "" {
		return what, next
	}
	var (
		dns     *net.DNSError
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the host's name is not known", "check the address for a misspelt host, and whether it needs a VPN"
	case errors.As(err, &dns):
		return "the host's name could not be looked up", "check the network and its name servers"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: the connection was refused", "check host and port of the address, and whether the service is up"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time", "check whether a firewall or a proxy is in between (HTTPS_PROXY)"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without an answer", "check whether a firewall or a proxy is in between, and whether the port is right"
	}
	return "no answer: the connection failed", "check the address and the network; --debug shows the attempts"
}

// tlsFailure is networkFailure for TLS errors. It returns "" for all other
// errors.
func tlsFailure(err error) (what, next string) {
	if err == nil {
		return "", ""
	}
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &authority):
		return "the certificate is signed by an authority that this machine does not know",
			"if the service or a proxy of your company has an authority of its own, save its certificate and name it with --ca-file (JOBBOARD_CA_FILE)"
	case errors.As(err, &host):
		return "the certificate names another host than the address",
			"use the name that the certificate is for, or ask the service's operator for the right address"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate is expired, or not valid yet", "check this machine's clock; if it is right, the service's operator must renew the certificate"
	case errors.As(err, &invalid):
		return "the certificate cannot be used: " + short(invalid.Error()), "ask the service's operator"
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the address is https and what answers there does not speak TLS", "check the port; on this machine alone, http may be meant"
	case errors.As(err, &alert):
		return "the TLS handshake was refused: " + alert.Error(), "something in between may break TLS, or the service wants a certificate of yours"
	}
	return "", ""
}

// tlsText describes a verified connection.
func (p *probe) tlsText(now time.Time) (v Verdict, detail, next string) {
	if p.cert == nil {
		return OK, p.TLS, ""
	}
	left := p.cert.NotAfter.Sub(now)
	detail = fmt.Sprintf("%s, certificate valid until %s", p.TLS, p.cert.NotAfter.UTC().Format("2006-01-02"))
	if left < 14*24*time.Hour {
		return Warn, detail, "tell the service's operator that the certificate must be renewed soon"
	}
	return OK, detail, ""
}
