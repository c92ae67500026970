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

// Whatever is broken in the list is an error.
func TestRead(t *testing.T) {
	good := "\x01\x02DE\x00\x06Berlin\x80\x89\x7a\xd0\xb4\x06\xc4\xd1\x01\x02\x00\x06berlin\x03\x01x\x00\x00"
	x, err := read(zipped(t, good))
	if err != nil || len(x.towns) != 1 || len(x.names) != 2 || x.names[1].key != "berx" {
		t.Fatalf("%+v, %v", x, err)
	}
	if want := (Place{"Berlin", "DE", 52.52, 13.41, 2_000_000}); x.towns[0].Place != want {
		t.Errorf("%+v, want %+v", x.towns[0], want)
	}
	for i := range good {
		if _, err := read(zipped(t, good[:i])); err == nil {
			t.Errorf("cut off at %d: no error", i)
		}
	}
	for _, broken := range []string{
		good + "x", strings.Replace(good, "\x06Berlin", "\x7fBerlin", 1), strings.Replace(good, "x\x00", "x\x01", 1),
		strings.Replace(good, "berlin\x03", "berlin\x07", 1), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		if _, err := read(zipped(t, broken)); err == nil {
			t.Errorf("%q: no error", broken)
		}
	}
	for _, compressed := range [][]byte{nil, []byte("x"), zipped(t, good)[:20]} {
		if _, err := read(compressed); err == nil {
			t.Errorf("%q: no error", compressed)
		}
	}
}

// Reading makes nothing for each of 30 000 towns: the list is sorted in the file.
func TestReadAllocates(t *testing.T) {
	n := testing.AllocsPerRun(1, func() {
		if _, err := read(list); err != nil {
			t.Error(err)
		}
	})
	if n > 3000 {
		t.Errorf("%.0f allocations", n)
	}
}
