// Command program is the program that the README shows.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/jobboard-sdk/jobboard-go"
)

func main() {
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: "https://jobs.example", ClientID: "10"})
	if err != nil {
		log.Fatal(err)
	}
	for posting, err := range client.Postings(context.Background(), "27828_extern", jobboard.Query{Text: "nurse"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(posting.JobPostingID, posting.Title)
	}
}
