package term

import (
	"cmp"
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress shows the progress of a long command: with a bar on a terminal, and
// otherwise with occasional lines.
type Progress struct {
	bar   *progressbar.ProgressBar // nil: no terminal
	c     *Console
	every time.Duration // time between two lines
	last  time.Time     // time of the last line
}

// NewProgress begins to show the progress of the work named what. total is 0 if
// unknown.
func (c *Console) NewProgress(what string, total int64, every time.Duration) *Progress {
	p := &Progress{c: c, every: every, last: c.Now()}
	if !c.ErrTerminal.TTY {
		return p
	}
	p.bar = progressbar.NewOptions64(cmp.Or(total, -1),
		progressbar.OptionSetWriter(c.Err),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(max(10, min(30, c.ErrTerminal.Width-50))),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionEnableColorCodes(false),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true),
	)
	return p
}

// Step shows that done of total is done; total is 0 if unknown. words stand beside
// the bar; without a terminal, more follows them.
func (p *Progress) Step(done, total int64, words, more string) {
	if p.bar != nil {
		p.bar.Describe(words)
		if total > 0 {
			p.bar.ChangeMax64(total)
			// Stay below 100 %: a full bar clears itself, and Done does that.
			done = min(done, total-1)
		}
		_ = p.bar.Set64(done)
		return
	}
	if now := p.c.Now(); now.Sub(p.last) >= p.every {
		p.last = now
		fmt.Fprintln(p.c.Err, p.c.Name+":", words+more)
	}
}

// Done removes the bar.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
