package control

import (
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The page has an address of its own, to which a browser can go, until the server is closed.
func TestListen(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "0.0.0.0:0", ":0"} {
		srv := jobboardtest.NewServer(jobboardtest.WithDemo())
		defer srv.Close()
		page, err := Listen(srv, addr)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(page)
		if err != nil || u.Hostname() != "127.0.0.1" || u.Port() == "0" || u.Path != "/" {
			t.Errorf("%s: the page is at %s, %v", addr, page, err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", page, resp.Status)
		}
		http.DefaultClient.CloseIdleConnections()
		srv.Close()
		if conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host); err == nil {
			_ = conn.Close()
			t.Errorf("%s is served after the server is closed", page)
		}
	}
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	if _, err := Listen(srv, "no address"); err == nil {
		t.Error("there is a page at no address")
	}
}
