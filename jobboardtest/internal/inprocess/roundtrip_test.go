package inprocess

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// A read waits for the next byte, as one of a connection does, into however little room.
func TestReadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp, err := RoundTrip(t.Context(), func(w http.ResponseWriter, _ *http.Request) {
			for _, part := range []string{"", "a", "bc"} {
				_, _ = io.WriteString(w, part)
				_ = http.NewResponseController(w).Flush()
				<-time.After(time.Second)
			}
		}, httptest.NewRequest(http.MethodGet, "http://fake.example/", http.NoBody))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		begin := time.Now()
		room := make([]byte, 1)
		for _, want := range []struct {
			text string
			at   time.Duration
		}{{"a", time.Second}, {"b", 2 * time.Second}, {"c", 2 * time.Second}} {
			n, err := resp.Body.Read(room)
			if got := string(room[:n]); got != want.text || err != nil || time.Since(begin) != want.at {
				t.Errorf("read %q after %v, %v; want %q after %v", got, time.Since(begin), err, want.text, want.at)
			}
		}
		if n, err := resp.Body.Read(room); n != 0 || err != io.EOF || time.Since(begin) != 3*time.Second {
			t.Errorf("at the end: %d bytes, %v after %v", n, err, time.Since(begin))
		}
		if n, err := resp.Body.Read(nil); n != 0 || err != io.EOF {
			t.Errorf("without room: %d, %v", n, err)
		}
	})
}
