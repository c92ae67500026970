package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/internal/typo"
)

// AtMost refuses more than n arguments, and names the first one too many.
func AtMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return setup.Usage("one argument too many: %q", args[n])
		}
		return nil
	}
}

// exclusive returns the error for given flags that exclude each other.
func exclusive(flags *pflag.FlagSet) error {
	var names []string
	flags.Visit(func(f *pflag.Flag) {
		if f.Annotations["cobra_annotation_mutually_exclusive"] != nil {
			names = append(names, "--"+f.Name)
		}
	})
	return setup.Usage("%s exclude each other", strings.Join(names, " and "))
}

// valueKinds describes the right values of each type of flag, for errors.
var valueKinds = map[string]string{
	"bool": "true or false", "int": "a whole number", "float64": "a number", "duration": "a time such as 10s",
	"ipNetSlice": "a network such as 10.0.0.0/8, or several with commas",
}

// flagError explains a wrong flag: it suggests similar flags, and says why
// secrets have no flags.
func flagError(cmd *cobra.Command, err error) error {
	failed := &setup.Error{Code: setup.ExitUsage, Err: err}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		failed.Err = fmt.Errorf("--%s: %q is not %s", flag.Name, invalid.GetValue(), valueKinds[flag.Value.Type()])
		return failed
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return failed
	}
	name := unknown.GetSpecifiedName()
	for _, secret := range []string{"token", "secret", "password"} {
		if strings.Contains(name, secret) {
			failed.Hint = "secrets have no flag, because a command line can be read by others: set JOBBOARD_TOKEN, JOBBOARD_USER_TOKEN or JOBBOARD_CLIENT_SECRET, or name a file with --token-file, --user-token-file or --client-secret-file"
			return failed
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if meant := typo.Closest(name, names); meant != "" {
		failed.Err = fmt.Errorf("%w; is it --%s?", err, meant)
	}
	return failed
}
