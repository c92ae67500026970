package main

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
)

func TestFakeRunsUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	p := newProcess()
	p.stdout = writer
	done := make(chan result)
	go func() { done <- p.runContext(ctx, t, "fake", "--json") }()
	var first struct {
		BaseURL  string `json:"base_url"`
		Channel  string `json:"channel"`
		ClientID string `json:"client_id"`
	}
	if err := json.NewDecoder(reader).Decode(&first); err != nil {
		t.Fatal(err)
	}
	newProcess().set("BASE_URL", first.BaseURL).set("CHANNEL", first.Channel).set("CLIENT_ID", first.ClientID).
		run(t, "search").want(t, setup.ExitOK, "42 of 42")
	cancel()
	if r := <-done; r.code != setup.ExitOK {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	newProcess().set("BASE_URL", first.BaseURL).set("CHANNEL", first.Channel).set("CLIENT_ID", first.ClientID).
		run(t, "search", "--attempts", "1").want(t, setup.ExitNetwork)

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	newProcess().runContext(ctx, t, "fake").want(t, setup.ExitOK, "export JOBBOARD_BASE_URL=http://127.0.0.1:", "export JOBBOARD_CHANNEL=27828_extern")
	newProcess().run(t, "fake", "--addr", "256.0.0.1:1").want(t, setup.ExitUsage)
}
