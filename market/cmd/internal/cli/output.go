package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/atomicfile"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
)

// Form is an output format of a command, such as JSON.
type Form struct {
	Name      string // name of its flag
	Extension string // extension of its files
	Help      string
}

// OutputFlags are the flags for a command's output format and output file.
type OutputFlags struct {
	forms  []Form
	chosen []bool // by flag
	File   string
}

// Add adds a flag for each form, and --output.
func (o *OutputFlags) Add(cmd *cobra.Command, forms ...Form) {
	o.forms, o.chosen = forms, make([]bool, len(forms))
	var names, extensions []string
	for i, f := range forms {
		cmd.Flags().BoolVar(&o.chosen[i], f.Name, false, f.Help)
		names, extensions = append(names, f.Name), append(extensions, f.Extension)
	}
	cmd.MarkFlagsMutuallyExclusive(names...)
	cmd.Flags().StringVarP(&o.File, "output", "o", "", "write to a `file`, whose name ends with "+o.extensions(", "))
	_ = cmd.MarkFlagFilename("output", extensions...)
}

// extensions returns the forms' file extensions in one text.
func (o *OutputFlags) extensions(separator string) string {
	var all []string
	for _, f := range o.forms {
		all = append(all, "."+f.Extension)
	}
	return strings.Join(all, separator)
}

// Form returns the name of the form chosen by a flag, or else by the file's
// extension; "" is the form for people.
func (o *OutputFlags) Form() (string, error) {
	for i, chosen := range o.chosen {
		if chosen {
			return o.forms[i].Name, nil
		}
	}
	if o.File == "" {
		return "", nil
	}
	for _, f := range o.forms {
		if strings.EqualFold(filepath.Ext(o.File), "."+f.Extension) {
			return f.Name, nil
		}
	}
	return "", setup.Usage("--output: the name %q does not say in which form to write", filepath.Base(o.File)).
		Next("let it end with " + o.extensions(" or ") + ", or add --" + o.forms[0].Name)
}

// Replace writes a file in one step: if the program ends meanwhile, the old file or
// the new one is there. Only its owner can read the file.
func Replace(path string, body []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	})
}

// WriteTo writes data to the file that --output names, or else to out, and
// returns the first error.
func (o *OutputFlags) WriteTo(out *term.Output, data func(*term.Output) error) error {
	if o.File == "" {
		err := data(out)
		return cmp.Or(err, out.Err)
	}
	f, err := os.Create(o.File)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	to := &term.Output{W: f}
	err = data(to)
	return cmp.Or(err, to.Err, f.Close())
}
