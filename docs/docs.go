// Package docs holds the pages of the documentation, for a program that shows
// them.
package docs

import "embed"

// Pages holds the pages by their names, such as README.md, which lists them.
//
//go:embed *.md
var Pages embed.FS
