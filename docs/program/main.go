// Command program prints the postings of a channel that match a word. The README
// begins with it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jobboard-sdk/jobboard-go"
)

func main() {
	client, err := jobboard.NewClient(jobboard.Config{
		BaseURL:  os.Getenv("JOBBOARD_BASE_URL"),  // such as https://jobs.example
		JobDBURL: os.Getenv("JOBBOARD_JOBDB_URL"), // for JobInformation and Precheck
		ClientID: os.Getenv("JOBBOARD_CLIENT_ID"),
	})
	if err != nil {
		log.Fatal(err)
	}
	channel := jobboard.ChannelID(os.Getenv("JOBBOARD_CHANNEL"))
	for posting, err := range client.Postings(context.Background(), channel, jobboard.Query{Text: "nurse"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(posting.JobPostingID, posting.Title)
	}
}
