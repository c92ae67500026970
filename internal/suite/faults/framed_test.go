package faults_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// framed writes the frames of one answer.
type framed struct {
	*http2.Framer
	stream uint32
}

// headers writes a block of headers, names and values in turn.
func (f *framed) headers(end bool, fields ...string) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := 0; i < len(fields); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = f.WriteHeaders(http2.HeadersFrameParam{
		StreamID: f.stream, BlockFragment: block.Bytes(), EndStream: end, EndHeaders: true,
	})
}

// data writes a part of the body.
func (f *framed) data(end bool, text string) { _ = f.WriteData(f.stream, end, []byte(text)) }

// serveFramed answers each request on a connection with frames.
func serveFramed(conn net.Conn, answer func(*framed)) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	_ = framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			answer(&framed{framer, frame.StreamID})
		}
	}
}

// What a server of HTTP/2 can send for an answer, frame by frame, is passed on whole or
// ends in an error, also where the body is read in pieces of all sizes.
func TestTransportOverFrames(t *testing.T) {
	long := strings.Repeat("0123456789", 3000)
	for name, c := range map[string]struct {
		answer func(*framed)
		status int
		body   string // the whole body, or its beginning if it ends in an error
		err    error  // RoundTrip's error, or the error of reading the body
	}{
		"headers alone": {func(f *framed) { f.headers(true, ":status", "204") }, 204, "", nil},
		"an empty last frame": {func(f *framed) {
			f.headers(false, ":status", "200")
			f.data(false, "text")
			f.data(true, "")
		}, 200, "text", nil},
		"many frames": {func(f *framed) {
			f.headers(false, ":status", "200", "content-length", "30000")
			for part := 0; part < len(long); part += 1000 {
				f.data(part+1000 == len(long), long[part:part+1000])
			}
		}, 200, long, nil},
		"padded": {func(f *framed) {
			f.headers(false, ":status", "404")
			_ = f.WriteDataPadded(f.stream, true, []byte("not here"), make([]byte, 200))
		}, 404, "not here", nil},
		"early hints before it": {func(f *framed) {
			f.headers(false, ":status", "103", "link", "</x>")
			f.headers(false, ":status", "200")
			f.data(true, "text")
		}, 200, "text", nil},
		"trailers": {func(f *framed) {
			f.headers(false, ":status", "200", "trailer", "x-end")
			f.data(false, "text")
			f.headers(true, "x-end", "end")
		}, 200, "text", nil},
		"a redirect": {func(f *framed) { f.headers(true, ":status", "302", "location", "/x") }, 302, "", nil},
		"shorter than its length": {func(f *framed) {
			f.headers(false, ":status", "200", "content-length", "10")
			f.data(true, "text")
		}, 200, "text", jobboard.ErrTransport},
		"longer than its length": {func(f *framed) {
			f.headers(false, ":status", "200", "content-length", "2")
			f.data(true, "text")
		}, 200, "te", jobboard.ErrTransport},
		"reset in the body": {func(f *framed) {
			f.headers(false, ":status", "200")
			f.data(false, "text")
			_ = f.WriteRSTStream(f.stream, http2.ErrCodeInternal)
		}, 200, "text", jobboard.ErrTransport},
		"GOAWAY after the header, and the rest": {func(f *framed) {
			f.headers(false, ":status", "200")
			_ = f.WriteGoAway(f.stream, http2.ErrCodeNo, nil)
			f.data(true, "text")
		}, 200, "text", nil},
		"data before headers": {func(f *framed) { f.data(true, "text") }, 0, "", jobboard.ErrTransport},
		"no status":           {func(f *framed) { f.headers(true, "x-a", "b") }, 0, "", jobboard.ErrTransport},
		"a frame that is too large": {func(f *framed) {
			f.headers(false, ":status", "200")
			f.data(true, strings.Repeat("x", 1<<24-1))
		}, 200, "", jobboard.ErrTransport},
	} {
		for pieces, in := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader,
		} {
			synctest.Test(t, func(t *testing.T) {
				network := rig.NewNet()
				certificate := testCA().certs[trustedCertificate]
				config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}}
				go func() {
					for {
						conn, err := network.Accept()
						if err != nil {
							return
						}
						go func() {
							secure := tls.Server(conn, config)
							defer secure.Close()
							serveFramed(secure, c.answer)
						}()
					}
				}()
				next := &http.Transport{
					DialContext: network.DialContext, ForceAttemptHTTP2: true,
					TLSClientConfig: &tls.Config{RootCAs: testCA().pool},
				}
				client := rig.Client(t, jobboard.Config{
					BaseURL: "https://127.0.0.1:1", HTTPClient: &http.Client{Transport: next},
					Retry: jobboard.RetryPolicy{MaxAttempts: 1},
				})
				req := rig.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, "https://127.0.0.1:1/x", http.NoBody))
				resp, err := client.Transport().RoundTrip(req)
				status, body := 0, []byte(nil)
				if err == nil {
					status = resp.StatusCode
					body, err = io.ReadAll(in(resp.Body))
					_ = resp.Body.Close()
				}
				good := status == c.status && (string(body) == c.body || c.err != nil && strings.HasPrefix(c.body, string(body)))
				if !errors.Is(err, c.err) || (asError(err) != nil) != (c.err != nil) || !good {
					t.Errorf("%s, in %s: %d %.20q, %v", name, pieces, status, body, err)
				}
				if name == "trailers" && resp.Trailer.Get("X-End") != "end" {
					t.Errorf("trailers %v", resp.Trailer)
				}
				next.CloseIdleConnections()
				network.ResetAll()
				_ = network.Close()
			})
		}
	}
}
