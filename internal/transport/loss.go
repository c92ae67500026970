package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"runtime"
	"strings"
	"syscall"
)

// Timeout reports that a time limit of the library ended a wait.
type Timeout string

func (t Timeout) Error() string { return string(t) }

// Timeout returns true, by the rules of net.Error.
func (t Timeout) Timeout() bool { return true }

// ErrStalled reports that the body of an exchange sent nothing for too long.
var ErrStalled error = Timeout("no byte of the body came within Retry.StallTimeout")

// ErrCut reports that an answer ended with its connection, and so may be truncated.
var ErrCut error = cutError{}

type cutError struct{}

func (cutError) Error() string {
	return "the answer may be cut off: it has no length and ended with its connection"
}
func (cutError) Unwrap() error { return io.ErrUnexpectedEOF }

// errTurnedAway reports that a request got a second HTTP/2 connection, because the service refused
// it on the first.
var errTurnedAway error = turnedAwayError{}

type turnedAwayError struct{}

func (turnedAwayError) Error() string {
	return "the connection took no more requests (GOAWAY or REFUSED_STREAM of HTTP/2)"
}

// Loss classifies a failure to get a whole answer.
type Loss struct {
	Passing bool // another attempt may succeed
	Unsent  bool // the request certainly did not reach the service
	Timeout bool // a limit of the exchange, not of a name server
}

// Loss classifies the error of an exchange by its phase. Before the request has a connection, an
// unknown name and a failed handshake are lasting. While it waits for the answer, every error is
// passing, except a refusal of the client's certificate, which in TLS 1.3 comes after the client's
// part of the handshake. After the answer has begun, a time-out, a reset and an early end are
// passing; any other error means a malformed answer, which is lasting (over HTTP/2 it is the
// connection's error, see Framed).
func (x *Exchange) Loss(err error) Loss {
	late := isTimeout(err)
	l := Loss{Timeout: late && !isName(err)}
	ended := late || isReset(err) || isEnd(err)
	phase := x.Phase()
	switch {
	case errors.Is(err, errTurnedAway):
		l.Unsent, l.Passing = x.standard, true
	case isDial(err):
		l.Unsent = phase != Answered // after an answer the dial was for a redirect's target
		l.Passing = !isNoSuchName(err)
	case phase == Dialing:
		l.Unsent = true
		l.Passing = ended
	case phase == Unknown:
		l.Passing = ended
	case phase == Sending:
		l.Unsent = isCertificateRefused(err)
		l.Passing = !l.Unsent
	default:
		l.Passing = ended || x.Framed()
	}
	return l
}

// Framed reports whether the connection is HTTP/2. It frames the body, so an error while reading is
// the connection's, and never a malformed body.
func (x *Exchange) Framed() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	secured, ok := x.conn.(interface{ ConnectionState() tls.ConnectionState })
	return ok && secured.ConnectionState().NegotiatedProtocol == "h2"
}

func isDial(err error) bool {
	for {
		var op *net.OpError
		if !errors.As(err, &op) {
			return false
		}
		if op.Op == "dial" {
			return true
		}
		err = op.Err
	}
}

// isCertificateRefused reports that the service ended the handshake because it got
// no certificate of the client, or one that it does not accept.
func isCertificateRefused(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" {
		return false
	}
	for _, alert := range certificateAlerts {
		if op.Err.Error() == alert.Error() { // crypto/tls hides the type
			return true
		}
	}
	return false
}

// certificateAlerts are bad_certificate, unsupported_certificate, certificate_revoked,
// certificate_expired, certificate_unknown, unknown_ca, access_denied and
// certificate_required, by the numbers of TLS.
var certificateAlerts = [...]tls.AlertError{42, 43, 44, 45, 46, 48, 49, 116}

// isName reports that a name server gave no address.
func isName(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns)
}

// isNoSuchName reports that a name does not exist, and not that the name server failed.
func isNoSuchName(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

func isReset(err error) bool {
	var stream streamError
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED) ||
		isWindowsErrno(err, 10054) || isWindowsErrno(err, 10053) || errors.As(err, &stream)
}

func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe)
}

// streamError is HTTP/2's reset of one request. net/http hides its type, but errors.As fills any
// type with the same fields.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "stream reset" }

// isWindowsErrno reports whether err is the Windows error number. On Windows the
// constants of package syscall differ from the numbers that the network gives.
func isWindowsErrno(err error, number uintptr) bool {
	var errno syscall.Errno
	return runtime.GOOS == "windows" && errors.As(err, &errno) && uintptr(errno) == number
}

// innermost returns err without the *url.Error that http.Client wraps around it.
func innermost(err error) error {
	for {
		var u *url.Error
		if !errors.As(err, &u) {
			return err
		}
		err = u.Err
	}
}

// CauseText returns the text of a cause that an error may show. It leaves out bytes of the answer
// that net/http quotes, because they are untrusted.
func CauseText(err error) string {
	err = innermost(err)
	text := err.Error()
	if !isPlain(err) {
		text, _, _ = strings.Cut(text, `"`)
		text = strings.TrimRight(text, ": ")
	}
	return text
}

// SafeCause returns the part of an error that callers may get: the whole error if no part of it
// holds foreign text, else a known error inside it, else nil. An error of net/http may hold an
// address with its query.
func SafeCause(err error) error {
	err = innermost(err)
	if isPlain(err) {
		return err
	}
	// Keep the errors that callers look for with errors.Is and errors.As.
	for _, known := range []error{io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		plain := *dns
		plain.UnwrapErr = nil // errors.Is would take the dialer's ended context for the caller's
		return &plain
	}
	var op *net.OpError
	if errors.As(err, &op) && isPlain(op) {
		return op
	}
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		return cert
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return nil
}

// isPlain walks an error's tree.
func isPlain(err error) bool {
	switch e := err.(type) { //nolint:errorlint // each level is looked at by itself
	case nil:
		return true
	case *net.DNSError:
		return e.UnwrapErr == nil
	case Timeout, cutError, turnedAwayError, syscall.Errno, *net.AddrError, *tls.CertificateVerificationError,
		*tls.RecordHeaderError,
		tls.RecordHeaderError, tls.AlertError, x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError:
		return true
	case *net.OpError:
		return isPlain(e.Err)
	}
	return err == io.EOF || err == io.ErrUnexpectedEOF || err == io.ErrClosedPipe ||
		err == context.Canceled || err == context.DeadlineExceeded || isSyscall(err) //nolint:errorlint // this level only
}

// isSyscall reports whether err is a system call's error: os.SyscallError holds
// only a name and a number.
func isSyscall(err error) bool {
	var errno syscall.Errno
	w, ok := err.(interface{ Unwrap() error })
	if !ok {
		return false
	}
	_, timeout := err.(interface{ Timeout() bool })
	return timeout && errors.As(w.Unwrap(), &errno)
}
