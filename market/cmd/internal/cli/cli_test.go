package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// town is an entry of a list.
type town struct {
	name  string
	souls int
	coast any
}

var townFields = []Field[town]{
	{Name: "name", Flex: 1, Value: func(t town) any { return t.name }},
	{Name: "souls_of", Value: func(t town) any { return t.souls }},
	{Name: "coast", Value: func(t town) any { return t.coast }},
}

// ranAs runs a program with one command, which does as it is told.
type ranAs struct {
	code     int
	out, err string
	query    jobboard.Query
	form     string
	fields   []Field[town]
}

// ran runs the program "towns" with a command "list", which fails with an error.
func ran(t *testing.T, failure error, args ...string) *ranAs {
	t.Helper()
	return ranUntil(t.Context(), failure, args...)
}

func ranUntil(ctx context.Context, failure error, args ...string) *ranAs {
	var out, errOut bytes.Buffer
	p := &Program{
		Console:  term.Console{Name: "towns", In: strings.NewReader(""), Out: &term.Output{W: &out}, Err: &errOut, Now: time.Now},
		Settings: setup.Reader{Getenv: func(string) string { return "" }},
	}
	r := &ranAs{}
	r.code = p.Run(ctx, args, func(p *Program) *cobra.Command {
		var q QueryFlags
		var o FormFlags
		var l ListFlags
		list := &cobra.Command{
			Use: "list [TEXT]", Short: "List towns", Long: "list lists towns.", Example: "  towns list", Args: AtMost(2),
			RunE: func(cmd *cobra.Command, args []string) (err error) {
				r.form = o.Form()
				if r.fields, err = Chosen(&l, townFields); err != nil {
					return err
				}
				if r.query, err = q.Query(cmd.Flags(), args, &p.Console); err != nil {
					return err
				}
				p.Out.Line("towns")
				return failure
			},
		}
		q.Add(list)
		o.Add(list, Form{"csv", "print CSV"}, Form{"plain", "print text"})
		AddListFlags(&l, list, townFields)
		list.Flags().Duration("every", 0, "a `time`")
		root := p.Root(&cobra.Command{Use: "towns", Short: "Towns", Long: "towns knows towns."})
		AddGroups(root, Group{"Ask", AsksService("--fake", list)},
			Group{"Beside it", []*cobra.Command{CompletionCommand(&p.Console), VersionCommand(&p.Console)}})
		return root
	})
	r.out, r.err = out.String(), errOut.String()
	return r
}

// The help of a program lists its commands and topics, and that of a command its flags.
func TestHelp(t *testing.T) {
	const more = `
LEARN MORE
  Use ` + "`towns <command> --help`" + ` for a command, its flags and examples.
  Use ` + "`towns help <topic>`" + ` for a topic.
`
	const program = `towns knows towns.

USAGE
  towns <command> [flags]

ASK
  list:         List towns

BESIDE IT
  completion:   Print the completion of a shell
  version:      Say which version this is

HELP TOPICS
  exit-codes:   what a command ends with
  settings:     flags of every command, environment, file

FLAGS
  -h, --help      show help for the command
  -v, --version   show the version
` + more
	const list = `list lists towns.

USAGE
  towns list [TEXT] [flags]

FLAGS
      --csv             print CSV
      --every time      a time
      --fields fields   show these fields, with commas: name, souls_of, coast
  -h, --help            show help for the command
      --limit number    show at most this number; 0: all
      --near place      search around a place: a town, a postal code,
                        latitude,longitude or a geo: URI
      --plain           print text
      --radius km       radius of the search around it, in km (default 50)

EXAMPLES
  $ towns list

LEARN MORE
  Use ` + "`towns help settings`" + ` for --fake and the other settings.
  Use ` + "`towns help <topic>`" + ` for a topic.
`
	for args, want := range map[string]string{"": program, "--help": program, "help": program, "help list": list, "list --help": list} {
		if r := ran(t, nil, strings.Fields(args)...); r.code != setup.ExitOK || r.out != want || r.err != "" {
			t.Errorf("%q: %d\n%s%s\nwant\n%s", args, r.code, r.out, r.err, want)
		}
	}
	if r := ran(t, nil, "version", "--help"); strings.Contains(r.out, "EXAMPLES") {
		t.Errorf("of a command without examples:\n%s", r.out)
	}
	if r := ran(t, nil, "help", "exit-codes"); strings.TrimSpace(r.out) != setup.ExitHelp {
		t.Errorf("of the exit codes: %q", r.out)
	}
	if r := ran(t, nil, "help", "settings"); !strings.HasPrefix(r.out, setup.Help+"\n\nFlags of every command:\n      --allow-insecure ") || strings.Contains(r.out, "[=") {
		t.Errorf("of the settings: %s", r.out)
	}
}

// What is wrong with a command line is said in a sentence, with what may be meant.
func TestMistakes(t *testing.T) {
	const (
		help  = "next: towns list --help\n"
		meant = "unknown command \"lst\" for \"towns\"\n       Did you mean this?\n       list\nnext: towns --help\n"
	)
	for _, test := range []struct{ args, want string }{
		{"list --every soon", `--every: "soon" is not a time such as 10s` + "\n" + help},
		{"list --limit x", `--limit: "x" is not a whole number` + "\n" + help},
		{"list --radius x", `--radius: "x" is not a number` + "\n" + help},
		{"list --csv=x", `--csv: "x" is not true or false` + "\n" + help},
		{"list --attempts x", `--attempts: "x" is not a whole number` + "\n" + help},
		{"list --limit", "flag needs an argument: --limit\n" + help},
		{"list --limt 1", "unknown flag: --limt; is it --limit?\n" + help},
		{"list --fil x", "unknown flag: --fil\n" + help},
		{"list --anything", "unknown flag: --anything\n" + help},
		{"list --jbo x", "unknown flag: --jbo; is it --job?\n" + help},
		{"list --ot x", "unknown flag: --ot\n" + help},
		{"list -x", `unknown shorthand flag: 'x' in -x` + "\n" + help},
		{"list --my-password x", "unknown flag: --my-password\nnext: secrets have no flag, because a command line can be read by others: set JOBBOARD_TOKEN, JOBBOARD_USER_TOKEN or JOBBOARD_CLIENT_SECRET, or name a file with --token-file, --user-token-file or --client-secret-file\n"},
		{"list --csv --plain", "--csv and --plain exclude each other\n" + help},
		{"list a b c", `one argument too many: "c"` + "\n" + help},
		{"lst", meant},
		{"help lst", meant},
		{"help list list", `one argument too many: "list"` + "\nnext: towns help --help\n"},
		{"completion -s csh", `-s: there is no shell "csh"` + "\nnext: give -s bash, zsh, fish or powershell\n"},
		{"list a --near x --radius 1 --limit -1", "--limit is negative\nnext: --limit 0 gives all\n"},
		{"list --fields name,", `--fields: there is no field ""` + "\nnext: the fields are name, souls_of, coast\n"},
		{"list --fields naem", `--fields: there is no field "naem"; is it name?` + "\nnext: the fields are name, souls_of, coast\n"},
		{"list --radius 5", "--radius needs a place\nnext: give --near PLACE, too\n"},
		{"list --near 91,1", ""},
	} {
		r := ran(t, nil, strings.Fields(test.args)...)
		if r.code != setup.ExitUsage || !strings.HasPrefix(r.err, "towns: "+test.want) || test.want != "" && r.err != "towns: "+test.want {
			t.Errorf("%s: %d, %q\nwant %q", test.args, r.code, r.err, test.want)
		}
		if r.out != "" {
			t.Errorf("%s: %q on standard output", test.args, r.out)
		}
	}
}

// What flags say comes to the command.
func TestFlags(t *testing.T) {
	for _, test := range []struct {
		args  string
		text  string
		form  string
		near  jobboard.GeoLocation
		names string // of the fields
		err   string
	}{
		{args: "list"},
		{args: "list big town", text: "big town"},
		{args: "list --csv", form: "csv"},
		{args: "list --fields Coast,NAME", names: "coast,name"},
		{args: "list --near 52.5,13.4", near: jobboard.Near(52.5, 13.4, 50)},
		{args: "list --near Berlin --radius 7", near: jobboard.Near(52.52437, 13.41053, 7), err: "towns: near Berlin, DE (52.524, 13.411)\n"},
	} {
		r := ran(t, nil, strings.Fields(test.args)...)
		names := strings.Join(fieldNames(r.fields), ",")
		if r.code != setup.ExitOK || r.query.Text != test.text || r.form != test.form || names != test.names || r.err != test.err {
			t.Errorf("%s: %+v", test.args, r)
		}
		if got, want := fmt.Sprintf("%.2f", r.query.Near), fmt.Sprintf("%.2f", test.near); got != want {
			t.Errorf("%s: near %s, want %s", test.args, got, want)
		}
	}
}

// A failure ends with its code, its words and the next step, and what ends the context ends the
// program with the code of that.
func TestEnds(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	terminated, end := context.WithCancelCause(t.Context())
	end(setup.ErrTerminated)
	for _, test := range []struct {
		ctx     context.Context
		failure error
		code    int
		err     string
	}{
		{t.Context(), nil, setup.ExitOK, ""},
		{t.Context(), errors.New("jobboard: a\x1b\nb"), setup.ExitUnexpected, "towns: a\n       b\n"},
		{t.Context(), &setup.Error{Code: setup.ExitNo}, setup.ExitNo, ""},
		{t.Context(), setup.Usage("wrong").Next("mend it"), setup.ExitUsage, "towns: wrong\nnext: mend it\n"},
		{t.Context(), jobboard.ErrRateLimited, setup.ExitService, "towns: rate limited\nnext: try again later, or slower\n"},
		{t.Context(), context.Canceled, setup.ExitInterrupted, "towns: interrupted\n"},
		{interrupted, errors.New("x"), setup.ExitInterrupted, "towns: interrupted\n"},
		{interrupted, nil, setup.ExitOK, ""}, // it was done before
		{terminated, errors.New("x"), setup.ExitTerminated, "towns: terminated\n"},
		{terminated, &setup.Error{Code: setup.ExitNo}, setup.ExitNo, ""},
	} {
		if r := ranUntil(test.ctx, test.failure, "list"); r.code != test.code || r.err != test.err {
			t.Errorf("%v: %d, %q", test.failure, r.code, r.err)
		}
	}
}

// Values of flags are completed with what they take.
func TestCompletion(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"list --limit", "10\n50\n100\n:36\n"},
		{"list --radius", "10\n25\n50\n100\n:36\n"},
		{"list --fields", "name\nsouls_of\ncoast\n:38\n"},
		{"help", "completion\tPrint the completion of a shell\nexit-codes\twhat a command ends with\nlist\tList towns\n" +
			"settings\tflags of every command, environment, file\nversion\tSay which version this is\n:4\n"},
		{"help list", ":4\n"},
		{"completion --shell", "bash\nzsh\nfish\npowershell\n:36\n"},
	} {
		args := append([]string{"__complete"}, strings.Fields(test.args)...)
		if r := ran(t, nil, append(args, "")...); r.out != test.want {
			t.Errorf("%s: %q, want %q", test.args, r.out, test.want)
		}
	}
	for typed, want := range map[string]string{
		"Heidelberg": "Heidelberg\tDE\n", "heidelber": "heidelberg\tDE\n", `Frankfurt\ am\ M`: "Frankfurt am Main\tDE\n", `"Heidelb`: "Heidelberg\tDE\n",
		"Munich": ":", "Vienna": ":", "Heidelbergx": ":",
	} {
		if r := ran(t, nil, "__complete", "list", "--near", typed); !strings.HasPrefix(r.out, want) || !strings.HasSuffix(r.out, ":36\n") {
			t.Errorf("%s: %q", typed, r.out)
		}
	}
	if r := ran(t, nil, "__complete", "list", "--fields", "name,"); r.out != "name,name\nname,souls_of\nname,coast\n:38\n" {
		t.Errorf("of a further field: %q", r.out)
	}
	for shell, holds := range map[string]string{"bash": "__towns_", "zsh": "#compdef towns", "fish": "complete -c towns", "powershell": "Register-ArgumentCompleter -CommandName 'towns'"} {
		if r := ran(t, nil, "completion", "-s", shell); r.code != setup.ExitOK || !strings.Contains(r.out, holds) {
			t.Errorf("%s: %d, %.300q", shell, r.code, r.out)
		}
	}
}

// A list is written as a table, as CSV that no spreadsheet takes for formulas, and as JSON.
func TestLists(t *testing.T) {
	towns := []town{{"Rostock\n", 200, true}, {"=1+1", -1, "-2"}, {"", 0, nil}, {"+<&>", 7, "@a"}}
	var table, lines bytes.Buffer
	WriteTable(&term.Console{Out: &term.Output{W: &table}}, townFields, towns)
	if want := "NAME     SOULS OF  COAST\nRostock  200       true\n=1+1     -1        -2\n         0\n+<&>     7         @a\n"; table.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", table.String(), want)
	}
	c := NewCSV(&lines, townFields)
	var objects []string
	for _, x := range towns {
		if err := c.Write(x); err != nil {
			t.Error(err)
		}
		object, err := Object(townFields, x)
		if err != nil {
			t.Error(err)
		}
		objects = append(objects, strings.ReplaceAll(string(object), "\n", ""))
	}
	if err := c.Flush(); err != nil || lines.String() != "name,souls_of,coast\nRostock,200,true\n'=1+1,-1,'-2\n,0,\n'+<&>,7,'@a\n" {
		t.Errorf("CSV: %v\n%s", err, lines.String())
	}
	if want := []string{
		`{"name":"Rostock\n","souls_of":200,"coast":true}`, `{"name":"=1+1","souls_of":-1,"coast":"-2"}`,
		`{"name":"","souls_of":0,"coast":null}`, `{"name":"+<&>","souls_of":7,"coast":"@a"}`,
	}; !slices.Equal(objects, want) {
		t.Errorf("JSON: %q", objects)
	}
	if _, err := Object(townFields, town{coast: make(chan int)}); err == nil {
		t.Error("a channel is written as JSON")
	}
	full := NewCSV(&term.Output{W: nil, Err: os.ErrClosed}, townFields)
	if err := full.Flush(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("what cannot be written: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a field that there is not has no name")
		}
	}()
	if got := fieldNames(Named(townFields, "coast", "name")); !slices.Equal(got, []string{"coast", "name"}) {
		t.Errorf("named are %q", got)
	}
	Named(townFields, "soul")
}

// A build says its version, and the commit where it is known.
func TestVersion(t *testing.T) {
	system := runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	settings := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}, {Key: "CGO_ENABLED", Value: "1"}}
	}
	for _, test := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{}, "(unknown) (" + system + ")"},
		{debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3 (" + system + ")"},
		{debug.BuildInfo{Settings: settings("0123456789abcdef", "false")}, "(unknown) (commit 0123456789ab, " + system + ")"},
		{debug.BuildInfo{Settings: settings("01234", "true")}, "(unknown) (commit 01234, changed, " + system + ")"},
	} {
		if got := versionOf(&test.info); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	if r := ran(t, nil, "version"); r.code != setup.ExitOK || r.out != "towns "+Version()+"\n" {
		t.Errorf("%d: %q", r.code, r.out)
	}
	if r := ran(t, nil, "--version"); r.code != setup.ExitOK || r.out != "towns "+Version()+"\n" {
		t.Errorf("%d: %q", r.code, r.out)
	}
}

// A terminal is known with its width, and shows colours unless the environment speaks against it.
func TestTerminalOf(t *testing.T) {
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer screen.Close()
	defer tty.Close()
	for _, test := range []struct {
		noColor, kind string
		columns       uint16
		want          term.Terminal
	}{
		{"", "xterm", 132, term.Terminal{TTY: true, Color: true, Width: 132}},
		{"1", "xterm", 1, term.Terminal{TTY: true, Width: 1}},
		{"", "dumb", 80, term.Terminal{TTY: true, Width: 80}},
		{"", "xterm", 0, term.Terminal{TTY: true, Color: true, Width: 80}}, // it does not say
	} {
		t.Setenv("NO_COLOR", test.noColor)
		t.Setenv("TERM", test.kind)
		if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: test.columns}); err != nil {
			t.Fatal(err)
		}
		if got := terminalOf(tty); got != test.want {
			t.Errorf("%+v: %+v", test, got)
		}
	}
	none, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	if got := terminalOf(none); got != (term.Terminal{}) {
		t.Errorf("a file: %+v", got)
	}
}

// A program has the streams of its process, and the file of settings where the system keeps such.
func TestNew(t *testing.T) {
	for _, home := range []string{t.TempDir(), ""} {
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
			t.Setenv(name, home)
		}
		want := ""
		if dir, err := os.UserConfigDir(); err == nil {
			want = filepath.Join(dir, "jobboard", "config.toml")
		}
		p := New("towns")
		if p.Settings.DefaultConfig != want || p.Name != "towns" || p.Settings.UserAgent != "towns" || p.In != os.Stdin || p.Out.W != os.Stdout || p.Err != os.Stderr {
			t.Errorf("at home in %q: %+v", home, p)
		}
	}
}
