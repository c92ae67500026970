// Command applystatus says whether an applicant may still apply for a job, and
// what must be asked first:
//
//	go run ./examples/applystatus -job 2797227
//
// Without settings it asks the embedded fake for one of its jobs.
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
	flag.Parse()
	if err := b.Open(); err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if err := run(os.Stdout, &b); err != nil {
		b.Close()
		log.Fatal(err) //nolint:gocritic // the deferred call was made
	}
}

func run(out io.Writer, b *board.Board) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := jobboard.NewClient(b.Config)
	if err != nil {
		return err
	}

	info, err := client.JobInformation(ctx, b.Job)
	if err != nil {
		return fmt.Errorf("job %d: %w", b.Job, err)
	}
	fmt.Fprintf(out, "%s (%s, %s)\n", info.JobTitle, info.CompanyName, info.Location.GeoName)
	if !info.ApplyPossible {
		fmt.Fprintln(out, "takes no more applications")
		return nil
	}

	if b.User != nil {
		switch applied, err := client.Applicant(b.User).HasApplied(ctx, b.Job); {
		case errors.Is(err, jobboard.ErrPostingNotAccessible), errors.Is(err, jobboard.ErrProjectNotAccessible):
			fmt.Fprintln(out, "is not open to this applicant")
			return nil
		case err != nil:
			return err
		case applied:
			fmt.Fprintln(out, "has this applicant's application already, and takes only one")
			return nil
		}
	}

	fmt.Fprintf(out, "\nAsk the applicant, in language %q:\n", info.JobLanguage)
	for i, q := range info.Questions {
		fmt.Fprintf(out, "%2d. %s\n", i+1, q.Label)
		switch q.Type {
		case jobboard.QuestionText:
			fmt.Fprintln(out, "      a line of text")
		case jobboard.QuestionTextArea:
			fmt.Fprintln(out, "      some lines of text")
		default:
			for _, answer := range q.Answers {
				fmt.Fprintf(out, "      ( ) %s\n", answer.Label)
			}
		}
	}
	fmt.Fprintf(out, "%2d. one of %d nationalities\n", len(info.Questions)+1, len(info.Nationalities))
	if link, err := info.DataSecurityURL(); err == nil {
		fmt.Fprintf(out, "\nand show the privacy statement: %s\n", link)
	}
	return nil
}
