package places

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

func zipped(t testing.TB, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(s))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRead: a list that is broken is an error that names the line.
func TestRead(t *testing.T) {
	good := "DE\tBerlin\t52.52\t13.41\t3426354\n"
	if x, err := read(zipped(t, good), "# a comment\nDE\tBerlin|Berlino\n"); err != nil || len(x.towns) != 1 || len(x.names) != 2 {
		t.Errorf("%+v, %v", x, err)
	}
	for _, test := range []struct{ list, names, want string }{
		{"DE\tBerlin\t52.52\t13.41\n", "", "4 columns"},
		{"DE\tBerlin\tx\t13.41\t1\n", "", "invalid syntax"},
		{"DE\tBerlin\t1\tx\t1\n", "", "invalid syntax"},
		{"DE\tBerlin\t1\t1\tx\n", "", "invalid syntax"},
		{strings.Repeat("x", 1<<20), "", "too long"},
		{good, "AT\tBerlin|Berlino\n", "Berlino"},
	} {
		if _, err := read(zipped(t, test.list), test.names); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.30q: %v, want %q", test.list, err, test.want)
		}
	}
	for _, compressed := range [][]byte{nil, []byte("x"), zipped(t, good)[:40]} {
		if _, err := read(compressed, ""); err == nil {
			t.Errorf("%q: no error", compressed)
		}
	}
}

// BenchmarkRead is what the first call costs.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(placesTSV, namesTXT); err != nil {
			b.Fatal(err)
		}
	}
}
