package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// asksService annotates a command that sends requests to the service, and so uses
// its settings.
const asksService = "asks the service"

// AsksService marks commands that use the service's settings: their help names the given
// flags of those that every command has.
func AsksService(flags string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.Annotations = map[string]string{asksService: flags}
	}
	return commands
}

// HelpWidth is the width of the help in columns.
const HelpWidth = 80

// printUsage writes the part of the help below a command's description, under the headings that
// gh has, and in their order.
func printUsage(cmd *cobra.Command) error {
	w := &term.Output{W: cmd.OutOrStderr()}
	root := cmd.Root().Name()
	switch {
	case cmd.HasAvailableSubCommands():
		w.Line("USAGE\n  %s <command> [flags]", cmd.CommandPath())
		for _, g := range cmd.Groups() {
			w.Line("\n%s", strings.ToUpper(g.Title))
			for _, c := range cmd.Commands() {
				if c.GroupID == g.ID && c.IsAvailableCommand() {
					w.Line("  %-13s %s", c.Name()+":", c.Short)
				}
			}
		}
		w.Line("\nHELP TOPICS")
		for _, c := range cmd.Commands() {
			if c.IsAdditionalHelpTopicCommand() {
				w.Line("  %-13s %s", c.Name()+":", c.Short)
			}
		}
		w.Line("\nFLAGS\n%s", usages(cmd.LocalNonPersistentFlags()))
	case !cmd.Runnable():
		return nil // a help topic has only text
	default:
		w.Line("USAGE\n  %s", cmd.UseLine())
		w.Line("\nFLAGS\n%s", usages(cmd.LocalNonPersistentFlags()))
	}
	if cmd.HasExample() {
		w.Line("\nEXAMPLES")
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			w.Line("  $ %s", strings.TrimSpace(line))
		}
	}
	more := "Use `" + root + " <command> --help` for a command, its flags and examples."
	if flags := cmd.Annotations[asksService]; flags != "" {
		more = "Use `" + root + " help settings` for " + flags + " and the other settings."
	}
	w.Line("\nLEARN MORE\n  %s", strings.Join(term.WrapWords(more, HelpWidth-2), "\n  "))
	w.Line("  Use `%s help <topic>` for a topic.", root)
	return w.Err
}

// usages lists flags with their help. It shows only the name of a boolean flag, where
// pflag would write --json[=true|false].
func usages(flags *pflag.FlagSet) string {
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		named := *f
		if f.Value.Type() == "bool" {
			named.Value, named.NoOptDefVal = onOrOff{f.Value}, ""
		}
		switch f.Name { // whose help is cobra's
		case "help":
			named.Usage = "show help for the command"
		case "version":
			named.Usage = "show the version"
		}
		shown.AddFlag(&named)
	})
	return strings.TrimRight(shown.FlagUsagesWrapped(HelpWidth), "\n")
}

type onOrOff struct{ pflag.Value }

// Type returns "", so that the help shows no value.
func (onOrOff) Type() string { return "" }

// helpTopics returns the help pages about settings and exit codes.
func helpTopics(flags *pflag.FlagSet) []*cobra.Command {
	return []*cobra.Command{
		{
			Use: "settings", Short: "flags of every command, environment, file",
			Long: setup.Help + "\n\nFlags of every command:\n" + usages(flags),
		},
		{Use: "exit-codes", Short: "what a command ends with", Long: setup.ExitHelp},
	}
}

// helpCommand returns the command help, which explains a command or a topic. Cobra's own
// exits with 0 for an unknown name, and does not complete topics.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "help [COMMAND|TOPIC]",
		Args: AtMost(1),
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
				return setup.Usage("%w", err).Next(cmd.Root().Name() + " --help")
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}
