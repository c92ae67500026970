package main

import (
	"encoding/xml"
	"io"

	"github.com/jobboard-sdk/jobboard-go/boardcheck"
)

// The shapes of JUnit's XML that CI systems read.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
	}
)

func (s *junitSuite) add(name, failure, out string) {
	c := junitCase{Class: "board." + s.Name, Name: name, Out: out}
	if failure != "" {
		c.Failure = &junitFailure{failure}
		s.Failures++
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}

// writeCheckJUnit writes a report as JUnit's XML: a test for each change, for each note, and for each kind of call without
// a judgement, and one that passes if any call was answered.
func writeCheckJUnit(w io.Writer, r *boardcheck.Report) error {
	changes, calls := junitSuite{Name: "changes"}, junitSuite{Name: "calls"}
	for _, x := range r.Changes {
		changes.add(x.Where, x.What, "")
	}
	for _, x := range r.Notes {
		changes.add(x.Where, "", x.What)
	}
	for _, x := range r.Unjudged {
		calls.add(x.Where, "no judgement: "+x.What, "")
	}
	failure := ""
	if !r.Answered {
		failure = "no call was answered"
	}
	calls.add("answered", failure, r.Summary())
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{changes, calls}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
