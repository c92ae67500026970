package main

import (
	"io"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/cli"
	"github.com/jobboard-sdk/jobboard-go/market/cmd/internal/term"
	"github.com/jobboard-sdk/jobboard-go/market/internal/shown"
)

// feedLine is the outcome of one lookup.
type feedLine struct {
	jobboard.BulkResult[*jobboard.JobInformation]
	outcome string
}

func (l feedLine) errorText() string {
	if l.Err == nil {
		return ""
	}
	return l.Err.Error()
}

// ofInformation returns a field that is empty for jobs without information.
func ofInformation(name string, value func(*jobboard.JobInformation) any) cli.Field[feedLine] {
	return cli.Field[feedLine]{Name: name, Value: func(l feedLine) any {
		if l.Value == nil {
			return nil
		}
		return value(l.Value)
	}}
}

// feedFields lists the fields of a job for --fields, in the order of the columns of CSV.
var feedFields = []cli.Field[feedLine]{
	{Name: "job", Value: func(l feedLine) any {
		if l.Job == 0 {
			return nil
		}
		return l.Job
	}},
	{Name: "outcome", Value: func(l feedLine) any { return l.outcome }},
	ofInformation("apply_possible", func(i *jobboard.JobInformation) any { return i.ApplyPossible }),
	ofInformation("questions", func(i *jobboard.JobInformation) any { return len(i.Questions) }),
	ofInformation("title", func(i *jobboard.JobInformation) any { return i.JobTitle }),
	ofInformation("company", func(i *jobboard.JobInformation) any { return i.CompanyName }),
	ofInformation("language", func(i *jobboard.JobInformation) any { return i.JobLanguage }),
	ofInformation("city", func(i *jobboard.JobInformation) any { return i.Location.GeoCity }),
	ofInformation("privacy_link", func(i *jobboard.JobInformation) any { return shown.Link(i.DataSecurityURL()) }),
	{Name: "error", Value: func(l feedLine) any { return l.errorText() }},
}

// feedLines writes a line per job as CSV or JSON.
type feedLines struct {
	w      io.Writer
	fields []cli.Field[feedLine] // nil: all fields
	csv    *cli.CSV[feedLine]    // nil: lines of JSON
}

// newFeedLines returns the writer for a form, or nil for the form that prints
// only a summary.
func newFeedLines(form string, fields []cli.Field[feedLine], w io.Writer) *feedLines {
	switch {
	case form == "":
		return nil
	case form == "jsonl":
		return &feedLines{w: w, fields: fields}
	case fields == nil:
		fields = feedFields
	}
	return &feedLines{csv: cli.NewCSV(w, fields)}
}

func (l *feedLines) write(line feedLine) error {
	switch {
	case l.csv != nil:
		return l.csv.Write(line)
	case l.fields != nil:
		object, err := cli.Object(l.fields, line)
		if err != nil {
			return err
		}
		return term.WriteJSON(l.w, object, false)
	}
	return term.WriteJSON(l.w, struct {
		Job         jobboard.JobID           `json:"job,omitempty"`
		Outcome     string                   `json:"outcome"`
		Error       string                   `json:"error,omitempty"`
		Information *jobboard.JobInformation `json:"information,omitempty"`
	}{line.Job, line.outcome, line.errorText(), line.Value}, false)
}

func (l *feedLines) flush() error {
	if l.csv == nil {
		return nil
	}
	return l.csv.Flush()
}
