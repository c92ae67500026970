package main

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// complete sets what completes a flag of a command.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // there is no such flag
	}
}

func nothing(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func oneOf(values ...string) cobra.CompletionFunc {
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

// completeSettings sets what completes the flags of every command.
func (a *app) completeSettings(root *cobra.Command) {
	for _, s := range settingList {
		switch {
		case s.secret:
			_ = root.MarkPersistentFlagFilename(s.flag)
		case s.name == caFile:
			_ = root.MarkPersistentFlagFilename(s.flag, "pem", "crt", "cer")
		case s.name == channel:
			complete(root, s.flag, a.completeChannel)
		case s.name == job:
			complete(root, s.flag, a.completeJob)
		case s.name == language:
			complete(root, s.flag, a.completeLanguage)
		case s.name != allowInsecure:
			complete(root, s.flag, nothing)
		}
	}
	_ = root.MarkPersistentFlagFilename("config", "toml")
	complete(root, "attempts", oneOf("1", "3", "5"))
	complete(root, "timeout", oneOf("5s", "15s", "60s"))
}

func (a *app) completeChannel(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nothing(cmd, nil, "")
	}
	return a.known().Channels, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeLanguage(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.known().Languages, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeJob(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nothing(cmd, nil, "")
	}
	var jobs []cobra.Completion
	for _, j := range a.known().Jobs {
		jobs = append(jobs, cobra.CompletionWithDesc(j.ID.String(), printable(j.Title)))
	}
	return jobs, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// known returns what completion offers: of the demo with --fake, else of the last
// search, whose service must be the one that is set.
func (a *app) known() *memory {
	if a.flags.fake {
		return a.demoMemory()
	}
	// Nobody reads warnings and mistakes while a line is being typed.
	quiet := &app{process: a.process, flags: a.flags}
	quiet.stderr = io.Discard
	m := &memory{}
	if body, err := os.ReadFile(a.memory); err == nil {
		_ = json.Unmarshal(body, m) // what cannot be read offers nothing
	}
	file, _ := quiet.fileLayer()
	base := cmp.Or(a.getenv(setting{name: baseURL}.env()), file[baseURL])
	if base != "" && base != m.BaseURL {
		m = &memory{}
	}
	if set := file[channel]; set != "" && !slices.Contains(m.Channels, set) {
		m.Channels = append(m.Channels, set)
	}
	return m
}

func (a *app) demoMemory() *memory {
	srv := a.newFake()
	defer srv.Close()
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

// memory is what the last search told, kept for completion. It holds nothing that
// a search does not show.
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

// mostRemembered bounds the jobs: a longer list helps nobody who types.
const mostRemembered = 200

func (a *app) newMemory(ch jobboard.ChannelID) *memory {
	m := &memory{BaseURL: a.settings.get(baseURL), Channels: []string{string(ch)}}
	if lang := a.settings.get(language); lang != "" {
		m.Languages = []string{lang}
	}
	return m
}

// add remembers the job of a posting, where the posting's link has one.
func (m *memory) add(p *jobboard.JobPosting) {
	if len(m.Jobs) == mostRemembered {
		return
	}
	if id, ok := p.LinkedJob(); ok {
		m.Jobs = append(m.Jobs, knownJob{id, strings.Clone(p.Title)})
	}
}

// remember keeps what a search told. A failure to keep it is ignored: the search has
// succeeded.
func (a *app) remember(m *memory) {
	if a.memory == "" || a.fake != nil {
		return
	}
	body, err := json.Marshal(m)
	if err != nil || os.MkdirAll(filepath.Dir(a.memory), 0o700) != nil {
		return
	}
	_ = replace(a.memory, append(body, '\n'))
}
