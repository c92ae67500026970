// Command search prints the postings of a channel as a table:
//
//	go run ./examples/search -text nurse -near Berlin -radius 50 -language en
//
// Without settings it searches an embedded mock server.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
	"github.com/jobboard-sdk/jobboard-go/places"
	"github.com/jobboard-sdk/jobboard-go/places/postal"
)

func main() {
	log.SetFlags(0)
	var (
		b     board.Board
		query jobboard.Query
	)
	b.Flags(flag.CommandLine)
	flag.StringVar(&query.Text, "text", "", "search `text`")
	near := flag.String("near", "", "`place`: a town, a postal code or latitude,longitude")
	radius := flag.Float64("radius", 50, "`km` around the place")
	flag.StringVar(&query.Language, "language", "", "`language` of the results, such as de")
	flag.Parse()
	if err := b.Open(); err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if err := run(os.Stdout, &b, query, *near, *radius); err != nil {
		b.Close()
		log.Fatal(err) //nolint:gocritic // the deferred call was made
	}
}

func run(out io.Writer, b *board.Board, query jobboard.Query, near string, radius float64) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if near != "" {
		place, err := parsePlace(near, radius)
		if err != nil {
			return err
		}
		query.Near = place
	}
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "POSTING\tTITLE\tLOCATION\tREMOTE\tSINCE")
	stream := client.PostingStream(ctx, b.Channel, query)
	shown := 0
	for posting, err := range stream.All() {
		if err != nil {
			return err
		}
		since := ""
		if t, ok := posting.PostingVersionStartDate.Time(); ok {
			since = t.Format("2006-01-02")
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", posting.JobPostingID, printable(posting.Title),
			printable(posting.Config.First("ProjectLocationGerman")), printable(posting.Config.First("sg_remote_status")), since)
		shown++
	}
	if err := w.Flush(); err != nil {
		return err
	}
	page, _ := stream.Page()
	fmt.Fprintf(out, "\n%d of %d postings\n", shown, page.TotalNumberOfJobs)
	return nil
}

// printable keeps the service's texts from moving the terminal's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// parsePlace reads the place around which to search. The towns and the postal codes are from
// geonames.org, CC BY 4.0.
func parsePlace(s string, radius float64) (jobboard.GeoLocation, error) {
	if codes := postal.Find(s, ""); len(codes) == 1 {
		return jobboard.Near(codes[0].Latitude, codes[0].Longitude, radius), nil
	} else if len(codes) > 1 {
		return jobboard.GeoLocation{}, fmt.Errorf("is it %v or %v?", codes[0], codes[1])
	}
	if town, ok := places.Find(s); ok {
		return jobboard.Near(town.Latitude, town.Longitude, radius), nil
	}
	if meant := places.Alike(s, 1); len(meant) > 0 {
		return jobboard.GeoLocation{}, fmt.Errorf("there is no town %q; is it %s?", s, meant[0].Name)
	}
	latitude, longitude, _ := strings.Cut(strings.ReplaceAll(s, " ", ""), ",")
	return jobboard.ParseGeoLocation(fmt.Sprintf("%s::%s::%g", latitude, longitude, radius))
}
