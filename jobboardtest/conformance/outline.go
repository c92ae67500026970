package conformance

import (
	"fmt"
	"strings"
)

// These two bytes enclose every text of the target or the service in a problem, so that
// Result.Outlines can leave it out. No text of this package contains the bytes.
const openValue, closeValue = "\x02", "\x03"

// value marks a text of the target or the service.
func value(s string) string {
	return openValue + strings.NewReplacer(openValue, "", closeValue, "").Replace(s) + closeValue
}

// own is a text of this package, in which texts of the service are marked. An
// outline shows no other text arguments of a problem.
type own string

// unmarked returns a text without the marks.
func unmarked(s string) string {
	return strings.NewReplacer(openValue, "", closeValue, "").Replace(s)
}

// leftOut replaces every value in an outline.
const leftOut = "…"

// outlined returns a text of this package without its marked values.
func outlined(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, openValue)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(leftOut)
		if _, s, found = strings.Cut(rest, closeValue); !found {
			return b.String()
		}
	}
}

// hidden replaces an argument that an outline leaves out. It prints leftOut for
// every verb.
type hidden struct{}

// Format implements fmt.Formatter.
func (hidden) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(leftOut)) }

// outline words a problem like fmt.Sprintf, without the arguments that are not own.
func outline(format string, args []any) string {
	shown := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case own:
			shown[i] = outlined(string(a))
		case response:
			shown[i] = outlined(a.String())
		default:
			shown[i] = hidden{}
		}
	}
	return fmt.Sprintf(format, shown...)
}
