// Command quickstart does the main work of the library: it searches a channel, looks up
// what an application to one job needs, and asks whether an applicant has applied
// already. Without settings it talks to an embedded mock server:
//
//	go run ./examples/quickstart
//
// and with them to a real service; see the README for their names.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/examples/internal/board"
)

func main() {
	log.SetFlags(0)
	var b board.Board
	b.Flags(flag.CommandLine)
	text := flag.String("text", "", "search `text`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.Open(); err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if err := run(ctx, os.Stdout, &b, *text); err != nil {
		stop()
		b.Close()
		log.Fatal(err) //nolint:gocritic // both deferred calls were made
	}
}

func run(ctx context.Context, out io.Writer, b *board.Board, text string) error {
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Talking to %s.\n", b.Name())

	if b.Channel != "" {
		if err := search(ctx, out, client, b.Channel, text); err != nil {
			return err
		}
	}
	if b.Job == 0 {
		fmt.Fprintln(out, "\nName a job with -job or JOBBOARD_JOB to look at it.")
		return nil
	}
	if b.Config.JobDBURL != "" {
		if err := information(ctx, out, client, b.Job); err != nil {
			return err
		}
	}
	if b.User != nil {
		return status(ctx, out, client.Applicant(b.User), b.Job)
	}
	return nil
}

func search(
	ctx context.Context, out io.Writer, client *jobboard.Client, channel jobboard.ChannelID, text string,
) error {
	result, err := client.Search(ctx, channel, jobboard.Query{Text: text})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nChannel %s has %d jobs", channel, result.TotalNumberOfJobs)
	if result.Partial() {
		fmt.Fprintf(out, ", %d of them on this page", len(result.Results))
	}
	fmt.Fprintln(out, ":")
	for i, posting := range result.Results {
		if i == 5 {
			fmt.Fprintf(out, "  ... and %d more\n", len(result.Results)-i)
			break
		}
		fmt.Fprintf(out, "  %-9d %s\n", posting.JobPostingID, posting.Title)
	}
	return nil
}

func information(ctx context.Context, out io.Writer, client *jobboard.Client, job jobboard.JobID) error {
	info, err := client.JobInformation(ctx, job)
	switch {
	case errors.Is(err, jobboard.ErrInactive), errors.Is(err, jobboard.ErrNotFound):
		fmt.Fprintf(out, "\nJob %d takes no applications: %v\n", job, err)
		return nil
	case err != nil:
		return err
	}
	fmt.Fprintf(out, "\nJob %d is %q at %s in %s (language %s).\n", info.JobID, info.JobTitle, info.CompanyName,
		info.Location.GeoCity, info.JobLanguage)
	fmt.Fprintf(out, "Applying is possible: %t. Before it, the applicant answers:\n", info.ApplyPossible)
	for _, q := range info.Questions {
		fmt.Fprintf(out, "  %-8s %s\n", q.Type, q.Label)
	}
	fmt.Fprintf(out, "  and chooses among %d nationalities.\n", len(info.Nationalities))
	return nil
}

func status(ctx context.Context, out io.Writer, applicant *jobboard.Applicant, job jobboard.JobID) error {
	applied, err := applicant.HasApplied(ctx, job)
	if err != nil {
		return err
	}
	if !applied {
		fmt.Fprintf(out, "\nThe applicant has not applied for job %d yet.\n", job)
		return nil
	}
	id, err := applicant.ApplicationID(ctx, job)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe applicant has applied for job %d; the application is %s.\n", job, id)
	return nil
}
