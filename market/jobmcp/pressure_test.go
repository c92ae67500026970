package jobmcp

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/jobboard-sdk/jobboard-go"
)

// The library of the protocol decodes messages with a decoder that writes through unsafe
// pointers. Messages of every shape go through it, on lines and over HTTP, several at the
// same time: whole ones with any member of another type, cut ones, ones with bytes changed,
// nested and repeated ones. A wrong pointer ends the process, or is found by the garbage
// collector: run it under GOGC=1, with -gcflags=all=-d=checkptr and with -race.
// JOBBOARD_MESSAGES asks for more messages than every change can wait for.
func TestDecoderUnderPressure(t *testing.T) {
	n := 4000
	if text := os.Getenv("JOBBOARD_MESSAGES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	srv := inMemory()
	defer srv.Close()
	// Tools that ask the service would spend the time elsewhere: their calls are refused at once.
	server := setting{options: Options{
		Rate:  -1,
		Pages: []Page{{URI: "test://page", Name: "page", Text: "# A page\n"}},
		Open:  func(context.Context, Need) (Board, error) { return Board{}, jobboard.ErrInvalidInput },
	}}.server(t, srv)
	handler := server.Handler()
	const workers = 4
	var decoded atomic.Int64
	var all sync.WaitGroup
	for w := range uint64(workers) {
		all.Go(func() {
			m := messages{rand.New(rand.NewPCG(w, 27))}
			begin := func() *serving {
				s := serve(t.Context(), server)
				go func() { _, _ = io.Copy(io.Discard, s.out) }()
				_, _ = io.WriteString(s.in, initialize)
				return s
			}
			s := begin()
			for i := range n / workers {
				message := m.next()
				if _, err := jsonrpc.DecodeMessage([]byte(message)); err == nil {
					decoded.Add(1)
				}
				if i%2 == 0 {
					if w := post(handler, "localhost", "", message); w.Code >= http.StatusInternalServerError {
						t.Errorf("%d for %.300q", w.Code, message)
					}
					continue
				}
				if _, err := io.WriteString(s.in, strings.ReplaceAll(message, "\n", " ")+"\n"); err != nil {
					if err := <-s.ended; err == nil {
						t.Error("the session ended by itself")
					}
					s = begin() // a line that was no message has ended it
				}
			}
			s.in.Close()
			<-s.ended //nolint:errcheck // it has one if the last line was no message
		})
	}
	all.Wait()
	if share := float64(decoded.Load()) / float64(n); share < 0.2 || share > 0.95 {
		t.Errorf("%g of the messages are messages", share)
	}
	t.Logf("figure: %d messages of every shape, %d of them whole", n, decoded.Load())
}

// messages makes messages of every shape that the protocol knows, and damages them.
type messages struct{ *rand.Rand }

// methods and what their parameters are made of.
var methods = []struct {
	name   string
	params []string
}{
	{"initialize", []string{"protocolVersion", "capabilities", "clientInfo"}},
	{"notifications/initialized", nil},
	{"notifications/cancelled", []string{"requestId", "reason"}},
	{"notifications/progress", []string{"progressToken", "progress", "total", "message"}},
	{"notifications/roots/list_changed", nil},
	{"ping", nil},
	{"tools/list", []string{"cursor"}},
	{"tools/call", []string{"name", "arguments", "_meta"}},
	{"resources/list", []string{"cursor"}},
	{"resources/templates/list", []string{"cursor"}},
	{"resources/read", []string{"uri"}},
	{"resources/subscribe", []string{"uri"}},
	{"prompts/list", []string{"cursor"}},
	{"prompts/get", []string{"name", "arguments"}},
	{"completion/complete", []string{"ref", "argument", "context"}},
	{"logging/setLevel", []string{"level"}},
	{"sampling/createMessage", []string{"messages", "maxTokens", "modelPreferences", "tools"}},
	{"elicitation/create", []string{"message", "requestedSchema"}},
	{"server/discover", nil},
	{"subscriptions/listen", []string{"filter"}},
	{"tasks/get", []string{"taskId"}},
}

var values = []string{
	`null`, `true`, `0`, `-1`, `1e400`, `123456789012345678901234567890`, `1.5`, `""`, `"x"`, `"search_jobs"`, `"job_information"`,
	`"test://page"`, `"2025-06-18"`, `"2026-07-28"`, `"\u0000\ud800"`, `"ä💥"`, `{}`, `[]`, `[null]`, `{"a":null}`, `{"limit":3}`,
	`{"job":2797227}`, `{"answers":{"8":"yes"},"job":"1"}`, `{"name":"n","version":"1","icons":[{"src":"x","sizes":["1x1"]}]}`,
	`{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"experimental":{"x":{"y":[1,"z"]}}}`,
	`[{"role":"user","content":{"type":"text","text":"hi","annotations":{"audience":["user"],"priority":1}}}]`,
	`{"type":"ref/prompt","name":"x"}`, `{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`,
	`[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource","resource":{"uri":"u","blob":"AAAA"}}]`,
}

func (m messages) value(depth int) string {
	switch m.IntN(6) {
	case 0:
		if depth < 4 {
			return `[` + m.value(depth+1) + `,` + m.value(depth+1) + `]`
		}
	case 1:
		if depth < 4 {
			return `{"k` + strconv.Itoa(m.IntN(30)) + `":` + m.value(depth+1) + `,"type":` + m.value(depth+1) + `}`
		}
	case 2:
		if m.IntN(200) == 0 {
			return strings.Repeat(`[`, 1200) + strings.Repeat(`]`, 1200)
		}
		return `"` + strings.Repeat("xy\\n", m.IntN(300)) + `"`
	}
	return values[m.IntN(len(values))]
}

func (m messages) next() string {
	if m.IntN(12) == 0 { // the answer to a request that nobody made
		return m.damaged(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, m.id(), []string{"result", "error"}[m.IntN(2)], m.value(0)))
	}
	method := methods[m.IntN(len(methods))]
	var params []string
	for _, name := range method.params {
		for range m.IntN(3) { // the member is absent, present once, or present twice
			params = append(params, fmt.Sprintf("%q:%s", name, m.value(0)))
		}
	}
	text := fmt.Sprintf(`"method":%q,"params":{%s}`, method.name, strings.Join(params, ","))
	if m.IntN(20) == 0 {
		text = fmt.Sprintf(`"method":%q,"params":%s`, method.name, m.value(0))
	}
	if !strings.HasPrefix(method.name, "notifications/") || m.IntN(10) == 0 {
		text = `"id":` + m.id() + `,` + text
	}
	return m.damaged(`{"jsonrpc":"2.0",` + text + `}`)
}

func (m messages) id() string {
	switch m.IntN(20) {
	case 0:
		return []string{`null`, `1.5`, `{}`, `""`}[m.IntN(4)]
	case 1, 2, 3:
		return `"` + strconv.Itoa(m.IntN(1<<30)) + `"`
	}
	return strconv.Itoa(m.IntN(1 << 30))
}

func (m messages) damaged(text string) string {
	b := []byte(text)
	switch m.IntN(12) {
	case 0:
		return text[:m.IntN(len(text))]
	case 1:
		for range 1 + m.IntN(4) {
			b[m.IntN(len(b))] = byte(m.IntN(256))
		}
		return string(b)
	case 2:
		return "[" + text + "," + text + "]"
	case 3: // a member in other letters
		return strings.Replace(text, `"params"`, `"Params"`, 1)
	}
	return text
}
