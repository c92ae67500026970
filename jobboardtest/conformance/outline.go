package conformance

import (
	"fmt"
	"strings"
)

// Every text of the target or the service is put between these two while a problem is
// worded, so that Result.Outlines can leave it out. The bytes occur in no text of ours.
const openValue, closeValue = "\x02", "\x03"

// value marks a text of the target or the service.
func value(s string) string {
	return openValue + strings.NewReplacer(openValue, "", closeValue, "").Replace(s) + closeValue
}

// own is a text of this package. What it holds of the service is marked. Of the
// arguments of a problem an outline shows no others.
type own string

// unmarked returns a text as a person reads it.
func unmarked(s string) string {
	return strings.NewReplacer(openValue, "", closeValue, "").Replace(s)
}

// leftOut stands in an outline for every value.
const leftOut = "…"

// outlined returns a text of ours with its marked values left out.
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

// hidden stands for an argument that an outline leaves out, whatever its verb.
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
