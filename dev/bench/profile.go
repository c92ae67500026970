package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/jobboard-sdk/jobboard-go"
)

// writeProfiles writes a CPU profile of each operation of the client into a
// directory, for go tool pprof.
func writeProfiles(dir string, e effort) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	s, err := startServer()
	if err != nil {
		return err
	}
	defer s.stop()
	page, info := makePage(1000), makeInfo(1)
	streamed, err := streamPage(page)
	if err != nil {
		return err
	}
	known, err := lookup(info)
	if err != nil {
		return err
	}
	stub, err := applied(memoryAddress, func() http.RoundTripper { return &inMemory{[]byte("true")} })
	if err != nil {
		return err
	}
	loopback, err := applied(s.Plain, func() http.RoundTripper { return tuned() })
	if err != nil {
		return err
	}
	searched, err := searches(s, 1000)
	if err != nil {
		return err
	}
	look, done, err := sdkCrowd(ours, s.Plain, nil, false).open()
	if err != nil {
		return err
	}
	defer done()
	for _, p := range []struct {
		name string
		contender
	}{
		{"decode-search", decodePage(page)[0]},
		{"decode-search-skipping", streamed[0]},
		{"decode-search-streamed", streamed[1]},
		{"decode-info-new", whole(ours, info, func(b []byte,
			v *jobboard.JobInformation,
		) error {
			return v.UnmarshalJSON(b)
		})},
		{"lookup-known-memory", known},
		{"applied-memory", stub[1]},
		{"applied-loopback", loopback[1]},
		{"applied-loopback-bare", loopback[0]},
		{"search-loopback", searched[0]},
		{"bulk", contender{run: func() (any, error) { return nil, look(crowdSize, 2000) }}},
	} {
		if err := profile(filepath.Join(dir, p.name+".pprof"), e, p.run); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Println(filepath.Join(dir, p.name+".pprof"))
	}
	return nil
}

func profile(name string, e effort, run func() (any, error)) error {
	length := 3 * time.Second
	if e.quick {
		length = 50 * time.Millisecond
	}
	return writeFile(name, func(w io.Writer) error {
		if err := pprof.StartCPUProfile(w); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		for start := time.Now(); time.Since(start) < length; {
			if _, err := run(); err != nil {
				return err
			}
		}
		return nil
	})
}
