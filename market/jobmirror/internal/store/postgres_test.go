package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// The part of an address that an error shows contains nothing of a password, even of one with
// characters that end a part of an address.
func TestAddressWithoutItsPassword(t *testing.T) {
	for _, address := range []string{
		"postgres://user:secret@db/mirror", "postgres://user:/secret@db/mirror", "postgres://user:12/secret@db/mirror",
		"postgres://user:1#secret@db/mirror", "postgres://user:?secret@db/mirror", "postgres://user:a@b/secret@db/mirror",
		"postgres://user:%zzsecret@db/mirror", "postgres://db/mirror?user=user&password=secret",
	} {
		told := redact(address)
		if strings.Contains(told, "secret") || strings.Contains(told, ":1") {
			t.Errorf("%s is told as %s", address, told)
		}
	}
	told := redact("postgres://user:secret@db:5432/mirror?sslmode=disable")
	if told != "postgres://user:xxxxx@db:5432/mirror" {
		t.Error(told)
	}
}

// The driver ends a password at an unescaped @, and would ask the network for a host named by
// the rest. It is refused before that.
func TestPasswordThatIsNotEscaped(t *testing.T) {
	for _, address := range []string{
		"postgres://user:a@secret@127.0.0.1:1/mirror", "postgres://user:a@secret/@127.0.0.1:1/mirror", "postgres://user:?a@secret@127.0.0.1:1/mirror",
		"postgres://user:a@secret@127.0.0.1:1,127.0.0.1:2/mirror?sslmode=disable",
		"postgres://user:a@secret?b=c@127.0.0.1:1/mirror", "postgres://user:?a@secret?b=c@127.0.0.1:1/mirror",
		"postgres://user:1?user=a@secret@127.0.0.1:1/mirror", "postgres://user:1/secret?b=a@c@127.0.0.1:1/mirror",
		"postgres://127.0.0.1:1/secret@127.0.0.1:1/mirror", "postgres://127.0.0.1:1/mirror?b=a@secret&c=a@b",
	} {
		_, err := Open(t.Context(), address, Schema{}, true)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "%40") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{
		"postgres://user:a%40secret@127.0.0.1:1/mirror", "postgres://user:secret@127.0.0.1:1/mirror?application_name=a@b",
		"postgres:///mirror?host=127.0.0.1&port=1&user=a@b&password=c@secret", "postgres://127.0.0.1/mirror?port=1&user=a@b&password=c@secret",
		"postgres://127.0.0.1:1/mirror?user=a@b&password=c@secret", "postgres://127.0.0.1:1/?password=c@d@secret/e&user=a@b&application_name=a@b",
		"postgres://127.0.0.1:1,127.0.0.1:2/mirror?sslmode=disable&user=a@b&password=c@secret", "postgres://user:?secret@127.0.0.1:1/mirror",
	} {
		_, err := Open(t.Context(), address, Schema{}, true)
		if err == nil || strings.Contains(err.Error(), "secret") || !IsOutage(err) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Messages of a server that ends sessions or takes no more, and errors of the network, are
// outages, after which a repeat may succeed; errors about a statement are not.
func TestOutages(t *testing.T) {
	refused := func(code string) error { return &pgconn.PgError{Code: code} }
	for code, want := range map[string]bool{
		"08000": true, "08001": true, "08003": true, "08004": true, "08006": true, "08007": true, "08P01": true,
		"57P01": true, "57P02": true, "57P03": true, "57P04": true, "57P05": true,
		"25P03": true, // it did nothing for too long
		"53300": true, // too many connections
		"":      false, "09000": false, "0A000": false, "57000": false, "57014": false, "58P01": false, "25000": false, "25001": false, "25006": false,
		"25P01": false, "25P02": false, "25P04": false, "53000": false, "53100": false, "53200": false, "53400": false, "54000": false,
		"23505": false, "40001": false, "40P01": false, "42501": false, "42P01": false, "XX000": false,
	} {
		if err := refused(code); IsOutage(err) != want || IsOutage(fmt.Errorf("jobmirror: %w", err)) != want || isStale(err) != want {
			t.Errorf("%q is an outage: %t", code, !want)
		}
		if err := (dialError{refused(code)}); IsOutage(err) != want || isStale(err) {
			t.Errorf("%q in place of a connection is an outage: %t, of a connection that was kept: %t", code, IsOutage(err), isStale(err))
		}
		repeated := code == "40001" || code == "40P01" || code == "23505" // of another transaction, or of a row that it made first
		if got := isDeadlock(fmt.Errorf("jobmirror: %w", refused(code))); got != repeated {
			t.Errorf("after %q the transaction is repeated: %t", code, got)
		}
	}
	for err, want := range map[error]bool{
		io.EOF: true, io.ErrUnexpectedEOF: true, driver.ErrBadConn: true, sql.ErrConnDone: true, context.DeadlineExceeded: true,
		&net.OpError{Op: "read", Err: errors.New("reset")}: true, &net.DNSError{Name: "db.example"}: true,
		sql.ErrNoRows: false, sql.ErrTxDone: false, context.Canceled: false, errors.New("broken"): false, ErrNotMirror: false,
	} {
		if IsOutage(err) != want || IsOutage(fmt.Errorf("jobmirror: %w", err)) != want || isStale(err) != want || isDeadlock(err) {
			t.Errorf("%v is an outage: %t", err, !want)
		}
	}
	if IsOutage(nil) || isStale(nil) || isDeadlock(nil) {
		t.Error("that nothing failed is an outage")
	}
}
