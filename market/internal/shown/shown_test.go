package shown_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
)

func TestShown(t *testing.T) {
	info := &jobboard.JobInformation{
		Location: jobboard.Location{GeoName: "Berlin, Germany", GeoCity: "Berlin"},
		AdditionalLocations: []jobboard.Location{
			{GeoStreet: "Hauptstr. 1", GeoZip: "69117", GeoCity: "Heidelberg", GeoCountry: "DE"}, {GeoZip: "1010"}, {},
		},
		DataSecurityLink: "javascript:alert(1)",
	}
	if got := shown.Locations(info); !slices.Equal(got, []string{"Berlin, Germany", "Hauptstr. 1, 69117 Heidelberg, DE", "1010", ""}) {
		t.Errorf("%q", got)
	}
	if got := shown.Link(info.DataSecurityURL()); got != "" {
		t.Errorf("a script is a link: %s", got)
	}
	info.DataSecurityLink = "https://jobs.example/privacy"
	if got := shown.Link(info.DataSecurityURL()); got != info.DataSecurityLink {
		t.Errorf("%q", got)
	}
	var none jobboard.Millis
	if got := shown.Day(none); got != "" {
		t.Errorf("%q", got)
	}
	for _, q := range []jobboard.QuestionType{jobboard.QuestionYesNo, jobboard.QuestionText, jobboard.QuestionTextArea, jobboard.QuestionCatalog} {
		if text, known := shown.Answering(q); !known || text == "" {
			t.Errorf("%s: %q", q, text)
		}
	}
	if text, known := shown.Answering("PHOTO"); known || text == "" {
		t.Errorf("%q", text)
	}
}

func TestError(t *testing.T) {
	for text, want := range map[string]string{
		"jobboard: no token": "no token", "jobmirror: jobboard: no token": "jobboard: no token", "a jobboard: text": "a jobboard: text", "": "",
	} {
		if got := shown.Error(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
