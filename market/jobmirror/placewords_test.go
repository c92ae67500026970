package jobmirror_test

import (
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror"
)

// The words of each place of a job find its posting, which names the first alone, in quotes as well. What says of itself
// that it is remote work is found by the words for that.
func TestPlacesAndRemoteWorkAreWords(t *testing.T) {
	onEach(t, func(t *testing.T, address string) {
		srv := jobboardtest.New(t, jobboardtest.WithDemo())
		job := srv.AddJob(jobboardtest.Job{
			Title: "Kranführer", Language: "de", Location: jobboardtest.Location{City: "Hamburg", Lat: "53.55", Long: "9.99"},
			AdditionalLocations: []jobboardtest.Location{{City: "Vienna", Lat: "48.21", Long: "16.37"}, {City: "Ulm"}},
		})
		for title, status := range map[string]string{"Kranführer": "FULLY_REMOTE", "Lotse": "NOT_REMOTE", "Heizer": "NONE"} {
			posting := jobboardtest.Posting{Title: title, Language: "de", Channels: []string{srv.Demo.Channel}, Config: map[string][]string{
				"ProjectLocationGerman": {"Hamburg"}, "sg_remote_status": {status},
			}}
			if title == "Kranführer" {
				posting.JobID = job.ID
			}
			srv.AddPosting(posting)
		}
		m := open(t, address, optionsOf(srv))
		refresh(t, m)
		for text, want := range map[string]int{
			"Kranführer Hamburg": 1, "Kranführer Vienna": 1, "Kranführer Wien": 1, `Kranführer "Wien"`: 1, "Ulm Kranführer": 1, "Kranführer Linz": 0,
			"Kranführer Homeoffice": 1, "Kranführer home office": 1, "Kranführer remote": 1, "mobiles Arbeiten Kranführer": 1, `Kranführer "remote"`: 0,
			"Lotse Homeoffice": 0, "Heizer remote": 0, "Lotse": 1, "Heizer": 1,
		} {
			page, err := m.Search(t.Context(), jobmirror.Query{Text: text, Language: "de"})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(page.Postings); got != want && (want > 0 || page.Corrected == nil) {
				t.Errorf("%q finds %d, want %d", text, got, want)
			}
		}
	})
}
