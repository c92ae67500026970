package boardcheck

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
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
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// WriteJUnit writes the report as JUnit's XML: a test for each rule, for each change, and for
// each request without a good answer. The file contains no values of the board.
func (r *Report) WriteJUnit(w io.Writer) error {
	rules := junitSuite{Name: "rules"}
	for _, x := range r.Rules {
		text := "section " + x.Section + ": " + x.Text
		c := junitCase{Class: "board.rules", Name: x.Name, Out: text + "\n" + strings.Join(x.Requests, "\n")}
		switch x.State {
		case Broken:
			c.Failure = &junitMessage{text, strings.Join(x.Problems, "\n")}
		case NotObservable:
			c.Skipped = &junitMessage{Message: x.Why}
		}
		rules.add(c)
	}
	changes := junitSuite{Name: "changes"}
	for _, x := range r.Changes {
		if x.Note {
			changes.add(junitCase{Class: "board.changes", Name: x.Where, Out: x.What})
		} else {
			changes.add(junitCase{Class: "board.changes", Name: x.Where, Failure: &junitMessage{Message: x.What}})
		}
	}
	answers := junitSuite{Name: "answers"}
	for i, x := range r.Troubles {
		answers.add(junitCase{Class: "board.answers", Name: strconv.Itoa(i + 1), Failure: &junitMessage{Message: x}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{rules, changes, answers}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Summary returns the result in one line: the numbers of rules, changes and
// troubles.
func (r *Report) Summary() string {
	changes := 0
	for _, c := range r.Changes {
		if !c.Note {
			changes++
		}
	}
	return fmt.Sprintf("%d rules kept, %d broken, %d not observable; %s; %s without a good answer; %d requests",
		r.count(Kept), r.Broken(), r.count(NotObservable), several(changes, "change"),
		several(len(r.Troubles), "kind of request", "kinds of requests"), r.Requests)
}

func several(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return strconv.Itoa(n) + " " + many[0]
	}
	return strconv.Itoa(n) + " " + one + "s"
}
