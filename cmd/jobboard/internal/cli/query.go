package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/setup"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
	"github.com/jobboard-sdk/jobboard-go/places"
)

// QueryFlags say what to search for.
type QueryFlags struct {
	Text   string
	near   string
	radius float64
}

// Add adds the flags to a command.
func (q *QueryFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.Text, "text", "", "search `text`")
	f.StringVar(&q.near, "near", "", "`place`: a town, latitude,longitude or a geo: URI")
	f.Float64Var(&q.radius, "radius", 50, "`km` around the place")
	Complete(cmd, "text", Nothing)
	Complete(cmd, "near", completePlace)
	Complete(cmd, "radius", OneOf("10", "25", "50", "100"))
}

// Query returns what the flags ask for. It tells on standard error which town a name
// was taken for.
func (q *QueryFlags) Query(f *pflag.FlagSet, c *term.Console) (jobboard.Query, error) {
	out := jobboard.Query{Text: q.Text}
	if q.near == "" {
		if f.Changed("radius") {
			return out, setup.Usage("--radius needs a place: --near PLACE")
		}
		return out, nil
	}
	circle, town, err := Locate(q.near, q.radius)
	if err != nil {
		return out, setup.Usage("--near: %w", err).
			Next("such as --near Berlin, --near 52.52,13.405 --radius 50, or --near geo:52.52,13.405")
	}
	if town.Name != "" {
		c.Note("near %s, %s (%g, %g)", town.Name, town.Country, town.Latitude, town.Longitude)
	}
	out.Near = circle
	return out, nil
}

// Locate returns the circle around a place, and the town that its name was taken
// for, if it has one.
func Locate(near string, radius float64) (circle jobboard.GeoLocation, town places.Place, err error) {
	place := near
	isURI := strings.HasPrefix(strings.ToLower(place), "geo:")
	if !isURI && strings.ContainsFunc(place, unicode.IsLetter) {
		var ok bool
		if town, ok = places.Find(place); !ok {
			return circle, town, unknownPlace(place)
		}
		place = fmt.Sprintf("%g,%g", town.Latitude, town.Longitude)
	}
	if !isURI {
		place = "geo:" + strings.ReplaceAll(place, " ", "")
	}
	if circle, err = jobboard.ParseGeoURI(place, radius); err != nil {
		// It speaks of the URI that was made of what was typed.
		err = setup.Plain{Cause: errors.New(strings.ReplaceAll(err.Error(), strconv.Quote(place), strconv.Quote(near)))}
	}
	return circle, town, err
}

// unknownPlace says that no town has the name, and which it may be the beginning of.
func unknownPlace(name string) error {
	text := fmt.Sprintf("no place is known by the name %.60q", name)
	var similar []string
	for _, p := range places.Search(name, 3) {
		similar = append(similar, p.Name+" ("+p.Country+")")
	}
	if len(similar) > 0 {
		text += "; is it " + strings.Join(similar, " or ") + "?"
	}
	return errors.New(text)
}
