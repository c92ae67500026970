package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// CompletionCommand returns the command that prints a shell's completion script, as that of gh does.
func CompletionCommand(c *term.Console) *cobra.Command {
	shells := map[string]func(*cobra.Command, io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	var shell string
	cmd := &cobra.Command{
		Use:   "completion -s SHELL",
		Short: "Print the completion of a shell",
		Long: `completion prints a script that completes commands, flags and what they take,
such as towns after --near. Without -s it is bash's, but on a terminal.

bash: with the package bash-completion, add this to ~/.bash_profile:

  $ eval "$(` + c.Name + ` completion -s bash)"

zsh: put the script where $fpath says, and have compinit in ~/.zshrc:

  $ ` + c.Name + ` completion -s zsh > /usr/local/share/zsh/site-functions/_` + c.Name + `

fish:

  $ ` + c.Name + ` completion -s fish > ~/.config/fish/completions/` + c.Name + `.fish

PowerShell: add this to the file that $profile names:

  $ Invoke-Expression -Command $(` + c.Name + ` completion -s powershell | Out-String)`,
		Args: AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if shell == "" && !c.OutTerminal.TTY {
				shell = "bash"
			}
			write := shells[shell]
			switch {
			case shell == "":
				return setup.Usage("no shell is named").Next("give -s bash, zsh, fish or powershell")
			case write == nil:
				return setup.Usage("-s: there is no shell %.60q", shell).Next("give -s bash, zsh, fish or powershell")
			}
			return write(cmd.Root(), c.Out)
		},
	}
	cmd.Flags().StringVarP(&shell, "shell", "s", "", "`shell`: bash, zsh, fish or powershell")
	Complete(cmd, "shell", OneOf("bash", "zsh", "fish", "powershell"))
	return cmd
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
