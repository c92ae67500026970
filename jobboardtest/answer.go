package jobboardtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	typeJSON = "application/json"
	typeText = "text/plain;charset=UTF-8"
	typeHTML = "text/html;charset=UTF-8"
)

// answer is what an operation says, before faults have their way with it.
type answer struct {
	status      int
	contentType string
	header      http.Header
	body        []byte
	parts       [][]byte // instead of body: pieces kept elsewhere, not to be changed
}

func (a *answer) size() int64 {
	n := int64(len(a.body))
	for _, p := range a.parts {
		n += int64(len(p))
	}
	return n
}

func (a *answer) flat() []byte {
	if a.parts == nil {
		return a.body
	}
	return slices.Concat(a.parts...)
}

// beginning returns the first n bytes of the body, or all of it.
func (a *answer) beginning(n int) []byte {
	begin := append([]byte(nil), a.body[:min(n, len(a.body))]...)
	for _, p := range a.parts {
		begin = append(begin, p[:min(n-len(begin), len(p))]...)
	}
	return begin
}

func jsonAnswer(v any) answer {
	return answer{status: http.StatusOK, contentType: typeJSON, body: marshal(v)}
}

func textAnswer(status int, text string) answer {
	return answer{status: status, contentType: typeText, body: []byte(text)}
}

// serverError returns the answer of section 7.1 when processing fails.
func (v Variants) serverError(text string) answer {
	if v.EmptyServerErrors {
		return answer{status: http.StatusInternalServerError}
	}
	return textAnswer(http.StatusInternalServerError, text)
}

// plain returns an answer with a plain message of section 7.2.
func (v Variants) plain(status int, text string) answer {
	a := textAnswer(status, text)
	if v.PlainErrors != "" {
		a.contentType = typeJSON
	}
	if v.PlainErrors == PlainAsJSONString {
		a.body = marshal(text)
	}
	return a
}

// found returns the word "found" as the service writes it.
func (v Variants) found() string {
	if v.NotFount {
		return "fount"
	}
	return "found"
}

// coded returns a JSON error of section 7.2, code before message.
func (v Variants) coded(status int, code, message string) answer {
	a := answer{status: status, contentType: typeJSON}
	switch v.CodedErrors {
	case CodedAsWord:
		return textAnswer(status, code)
	case CodedAsText:
		a.contentType = typeText
	}
	a.body = fmt.Appendf(nil, `{ "code": %s, "message": %s }`, marshal(code), marshal(message))
	return a
}

// errorCode returns an answer with an ERROR_ code of section 7.3.
func (v Variants) errorCode(code string) answer {
	a := answer{status: v.ErrorStatus, contentType: typeJSON}
	if a.status == 0 {
		a.status = http.StatusNotFound
	}
	switch v.ErrorShape {
	case ErrorAsText:
		a.contentType, a.body = typeText, []byte(code)
	case ErrorAsJSONString:
		a.body = marshal(code)
	default:
		field := v.ErrorField
		if field == "" {
			field = "errorCode"
		}
		var value any = code
		parts := strings.Split(field, ".")
		for _, p := range slices.Backward(parts) {
			if p == "0" {
				value = []any{value}
			} else {
				value = map[string]any{p: value}
			}
		}
		a.body = marshal(value)
	}
	return a
}

// answer carries the operation out.
func (c *call) answer() answer {
	switch c.op() {
	case OpSearch:
		return c.search()
	case OpApplied:
		return c.applied()
	case OpApplication:
		return c.application()
	case OpJobInformation:
		return c.jobInformation()
	case OpSubscribe:
		return c.subscribe()
	case OpConfirm:
		return c.confirm()
	case OpUnsubscribe:
		return c.unsubscribe()
	case OpToken:
		return c.issue()
	case OpAuthorize:
		return c.authorize()
	}
	return c.refuse(c.lost)
}

// refuse answers a request that is outside the interface.
func (c *call) refuse(why string) answer {
	status := http.StatusBadRequest
	var h http.Header
	switch {
	case len(c.allowed) > 0:
		status = http.StatusMethodNotAllowed
		h = http.Header{"Allow": {strings.Join(c.allowed, ", ")}}
	case c.e == nil:
		status = http.StatusNotFound
	}
	a := textAnswer(status, why)
	a.header = h
	return a
}

// parseID reads an identifier as the interface writes it: digits alone.
func parseID(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, false
	}
	return int64(n), true
}

func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}
