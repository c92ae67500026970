package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/jobboard-sdk/jobboard-go/jobsync"
)

// bar says how far a run is: as a bar on a terminal, as lines elsewhere.
type bar struct {
	w    io.Writer
	feed *feed
	bar  *progressbar.ProgressBar // nil: lines
	said int                      // thousands
}

func newBar(w io.Writer, f *feed) *bar {
	b := &bar{w: w, feed: f}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		b.bar = progressbar.NewOptions64(max(f.size, -1),
			progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("reading"), progressbar.OptionShowBytes(true),
			progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
	}
	return b
}

// step is called for each batch that is done. The feed is read only a little
// ahead of the lookups, so how much of it was read is how far the run is.
func (b *bar) step(p jobsync.Progress) {
	if b.bar != nil {
		b.bar.Describe(fmt.Sprintf("%d jobs", p.Recorded))
		_ = b.bar.Set64(b.feed.read.Load())
		return
	}
	if n := p.Recorded / 1000; n > b.said {
		b.said = n
		fmt.Fprintf(b.w, "%d jobs done\n", p.Recorded)
	}
}

func (b *bar) end() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}
