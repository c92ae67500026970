// Command program is the program that the README shows.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

func main() {
	fake := jobboardtest.NewServer(jobboardtest.WithDemo()) // in the place of the service
	defer fake.Close()
	client, err := jobboard.NewClient(jobboard.Config{BaseURL: fake.BaseURL, ClientID: fake.Demo.ClientID})
	if err != nil {
		log.Fatal(err)
	}
	channel := jobboard.ChannelID(fake.Demo.Channel)
	for posting, err := range client.Postings(context.Background(), channel, jobboard.Query{Text: "nurse"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(posting.JobPostingID, posting.Title)
	}
}
