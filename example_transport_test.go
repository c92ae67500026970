package jobboard_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// A client without an HTTPClient uses the proxy that the environment names in
// HTTPS_PROXY and NO_PROXY. A transport of your own can name another one.
func ExampleConfig_proxy() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo())
	defer fake.Close()
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		fmt.Println("The proxy sees", r.Out.Method, path.Base(r.Out.URL.Path))
	}})
	defer proxy.Close()

	address, err := url.Parse(proxy.URL)
	if err != nil {
		log.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyURL(address)
	transport.MaxIdleConnsPerHost = 64                                     // The default of 2 is too low for many calls at once.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second} // Notices a connection that went silent.
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:    fake.BaseURL,
		ClientID:   "10",
		HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.Search(context.Background(), "27828_extern", jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TotalNumberOfJobs, "jobs")
	// Output:
	// The proxy sees GET jobs
	// 42 jobs
}

// The certificate of the service was issued by an authority that this machine does not
// know. The client trusts it beside those that the machine knows.
func ExampleConfig_privateCA() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	defer fake.Close()
	board, authority := serveTLS(fake, nil) // authority is what a file such as ca.pem holds.
	defer board.Close()

	roots, err := x509.SystemCertPool()
	if err != nil {
		log.Fatal(err)
	}
	if !roots.AppendCertsFromPEM(authority) {
		log.Fatal("there is no certificate in ca.pem")
	}
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:  board.URL,
		ClientID: "10",
		TLS:      &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.Search(context.Background(), "27828_extern", jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TotalNumberOfJobs, "jobs")
	// Output:
	// 42 jobs
}

// The service asks for a certificate of the client (mutual TLS). The certificate goes to the
// service together with the credential, not in its place.
func ExampleConfig_clientCertificate() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo(), jobboardtest.WithoutSockets())
	defer fake.Close()
	certificate, key := newClientCertificate("careers.example") // What cert.pem and key.pem hold.
	board, authority := serveTLS(fake, certificate)
	defer board.Close()

	pair, err := tls.X509KeyPair(certificate, key) // tls.LoadX509KeyPair reads the two files.
	if err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		log.Fatal("there is no certificate in ca.pem")
	}
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:  board.URL,
		ClientID: "10",
		TLS: &tls.Config{
			Certificates: []tls.Certificate{pair},
			RootCAs:      roots, // nil: those that the machine knows
			MinVersion:   tls.VersionTLS12,
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.Search(context.Background(), "27828_extern", jobboard.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TotalNumberOfJobs, "jobs")
	// Output:
	// The service sees careers.example
	// 42 jobs
}

// serveTLS puts the mock server behind TLS. It returns the server, whose URL is the base
// address, and the certificate of its authority. If clients is not nil, a client must
// show a certificate that this one vouches for. All certificates are PEM.
func serveTLS(fake *jobboardtest.Server, clients []byte) (board *httptest.Server, authority []byte) {
	address, err := url.Parse(fake.BaseURL)
	if err != nil {
		log.Fatal(err)
	}
	board = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, certificate := range r.TLS.PeerCertificates {
			fmt.Println("The service sees", certificate.Subject.CommonName)
		}
		fake.Handler().ServeHTTP(w, r)
	}))
	if clients != nil {
		board.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool()}
		board.TLS.ClientCAs.AppendCertsFromPEM(clients)
	}
	board.StartTLS()
	board.URL += address.Path
	return board, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: board.Certificate().Raw})
}

// newClientCertificate makes a certificate with which a client of that name proves who
// it is, and its key, both PEM. It vouches for itself.
func newClientCertificate(name string) (certificate, key []byte) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		log.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		log.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}
