package bench

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// childVariable is set in the environment of the process that is the board. This test starts itself as that process, so
// that the board's time is not counted as the client's.
const childVariable = "JOBBOARD_BENCH_BOARD"

// startBoard starts a board, and returns its address.
func startBoard(tb testing.TB) string {
	tb.Helper()
	board := exec.Command(os.Args[0]) //nolint:noctx // ends with its input
	board.Env = append(os.Environ(), childVariable+"=1")
	board.Stderr = os.Stderr
	input, err := board.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	output, err := board.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := board.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		input.Close()
		_ = board.Wait()
	})
	address, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		tb.Fatal("the board does not say where it is:", err)
	}
	return strings.TrimSpace(address)
}

// stalling is where the path of a board begins that keeps one answer in 100 back.
const stalling = "/stalling"

// serve is the board. It ends with its input.
func serve() {
	info, page := makeInfo(200, ""), makePage(1000, "")
	var stalled atomic.Int64
	http.HandleFunc("GET /jobdb/public/apply/external", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(5 * time.Millisecond)
		id, _ := strconv.Atoi(r.URL.Query().Get("jobid"))
		answer(w, infoOf(info, id))
	})
	http.HandleFunc("GET /api/rest/v2/frontend/jobboards/{channel}/jobs", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, page)
	})
	http.HandleFunc("GET /api/rest/v3/frontend/jobs/{job}/applied", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, []byte("true"))
	})
	http.HandleFunc("GET "+stalling+"/api/rest/v3/frontend/jobs/{job}/applied", func(w http.ResponseWriter, r *http.Request) {
		takes := 5 * time.Millisecond
		if stalled.Add(1)%100 == 50 {
			takes = 2 * time.Second
		}
		select {
		case <-time.After(takes):
			answer(w, []byte("true"))
		case <-r.Context().Done():
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(http.Serve(l, nil)) }()
	fmt.Println("http://" + l.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
