package main

import (
	"net"
	"net/http"
	"slices"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/jobmcp"
)

// assistants returns a handler with an assistant's tools over the copy. It serves the
// mirror's permitted callers, under the names and addresses of this machine and those in
// hosts. It refuses web pages of other origins.
func assistants(m *copied, hosts []string) (http.Handler, error) {
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL: "http://localhost", JobDBURL: "http://localhost", ClientID: "mirror", // placeholders: the copy answers
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
