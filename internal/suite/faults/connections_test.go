package faults_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// What is lost on the way is repeated unless the call changes something: a
// POST never, PUT and DELETE until an answer has begun.
var (
	lost = every(repeated(jobboard.ErrTransport)).
		but(subscribe, cell{requests: 1, err: jobboard.ErrTransport, executed: true, stopped: once}).
		but(confirm|unsubscribe, cell{repeated: true, err: jobboard.ErrTransport, executed: true})
	late = every(repeated(jobboard.ErrTimeout)).
		but(subscribe, cell{requests: 1, err: jobboard.ErrTimeout, executed: true, stopped: once}).
		but(confirm|unsubscribe, cell{repeated: true, err: jobboard.ErrTimeout, executed: true})
	cutOff = every(repeated(jobboard.ErrTransport)).
		but(changing, cell{requests: 1, err: jobboard.ErrTransport, executed: true})
	stalled = every(repeated(jobboard.ErrTimeout)).
		but(changing, cell{requests: 1, err: jobboard.ErrTimeout, executed: true})
	garbled = every(final(jobboard.ErrTransport)).
		but(changing, cell{requests: 1, err: jobboard.ErrTransport, executed: true})
)

func connectionFaults() []fault {
	return []fault{
		{name: "name does not exist", dials: true, cells: every(final(jobboard.ErrTransport)), forms: []form{
			{
				name: "at the first look",
				dial: failing(&net.DNSError{Err: "no such host", Name: "jobs.example", IsNotFound: true}),
			},
		}},
		{
			name: "no connection could be made", dials: true, unsent: true, cells: every(repeated(jobboard.ErrTransport)),
			forms: []form{
				{name: "SERVFAIL", dial: failing(&net.DNSError{
					Err: "server misbehaving", Name: "jobs.example", IsTemporary: true,
				})},
				{name: "the name server does not answer in time", dial: failing(&net.DNSError{
					Err: "i/o timeout", Name: "jobs.example", IsTimeout: true, IsTemporary: true,
				})},
				{name: "asking took the dialer's time", dial: failing(&net.DNSError{
					Err: "i/o timeout", Name: "jobs.example", IsTimeout: true, UnwrapErr: context.DeadlineExceeded,
				})},
				{name: "no route", dial: failing(os.NewSyscallError("connect", syscall.EHOSTUNREACH))},
				{name: "network unreachable", dial: failing(os.NewSyscallError("connect", syscall.ENETUNREACH))},
				{name: "no local port", dial: failing(os.NewSyscallError("connect", syscall.EADDRNOTAVAIL))},
				{name: "no file descriptor", dial: failing(os.NewSyscallError("socket", syscall.EMFILE))},
				{name: "a proxy that refuses", dial: func(context.Context, *trial, string) (net.Conn, error) {
					return nil, &net.OpError{Op: "proxyconnect", Net: "tcp", Err: rig.ErrRefused}
				}},
				{name: "handshake reset", configure: overTLS(trustedCertificate), dial: broken((*rig.Conn).Reset)},
				{name: "handshake closed", configure: overTLS(trustedCertificate), dial: broken((*rig.Conn).Close)},
			},
		},
		{name: "connection refused", dials: true, unsent: true, cells: every(repeated(jobboard.ErrTransport)), forms: []form{
			{name: "by the host", dial: failing(rig.ErrRefused.Err)},
		}},
		{
			name: "connect black hole", dials: true, unsent: true,
			cells: every(repeated(jobboard.ErrTimeout)), forms: blackHole(),
		},
		{
			name: "a certificate nobody knows", dials: true, cells: every(final(jobboard.ErrTransport)),
			forms: untrusted(),
		},
		{
			// The alert comes after the handshake. net/http may meet it before it has given
			// the connection to the request, and then tells nothing of it.
			name: "no certificate of the client", dials: true,
			cells: at(reading, cell{atMost: 1, err: jobboard.ErrTransport}),
			forms: []form{{
				name:      "TLS 1.3",
				configure: certificateWanted,
				wanted:    wanted{says: []string{"certificate required"}},
			}},
		},
		{name: "reset before the first byte of the answer", cells: lost, forms: []form{
			{name: "reset", serve: func(x *exchange) { x.Reset() }}, {name: "end", serve: raw("")},
		}},
		{
			name: "idle connection closed under us, and we were told", cells: every(repeated(nil)).but(subscribe, requests(1)),
			forms: []form{{name: "while idle", drive: afterIdle((*rig.Net).HangUp)}},
		},
		{
			name: "idle connection closed under us, and nobody told us", dials: true,
			cells: every(repeated(nil)).
				but(subscribe, cell{requests: 1, err: jobboard.ErrTransport, orOK: true, executed: true, stopped: once}),
			forms: []form{{name: "while idle", drive: afterIdle((*rig.Net).Forget)}},
		},
		{name: "garbage where an answer belongs", cells: garbled, forms: garbage()},
		{
			name: "the service turns each first request of a connection away, HTTP/2", unsent: true,
			cells: every(repeated(jobboard.ErrTransport)), forms: []form{
				{
					name:      "GOAWAY",
					configure: limited(overHTTP2),
					dial:      turningAway,
					wanted:    wanted{after: askedForEach},
				},
			},
		},
		{name: "no headers within the attempt's time", cells: late, forms: []form{
			{name: "nothing", serve: stall("", 0)},
			{name: "half a status line", serve: stall("HTTP/1.1 20", 0)},
			{name: "half the headers", serve: stall("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", 0)},
		}},
		{name: "body stalls", transport: notRepeated, cells: stalled, forms: []form{
			{name: "before its first byte", answer: answer{status: 200}, serve: stall(ofLength(1000), 0)},
			{name: "after its first bytes", answer: answer{status: 200}, serve: stall(ofLength(1000), 10)},
		}},
		{
			name: "body comes drop by drop and never ends", transport: notRepeated, cells: stalled.postings(never),
			// a stream is not bounded in time
			forms: []form{{
				name:   "white space",
				answer: answer{status: 200},
				serve: func(x *exchange) {
					x.Drip(chunked, "1\r\n \r\n", time.Second)
				},
			}},
		},
		{
			name: "body takes longer than an attempt, and comes", transport: notRepeated, status: 200,
			cells: at(S, repeated(jobboard.ErrTimeout)).postings(requests(1)),
			forms: []form{{name: "a part a second", serve: func(x *exchange) {
				body := x.body()
				part := len(body)/20 + 1
				for ; len(body) > part; body = body[part:] {
					_, _ = io.WriteString(x, body[:part])
					_ = http.NewResponseController(x.ResponseWriter).Flush()
					select {
					case <-time.After(time.Second):
					case <-x.Request.Context().Done():
						return
					}
				}
				_, _ = io.WriteString(x, body)
			}}},
		},
		{
			name: "body stalls after a posting that was handed out", transport: notRepeated,
			cells: at(S, repeated(jobboard.ErrTimeout)).postings(final(jobboard.ErrTimeout)),
			forms: []form{{
				name:   "two postings in",
				answer: answer{status: 200},
				serve:  stall(ofLength(10_000), afterPostings),
			}},
		},
		{
			name: "body shorter than its length; reset in the middle of it", transport: notRepeated,
			cells: cutOff, forms: []form{
				{name: "short", answer: answer{status: 200}, serve: cut(ofLength(1000), 10)},
				{name: "no byte", answer: answer{status: 200}, serve: raw(ofLength(1000))},
				{name: "chunk cut off", answer: answer{status: 200}, serve: cut(chunked+"3e8\r\n", 10)},
				{
					name:   "last chunk missing",
					answer: answer{status: 200},
					only:   A | P | J | changing,
					serve:  lastChunkMissing,
				},
				{
					name:   "reset",
					answer: answer{status: 200},
					serve:  func(x *exchange) { x.Reset(ofLength(1000), x.half(10)) },
				},
				{
					name:   "gzip cut off",
					answer: answer{status: 200},
					serve: func(x *exchange) {
						x.Raw(
							"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n",
							string(rig.Zip([]byte(x.body())))[:15],
						)
					},
				},
			},
		},
		{
			name: "body is cut off after postings were handed out", transport: notRepeated,
			cells: at(S, repeated(jobboard.ErrTransport)).postings(final(jobboard.ErrTransport)),
			forms: []form{
				{name: "short", answer: answer{status: 200}, serve: cut(ofLength(10_000), afterPostings)},
				{
					name:   "reset",
					answer: answer{status: 200},
					serve:  func(x *exchange) { x.Reset(ofLength(10_000), x.half(afterPostings)) },
				},
				{name: "last chunk missing", answer: answer{status: 200}, serve: lastChunkMissing},
			},
		},
	}
}

func garbage() []form {
	return []form{
		{
			name:   "status line",
			serve:  raw("SSH-2.0-OpenSSH_9.6\r\n\r\n"),
			wanted: wanted{hides: []string{"SSH"}},
		},
		{
			name:   "status code",
			serve:  raw("HTTP/1.1 2x0 OK\r\n\r\n"),
			wanted: wanted{hides: []string{"2x0"}},
		},
		{
			name:   "no status",
			serve:  raw("HTTP/1.1 000 Nothing\r\nContent-Length: 4\r\n\r\ntrue"),
			wanted: wanted{says: []string{"status"}},
		},
		{name: "another protocol", serve: raw(switched)},
		{name: "another protocol that keeps silent", serve: stall(switched, 0)},
		{name: "binary", serve: raw(strings.Repeat("\x15\x03\x01\x00\x02\x02\x50", 100))},
		{
			name:   "broken header",
			serve:  raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
			wanted: wanted{hides: []string{"no colon"}},
		},
		{name: "control character in a header", serve: func(x *exchange) {
			x.Raw("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/", x.Request.URL.RawQuery,
				x.Request.Header.Get("Authorization"), "\x00\x1b[31m\r\n\r\n")
		}},
		{
			name: "headers over 256 KiB",
			serve: raw(
				"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 300<<10) + "\r\nContent-Length: 4\r\n\r\ntrue",
			),
			wanted: wanted{readAtMost: 300 << 10},
		},
		{
			name: "headers without end",
			serve: func(x *exchange) {
				x.Endless("HTTP/1.1 200 OK\r\n", strings.Repeat("X-More: and more\r\n", 200))
			},
			wanted: wanted{readAtMost: 300 << 10},
		},
		{
			name: "1xx without end",
			serve: func(x *exchange) {
				x.Endless("", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 50))
			},
			wanted: wanted{readAtMost: 1 << 20},
		},
	}
}

// Behind a status 101 no context ends a read: a call must not begin one.
const switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Encoding: gzip\r\n\r\n"

const chunked = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

func ofLength(n int) string { return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", n) }

func raw(text string) func(*exchange) { return func(x *exchange) { x.Raw(text) } }

// cut ends an answer in the middle of its body, stall leaves it there.
func cut(head string, n int) func(*exchange) {
	return func(x *exchange) { x.Raw(head, x.half(n)) }
}

func stall(head string, n int) func(*exchange) {
	return func(x *exchange) { x.Stall(head, x.half(n)) }
}

func lastChunkMissing(x *exchange) {
	x.Raw(chunked, fmt.Sprintf("%x\r\n%s\r\n", len(x.body()), x.body()))
}

const afterPostings = -1

// half is the beginning of the good answer: n bytes, or up to the middle of
// the third posting.
func (x *exchange) half(n int) string {
	body := x.body()
	if n == afterPostings && x.trial.op.Column == S {
		return body[:strings.Index(body, "41880217")]
	}
	if n < 0 || n > len(body)/2 {
		n = len(body) / 2
	}
	return body[:n]
}

func failing(err error) func(context.Context, *trial, string) (net.Conn, error) {
	return func(context.Context, *trial, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
}

// broken ends a connection once the first bytes of a handshake have come.
func broken(end func(*rig.Conn) error) func(context.Context, *trial, string) (net.Conn, error) {
	return func(_ context.Context, t *trial, address string) (net.Conn, error) {
		client, server := t.net.Connect(address)
		go func() {
			_, _ = server.Read(make([]byte, 5))
			_ = end(server)
		}()
		return client, nil
	}
}

// turningAway speaks HTTP/2 and answers the first request with GOAWAY.
func turningAway(_ context.Context, t *trial, address string) (net.Conn, error) {
	client, server := t.net.Connect(address)
	go func() {
		secure := tls.Server(server, t.tls)
		defer secure.Close()
		if _, err := io.ReadFull(secure, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		framer := http2.NewFramer(secure, secure)
		for err := framer.WriteSettings(); err == nil; {
			var frame http2.Frame
			if frame, err = framer.ReadFrame(); err == nil && frame.Header().Type == http2.FrameHeaders {
				if t.note(request{at: time.Now()}) > 20 {
					return // the client would go on for ever
				}
				err = framer.WriteGoAway(0, http2.ErrCodeNo, nil)
			}
		}
	}()
	return client, nil
}

// limited adds a Limiter that counts, and lets everything through.
func limited(configure func(*trial)) func(*trial) {
	return func(t *trial) {
		configure(t)
		t.cfg.Limiter = new(countingLimiter)
	}
}

type countingLimiter struct{ asked atomic.Int64 }

func (l *countingLimiter) Wait(context.Context) error {
	l.asked.Add(1)
	return nil
}

// askedForEach checks that the Limiter was asked for each request.
func askedForEach(t *trial, _ error) {
	if asked, sent := int(t.cfg.Limiter.(*countingLimiter).asked.Load()), len(t.seen()); asked != sent {
		t.problem("the Limiter was asked %d times for %d requests", asked, sent)
	}
}

func blackHole() []form {
	return []form{
		{
			name: "no answer to the first packet",
			dial: func(ctx context.Context, _ *trial, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
			},
		},
		{
			name: "the dialer's own time-out",
			dial: func(ctx context.Context, t *trial, address string) (net.Conn, error) {
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
				return failing(dialTimeout{})(ctx, t, address)
			},
		},
		{
			name: "no answer to the handshake", configure: overTLS(trustedCertificate),
			dial: func(_ context.Context, t *trial, address string) (net.Conn, error) {
				client, server := t.net.Connect(address)
				go func() {
					_, _ = io.Copy(io.Discard, server)
					_ = server.Close()
				}()
				return client, nil
			},
		},
	}
}

type dialTimeout struct{}

func (dialTimeout) Error() string   { return "i/o timeout" }
func (dialTimeout) Timeout() bool   { return true }
func (dialTimeout) Temporary() bool { return true }

// afterIdle makes a call, does something to its connection, and makes the
// call that counts.
func afterIdle(happens func(*rig.Net)) func(*trial, cell) {
	return func(t *trial, c cell) {
		if !t.connect() {
			return
		}
		if _, err := t.call(context.Background()); err != nil {
			t.problem("the first call: %v", err)
		}
		synctest.Wait()
		happens(t.net)
		synctest.Wait()
		t.requests = nil
		value, err := t.call(context.Background())
		t.verify(c, value, err)
	}
}

// Certificates. The bubble's clock stands in the year 2000.

type certificate int

const (
	trustedCertificate certificate = iota
	unknownCertificate
	expiredCertificate
	wrongHostCertificate
)

type authority struct {
	pool  *x509.CertPool
	certs map[certificate]tls.Certificate
}

var testCA = sync.OnceValue(func() authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	from, to := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test root"}, NotBefore: from, NotAfter: to,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	sign := func(template, parent *x509.Certificate) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, key)
		if err != nil {
			panic(err)
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			panic(err)
		}
		return cert
	}
	ca := authority{pool: x509.NewCertPool(), certs: map[certificate]tls.Certificate{}}
	trusted := sign(root, root)
	ca.pool.AddCert(trusted)
	for _, kind := range []certificate{trustedCertificate, unknownCertificate, expiredCertificate, wrongHostCertificate} {
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(2 + int64(kind)), NotBefore: from, NotAfter: to, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{
				x509.ExtKeyUsageServerAuth,
			}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"jobs.example"},
		}
		parent := trusted
		switch kind {
		case expiredCertificate:
			leaf.NotAfter = time.Date(1999, 6, 1, 0, 0, 0, 0, time.UTC)
		case wrongHostCertificate:
			leaf.IPAddresses, leaf.DNSNames = nil, []string{"other.example"}
		case unknownCertificate:
			other := *root
			other.Subject.CommonName = "another root"
			parent = sign(&other, &other)
		}
		ca.certs[kind] = tls.Certificate{Certificate: [][]byte{sign(leaf, parent).Raw}, PrivateKey: key}
	}
	return ca
})

// overTLS moves both services to https, with a certificate.
func overTLS(kind certificate) func(*trial) {
	return func(t *trial) {
		t.cfg.BaseURL = strings.Replace(t.cfg.BaseURL, "http:", "https:", 1)
		t.cfg.JobDBURL = strings.Replace(t.cfg.JobDBURL, "http:", "https:", 1)
		t.transport.TLSClientConfig = &tls.Config{RootCAs: testCA().pool}
		t.tls = &tls.Config{Certificates: []tls.Certificate{testCA().certs[kind]}, NextProtos: []string{"http/1.1"}}
	}
}

// but moves both services to https, where something is not as it should be.
func but(change func(*trial)) func(*trial) {
	return func(t *trial) {
		overTLS(trustedCertificate)(t)
		change(t)
	}
}

// certificateWanted makes both services ask for a certificate of the client.
var certificateWanted = but(func(t *trial) { t.tls.ClientAuth = tls.RequireAnyClientCert })

func untrusted() []form {
	return []form{
		{name: "unknown CA", configure: overTLS(unknownCertificate)},
		{name: "expired", configure: overTLS(expiredCertificate)},
		{name: "wrong host", configure: overTLS(wrongHostCertificate)},
		{
			name:      "TLS 1.1",
			configure: but(func(t *trial) { t.tls.MinVersion, t.tls.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }),
		},
		{
			name:      "no certificate of the client, TLS 1.2",
			configure: but(func(t *trial) { t.tls.ClientAuth, t.tls.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12 }),
		},
		{name: "no TLS", configure: but(func(t *trial) { t.tls = nil })},
	}
}
