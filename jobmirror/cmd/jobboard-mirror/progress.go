package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// showProgress shows how far the first fill is: as a bar on a terminal, as a
// line a minute elsewhere. It ends with the returned function, or, with
// untilDone, once nothing is due any more.
func showProgress(ctx context.Context, p *program, untilDone bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		follow(ctx, p, untilDone)
	}()
	return func() {
		cancel()
		<-done
	}
}

func follow(ctx context.Context, p *program, untilDone bool) {
	var bar *progressbar.ProgressBar
	every := time.Minute
	if file, ok := p.errOut.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(p.errOut), progressbar.OptionSetDescription("copying"),
			progressbar.OptionShowCount(), progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
		every = 500 * time.Millisecond
		defer func() { _ = bar.Finish() }()
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		status, err := p.mirror.Status(ctx)
		if err != nil {
			continue
		}
		done := p.mirror.Progress()
		left := int64(status.Due + status.Unindexed)
		if bar == nil {
			fmt.Fprintf(p.errOut, "%d read, %d looked up, %d to do\n", done.Read, done.LookedUp, left)
		} else {
			bar.ChangeMax64(done.LookedUp + left + 1) // a bar that is full clears itself
			_ = bar.Set64(done.LookedUp)
		}
		if untilDone && left == 0 && done.LookedUp > 0 {
			return
		}
	}
}
