package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// form is one of the forms that a command's data may have.
type form struct {
	name      string // of its flag
	extension string // of a file in it
	help      string
}

// outputFlags choose the form of a command's data and where it goes.
type outputFlags struct {
	forms  []form
	chosen []bool // by flag
	file   string
}

// add adds a flag for each form, and --output.
func (o *outputFlags) add(cmd *cobra.Command, forms ...form) {
	o.forms, o.chosen = forms, make([]bool, len(forms))
	var names, extensions []string
	for i, f := range forms {
		cmd.Flags().BoolVar(&o.chosen[i], f.name, false, f.help)
		names, extensions = append(names, f.name), append(extensions, f.extension)
	}
	cmd.MarkFlagsMutuallyExclusive(names...)
	cmd.Flags().StringVar(&o.file, "output", "", "write to a `file`, whose name ends with "+o.extensions(", "))
	_ = cmd.MarkFlagFilename("output", extensions...)
}

// extensions lists those of the forms.
func (o *outputFlags) extensions(separator string) string {
	var all []string
	for _, f := range o.forms {
		all = append(all, "."+f.extension)
	}
	return strings.Join(all, separator)
}

// form returns the name of the form that is asked for by a flag, or else by the
// name of the file; "" is the one for people.
func (o *outputFlags) form() (string, error) {
	for i, chosen := range o.chosen {
		if chosen {
			return o.forms[i].name, nil
		}
	}
	if o.file == "" {
		return "", nil
	}
	for _, f := range o.forms {
		if strings.EqualFold(filepath.Ext(o.file), "."+f.extension) {
			return f.name, nil
		}
	}
	return "", usage("--output: the name %q does not say in which form to write", filepath.Base(o.file)).
		next("let it end with " + o.extensions(" or ") + ", or add --" + o.forms[0].name)
}

// destination is where a command's data goes.
type destination struct {
	io.Writer
	file *os.File // nil: standard output
}

func (a *app) destination(o *outputFlags) (*destination, error) {
	if o.file == "" {
		return &destination{Writer: a.stdout}, nil
	}
	f, err := os.Create(o.file)
	if err != nil {
		return nil, fmt.Errorf("--output: %w", err)
	}
	return &destination{f, f}, nil
}

// close ends the data and returns the error that came first.
func (d *destination) close(err error) error {
	if d.file == nil {
		return err
	}
	return cmp.Or(err, d.file.Close())
}
