package crowds_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// A service that is restarted four times, or fifteen in the whole tests, gently or not, costs no GET, and
// no POST is executed twice or called certainly not executed when it was.
func TestRollingRestarts(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		for how, stop := range map[string]func(*rig.Server, *rig.Net){
			"graceful": func(s *rig.Server, _ *rig.Net) { _ = s.Shutdown(context.Background()) },
			"closed":   func(s *rig.Server, _ *rig.Net) { _ = s.Close() },
			"reset":    func(s *rig.Server, n *rig.Net) { n.ResetAll(); _ = s.Close() },
		} {
			certificate := httptest.NewTLSServer(nil)
			certificate.Close()
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { restart(t, http2, certificate, stop) })
			})
		}
	}
}

func restart(t *testing.T, http2 bool, certificate *httptest.Server, stop func(*rig.Server, *rig.Net)) {
	n := rig.NewNet()
	transport := &http.Transport{DialContext: n.DialContext, MaxIdleConnsPerHost: 16, ForceAttemptHTTP2: http2}
	base := "http://127.0.0.1:1"
	if http2 {
		base = "https://127.0.0.1:1"
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		transport.TLSClientConfig.RootCAs.AddCert(certificate.Certificate())
		n.Secure = map[string]*tls.Config{
			"127.0.0.1:1": {Certificates: certificate.TLS.Certificates, NextProtos: []string{"h2"}},
		}
	}
	var executed sync.Map // by body
	serve := func() *rig.Server {
		return rig.Serve(n, func(x *rig.Exchange) {
			body, err := io.ReadAll(x.Request.Body)
			if err != nil {
				return
			}
			if len(body) > 0 {
				count, _ := executed.LoadOrStore(string(body), new(atomic.Int64))
				count.(*atomic.Int64).Add(1)
			}
			if http2 && x.Request.ProtoMajor != 2 {
				t.Errorf("%s", x.Request.Proto)
			}
			<-time.After(20 * time.Millisecond)
			x.Answer(200, "application/json", "true")
		})
	}
	server := serve()
	c := rig.Client(t, jobboard.Config{BaseURL: base, HTTPClient: &http.Client{Transport: transport}})
	user := c.Applicant(jobboard.StaticToken("token"))
	var calls, posts, failed atomic.Int64
	done := make(chan struct{})
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			for call := 0; ; call++ {
				select {
				case <-done:
					return
				case <-time.After(time.Duration(caller) * time.Millisecond):
				}
				calls.Add(1)
				if applied, err := user.HasApplied(t.Context(), jobboard.JobID(call+1)); !applied || err != nil {
					t.Errorf("a GET fails: %v", err)
				}
				body := []int{caller, call}
				_, err := c.Subscribe(t.Context(), jobboard.SubscriptionRequest{Body: body})
				posts.Add(1)
				times := int64(0)
				if count, ok := executed.Load(string(rig.Must(json.Marshal(body)))); ok {
					times = count.(*atomic.Int64).Load()
				}
				var e *jobboard.Error
				switch {
				case times > 1:
					t.Errorf("a POST is executed %d times", times)
				case err == nil && times != 1:
					t.Error("a POST succeeds that was not executed")
				case errors.As(err, &e) && !e.MayHaveExecuted && times > 0:
					t.Errorf("a POST was executed that certainly was not: %v", err)
				}
				if err != nil {
					failed.Add(1)
				}
			}
		})
	}
	restarts := 4
	if testenv.Whole() {
		restarts = 15
	}
	for range restarts {
		<-time.After(2 * time.Second)
		stop(server, n)
		<-time.After(300 * time.Millisecond)
		n.Reopen()
		server = serve()
	}
	<-time.After(2 * time.Second)
	close(done)
	callers.Wait()
	transport.CloseIdleConnections()
	_ = server.Close()
	t.Logf("figure: restarts: %d GETs, %d POSTs, of which %d fail", calls.Load(), posts.Load(), failed.Load())
}
