package suite_test

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// Forms of the faults of a connection.

func noSuchName() []faultVariant {
	return []faultVariant{{
		name: "at the first look",
		dial: func(_ context.Context, _ *faultRig, address string) (net.Conn, error) {
			host, _, _ := net.SplitHostPort(address)
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		},
	}}
}

func refused() []faultVariant {
	return []faultVariant{{
		name: "by the host",
		dial: func(context.Context, *faultRig, string) (net.Conn, error) { return nil, errFaultRefused },
	}}
}

func blackHole() []faultVariant {
	return []faultVariant{
		{
			name: "no answer to the first packet",
			dial: func(ctx context.Context, _ *faultRig, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
			},
		},
		{
			name: "the dialer's own time-out",
			dial: func(ctx context.Context, _ *faultRig, _ string) (net.Conn, error) {
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: faultDialTimeout{}}
			},
		},
		{
			name: "no answer to the handshake", configure: overTLS(trustedCertificate),
			dial: func(_ context.Context, r *faultRig, address string) (net.Conn, error) {
				client, server := r.net.connect(address)
				go func() {
					_, _ = io.Copy(io.Discard, server)
					_ = server.Close()
				}()
				return client, nil
			},
		},
	}
}

type faultDialTimeout struct{}

func (faultDialTimeout) Error() string   { return "i/o timeout" }
func (faultDialTimeout) Timeout() bool   { return true }
func (faultDialTimeout) Temporary() bool { return true }

// afterIdle makes a call, does something to its connection, and makes the
// call that counts.
func afterIdle(happens func(*faultRig)) func(*faultRig, faultCell) {
	return func(r *faultRig, cell faultCell) {
		if err := r.connectClient(); err != nil {
			r.problem("NewClient: %v", err)
			return
		}
		if _, err := r.op.call(context.Background(), r); err != nil {
			r.problem("the first call: %v", err)
			return
		}
		synctest.Wait()
		happens(r)
		synctest.Wait()
		r.mu.Lock()
		r.requests = nil
		r.mu.Unlock()
		value, err := r.op.call(context.Background(), r)
		r.verify(cell, value, err)
	}
}

// Certificates. The bubble's clock stands in the year 2000.

type faultCertificate int

const (
	trustedCertificate faultCertificate = iota
	unknownCertificate
	expiredCertificate
	wrongHostCertificate
)

type faultAuthority struct {
	pool  *x509.CertPool
	certs map[faultCertificate]tls.Certificate
}

var faultCA = sync.OnceValue(func() faultAuthority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	from, to := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test root"}, NotBefore: from, NotAfter: to,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	sign := func(template, parent *x509.Certificate) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, key)
		if err != nil {
			panic(err)
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			panic(err)
		}
		return cert
	}
	ca := faultAuthority{pool: x509.NewCertPool(), certs: map[faultCertificate]tls.Certificate{}}
	trusted := sign(root, root)
	ca.pool.AddCert(trusted)
	for _, kind := range []faultCertificate{trustedCertificate, unknownCertificate, expiredCertificate, wrongHostCertificate} {
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(2 + int64(kind)), NotBefore: from, NotAfter: to, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"jobs.example"},
		}
		parent := trusted
		switch kind {
		case expiredCertificate:
			leaf.NotAfter = time.Date(1999, 6, 1, 0, 0, 0, 0, time.UTC)
		case wrongHostCertificate:
			leaf.IPAddresses, leaf.DNSNames = nil, []string{"other.example"}
		case unknownCertificate:
			other := *root
			other.Subject.CommonName = "another root"
			parent = sign(&other, &other)
		}
		ca.certs[kind] = tls.Certificate{Certificate: [][]byte{sign(leaf, parent).Raw}, PrivateKey: key}
	}
	return ca
})

// overTLS moves both services to https, with a certificate.
func overTLS(kind faultCertificate) func(*faultRig) {
	return func(r *faultRig) {
		r.cfg.BaseURL = strings.Replace(faultBase, "http:", "https:", 1)
		r.cfg.JobDBURL = strings.Replace(faultLookup, "http:", "https:", 1)
		r.transport.TLSClientConfig = &tls.Config{RootCAs: faultCA().pool}
		config := &tls.Config{Certificates: []tls.Certificate{faultCA().certs[kind]}}
		r.net.secure = map[string]*tls.Config{"127.0.0.1:1": config, "127.0.0.1:2": config}
	}
}

func untrusted() []faultVariant {
	old := func(r *faultRig) {
		overTLS(trustedCertificate)(r)
		for _, config := range r.net.secure {
			config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		}
	}
	plain := func(r *faultRig) {
		overTLS(trustedCertificate)(r)
		r.net.secure = nil
	}
	return []faultVariant{
		{name: "unknown CA", configure: overTLS(unknownCertificate)},
		{name: "expired", configure: overTLS(expiredCertificate)},
		{name: "wrong host", configure: overTLS(wrongHostCertificate)},
		{name: "TLS 1.1", configure: old},
		{name: "no TLS", configure: plain},
	}
}

// Forms of redirects.

func redirects(hops int, statuses ...int) (all []faultVariant) {
	for _, status := range statuses {
		all = append(all, faultVariant{
			name: strconv.Itoa(status), status: status, serve: func(x *faultExchange) {
				if x.n > hops {
					x.good()
					return
				}
				location := fmt.Sprintf("/moved/%d?step=%d", x.n, x.n)
				if x.n%2 == 0 {
					location = "http://" + x.r.Host + location
				}
				x.Header().Set("Location", location)
				x.answer(status, "text/html", []byte("<a href=\"/moved\">moved</a>"))
			},
		})
	}
	return all
}

func sameOrigins() (all []faultVariant) {
	redirect := func(location func(host string) string) func(*faultExchange) {
		return func(x *faultExchange) {
			if x.n > 1 {
				x.good()
				return
			}
			x.Header().Set("Location", location(x.r.Host))
			x.WriteHeader(307)
		}
	}
	for name, location := range map[string]func(host string) string{
		"whole":            func(host string) string { return "http://" + host + "/x" },
		"capitals":         func(host string) string { return "HTTP://" + host + "/x" },
		"without a scheme": func(host string) string { return "//" + host + "/x" },
		"relative":         func(string) string { return "x" },
		"up and away":      func(string) string { return "../../x" },
		"a query":          func(string) string { return "?x=y" },
		"a fragment":       func(string) string { return "/x#y" },
	} {
		all = append(all, faultVariant{name: name, status: 307, serve: redirect(location)})
	}
	moved := func(base, lookup string) func(*faultRig) {
		return func(r *faultRig) { r.cfg.BaseURL, r.cfg.JobDBURL, r.cfg.AllowInsecure = base, lookup, true }
	}
	return append(all,
		faultVariant{
			name: "the scheme's own port", status: 307, configure: moved("http://127.0.0.1/pre/fix", "http://127.0.0.1/db"),
			serve: redirect(func(host string) string { return "http://" + host + ":80/x" }),
		},
		faultVariant{
			name: "a name in capitals", status: 307, configure: moved("http://jobs.example:1/pre/fix", "http://lookup.example:2/db"),
			serve: redirect(func(host string) string { return "http://" + strings.ToUpper(host) + "/x" }),
		},
	)
}

func foreignLocations() (all []faultVariant) {
	named := func(r *faultRig) {
		r.cfg.BaseURL, r.cfg.JobDBURL, r.cfg.AllowInsecure = "http://jobs.example:1/pre/fix", "http://lookup.example:2/db", true
	}
	add := func(name string, configure func(*faultRig), location func(host, port string) string) {
		for _, status := range []int{302, 307} {
			all = append(all, faultVariant{
				name: fmt.Sprintf("%s, %d", name, status), status: status, configure: configure,
				hides: []string{"other.example", "elsewhere"},
				serve: func(x *faultExchange) {
					host, port, _ := net.SplitHostPort(x.r.Host)
					x.Header().Set("Location", location(host, port))
					x.WriteHeader(status)
				},
			})
		}
	}
	for name, location := range map[string]func(host, port string) string{
		"another host": func(_, port string) string {
			return "http://other.example:" + port + "/elsewhere?q=" + url.QueryEscape(canaryText)
		},
		"another host, scheme-less":     func(_, port string) string { return "//other.example:" + port + "/elsewhere" },
		"another port":                  func(host, _ string) string { return "http://" + host + ":8081/elsewhere" },
		"no port":                       func(host, _ string) string { return "http://" + host + "/elsewhere" },
		"a sub-domain":                  func(host, port string) string { return "http://sub." + host + ":" + port + "/elsewhere" },
		"the domain above":              func(_, port string) string { return "http://example:" + port + "/elsewhere" },
		"a suffix":                      func(host, port string) string { return "http://" + host + ".other.example:" + port + "/elsewhere" },
		"a trailing dot":                func(host, port string) string { return "http://" + host + ".:" + port + "/elsewhere" },
		"a user part":                   func(host, port string) string { return "http://user:elsewhere@" + host + ":" + port + "/" },
		"a user":                        func(host, port string) string { return "http://elsewhere@" + host + ":" + port + "/" },
		"the host as a user part":       func(host, port string) string { return "http://" + host + ":" + port + "@other.example/elsewhere" },
		"the host behind a backslash":   func(host, port string) string { return `http://other.example\@` + host + ":" + port + "/elsewhere" },
		"an IP":                         func(_, port string) string { return "http://127.0.0.1:" + port + "/elsewhere" },
		"an IPv6 address":               func(_, port string) string { return "http://[::1]:" + port + "/elsewhere" },
		"an IP as a number":             func(_, port string) string { return "http://2130706433:" + port + "/elsewhere" },
		"https":                         func(host, port string) string { return "https://" + host + ":" + port + "/elsewhere" },
		"ftp":                           func(host, port string) string { return "ftp://" + host + ":" + port + "/elsewhere" },
		"a script":                      func(string, string) string { return "javascript:elsewhere" },
		"a look-alike":                  func(_, port string) string { return "http://j\u043ebs.example:" + port + "/elsewhere" },
		"a tab in the name of a scheme": func(host, port string) string { return "ht\ttp://" + host + ":" + port + "/elsewhere" },
	} {
		add(name, named, location)
	}
	add("https to http", overTLS(trustedCertificate), func(host, port string) string { return "http://" + host + ":" + port + "/elsewhere" })
	slices.SortFunc(all, func(a, b faultVariant) int { return strings.Compare(a.name, b.name) })
	return all
}

func locations(status int, all ...string) (variants []faultVariant) {
	for _, location := range all {
		variants = append(variants, faultVariant{
			name: fmt.Sprintf("%d to %q", status, location), status: status,
			serve: answerWith(status, "", "", "Location", location),
		})
	}
	return variants
}

// Forms of bodies.

// looseBodies are no good for the four reading operations, and any JSON for the
// subscriptions.
func looseBodies(columns string, all ...string) (variants []faultVariant) {
	for _, body := range all {
		variants = append(variants, faultVariant{
			name: body, only: columns, status: 200, serve: answerWith(200, "application/json", body),
			check: isJSON(strings.Trim(body, "\ufeff \n")),
		})
	}
	return variants
}

func badBodies(columns string, all ...string) (variants []faultVariant) {
	for _, body := range all {
		name := body
		if len(name) > 100 {
			name = name[:100]
		}
		variants = append(variants, faultVariant{
			name: fmt.Sprintf("%q", name), only: columns, status: 200,
			serve: answerWith(200, "application/json", body),
		})
	}
	return variants
}

func goodBodies(columns string, all ...string) (variants []faultVariant) {
	for _, body := range all {
		variants = append(variants, faultVariant{
			name: body, only: columns, serve: answerWith(200, "application/json", body),
			check: func(_ *faultOp, value any) string {
				if info, ok := value.(*jobboard.JobInformation); !ok || info.JobID != 1 {
					return fmt.Sprintf("the result is %+v", value)
				}
				return ""
			},
		})
	}
	return variants
}

// exactWins are answers that must be refused, or read as the one wanted.
func exactWins(columns, want string, all ...string) []faultVariant {
	variants := badBodies(columns, all...)
	for i := range variants {
		variants[i].check = func(op *faultOp, value any) string {
			var got string
			switch v := value.(type) {
			case []jobboard.JobPosting:
				got = `{"totalNumberOfJobs":1,"results":[`
				for i, p := range v {
					got += strings.Repeat(",", min(i, 1)) + fmt.Sprintf(`{"jobPostingId":%d,"title":%q}`, p.JobPostingID, p.Title)
				}
				got += "]}"
			case *jobboard.JobInformation:
				got = fmt.Sprintf(`{"jobId":%d,"jobTitle":%q,"applyPossible":%v}`, v.JobID, v.JobTitle, v.ApplyPossible)
			}
			if got != want {
				return fmt.Sprintf("%s reads %s, want %s or ErrDecode", op.label, got, want)
			}
			return ""
		}
	}
	return variants
}

func htmlPages() (all []faultVariant) {
	page := "<!DOCTYPE html>\n<html><head><title>Maintenance</title></head><body>" + strings.Repeat("<p>Back soon.</p>", 30) + "</body></html>"
	for _, kind := range []string{"text/html; charset=utf-8", "application/json", "text/plain", "application/octet-stream", "broken;;/"} {
		media, _, _ := strings.Cut(kind, ";")
		if strings.HasPrefix(media, "broken") {
			media = "200"
		}
		all = append(all, faultVariant{
			name: kind, status: 200, serve: answerWith(200, kind, page), says: []string{"<!DOCTYPE html>", media},
			after: func(r *faultRig, err error) {
				if r.op.changes() {
					e := asFaultError(err)
					if e == nil || string(e.Body) != page {
						r.problem("the body is not kept")
					}
				}
			},
		})
	}
	return append(all,
		faultVariant{name: "small", status: 200, serve: answerWith(200, "text/plain", "<html></html>"), says: []string{"<html>"}},
		faultVariant{name: "behind a byte order mark and white space", status: 200, serve: answerWith(200, "text/plain", "\ufeff\r\n  <html>no</html>"), says: []string{"<html>"}},
		faultVariant{name: "with colours", status: 200, serve: answerWith(200, "text/html; x=\"\u202e\"", "<html>\x1b[2J\r\n\x07\u202e"), says: []string{"<html>"}},
		faultVariant{name: "that repeats everything", status: 200, serve: func(x *faultExchange) {
			told := x.r.Header.Get("Authorization") + " " + x.r.URL.Query().Get("search")
			x.answer(200, "text/html", []byte("<html>"+told))
		}, says: []string{"<html>"}},
	)
}

func lookupCodes(code string, statuses ...int) (all []faultVariant) {
	forms := map[string]string{
		"code":                      `{"code":"` + code + `","message":"m"}`,
		"error":                     `{"error":"` + code + `"}`,
		"message":                   `{"message":"` + code + `: the job is not there"}`,
		"any member":                `{"zzz":"` + code + `"}`,
		"a list":                    `["` + code + `"]`,
		"deep":                      `{"status":"failed","errors":[{"kind":7,"details":{"code":["x","` + code + `"]}}]}`,
		"after a code of its own":   `{"code":"failed","reason":"` + code + `"}`,
		"beside parts of an answer": `{"jobId":1,"jobTitle":"x","problem":"` + code + `"}`,
		"a JSON string":             `"` + code + `"`,
		"a JSON string and more":    `" ` + code + ` - gone"`,
		"text":                      code,
		"text and more":             "\r\n" + code + ": there is nothing here\r\n",
		"text and a bom":            "\ufeff" + code,
	}
	for form, body := range forms {
		for _, status := range statuses {
			all = append(all, faultVariant{
				name: fmt.Sprintf("%d %s", status, form), status: status, code: code, only: "J",
				serve: answerWith(status, []string{"application/json", "text/plain", "text/html"}[len(body)%3], body),
			})
		}
	}
	for _, status := range statuses {
		if status >= 400 {
			all = append(all, faultVariant{
				name: fmt.Sprintf("%d in a member of an answer", status), status: status, code: code, only: "J",
				serve: answerWith(status, "application/json", `{"jobId":1,"jobTitle":"`+code+`"}`),
			}, faultVariant{
				name: fmt.Sprintf("%d far into the body", status), status: status, code: code, only: "J",
				serve: answerWith(status, "application/json", `{"trace":"`+strings.Repeat("x", 50<<10)+`","code":"`+code+`"}`),
			})
		}
	}
	slices.SortFunc(all, func(a, b faultVariant) int { return strings.Compare(a.name, b.name) })
	return all
}

func nestings(depths ...int) (all []faultVariant) {
	for _, depth := range depths {
		deep := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
		add := func(name, columns, body string) {
			all = append(all, faultVariant{
				name: fmt.Sprintf("%d, %s", depth, name), only: columns, status: 200,
				serve: answerWith(200, "application/json", body),
			})
		}
		add("lists", "SAPJ+CD", "["+deep+"]")
		add("lists that do not end", "SAPJ+CD", strings.Repeat("[", depth))
		if depth <= 100_000 {
			add("objects", "SAPJ+CD", strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
		}
		add("in an unknown member", "S", `{"unknown":`+deep+`,"totalNumberOfJobs":1,"results":[]}`)
		add("in an unknown member", "J", `{"unknown":`+deep+`,"jobId":1,"jobTitle":"x","applyPossible":true}`)
		add("in a member that is known", "S", `{"totalNumberOfJobs":1,"results":`+deep+`}`)
		add("in a member that is known", "J", `{"questions":`+deep+`,"jobId":1,"jobTitle":"x","applyPossible":true}`)
		if depth > 2 {
			add("in a posting", "S", `{"totalNumberOfJobs":1,"results":[{"unknown":`+deep[2:len(deep)-2]+`,"jobPostingId":1,"title":"x"}]}`)
		}
	}
	return all
}

// shallow is as deep as an answer may be.
func shallow() []faultVariant {
	deep := strings.Repeat("[", 60) + strings.Repeat("]", 60)
	search := `{"unknown":` + deep + `,"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x"}]}`
	return []faultVariant{
		{name: "of a page", only: "S", serve: answerWith(200, "application/json", search), check: titles("x")},
		{name: "of a job", only: "J", serve: answerWith(200, "application/json", `{"unknown":`+deep+`,"jobId":1,"jobTitle":"x","applyPossible":true}`), check: jobTitle("x")},
		{name: "of anything", only: "+CD", serve: answerWith(200, "application/json", deep), check: isJSON(deep)},
	}
}

// zippedForever is the beginning of a gzip stream and a part that may follow
// any number of times: each is the compressed form of the same text.
func zippedForever(first, again string) (begin, repeat []byte) {
	var z bytes.Buffer
	z.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
	block := func(text string) []byte {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression)
		_, _ = io.WriteString(w, text)
		_ = w.Flush()
		return b.Bytes()
	}
	z.Write(block(first))
	return z.Bytes(), block(again)
}

// endlessBodies are answers over their bound, plain and compressed. What they cost
// in memory is bounded too.
func endlessBodies() (all []faultVariant) {
	spaces := strings.Repeat(" ", 64<<10)
	letters := strings.Repeat("x", 64<<10)
	posting := strings.Repeat(`{"jobPostingId":1,"title":"Gardener","config":{"location":["2901"],"unknown":["a","b"]},"jobStartDate":5},`, 600)
	question := strings.Repeat(`{"id":"8","type":"YESNO","label":"q","answers":[{"id":"1","label":"Yes"}]},`, 800)
	add := func(name, columns, first, again string) {
		for _, compressed := range []bool{false, true} {
			if again == "" && !compressed {
				continue
			}
			v := faultVariant{name: name, only: columns, status: 200, configure: func(r *faultRig) {
				r.measure = !raceDetector
				if r.op.name == "Postings" && name != "a posting without end" || r.op.slot == "applicant" && r.op.column == "S" ||
					r.op.name == "Search" && raceDetector {
					r.cfg.MaxBodyBytes = 8 << 20 // the default is for a test of its own
				}
			}}
			v.after = func(r *faultRig, err error) {
				boundedMemory(r, err)
				if !compressed || again == "" {
					boundedReading(r, name == "a posting without end")
				}
			}
			header := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			begin, repeat := []byte(first), []byte(again)
			if compressed {
				v.name += ", compressed"
				header += "Content-Encoding: gzip\r\n"
				begin, repeat = zippedForever(first, again)
			}
			v.serve = func(x *faultExchange) {
				c := x.hijack()
				defer c.Close()
				_, err := c.Write(append([]byte(header+"\r\n"), begin...))
				for err == nil {
					_, err = c.Write(repeat)
				}
			}
			all = append(all, v)
		}
	}
	add("white space", "SAPJ+CD", "", spaces)
	add("nothing", "SAPJ+CD", "", "") // compressed, it goes on and on
	add("text", "APJ+CD", `"`, letters)
	add("an unknown member", "SJ", `{"unknown":"`, letters)
	add("unknown members", "SJ", "{", strings.Repeat(`"u":0,`, 10<<10))
	add("postings", "S", `{"totalNumberOfJobs":1,"results":[`, posting)
	add("a posting without end", "S", `{"totalNumberOfJobs":1,"results":[{"title":"`, letters)
	add("questions", "J", `{"jobId":1,"jobTitle":"x","applyPossible":true,"questions":[`, question)
	add("a list", "+CD", "[", strings.Repeat("1,", 32<<10))
	return all
}

// boundedMemory: 32 MiB, for a whole search 2.5 times its bound.
func boundedMemory(r *faultRig, _ error) {
	limit := uint64(32 << 20)
	if r.op.name == "Search" && r.cfg.MaxBodyBytes == 0 {
		limit = 160 << 20
	}
	kind := "small answers"
	if limit > 32<<20 {
		kind = "Search"
	}
	faultMemory.Lock()
	faultMemory.most[kind] = max(faultMemory.most[kind], r.mem)
	faultMemory.Unlock()
	if r.mem > limit {
		r.problem("allocated %d MiB", r.mem>>20)
	}
}

// faultMemory is the most that was allocated against an endless answer.
var faultMemory = struct {
	sync.Mutex
	most map[string]uint64
}{most: map[string]uint64{}}

// boundedReading: no answer is read much further than its bound, nor given up
// before it.
func boundedReading(r *faultRig, posting bool) {
	limit, slack := int64(4<<20), int64(256<<10)
	switch {
	case r.op.name == "Postings" && posting:
		limit, slack = 1<<20, 1<<20
	case r.cfg.MaxBodyBytes > 0:
		limit = r.cfg.MaxBodyBytes
	case r.op.name == "Search":
		limit = 64 << 20
	}
	least := limit
	if r.op.name == "Search" {
		least /= 2 // small postings take more room than their text, and count as that
	}
	if n := r.net.bytesRead(); n < least || n > limit+slack {
		r.problem("read %d bytes, the bound is %d", n, limit)
	}
}

var bigPage = sync.OnceValue(func() []byte { return faultZip([]byte("<html>" + strings.Repeat("<p>posting</p>", 5<<20/14))) })

func badEncodings() (all []faultVariant) {
	add := func(name, encoding string, body func(good []byte) []byte) {
		all = append(all, faultVariant{name: name, status: 200, serve: func(x *faultExchange) {
			if encoding != "" {
				x.Header().Set("Content-Encoding", encoding)
			}
			x.answer(200, "application/json", body(faultData(x.rig.op.file)))
		}})
	}
	same := func(b []byte) []byte { return b }
	twice := func(b []byte) []byte { return faultZip(faultZip(b)) }
	add("br", "br", same)
	add("br that is none", "br", func([]byte) []byte { return []byte("\x0b\x02\x80true\x03") })
	add("zstd", "zstd", same)
	add("deflate", "deflate", same)
	add("made up", "gz\u202eip", same)
	add("double gzip", "gzip, gzip", twice)
	add("double gzip, told once", "gzip", twice)
	add("gzip, not told", "", faultZip)
	add("plain, told to be gzip", "gzip", same)
	add("gzip without its end", "gzip", func(b []byte) []byte { z := faultZip(b); return z[:len(z)-8] })
	add("gzip cut in the middle", "gzip", func(b []byte) []byte { z := faultZip(b); return z[:len(z)/2] })
	add("gzip's header alone", "gzip", func(b []byte) []byte { return faultZip(b)[:10] })
	add("two bytes of gzip", "gzip", func([]byte) []byte { return []byte{0x1f, 0x8b} })
	add("gzip with a wrong sum", "gzip", func(b []byte) []byte { z := faultZip(b); z[len(z)-8] ^= 1; return z })
	add("gzip with a wrong length", "gzip", func(b []byte) []byte { z := faultZip(b); z[len(z)-1] ^= 1; return z })
	add("gzip and more", "gzip", func(b []byte) []byte { return append(faultZip(b), "more"...) })
	return all
}

func trailingBytes() (all []faultVariant) {
	for _, more := range []string{" x", "{}", "\n\x00", ",", "]", " null", "\n<html>"} {
		all = append(all, faultVariant{name: fmt.Sprintf("%q", more), status: 200, serve: func(x *faultExchange) {
			x.answer(200, x.rig.op.kind, append(slices.Clone(faultData(x.rig.op.file)), more...))
		}})
	}
	all = append(all, faultVariant{name: "the value again", status: 200, serve: func(x *faultExchange) {
		b := faultData(x.rig.op.file)
		x.answer(200, x.rig.op.kind, append(append(slices.Clone(b), ' '), b...))
	}})
	return all
}

const quotedJob = `{"jobId":5310483,"jobTitle":"Tram driver","jobLanguage":"en","applyPossible":true,"dataSecurityLink":"",
"questions":[{"id":"12","type":"RANKING","label":"A type that no table has"},
{"id":"13","type":"YESNO","label":"May we call you?","answers":[{"id":"2900103","label":"Yes"},{"id":"2900102","label":"No"}]}],
"nationalities":[],"timestamp":"2025-04-17T12:23:34.555Z","companyName":"","companyId":"",
"location":{"geoLat":"","geoLong":"","geoName":"","geoCountry":"","geoState":"","geoCity":"","geoZip":"","geoStreet":""},"additionalLocations":[]}`

func wrongNumbers() (all []faultVariant) {
	padding := `"padding":"` + strings.Repeat("p", 200) + `",` // so that the sample is of no help
	values := []string{`"forty-two"`, "92233720368547758080", `"92233720368547758080"`, "1e3", `"1e3"`, "17.25", "true", `["seven"]`, `{"seven":8}`}
	for _, value := range values {
		hidden := []string{strings.Trim(value, `"`)}
		if value == "true" {
			hidden = nil
		}
		add := func(column, field, body string) {
			all = append(all, faultVariant{
				name: field + " " + value, only: column, status: 200, says: []string{field}, hides: hidden,
				serve: answerWith(200, "application/json", body),
			})
		}
		for _, field := range []string{"jobPostingId", "postingVersionId", "jobStartDate", "postingVersionStartDate", "postingVersionEndDate"} {
			body := `"jobPostingId":1,`
			if field == "jobPostingId" {
				body = ""
			}
			add("S", field, `{`+padding+`"totalNumberOfJobs":1,"results":[{`+body+`"title":"x","`+field+`":`+value+`}]}`)
		}
		add("S", "totalNumberOfJobs", `{`+padding+`"results":[],"totalNumberOfJobs":`+value+`}`)
		add("S", "itemsPerPage", `{`+padding+`"results":[],"totalNumberOfJobs":0,"itemsPerPage":`+value+`}`)
		add("J", "jobId", `{`+padding+`"jobTitle":"x","applyPossible":true,"jobId":`+value+`}`)
		if strings.HasPrefix(value, `"f`) || value == "1e3" || value == "true" {
			add("J", "timestamp", `{`+padding+`"jobTitle":"x","applyPossible":true,"jobId":1,"timestamp":`+value+`}`)
		}
		if value != "true" {
			all = append(all, faultVariant{name: "applied " + value, only: "A", status: 200, serve: answerWith(200, "application/json", value)})
		}
	}
	return all
}

func lenientBodies() []faultVariant {
	file := func(column, name string, check func(*faultOp, any) string) faultVariant {
		return faultVariant{name: name, only: column, serve: answerWith(200, "application/json", string(faultData(name))), check: check}
	}
	infos := func(id jobboard.JobID, title string, apply bool, questions int) func(*faultOp, any) string {
		return func(_ *faultOp, value any) string {
			v := value.(*jobboard.JobInformation)
			if v.JobID != id || v.JobTitle != title || v.ApplyPossible != apply || len(v.Questions) != questions || len(v.Nationalities) != 0 || len(v.AdditionalLocations) != 0 {
				return fmt.Sprintf("the result is %+v", v)
			}
			return ""
		}
	}
	count := func(n int) func(*faultOp, any) string {
		return func(_ *faultOp, value any) string {
			if got := len(value.([]jobboard.JobPosting)); got != n {
				return fmt.Sprintf("%d postings, want %d", got, n)
			}
			return ""
		}
	}
	search := func(name, body string, check func(*faultOp, any) string) faultVariant {
		return faultVariant{name: name, only: "S", serve: answerWith(200, "text/plain", body), check: check}
	}
	job := func(name, body string, check func(*faultOp, any) string) faultVariant {
		return faultVariant{name: name, only: "J", serve: answerWith(200, "text/plain", body), check: check}
	}
	return []faultVariant{
		file("S", "search_minimal.json", titles("Gardener")),
		file("S", "search_nulls.json", titles("Florist", "Baker")),
		file("S", "search_empty.json", count(0)),
		file("S", "search_results_null.json", count(0)),
		search("unknown members everywhere", `{"a":{"b":[1,"x",null,true,{"c":1.5e-7}]},"totalNumberOfJobs":1,"results":[{"d":[],"jobPostingId":1,"e":{},"title":"x","config":{"new":["1","2"],"none":[]}}],"f":"\ud83d\ude80"}`, titles("x")),
		search("results first, counters last", `{"results":[{"title":"x","jobPostingId":1}],"totalNumberOfJobs":1}`, titles("x")),
		search("a null in a config", `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":"x","config":{"location":null}}]}`, titles("x")),
		search("an empty title", `{"totalNumberOfJobs":1,"results":[{"jobPostingId":1,"title":""}]}`, titles("")),
		search("a byte order mark", "\ufeff"+`{"totalNumberOfJobs":0,"results":[]}`+"\r\n", count(0)),
		file("J", "jobinfo_minimal.json", infos(5310484, "Cook", false, 0)),
		file("J", "jobinfo_nulls.json", infos(5310485, "Waiter", true, 2)),
		job("an unknown question", `{"jobId":1,"jobTitle":"x","applyPossible":true,"questions":[{"id":"1","type":"HOLOGRAM","label":"l","shape":{"a":[1]}}],"new":{"x":[[]]}}`, infos(1, "x", true, 1)),
	}
}

func goodIdentifiers() (all []faultVariant) {
	for body, want := range map[string]string{
		"abc-1": "abc-1", `"abc-1"`: "abc-1", "\ufeffabc-1": "abc-1", "abc-1\r\n": "abc-1", " \"abc-1\" \n": "abc-1", "123": "123", `"123"`: "123",
		"00123": "00123", "99999999999999999999999999": "99999999999999999999999999", "1e3": "1e3", "true": "true", `"\u0061bc"`: "abc",
		strings.Repeat("y", 256): strings.Repeat("y", 256), string(faultData("application_digits.txt")): strings.TrimSpace(string(faultData("application_digits.txt"))),
		string(faultData("application_space.txt")): "c4180de97f00000251d7a30e64b2f9c9", string(faultData("application_bare.txt")): strings.TrimSpace(string(faultData("application_bare.txt"))),
	} {
		for _, kind := range []string{"text/plain", "application/json", ""} {
			all = append(all, faultVariant{
				name: fmt.Sprintf("%.40q as %s", body, kind), serve: answerWith(200, kind, body),
				check: func(_ *faultOp, value any) string {
					if got := value.(jobboard.ApplicationID); string(got) != want {
						return fmt.Sprintf("the identifier is %q, want %q", got, want)
					}
					return ""
				},
			})
		}
	}
	slices.SortFunc(all, func(a, b faultVariant) int { return strings.Compare(a.name, b.name) })
	return all
}
