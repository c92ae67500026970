package store

import (
	"strings"
	"testing"
)

// What is left of an address in an error has nothing of a password, also where the
// password has characters in it that end a part of an address.
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

// A password with an @ that is not escaped ends at it for the driver, which would ask the
// network for a host by the rest of its name. It is refused before that.
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
