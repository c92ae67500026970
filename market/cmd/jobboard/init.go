package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// keyboard asks a person at a terminal. The zero value cannot ask.
type keyboard struct {
	askSecret func(question string) (string, error) // reads a line without showing it
	showInput func()                                // makes the terminal show typed text again
}

func newInitCommand(p *cli.Program, k keyboard) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration file to fill in",
		Long: `init writes a configuration with every setting and what it is for. The flags of
settings fill it in; on a terminal it asks for what they leave open, and a
secret is not shown while it is typed. What stays open is commented out. Only
you can read the file.

It replaces a file that is there already only with --force.`,
		Example: `  jobboard init
  jobboard init --base-url https://jobs.example --client-id 10`,
		Args: cli.AtMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runInit(cmd, &p.Console, &p.Settings, k, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing configuration")
	return cmd
}

func runInit(cmd *cobra.Command, c *term.Console, settings *setup.Reader, k keyboard, force bool) error {
	path, _ := settings.ConfigPath()
	switch {
	case settings.UsesFake():
		return setup.Usage("--fake needs no configuration")
	case path == "":
		return setup.Usage("this system does not say where configuration belongs").Next("name a file with --config")
	}
	if _, err := os.Lstat(path); !force && !errors.Is(err, fs.ErrNotExist) {
		return setup.Usage("%s is there already", path).Next("--force replaces it, and --config names another file")
	}
	values, files, err := fromFlags(settings, cmd.Flags())
	if err != nil {
		return err
	}
	if k.askSecret != nil {
		if err := k.askOrEnd(cmd.Context(), c, values, files); err != nil {
			return err
		}
	}
	body, err := configText(values, files)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// Replace writes the file in one step, and never readable by others.
	if err := cli.Replace(path, []byte(body)); err != nil {
		return err
	}
	c.Out.Line("wrote %s", path)
	c.Next("jobboard doctor says whether it works")
	return nil
}

// fromFlags returns the values of the flags, and the paths of the files with secrets,
// which stay where they are.
func fromFlags(settings *setup.Reader, flags *pflag.FlagSet) (values, files map[string]string, err error) {
	if values, err = settings.FromFlags(flags); err != nil {
		return nil, nil, err
	}
	files = map[string]string{}
	for _, s := range setup.List {
		if _, set := values[s.Name]; !set || !s.Secret {
			continue
		}
		if files[s.Name], err = filepath.Abs(flags.Lookup(s.Flag).Value.String()); err != nil {
			return nil, nil, err
		}
		delete(values, s.Name)
	}
	return values, files, nil
}

// askOrEnd asks until all questions are answered or ctx ends. A running read from the
// terminal then blocks until the program ends.
func (k keyboard) askOrEnd(ctx context.Context, c *term.Console, values, files map[string]string) error {
	answered := make(chan error, 1)
	go func() { answered <- k.ask(c, values, files) }()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		k.showInput()
		return ctx.Err()
	}
}

// ask asks for missing settings and stores the answers; an empty line leaves a
// setting unset.
func (k keyboard) ask(c *term.Console, values, files map[string]string) error {
	lines := bufio.NewReader(c.In)
	for _, s := range setup.List {
		if !s.Asked || values[s.Name] != "" || files[s.Name] != "" {
			continue
		}
		if s.Name == setup.ClientSecret && values[setup.ClientID] == "" {
			continue
		}
		var text string
		var err error
		if s.Secret {
			text, err = k.askSecret("the client's secret (not shown; empty: it has none): ")
		} else {
			fmt.Fprintf(c.Err, "%s: ", strings.ReplaceAll(s.Help, "`", ""))
			text, err = lines.ReadString('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if text = strings.TrimSpace(text); text != "" {
			values[s.Name] = text
		}
	}
	return nil
}

// configText returns a configuration with a comment for every setting. Settings
// without a value are commented out and show an example.
func configText(values, files map[string]string) (string, error) {
	var b strings.Builder
	b.WriteString(`# The settings of jobboard. A flag and the environment (JOBBOARD_ and the name
# in capitals) go before this file. "jobboard doctor" says whether it works.
# Names of files are relative to this one.
`)
	for _, s := range setup.List {
		help := strings.ReplaceAll(s.Help, "`", "")
		b.WriteByte('\n')
		for _, line := range term.WrapWords(help, cli.HelpWidth-len("# ")) {
			fmt.Fprintf(&b, "# %s\n", line)
		}
		name, value, comment := s.Name, values[s.Name], ""
		if s.Secret && value == "" {
			name, value = s.Name+"_file", files[s.Name]
		}
		if value == "" {
			value, comment = s.Example, "# "
		}
		line := any(value)
		if s.Name == setup.AllowInsecure {
			line = value == "true"
		}
		text, err := toml.Marshal(map[string]any{name: line})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s%s", comment, text)
	}
	return b.String(), nil
}
