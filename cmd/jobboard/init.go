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
)

func (a *app) initCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration file to fill in",
		Long: `init writes a configuration with every setting and what it is for. The flags of
settings fill it in; on a terminal it asks for what they leave open, and a
secret is not shown while it is typed. What stays open is commented out. Only
you can read the file.

A file that is there already stays as it is, unless --force is given.`,
		Example: `  jobboard init
  jobboard init --base-url https://jobs.example --client-id 10`,
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.init(cmd, force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a configuration that is there")
	return cmd
}

func (a *app) init(cmd *cobra.Command, force bool) error {
	path, _ := a.configPath()
	switch {
	case a.flags.fake:
		return usage("--fake needs no configuration")
	case path == "":
		return usage("this system does not say where configuration belongs").next("name a file with --config")
	}
	if _, err := os.Lstat(path); !force && !errors.Is(err, fs.ErrNotExist) {
		return usage("%s is there already", path).next("--force replaces it, and --config names another file")
	}
	values, files, err := a.given(cmd.Flags())
	if err != nil {
		return err
	}
	if a.askSecret != nil {
		if err := a.askOrEnd(cmd.Context(), values, files); err != nil {
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
	// Written in one step, and readable by its owner alone from the start.
	if err := replace(path, []byte(body)); err != nil {
		return err
	}
	a.out.line("wrote %s", path)
	fmt.Fprintln(a.stderr, a.errTerminal.paint(faint, "next: jobboard doctor says whether it works"))
	return nil
}

// given returns the values of the flags, and the files that hold the secrets: those
// stay where they are.
func (a *app) given(flags *pflag.FlagSet) (values, files map[string]string, err error) {
	if values, err = a.flagLayer(flags); err != nil {
		return nil, nil, err
	}
	files = map[string]string{}
	for _, s := range settingList {
		if _, set := values[s.name]; !set || !s.secret {
			continue
		}
		if files[s.name], err = filepath.Abs(flags.Lookup(s.flag).Value.String()); err != nil {
			return nil, nil, err
		}
		delete(values, s.name)
	}
	return values, files, nil
}

// askOrEnd asks until all is answered or the program is interrupted, which a read
// from a terminal is not.
func (a *app) askOrEnd(ctx context.Context, values, files map[string]string) error {
	answered := make(chan error, 1)
	go func() { answered <- a.ask(values, files) }()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		a.showInput()
		return ctx.Err()
	}
}

// ask fills in what is typed; an empty line leaves a setting open.
func (a *app) ask(values, files map[string]string) error {
	lines := bufio.NewReader(a.stdin)
	for _, s := range settingList {
		if !s.asked || values[s.name] != "" || files[s.name] != "" {
			continue
		}
		if s.name == clientSecret && values[clientID] == "" {
			continue
		}
		var text string
		var err error
		if s.secret {
			text, err = a.askSecret("the client's secret (not shown; empty: it has none): ")
		} else {
			fmt.Fprintf(a.stderr, "%s: ", strings.ReplaceAll(s.help, "`", ""))
			text, err = lines.ReadString('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if text = strings.TrimSpace(text); text != "" {
			values[s.name] = text
		}
	}
	return nil
}

// configText returns a configuration with a comment for every setting. What has no
// value is commented out, with an example.
func configText(values, files map[string]string) (string, error) {
	var b strings.Builder
	b.WriteString(`# The settings of jobboard. A flag and the environment (JOBBOARD_ and the name
# in capitals) go before this file. "jobboard doctor" says whether it works.
# Names of files are relative to this one.
`)
	for _, s := range settingList {
		help := strings.ReplaceAll(s.help, "`", "")
		b.WriteByte('\n')
		for _, line := range wrapWords(help, helpWidth-len("# ")) {
			fmt.Fprintf(&b, "# %s\n", line)
		}
		name, value, comment := s.name, values[s.name], ""
		if s.secret && value == "" {
			name, value = s.name+"_file", files[s.name]
		}
		if value == "" {
			value, comment = s.example, "# "
		}
		line := any(value)
		if s.name == allowInsecure {
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
