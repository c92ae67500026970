package redact

import (
	"fmt"
	"log/slog"
)

// Value makes fmt, logs and encoders print Hidden in place of the value that embeds it.
type Value struct{}

// Format prints Hidden, whatever the verb.
func (Value) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Hidden)) }

// String returns Hidden.
func (Value) String() string { return Hidden }

// LogValue returns Hidden.
func (Value) LogValue() slog.Value { return slog.StringValue(Hidden) }

// MarshalText returns Hidden.
func (Value) MarshalText() ([]byte, error) { return []byte(Hidden), nil }
