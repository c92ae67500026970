package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// completionOffers describes in the help which values completion offers.
const completionOffers = `towns after --near, and channels, languages and jobs of the demo (with --fake)
or of the last search.`

// lastSearch completes channels, languages and jobs from the last search.
type lastSearch struct {
	path     string // path of the file with a memory; empty: nothing is stored
	settings *setup.Reader
}

// completeSettings sets the completion of the flags that every command has.
func (l *lastSearch) completeSettings(root *cobra.Command) {
	for _, s := range setup.List {
		switch {
		case s.Secret:
			_ = root.MarkPersistentFlagFilename(s.Flag)
		case s.Name == setup.CAFile:
			_ = root.MarkPersistentFlagFilename(s.Flag, "pem", "crt", "cer")
		case s.Name == setup.Channel:
			cli.Complete(root, s.Flag, l.completeChannel)
		case s.Name == setup.Job:
			cli.Complete(root, s.Flag, l.completeJob)
		case s.Name == setup.Language:
			cli.Complete(root, s.Flag, l.completeLanguage)
		case s.Name != setup.AllowInsecure:
			cli.Complete(root, s.Flag, cli.Nothing)
		}
	}
	_ = root.MarkPersistentFlagFilename("config", "toml")
	cli.Complete(root, "attempts", cli.OneOf("1", "3", "5"))
	cli.Complete(root, "timeout", cli.OneOf("5s", "15s", "60s"))
}

func (l *lastSearch) completeChannel(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return cli.Nothing(cmd, nil, "")
	}
	return l.known().Channels, cobra.ShellCompDirectiveNoFileComp
}

func (l *lastSearch) completeLanguage(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return l.known().Languages, cobra.ShellCompDirectiveNoFileComp
}

func (l *lastSearch) completeJob(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return cli.Nothing(cmd, nil, "")
	}
	var jobs []cobra.Completion
	for _, j := range l.known().Jobs {
		jobs = append(jobs, cobra.CompletionWithDesc(j.ID.String(), term.Printable(j.Title)))
	}
	return jobs, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// known returns the values for completion: with --fake from the demo, otherwise from the
// last search if it used the same service. It ignores mistakes in the settings, because
// nobody could read an error while typing.
func (l *lastSearch) known() *memory {
	if l.settings.UsesFake() {
		return demoMemory(l.settings.Fake())
	}
	m := &memory{}
	if body, err := os.ReadFile(l.path); err == nil {
		_ = json.Unmarshal(body, m) // an unreadable file offers nothing
	}
	file, _ := l.settings.FromFile()
	base := cmp.Or(l.settings.Getenv(setup.Setting{Name: setup.BaseURL}.Env()), file[setup.BaseURL])
	if base != "" && base != m.BaseURL {
		m = &memory{}
	}
	if set := file[setup.Channel]; set != "" && !slices.Contains(m.Channels, set) {
		m.Channels = append(m.Channels, set)
	}
	return m
}

func demoMemory(srv *jobboardtest.Server) *memory {
	state, m := srv.Snapshot(), &memory{}
	for _, c := range state.Channels {
		m.Channels = append(m.Channels, c.ID)
	}
	for _, j := range state.Jobs {
		m.Jobs = append(m.Jobs, knownJob{jobboard.JobID(j.ID), j.Title})
		if j.Language != "" && !slices.Contains(m.Languages, j.Language) {
			m.Languages = append(m.Languages, j.Language)
		}
	}
	return m
}

// memory holds the channel, language and jobs of a search, for completion. It stores only
// values that the search printed.
type memory struct {
	BaseURL   string     `json:"base_url"`
	Channels  []string   `json:"channels"`
	Languages []string   `json:"languages"`
	Jobs      []knownJob `json:"jobs"`
}

type knownJob struct {
	ID    jobboard.JobID `json:"id"`
	Title string         `json:"title"`
}

// mostRemembered bounds the jobs: nobody completes from a longer list.
const mostRemembered = 200

func newMemory(b *setup.Board, ch jobboard.ChannelID) *memory {
	m := &memory{BaseURL: b.Get(setup.BaseURL), Channels: []string{string(ch)}}
	if lang := b.Get(setup.Language); lang != "" {
		m.Languages = []string{lang}
	}
	return m
}

// add stores the job that a posting's link names, if any.
func (m *memory) add(p *jobboard.JobPosting) {
	if len(m.Jobs) == mostRemembered {
		return
	}
	if id, ok := p.LinkedJob(); ok {
		m.Jobs = append(m.Jobs, knownJob{id, strings.Clone(p.Title)})
	}
}

// remember writes m to the file of the last search. It ignores errors, because the search itself
// has succeeded.
func (l *lastSearch) remember(m *memory) {
	if l.path == "" || l.settings.UsesFake() {
		return
	}
	body, err := json.Marshal(m)
	if err != nil || os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
		return
	}
	_ = cli.Replace(l.path, append(body, '\n'))
}
