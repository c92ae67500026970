package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/internal/nearby"
)

// QueryFlags are the flags of a search, whose text is the command's arguments.
type QueryFlags struct {
	near   string
	radius float64
}

// Add adds the flags to a command.
func (q *QueryFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.near, "near", "", "search around a `place`: a town, a postal code, latitude,longitude or a geo: URI")
	f.Float64Var(&q.radius, "radius", 50, "radius of the search around it, in `km`")
	Complete(cmd, "near", completePlace)
	Complete(cmd, "radius", OneOf("10", "25", "50", "100"))
}

// Query returns the query of a command line. It notes on standard error which town it
// chose for a name.
func (q *QueryFlags) Query(f *pflag.FlagSet, args []string, c *term.Console) (jobboard.Query, error) {
	out := jobboard.Query{Text: strings.Join(args, " ")}
	if q.near == "" {
		if f.Changed("radius") {
			return out, setup.Usage("--radius needs a place").Next("give --near PLACE, too")
		}
		return out, nil
	}
	circle, town, err := nearby.Parse(q.near, q.radius)
	if err != nil {
		return out, setup.Usage("--near: %w", err).
			Next("such as --near Berlin, --near 52.52,13.405 --radius 50, or --near geo:52.52,13.405")
	}
	if town.Name != "" {
		c.Note("near %s, %s (%g, %g)", town.Name, town.Country, town.Latitude, town.Longitude)
	}
	if contradiction := nearby.Contradiction(q.near); contradiction != "" {
		c.Note("%s", contradiction)
	}
	out.Near = circle
	return out, nil
}
