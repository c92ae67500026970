package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is how many columns the help is written for.
const helpWidth = 80

// printUsage writes what stands below a command's description: how it is called,
// its own flags, and where those of every command are explained.
func printUsage(cmd *cobra.Command) error {
	w := &output{w: cmd.OutOrStderr()}
	switch {
	case cmd.HasAvailableSubCommands():
		w.line("Usage:\n  %s COMMAND", cmd.CommandPath())
		for _, g := range cmd.Groups() {
			w.line("\n%s", g.Title)
			for _, c := range cmd.Commands() {
				if c.GroupID == g.ID && c.IsAvailableCommand() {
					w.line("  %-12s %s", c.Name(), c.Short)
				}
			}
		}
		w.line("\nMore help:")
		for _, c := range cmd.Commands() {
			if c.IsAdditionalHelpTopicCommand() {
				w.line("  jobboard help %-12s %s", c.Name(), c.Short)
			}
		}
		w.line("  %-26s %s", "jobboard COMMAND --help", "a command, its flags and examples")
		return w.err
	case !cmd.Runnable():
		return nil // a topic, which is all text
	}
	w.line("Usage:\n  %s", cmd.UseLine())
	if cmd.HasExample() {
		w.line("\nExamples:\n%s", cmd.Example)
	}
	if cmd.DisableFlagParsing {
		return w.err
	}
	w.line("\nFlags:\n%s", strings.TrimRight(cmd.LocalNonPersistentFlags().FlagUsagesWrapped(helpWidth), "\n"))
	if cmd.PreRunE != nil || cmd.Name() == "mcp" {
		w.line("\nAlso --fake, --channel and the other settings: jobboard help settings")
	}
	return w.err
}

// helpTopics are what several commands have in common.
func helpTopics(flags *pflag.FlagSet) []*cobra.Command {
	return []*cobra.Command{
		{
			Use: "settings", Short: "flags of every command, environment, file",
			Long: settingsHelp + "\n\nFlags of every command:\n" + strings.TrimRight(flags.FlagUsagesWrapped(helpWidth), "\n"),
		},
		{Use: "exit-codes", Short: "what a command ends with", Long: exitHelp},
	}
}

// helpCommand explains a command or a topic. Cobra's own ends well when there is
// none of the name, and does not complete topics.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "help [COMMAND|TOPIC]",
		Args: atMost(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var all []cobra.Completion
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c != cmd && !c.Hidden {
					all = append(all, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, _, err := cmd.Root().Find(args)
			if err != nil {
				return usage("%w", err).next("jobboard --help")
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

func (a *app) completionCommand() *cobra.Command {
	shells := map[string]func(*cobra.Command, io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion of a shell",
		Long: `completion prints a script that completes commands, flags and what they take:
towns after --near, and channels, languages and jobs of the demo (with --fake)
or of the last search. The shells are bash, zsh, fish and powershell.

  bash   source <(jobboard completion bash)
  zsh    source <(jobboard completion zsh)
  fish   jobboard completion fish | source

Written to ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish,
the line holds for every session. In bash it needs the package bash-completion.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return usage("name a shell: bash, zsh, fish or powershell")
			}
			return nil
		},
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return shells[args[0]](cmd.Root(), a.out)
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Long:  "version prints the version, the commit and the Go release it was built with.",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeJSON(a.out, readBuild(), true)
			}
			_, err := fmt.Fprintln(a.out, "jobboard", version())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// build is what the program knows of where it comes from.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Changed bool   `json:"changed,omitempty"` // since that commit
	Go      string `json:"go"`
	System  string `json:"system"`
}

func readBuild() build {
	b := build{Version: "(unknown)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
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

// version returns the build in one line.
func version() string {
	b := readBuild()
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
