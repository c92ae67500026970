package jobmcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPage adds a page as a resource.
func addPage(s *mcp.Server, p Page) {
	first, _, _ := strings.Cut(p.Text, "\n")
	resource := &mcp.Resource{
		URI: p.URI, Name: p.Name, Title: strings.TrimLeft(first, "# "), MIMEType: "text/markdown", Size: int64(len(p.Text)),
	}
	s.AddResource(resource, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		content := &mcp.ResourceContents{URI: p.URI, MIMEType: resource.MIMEType, Text: p.Text}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
	})
}
