package transport

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestCharsets(t *testing.T) {
	// All bytes from 0x80 in windows-1252, by the Unicode consortium's table; the five that it leaves
	// open are control characters.
	const upper = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ" +
		"\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
	var all, spaced []byte
	for b := 0x80; b <= 0xff; b++ {
		all = append(all, byte(b), '.') // '.' keeps two bytes from being a character of UTF-8
	}
	wanted := ""
	for _, r := range upper {
		wanted += string(r) + "."
	}
	spaced = append(bytes.Repeat([]byte("x"), 4<<10-1), "ü€\xe2\x82"...) // characters across the reader's buffer, and a cut one at the end
	for _, c := range []struct{ kind, body, want string }{
		{"application/json; charset=ISO-8859-1", string(all), wanted},
		{"application/json;CHARSET = 'windows-1252'", string(all), wanted},
		{`text/plain; q=1; charset="Latin1"; x`, "M\xfcller Müller \xe2\x82\xac\xe2", "Müller Müller €â"},
		{"text/plain; charset=cp1252", string(spaced), strings.Repeat("x", 4<<10-1) + "ü€â‚"},
		{"text/plain; charset=latin1", strings.Repeat("\x80", 9<<10), strings.Repeat("€", 9<<10)},
		{"text/plain; charset=latin1", "", ""},
		{"text/plain; charset=utf-8", "M\xfcller", "M\xfcller"},
		{"text/plain; charset=iso-8859-15", "M\xfcller", "M\xfcller"},
		{"text/plain", "M\xfcller", "M\xfcller"},
		{"", "M\xfcller", "M\xfcller"},
	} {
		for name, chunk := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "error with data": iotest.DataErrReader,
		} {
			var b Body
			resp := &http.Response{Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(chunk(strings.NewReader(c.body)))}
			if err := b.Open(context.Background(), resp, 1<<20); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(&b)
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %s: %.80q, %v; want %.80q", c.kind, name, got, err, c.want)
			}
			if c.want != c.body && !utf8.Valid(got) {
				t.Errorf("%s, %s: no UTF-8", c.kind, name)
			}
			b.Close()
		}
	}
	// The bound holds, and an error of the network comes behind what arrived.
	var b Body
	latin := http.Header{"Content-Type": {"text/plain; charset=latin1"}}
	if err := b.Open(context.Background(), &http.Response{Header: latin, Body: io.NopCloser(strings.NewReader("\xfc\xfc\xfc"))}, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(&b); err != TooLargeError(2) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b = Body{}
	if err := b.Open(ctx, &http.Response{Header: latin, Body: io.NopCloser(strings.NewReader(strings.Repeat("\xfc", 100)))}, 1<<20); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Read(make([]byte, 10)); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	cancel()
	if n, err := b.Read(make([]byte, 10)); n != 0 || err != context.Canceled {
		t.Errorf("%d, %v after the exchange ended", n, err)
	}
	b = Body{}
	if err := b.Open(t.Context(), &http.Response{Header: latin, Body: io.NopCloser(io.MultiReader(strings.NewReader("M\xfc"), iotest.ErrReader(io.ErrUnexpectedEOF)))}, 1<<20); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(&b); string(got) != "Mü" || err != io.ErrUnexpectedEOF {
		t.Errorf("%q, %v", got, err)
	}
}
