package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jobboard-sdk/jobboard-go/internal/atomicfile"
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

// output writes until a write fails, and keeps that error.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.w.Write(p)
	}
	return n, o.err
}

func (o *output) line(format string, args ...any) { fmt.Fprintf(o, format+"\n", args...) }

// replace writes a file in one step: whoever ends the program meanwhile leaves the old
// file or the new one. Only its owner can read it.
func replace(path string, body []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	})
}

// writeTo writes data to the file that --output names, or else to standard output, and
// returns the error that came first.
func (a *app) writeTo(o *outputFlags, data func(*output) error) error {
	if o.file == "" {
		err := data(a.out)
		return cmp.Or(err, a.out.err)
	}
	f, err := os.Create(o.file)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	to := &output{w: f}
	err = data(to)
	return cmp.Or(err, to.err, f.Close())
}
