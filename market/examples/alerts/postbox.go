package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/smtp"
	"strings"
	"time"
)

// postbox sends mails by a mail server, which signs them: RFC 8058 wants a signature (DKIM) over the
// headers of the one click.
type postbox struct{ server, from string }

// mailTime bounds the sending of a mail.
const mailTime = 30 * time.Second

// send sends a text. stop is the address of the one click; empty: there is none.
func (p postbox) send(ctx context.Context, to, subject, text, stop string) error {
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.server)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	host, _, _ := net.SplitHostPort(p.server)
	client, err := smtp.NewClient(conn, host)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	defer client.Close()
	if encrypted, _ := client.Extension("STARTTLS"); encrypted {
		return errors.New("this example sends in the clear: to a server on its own machine")
	}
	if err := errors.Join(client.Mail(p.from), client.Rcpt(to)); err != nil {
		return err
	}
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(p.message(to, subject, text, stop)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = client.Quit() // the mail is taken
	return nil
}

// isDown reports whether there is no mail server, so that no other mail can be sent now.
func isDown(err error) bool {
	down, ok := errors.AsType[*net.OpError](err)
	return ok && down.Op == "dial"
}

func (p postbox) message(to, subject, text, stop string) []byte {
	var b strings.Builder
	_, domain, _ := strings.Cut(p.from, "@")
	fmt.Fprintf(&b, "From: <%s>\r\nTo: <%s>\r\nSubject: %s\r\nDate: %s\r\nMessage-ID: <%s@%s>\r\n", p.from, to,
		mime.QEncoding.Encode("utf-8", subject), time.Now().Format(time.RFC1123Z), rand.Text(), domain)
	if stop != "" {
		fmt.Fprintf(&b, "List-Unsubscribe: <%s>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n", stop)
		text += "No more of these: " + stop + "\n"
	}
	b.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	body := quotedprintable.NewWriter(&b)
	_, _ = body.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n"))) // a Builder never fails
	_ = body.Close()
	return []byte(b.String())
}
