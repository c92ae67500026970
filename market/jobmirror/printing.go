package jobmirror

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/jobboard-sdk/jobboard-go/market/internal/feedaddress"
)

// Format prints the feed with its address as it may be shown; see Feed.Name.
func (feed Feed) Format(f fmt.State, verb rune) {
	type plain Feed // has no Format
	fmt.Fprintf(f, fmt.FormatString(f, verb), plain(feed.withoutSecrets()))
}

// MarshalJSON returns the name, and the address as Format prints it, as JSON.
func (feed Feed) MarshalJSON() ([]byte, error) {
	feed = feed.withoutSecrets()
	return json.Marshal(map[string]string{"name": feed.Name, "address": feed.Address})
}

// MarshalText returns what Format prints for %+v. encoding/xml and libraries for other formats
// take it in place of the fields.
func (feed Feed) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%+v", feed), nil }

// unread stands for a text that may be a mistyped address with a password.
const unread = "..."

func (feed Feed) withoutSecrets() Feed {
	if mayHoldPassword(feed.Name) {
		feed.Name = unread
	}
	if feed.Address != "" && feedaddress.Parse(feed.Address) == nil && feedaddress.IsMistyped(feed.Address) {
		feed.Address = unread
	} else if feed.Address != "" {
		feed.Address = feedaddress.Public(feed.Address)
	}
	return feed
}

// Format prints the options without credentials; see the methods of their Config and Feeds.
// Package fmt calls no method of options, or a pointer to them, in an unexported field of another
// struct, and prints their fields.
func (o Options) Format(f fmt.State, verb rune) {
	type plain Options // has no Format
	fmt.Fprintf(f, fmt.FormatString(f, verb), plain(o))
}

// LogValue returns what is copied, into what board's name and with which configuration, without
// credentials.
func (o Options) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("config", o.Config), slog.String("board", o.Board),
		slog.Any("channels", o.Channels), slog.Any("feeds", o.Feeds), slog.Bool("read_only", o.ReadOnly))
}

// MarshalJSON returns the values of LogValue as JSON.
func (o Options) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"config": o.Config, "board": o.Board, "channels": o.Channels, "feeds": o.Feeds, "read_only": o.ReadOnly,
	})
}

// MarshalText returns the values of LogValue as a line; see the one of Feed.
func (o Options) MarshalText() ([]byte, error) { return []byte(o.LogValue().String()), nil }

// Format prints a constant text, because a mirror holds addresses with passwords and the secret of
// its database.
func (m *Mirror) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "jobmirror.Mirror") }
