package main

import (
	"net"
	"net/http"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
)

// assistants returns a handler that serves an assistant with tools over the copy. It answers
// the callers that the mirror answers, by the names and addresses of this machine and those
// of hosts, and no web page of another origin.
func assistants(m *copied, hosts []string) (http.Handler, error) {
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: "http://localhost", JobDBURL: "http://localhost", ClientID: "mirror", // of no host: the copy answers
		HTTPClient: &http.Client{Transport: m.Transport()},
	})
	if err != nil {
		return nil, err
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	names := append(slices.Clip(hosts), "localhost")
	for _, a := range own {
		if network, ok := a.(*net.IPNet); ok {
			names = append(names, network.IP.String())
		}
	}
	tools := jobmcp.NewServer(client, jobmcp.Options{Channel: m.channel, Hosts: names, Version: cli.Version()})
	return m.Guard(tools.Handler()), nil
}
