package jobboard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/oauth2"
)

// What the network's errors are, and which of them may be handed to the
// caller. An error of net/http may hold an address with its query, and one of
// an OAuth2 client a whole answer, so only known kinds pass as they are.

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// isNameError says that a name does not exist, not that asking failed.
func isNameError(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && !dns.IsTimeout
}

func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || isWindowsErrno(err, 10061)
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED) ||
		isWindowsErrno(err, 10054) || isWindowsErrno(err, 10053)
}

// isWindowsErrno: there package syscall's names are not the numbers that the
// network gives.
func isWindowsErrno(err error, number uintptr) bool {
	var errno syscall.Errno
	return runtime.GOOS == "windows" && errors.As(err, &errno) && uintptr(errno) == number
}

// innermost takes the *url.Error that http.Client wraps around everything off.
func innermost(err error) error {
	for {
		var u *url.Error
		if !errors.As(err, &u) {
			return err
		}
		err = u.Err
	}
}

// causeText is what may be said of a cause in an error's text. net/http quotes
// what it could not read; that is the other side's text, and left out.
func causeText(err error) string {
	err = innermost(err)
	text := err.Error()
	if !isPlain(err) {
		text, _, _ = strings.Cut(text, `"`)
		text = strings.TrimRight(text, ": ")
	}
	return text
}

// safeCause is the cause as the caller may have it: the error itself where
// every part of it is of a kind without foreign text, else nil.
func safeCause(err error) error {
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
	case timeoutError, syscall.Errno, *net.DNSError, *net.AddrError, *tls.CertificateVerificationError, *tls.RecordHeaderError,
		tls.RecordHeaderError, tls.AlertError, x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError:
		return true
	case *net.OpError:
		return isPlain(e.Err)
	}
	return err == io.EOF || err == io.ErrUnexpectedEOF || err == io.ErrClosedPipe ||
		err == context.Canceled || err == context.DeadlineExceeded || isSyscall(err) //nolint:errorlint // this level only
}

// isSyscall: os.SyscallError is a name around a number.
func isSyscall(err error) bool {
	var errno syscall.Errno
	w, ok := err.(interface{ Unwrap() error })
	if !ok {
		return false
	}
	_, timeout := err.(interface{ Timeout() bool })
	return timeout && errors.As(w.Unwrap(), &errno)
}

// tokenCause is what may be said and handed out of a token source's error. An
// OAuth2 client's error holds the whole answer of the token endpoint, and a
// URL's may hold the secret in it.
func tokenCause(err error) (detail string, cause error) {
	var retrieve *oauth2.RetrieveError
	if errors.As(err, &retrieve) {
		detail = "the token endpoint refused"
		if retrieve.ErrorCode != "" {
			detail += ": " + clean(retrieve.ErrorCode, 60)
		} else if retrieve.Response != nil {
			detail += " with status " + strconv.Itoa(retrieve.Response.StatusCode)
		}
		return detail, nil
	}
	var u *url.Error
	if errors.As(err, &u) {
		return "the token endpoint was not reached: " + clean(causeText(err), maxErrorCause), safeCause(err)
	}
	return clean(err.Error(), maxErrorCause), err
}
