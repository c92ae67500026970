package term

import (
	"cmp"
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress tells how far a long command is: with a bar on a terminal, elsewhere with a
// line now and then.
type Progress struct {
	bar   *progressbar.ProgressBar // nil: no terminal
	c     *Console
	every time.Duration // between two lines
	last  time.Time     // of a line
}

// NewProgress shows that the work named what has begun. Its total is 0 where it is not
// known.
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

// Step tells how much of the total is done, 0 for one that is not known, in words for
// beside the bar. Without a terminal more follows them.
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

// Done takes the bar away.
func (p *Progress) Done() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
