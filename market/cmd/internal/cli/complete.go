package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// CompletionCommand returns the command that prints a shell's completion script.
func CompletionCommand(c *term.Console) *cobra.Command {
	shells := map[string]func(*cobra.Command, io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion of a shell",
		Long: `completion prints a script that completes commands, flags and what they take,
such as towns after --near. The shells are bash, zsh, fish and powershell.

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

// Complete sets the completion of a command's flag. It panics if the flag does
// not exist.
func Complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // a mistake in the program
	}
}

// completeSettings sets the completion of the flags that every command has.
func completeSettings(root *cobra.Command) {
	for _, s := range setup.List {
		switch {
		case s.Secret:
			_ = root.MarkPersistentFlagFilename(s.Flag)
		case s.Name == setup.CAFile:
			_ = root.MarkPersistentFlagFilename(s.Flag, "pem", "crt", "cer")
		case s.Name != setup.AllowInsecure:
			Complete(root, s.Flag, Nothing)
		}
	}
	_ = root.MarkPersistentFlagFilename("config", "toml")
	Complete(root, "attempts", OneOf("1", "3", "5"))
	Complete(root, "timeout", OneOf("5s", "15s", "60s"))
}

// Nothing offers no completions, not even file names.
func Nothing(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// OneOf offers fixed values.
func OneOf(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// unquote removes the quotes and backslashes that fish leaves in a word.
var unquote = strings.NewReplacer(`\`, "", `"`, "", `'`, "")

// completePlace offers towns, large towns first.
func completePlace(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed = unquote.Replace(typed)
	var towns []cobra.Completion
	for _, p := range places.Search(typed, 20) {
		n := len(typed)
		if n > len(p.Name) || !strings.EqualFold(p.Name[:n], typed) {
			continue // found by another name: the shell would reject it as a completion
		}
		// Keep the typed letters: the shell compares them exactly, and --near
		// ignores case.
		towns = append(towns, cobra.CompletionWithDesc(typed+p.Name[n:], p.Country))
	}
	return towns, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
