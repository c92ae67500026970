package feedtest_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/jobboard-sdk/jobboard-go/jobfeed"
	"github.com/jobboard-sdk/jobboard-go/jobfeed/feedtest"
)

func ExampleWriter() {
	var feed strings.Builder
	w := feedtest.NewWriter(&feed, &feedtest.Options{Root: "Jobs"})
	if err := w.Write(&jobfeed.Entry{JobID: 2797227, Title: "Research & Development"}); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	for entry, err := range jobfeed.NewReader(strings.NewReader(feed.String()), nil).Entries() {
		fmt.Println(entry.JobID, entry.Title, err)
	}
	// Output: 2797227 Research & Development <nil>
}
