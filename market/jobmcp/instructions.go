package jobmcp

import (
	_ "embed"
	"strings"
)

// instructionText is what every server of this package tells a model at the beginning of a
// session, whichever program serves it.
//
//go:embed instructions.txt
var instructionText string

var instructions = strings.TrimSpace(instructionText)
