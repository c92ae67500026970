package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// childVariable is the environment variable with the task of a child process.
// The program, or its test, starts itself as the child.
const childVariable = "JOBBOARD_BENCH_CHILD"

// child reports whether this process is a child, and if so does its work.
func child() (bool, error) {
	what, rest, _ := strings.Cut(os.Getenv(childVariable), " ")
	switch what {
	case "serve":
		return true, serve()
	case "peak":
		return true, peak(rest)
	}
	return false, nil
}

func childCommand(what string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), self)
	cmd.Env = append(os.Environ(), childVariable+"="+what)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// addresses is the first line of the server's output.
type addresses struct {
	Plain string // http, HTTP/1.1
	TLS1  string // https, HTTP/1.1
	TLS2  string // https, HTTP/2
	Count string // http, whose connections are not counted
	Cert  string // PEM, to trust
}

// A server runs in its own process, so that its CPU time is not counted as the
// client's.
type server struct {
	addresses
	cmd  *exec.Cmd
	stop func()
}

func startServer() (*server, error) {
	cmd, err := childCommand("serve")
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, stop: sync.OnceFunc(func() {
		in.Close() // the server ends when its input does
		_ = cmd.Wait()
	})}
	if err := json.NewDecoder(out).Decode(&s.addresses); err != nil {
		s.stop()
		return nil, fmt.Errorf("the server does not say where it is: %w", err)
	}
	return s, nil
}

// trust returns a TLS configuration that trusts the server.
func (s *server) trust() *tls.Config {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(s.Cert))
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// connections returns the connections opened at all addresses since the last call,
// and the most of them open at one time. Connections that were open before do not
// count.
func (s *server) connections() (opened, most int, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Get(s.Count + "/connections") //nolint:noctx // bounded by the client
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	_, err = fmt.Fscan(io.LimitReader(resp.Body, 100), &opened, &most)
	return opened, most, err
}

// delay is the time after which the lookup answers.
const delay = 5 * time.Millisecond

// site holds the answers of the server.
type site struct {
	opened atomic.Int64
	open   atomic.Int64
	most   atomic.Int64 // most connections open at one time
	before atomic.Int64 // connections open at the last call of connections
	asked  atomic.Int64 // requests to failing paths
	infos  [4][]byte    // by language
	mu     sync.Mutex
	pages  map[string][]byte
}

// serve answers until its input ends.
func serve() error {
	s := &site{pages: make(map[string][]byte)}
	for i := range s.infos {
		s.infos[i] = makeInfo(i)
	}
	certificate, text, err := selfSigned()
	if err != nil {
		return err
	}
	a := addresses{Cert: text}
	for _, k := range []struct {
		address *string
		scheme  string
		proto   string
	}{{&a.Count, "http", ""}, {&a.Plain, "http", ""}, {&a.TLS1, "https", "http/1.1"}, {&a.TLS2, "https", "h2"}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		*k.address = k.scheme + "://" + l.Addr().String()
		h := &http.Server{
			Handler: s, ReadHeaderTimeout: 30 * time.Second, Protocols: new(http.Protocols),
			HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1024},
		}
		if k.address != &a.Count {
			h.ConnState = func(_ net.Conn, state http.ConnState) { s.count(state) }
		}
		h.Protocols.SetHTTP1(k.proto != "h2")
		h.Protocols.SetHTTP2(k.proto == "h2")
		if k.proto == "" {
			go func() { _ = h.Serve(l) }()
			continue
		}
		h.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		go func() { _ = h.ServeTLS(l, "", "") }()
	}
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// count counts connections.
func (s *site) count(state http.ConnState) {
	switch state {
	case http.StateNew:
		s.opened.Add(1)
		for open, most := s.open.Add(1), s.most.Load(); open > most && !s.most.CompareAndSwap(most,
			open); most = s.most.Load() {
		}
	case http.StateClosed, http.StateHijacked:
		s.open.Add(-1)
	}
}

// settle waits until no more connections close, and then starts counting anew.
func (s *site) settle(ctx context.Context) {
	open := s.open.Load()
	for same := 0; same < 3 && wait(ctx, 10*time.Millisecond); same++ {
		if now := s.open.Load(); now != open {
			open, same = now, -1
		}
	}
	s.before.Store(open)
	s.most.Store(open)
}

// ownInfo returns a job information of makeInfo with another job's identifier.
func ownInfo(info []byte, id int) []byte {
	b := make([]byte, 0, len(info)+8)
	b = strconv.AppendInt(append(b, `{"jobId":`...), int64(id), 10)
	return append(b, info[bytes.IndexByte(info, ','):]...)
}

const (
	lookupTail = "/jobdb/public/apply/external"
	searchHead = "/api/rest/v2/frontend/jobboards/"
)

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, lookupTail):
		id, _ := strconv.Atoi(strings.TrimPrefix(r.URL.RawQuery, "jobid="))
		if !wait(r.Context(), delay) {
			return
		}
		if strings.HasPrefix(path, "/broken") && id%20 == 0 {
			answer(w, http.StatusInternalServerError, []byte(`{"message":"broken"}`))
			return
		}
		if strings.HasPrefix(path, "/failing") {
			switch {
			case s.asked.Add(1)%20 == 0:
				answer(w, http.StatusServiceUnavailable, []byte(`{"message":"come back later"}`))
				return
			case id%20 == 0:
				answer(w, http.StatusNotFound, []byte(`{"code":"ERROR_JOB_UNAVAILABLE","message":"gone"}`))
				return
			}
		}
		answer(w, http.StatusOK, ownInfo(s.infos[id%len(s.infos)], id))
	case strings.HasPrefix(path, "/gzip"+searchHead):
		count, _, _ := strings.Cut(path[len("/gzip"+searchHead):], "/")
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			answer(w, http.StatusOK, s.page(count))
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		answer(w, http.StatusOK, s.packed(count))
	case strings.HasPrefix(path, searchHead):
		count, _, _ := strings.Cut(path[len(searchHead):], "/")
		answer(w, http.StatusOK, s.page(count))
	case strings.HasSuffix(path, "/applied"):
		answer(w, http.StatusOK, []byte("true"))
	case path == "/connections":
		b := fmt.Appendf(nil, "%d %d", s.opened.Swap(0), s.most.Load()-s.before.Load())
		s.settle(r.Context())
		answer(w, http.StatusOK, b)
	default:
		http.NotFound(w, r)
	}
}

func (s *site) page(count string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, ok := s.pages[count]
	if !ok {
		n, _ := strconv.Atoi(count)
		page = makePage(n)
		s.pages[count] = page
	}
	return page
}

// packed returns a page compressed with gzip.
func (s *site) packed(count string) []byte {
	page := s.page(count)
	s.mu.Lock()
	defer s.mu.Unlock()
	name := "gzip " + count
	if s.pages[name] == nil {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(page)
		_ = z.Close()
		s.pages[name] = b.Bytes()
	}
	return s.pages[name]
}

func answer(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonHeader["Content-Type"]
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// selfSigned makes a certificate for loopback.
func selfSigned() (tls.Certificate, string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bench"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, text, nil
}
