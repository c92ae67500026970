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

// Timeout reports the end of a wait that the library bounds itself.
type Timeout string

func (t Timeout) Error() string { return string(t) }

// Timeout returns true, by the rules of net.Error.
func (t Timeout) Timeout() bool { return true }

// ErrStalled reports that the body of an exchange sent nothing for too long.
var ErrStalled error = Timeout("no byte of the body came within Retry.StallTimeout")

// ErrCut reports that an answer ended with its connection, so that nobody knows
// whether it is whole.
var ErrCut error = cutError{}

type cutError struct{}

func (cutError) Error() string {
	return "the answer may be cut off: it has no length and ended with its connection"
}
func (cutError) Unwrap() error { return io.ErrUnexpectedEOF }

// errTurnedAway reports that a request was given a second connection over HTTP/2,
// because the service did not take it on the first.
var errTurnedAway error = turnedAwayError{}

type turnedAwayError struct{}

func (turnedAwayError) Error() string {
	return "the connection took no more requests (GOAWAY or REFUSED_STREAM of HTTP/2)"
}

// errShared ends an exchange that is to have a connection of its own.
var errShared = errors.New("the connection is shared with other requests")

// Loss classifies a failure to get a whole answer.
type Loss struct {
	Passing bool // another attempt may have better luck
	Unsent  bool // the request certainly did not reach the service
	Timeout bool // of the exchange, not of a name server
}

// Loss judges the error of an exchange by the phase it came in. Before a
// connection was given, a name that does not exist and a failed handshake are
// lasting. While the answer is awaited, every loss passes but a refusal of the
// client's certificate, which in TLS 1.3 comes after the client's part of the
// handshake. Once the answer has begun, only its end passes, by type: what else can
// go wrong there is garbage.
func (x *Exchange) Loss(err error) Loss {
	late := isTimeout(err)
	l := Loss{Timeout: late && !isName(err)}
	ended := late || isReset(err) || isEnd(err)
	phase := x.Phase()
	switch {
	case errors.Is(err, errTurnedAway):
		l.Unsent, l.Passing = x.standard, true
	case isDial(err):
		l.Unsent = phase != Answered // else it was for a redirect's target
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

// Framed reports whether the connection frames what it carries, as HTTP/2
// does: what fails there is the connection, never a body's own form.
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

// isNoSuchName reports that a name does not exist, not that asking failed.
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

// streamError is HTTP/2's reset of one request. net/http hides its type and
// turns it into any with the same fields.
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

// CauseText returns the text of a cause that an error may show. It leaves out
// the bytes that net/http quotes because it could not read them, since they come
// from the other side.
func CauseText(err error) string {
	err = innermost(err)
	text := err.Error()
	if !isPlain(err) {
		text, _, _ = strings.Cut(text, `"`)
		text = strings.TrimRight(text, ": ")
	}
	return text
}

// SafeCause returns the cause as the caller may have it: the error itself
// where every part of it is of a kind without foreign text, else nil. An error
// of net/http may hold an address with its query.
func SafeCause(err error) error {
	err = innermost(err)
	if isPlain(err) {
		return err
	}
	// Keep what callers ask for with errors.Is and errors.As.
	for _, known := range []error{io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		plain := *dns
		plain.UnwrapErr = nil // the end of a dialer's context would read as that of the caller's
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
