package cli

import "github.com/spf13/cobra"

// Form is an output format of a command, such as JSON.
type Form struct {
	Name string // name of its flag
	Help string
}

// FormFlags are the flags that choose a command's output format.
type FormFlags struct {
	forms  []Form
	chosen []bool // by flag
}

// Add adds a flag for each form.
func (f *FormFlags) Add(cmd *cobra.Command, forms ...Form) {
	f.forms, f.chosen = forms, make([]bool, len(forms))
	var names []string
	for i, form := range forms {
		cmd.Flags().BoolVar(&f.chosen[i], form.Name, false, form.Help)
		names = append(names, form.Name)
	}
	cmd.MarkFlagsMutuallyExclusive(names...)
}

// Form returns the name of the chosen form; "" is the form for people.
func (f *FormFlags) Form() string {
	for i, chosen := range f.chosen {
		if chosen {
			return f.forms[i].Name
		}
	}
	return ""
}
