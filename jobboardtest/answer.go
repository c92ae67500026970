package jobboardtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest/internal/delivery"
)

const (
	typeJSON = "application/json"
	typeText = "text/plain;charset=UTF-8"
	typeHTML = "text/html;charset=UTF-8"
)

// answer is an operation's answer before a fault changes it.
type answer = delivery.Answer

func jsonAnswer(v any) answer {
	return answer{Status: http.StatusOK, ContentType: typeJSON, Body: marshal(v)}
}

func textAnswer(status int, text string) answer {
	return answer{Status: status, ContentType: typeText, Body: []byte(text)}
}

// serverError returns the answer of section 7.1 when processing fails.
func (v Variants) serverError(text string) answer {
	if v.EmptyServerErrors {
		return answer{Status: http.StatusInternalServerError}
	}
	return textAnswer(http.StatusInternalServerError, text)
}

// plain returns an answer with a plain message of section 7.2.
func (v Variants) plain(status int, text string) answer {
	a := textAnswer(status, text)
	if v.PlainErrors != "" {
		a.ContentType = typeJSON
	}
	if v.PlainErrors == PlainAsJSONString {
		a.Body = marshal(text)
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
	a := answer{Status: status, ContentType: typeJSON}
	switch v.CodedErrors {
	case CodedAsWord:
		return textAnswer(status, code)
	case CodedAsText:
		a.ContentType = typeText
	}
	a.Body = fmt.Appendf(nil, `{ "code": %s, "message": %s }`, marshal(code), marshal(message))
	return a
}

// errorCode returns an answer with an ERROR_ code of section 7.3.
func (v Variants) errorCode(code string) answer {
	a := answer{Status: v.ErrorStatus, ContentType: typeJSON}
	if a.Status == 0 {
		a.Status = http.StatusNotFound
	}
	switch v.ErrorShape {
	case ErrorAsText:
		a.ContentType, a.Body = typeText, []byte(code)
	case ErrorAsJSONString:
		a.Body = marshal(code)
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
		a.Body = marshal(value)
	}
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
