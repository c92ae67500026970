package control

import (
	"fmt"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// TestLongLists has more of everything than the page shows at once.
func TestLongLists(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	for range maxShown + 5 {
		srv.Publish("c", jobboardtest.Job{Title: "Nurse"})
		srv.AddPosting(jobboardtest.Posting{Title: "Nurse", Channels: []string{"c"}})
		srv.AddApplicant(jobboardtest.Applicant{})
	}
	v := New(srv).boardView("nurse")
	if len(v.Jobs) != maxShown || len(v.Loose) != maxShown || len(v.Applicants) != maxShown {
		t.Errorf("%d jobs, %d postings without a job and %d applicants are shown", len(v.Jobs), len(v.Loose), len(v.Applicants))
	}
	if v.MoreJobs != 5 || v.MoreLoose != 5 || v.MorePeople != 5 {
		t.Errorf("of more there are %d, %d and %d", v.MoreJobs, v.MoreLoose, v.MorePeople)
	}
	if v := New(srv).boardView("chef"); len(v.Jobs)+len(v.Loose)+v.MoreJobs+v.MoreLoose != 0 {
		t.Errorf("a filter that nothing fits lets through %+v", v)
	}
}

// TestPlacesOfABoard has postings with places of their own, places of missing jobs, and more
// places than the list has room for.
func TestPlacesOfABoard(t *testing.T) {
	srv := jobboardtest.NewServer(jobboardtest.WithoutSockets())
	defer srv.Close()
	at := func(i int) jobboardtest.Location {
		return jobboardtest.Location{Lat: fmt.Sprint(i), Long: "10", City: fmt.Sprint("City ", 100+i)}
	}
	job, _ := srv.Publish("c", jobboardtest.Job{Title: "Nurse", Location: at(1), AdditionalLocations: []jobboardtest.Location{at(2)}})
	srv.AddPosting(jobboardtest.Posting{JobID: job.ID, Title: "Nurse, too", Channels: []string{"c"}, Locations: []jobboardtest.Location{at(2), at(3)}})
	for i := range 8 {
		srv.AddPosting(jobboardtest.Posting{
			ID: int64(900 - i), JobID: 555 + int64(i), Title: "Stray", Channels: []string{"c"}, Locations: []jobboardtest.Location{at(4 + i)},
		})
	}
	v := New(srv).boardView("")
	var loose []int64
	for _, p := range v.Loose {
		loose = append(loose, p.ID)
	}
	if got, want := fmt.Sprint(loose), "[893 894 895 896 897 898 899 900]"; got != want {
		t.Errorf("postings without a job: %s, want %s", got, want)
	}
	if len(v.Places) != 9 || v.MorePlaces != 2 || v.Places[0] != (knownPlace{Name: "City 102", Count: 2}) || v.Places[8].Name != "City 109" {
		t.Errorf("%d more places than %+v", v.MorePlaces, v.Places)
	}
}
