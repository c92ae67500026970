package main

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/cmd/jobboard/internal/term"
)

// feedLines writes a line per job in the form that was asked for.
type feedLines struct {
	w   io.Writer
	csv *csv.Writer // nil: lines of JSON
}

// newFeedLines returns nil for the form that has no lines.
func newFeedLines(form string, w io.Writer) *feedLines {
	switch form {
	case "":
		return nil
	case "jsonl":
		return &feedLines{w: w}
	}
	l := &feedLines{csv: csv.NewWriter(w)}
	_ = l.csv.Write([]string{
		"job", "outcome", "apply_possible", "questions", "title", "company", "language", "city",
		"privacy_link", "error",
	}) // flush has its error
	return l
}

func (l *feedLines) write(r jobboard.BulkResult[*jobboard.JobInformation], outcome string) error {
	text := ""
	if r.Err != nil {
		text = r.Err.Error()
	}
	if l.csv == nil {
		return term.WriteJSON(l.w, struct {
			Job         jobboard.JobID           `json:"job,omitempty"`
			Outcome     string                   `json:"outcome"`
			Error       string                   `json:"error,omitempty"`
			Information *jobboard.JobInformation `json:"information,omitempty"`
		}{r.Job, outcome, text, r.Value}, false)
	}
	row := []string{"", outcome, "", "", "", "", "", "", "", cell(text)}
	if r.Job != 0 {
		row[0] = r.Job.String()
	}
	if info := r.Value; info != nil {
		row[2], row[3] = strconv.FormatBool(info.ApplyPossible), strconv.Itoa(len(info.Questions))
		row[4], row[5] = cell(info.JobTitle), cell(info.CompanyName)
		row[6], row[7], row[8] = cell(info.JobLanguage), cell(info.Location.GeoCity), cell(usable(info.DataSecurityURL()))
	}
	return l.csv.Write(row)
}

func (l *feedLines) flush() error {
	if l.csv == nil {
		return nil
	}
	l.csv.Flush()
	return l.csv.Error()
}
