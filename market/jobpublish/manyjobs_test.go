package jobpublish

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/testenv"
)

// advertised yields n jobs with an advertisement of 5 kB.
func advertised(n int) func(context.Context) iter.Seq2[Job, error] {
	const paragraph = "<p>Wir suchen ab sofort eine <b>Pflegefachkraft</b> für unsere Station, in Vollzeit oder Teilzeit.</p>"
	text := strings.Repeat(paragraph+"<ul><li>Tarif</li></ul>", 44)
	config := jobboard.NewPostingConfig(map[string][]string{"platform_internalAdText": {text}})
	return func(ctx context.Context) iter.Seq2[Job, error] {
		return func(yield func(Job, error) bool) {
			for j, err := range counting(n)(ctx) {
				j.URL += "/pflegefachkraft" // as the feed of structured data wants addresses
				posting := *j.Posting
				posting.Config, j.Posting = config, &posting
				if !yield(j, err) {
					return
				}
			}
		}
	}
}

// cpu returns the time that the process has taken of processors.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A sitemap and a feed of 100 000 jobs: a visitor has the first byte within some seconds, the
// next file takes a fraction of the time of the first, and neither takes memory by the number of jobs.
func TestFiguresOfManyJobs(t *testing.T) {
	n := 500
	if testenv.Night() {
		n = 100_000
	}
	feeds := newFeeds(t, advertised(n))
	feeds.cfg.MaxAge = 2 * time.Second
	for name, handler := range map[string]http.Handler{"the sitemap": feeds.Sitemap("/x"), "jobs.rss": feeds.RSS("/x")} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			runtime.GC()
			var before, during runtime.MemStats
			runtime.ReadMemStats(&before)
			peak, stop := make(chan uint64), make(chan struct{})
			go func() {
				var most uint64
				for tick := time.NewTicker(100 * time.Millisecond); ; {
					select {
					case <-tick.C:
						runtime.ReadMemStats(&during)
						most = max(most, during.HeapInuse)
					case <-stop:
						tick.Stop()
						peak <- most
						return
					}
				}
			}()
			var waits, times []time.Duration
			for _, visitor := range []string{"the first visitor", "the next", "one who finds it expired"} {
				if len(times) == 2 {
					<-time.After(feeds.cfg.MaxAge + time.Second)
				}
				began, used := time.Now(), cpu()
				rs, err := http.Get(server.URL)
				if err != nil {
					t.Fatal(err)
				}
				first := make([]byte, 1)
				_, err = io.ReadFull(rs.Body, first)
				waited := time.Since(began)
				size, err2 := io.Copy(io.Discard, rs.Body)
				rs.Body.Close()
				if rs.StatusCode != http.StatusOK || err != nil || err2 != nil {
					t.Fatal(rs.Status, err, err2)
				}
				if name == "jobs.rss" && size < 4000*int64(n) {
					t.Errorf("%d bytes: jobs are missing", size)
				}
				waits, times = append(waits, waited), append(times, cpu()-used)
				t.Logf("figure: %s of %d jobs, %s: the first byte after %s, %d bytes after %s, %s of a processor", name, n, visitor,
					waited.Round(time.Millisecond), size, time.Since(began).Round(time.Millisecond), (cpu() - used).Round(time.Millisecond))
			}
			close(stop)
			grown := (int64(<-peak) - int64(before.HeapInuse)) >> 20
			t.Logf("figure: %s of %d jobs: the heap grew by %d MB at most", name, n, grown)
			if grown > 64 || testenv.Night() && slices.Max(waits) > 4*patience || name == "jobs.rss" && times[2] > times[0]/3 {
				t.Errorf("the heap grew by %d MB, the first byte came after %s, and processors were used for %s", grown, waits, times)
			}
		})
	}
}
