package main

import (
	"context"
	_ "embed"
	"io/fs"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jobboard-sdk/jobboard-go/docs"
)

//go:embed README.md
var readme string

// addPages adds the documentation as resources.
func addPages(s *mcp.Server) {
	pages, err := fs.Glob(docs.Pages, "*.md")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	for _, name := range pages {
		body, err := docs.Pages.ReadFile(name)
		if err != nil {
			panic(err) // they are part of the program
		}
		addPage(s, "jobboard://docs/"+name, strings.TrimSuffix(name, ".md"), string(body))
	}
	addPage(s, "jobboard://command", "command", readme)
}

func addPage(s *mcp.Server, uri, name, body string) {
	first, _, _ := strings.Cut(body, "\n")
	page := &mcp.Resource{
		URI: uri, Name: name, Title: strings.TrimLeft(first, "# "), MIMEType: "text/markdown", Size: int64(len(body)),
	}
	s.AddResource(page, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		content := &mcp.ResourceContents{URI: uri, MIMEType: page.MIMEType, Text: body}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
	})
}
