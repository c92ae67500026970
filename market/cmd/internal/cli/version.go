package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// VersionCommand returns the command that prints the program's version.
func VersionCommand(c *term.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Long:  "version prints the version, the commit and the Go release it was built with.",
		Args:  AtMost(0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return term.WriteJSON(c.Out, readBuild(), true)
			}
			_, err := fmt.Fprintln(c.Out, c.Name, Version())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the version as JSON")
	return cmd
}

// Build describes the version and build of the program.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"` // the working tree had changes after the commit
	Go      string `json:"go"`
	System  string `json:"system"`
}

// readBuild returns the build of the running program.
func readBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: "(unknown)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// Version returns the build in one line.
func Version() string { return readBuild().line() }

func (b Build) line() string {
	details := b.Go + ", " + b.System
	if b.Commit != "" {
		commit := "commit " + b.Commit
		if b.Changed {
			commit += ", changed"
		}
		details = commit + ", " + details
	}
	return b.Version + " (" + details + ")"
}
