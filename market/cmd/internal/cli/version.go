package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// VersionCommand returns the command that prints the program's version.
func VersionCommand(c *term.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Long:  "version prints the version, the commit and the Go release it was built with.",
		Args:  AtMost(0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(c.Out, c.Name, Version())
			return err
		},
	}
}

// Version returns the version of the running program, with its commit, if that is known, and the Go release.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	details := runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	if commit := settings["vcs.revision"]; commit != "" {
		commit = "commit " + commit[:min(12, len(commit))]
		if settings["vcs.modified"] == "true" { // the working tree had changes after the commit
			commit += ", changed"
		}
		details = commit + ", " + details
	}
	return cmp.Or(info.Main.Version, "(unknown)") + " (" + details + ")"
}
