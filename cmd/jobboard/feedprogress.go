package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress is a bar on a terminal, and elsewhere a line now and then.
type progress struct {
	bar  *progressbar.ProgressBar // nil: no terminal
	src  *source
	w    io.Writer
	now  func() time.Time
	last time.Time // of a line
}

const progressEvery = 5 * time.Second

func (a *app) newProgress(src *source) *progress {
	p := &progress{src: src, w: a.stderr, now: a.now, last: a.now()}
	if !a.errTerminal.tty {
		return p
	}
	p.bar = progressbar.NewOptions64(cmp.Or(src.size, -1),
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription("looking up"),
		progressbar.OptionSetWidth(max(10, min(30, a.errTerminal.width-50))),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionEnableColorCodes(false),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)
	return p
}

// step tells of one more result. The progress is that of reading the feed, which is
// only a little ahead of the lookups.
func (p *progress) step(s *feedSummary) {
	sum := fmt.Sprintf("%d looked up, %d open, %d failed", s.total(), s.count[outcomeOpen], s.failed())
	if p.bar != nil {
		p.bar.Describe(sum)
		// Stay below 100 %: a full bar clears itself, and done does that.
		read := p.src.read.Load()
		if p.src.size > 0 {
			read = min(read, p.src.size-1)
		}
		_ = p.bar.Set64(read)
		return
	}
	if now := p.now(); now.Sub(p.last) >= progressEvery {
		p.last = now
		if p.src.size > 0 {
			sum += fmt.Sprintf(", %d %% of the feed read", 100*min(p.src.read.Load(), p.src.size)/p.src.size)
		}
		fmt.Fprintln(p.w, "jobboard:", sum)
	}
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
