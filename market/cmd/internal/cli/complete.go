package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// CompletionCommand returns the command that prints the completion of a shell. offers
// says what values are completed.
func CompletionCommand(c *term.Console, offers string) *cobra.Command {
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
` + offers + ` The shells are bash, zsh, fish and powershell.

  bash   source <(` + c.Name + ` completion bash)
  zsh    source <(` + c.Name + ` completion zsh)
  fish   ` + c.Name + ` completion fish | source

Written to ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish,
the line holds for every session. In bash it needs the package bash-completion.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return setup.Usage("name a shell: bash, zsh, fish or powershell")
			}
			return nil
		},
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return shells[args[0]](cmd.Root(), c.Out)
		},
	}
}

// Complete sets what completes a flag of a command.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // there is no such flag
	}
}

// Nothing completes nothing, and no names of files.
func Nothing(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// OneOf completes one of some values.
func OneOf(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// unquote takes away what fish leaves in a word: its quotes and backslashes.
var unquote = strings.NewReplacer(`\`, "", `"`, "", `'`, "")

// completePlace offers towns, the large ones first.
func completePlace(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed = unquote.Replace(typed)
	var towns []cobra.Completion
	for _, p := range places.Search(typed, 20) {
		n := len(typed)
		if n > len(p.Name) || !strings.EqualFold(p.Name[:n], typed) {
			continue // found by another name, which the shell would not take for a completion
		}
		// In the letters that were typed: the shell compares them, --near does not.
		towns = append(towns, cobra.CompletionWithDesc(typed+p.Name[n:], p.Country))
	}
	return towns, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
