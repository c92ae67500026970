package jobmcp_test

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
)

// A site mounts the tools beside its pages, for those that it knows.
func ExampleServer_Handler() {
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: "https://board.example", JobDBURL: "https://jobdb.example", ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	tools := jobmcp.NewServer(client, jobmcp.Options{
		Channel: "27828_extern",
		Hosts:   []string{"jobs.example"}, // the site's names in requests
		Calls:   16, Rate: 50,             // of all callers together
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", whoMayAsk(tools.Handler()))
}

// whoMayAsk lets those ask who have the site's key: Handler asks nobody.
func whoMayAsk(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !known(r.Header.Get("Authorization")) {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// known reports whether the site has given a key out.
func known(string) bool { return true }

// A program that an assistant starts serves the tools on standard input and output.
func ExampleServer_Serve() {
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: "https://board.example", ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	tools := jobmcp.NewServer(client, jobmcp.Options{Channel: "27828_extern"})
	if err := tools.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
