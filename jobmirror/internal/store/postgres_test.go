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
