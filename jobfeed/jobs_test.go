package jobfeed_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobfeed"
)

// said returns what a feed says of each job, or why it says nothing.
func said(t *testing.T, feed string) (jobs []string) {
	t.Helper()
	for e, err := range jobfeed.NewReader(strings.NewReader(feed), nil).Entries() {
		if bad, ok := errors.AsType[*jobfeed.EntryError](err); ok {
			jobs = append(jobs, fmt.Sprintf("%v at %v: %s", bad.Err, bad.Position, bad.Reason))
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if raw := string(e.Raw()); !wholeEntry.MatchString(raw) {
			t.Errorf("raw %q", raw)
		}
		job := fmt.Sprint(e.JobID)
		for _, s := range []string{e.Title, e.Company, e.Language, e.Status, string(e.ValidTo)} {
			job += "/" + s
		}
		for _, l := range e.Locations {
			job += " " + l.City
		}
		for _, l := range e.Links {
			job += " " + l.URL
		}
		jobs = append(jobs, job+strings.Trim(fmt.Sprint(e.Postings), "[]"))
	}
	return jobs
}

// No job of an opening with several records is lost: each is an entry, with what is of it and what all share.
func TestSeveralRecords(t *testing.T) {
	record := func(id any) string {
		return fmt.Sprintf("<PositionRecordInfo><Id><IdValue>%v</IdValue></Id><Status>s%[1]v</Status></PositionRecordInfo>", id)
	}
	profile := func(name string) string {
		return "<PositionProfile><ProfileName>" + name + "</ProfileName><PositionDetail><PhysicalLocation><PostalAddress><Municipality>" + name + "town</Municipality></PostalAddress></PhysicalLocation></PositionDetail></PositionProfile>"
	}
	const (
		posting  = "<PositionPosting><Id validTo='2026'><IdValue>7</IdValue></Id><Link>u</Link></PositionPosting>"
		supplier = "<PositionSupplier><EntityName>firm</EntityName></PositionSupplier>"
	)
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"each with its own", record(1) + profile("a") + record(2) + profile("b") + record(3) + profile("c"), []string{"1/a///s1/ atown", "2/b///s2/ btown", "3/c///s3/ ctown"}},
		{"nothing but records", record(21) + record(22), []string{"21////s21/", "22////s22/"}},
		{"shared behind all", record(1) + record(2) + profile("a") + posting + supplier, []string{"1/a/firm//s1/2026 atown u7", "2/a/firm//s2/2026 atown u7"}},
		{"shared before all", supplier + posting + record(1) + profile("a") + record(2) + profile("b"), []string{"1/a/firm//s1/2026 atown u7", "2/b/firm//s2/2026 btown u7"}},
		{"shared on both sides", supplier + record(1) + record(2) + profile("a"), []string{"1/a/firm//s1/ atown", "2/a/firm//s2/ atown"}},
		{"own before shared", profile("x") + record(1) + profile("a") + record(2), []string{"1/a///s1/ atown xtown", "2/x///s2/ xtown"}},
		{"the last has nothing", record(1) + profile("a") + record(2), []string{"1/a///s1/ atown", "2////s2/"}},
		{"one of them broken", record(1) + "\n" + record("R-7") + record(3) + record(" "), []string{
			"1////s1/", `bad job identifier at 2:34: "R-7" is not a positive number`, "3////s3/", "no job identifier at 2:183: no value at PositionRecordInfo > Id > IdValue",
		}},
		{"the same twice", record(1) + record(1), []string{"1////s1/", "1////s1/"}},

		{"in elements of their own", "<Job>" + record(31) + profile("a") + "</Job><Job>" + profile("b") + record(32) + "</Job>", []string{"31/a///s31/ atown", "32/b///s32/ btown"}},
		{"in an element of their own", "<j:Jobs>" + record(31) + profile("a") + record(32) + "</j:Jobs>", []string{"31/a///s31/ atown", "32////s32/"}},
		{"deeper, and shared outside", supplier + "<Jobs><Job>" + record(31) + "</Job><Job>" + record(32) + "</Job></Jobs>" + posting, []string{"31//firm//s31/2026 u7", "32//firm//s32/2026 u7"}},
		{"one, beside a record of the opening", "<UserArea>" + record(1) + profile("x") + "</UserArea>" + record(2) + "<Related>" + record(3) + "</Related>", []string{"2////s2/"}},
		{"inside elements of a feed", "<PositionProfile><X>" + record(1) + "</X></PositionProfile>", []string{"no job identifier at 1:1: no value at PositionRecordInfo > Id > IdValue"}},
	} {
		got := said(t, "<PositionOpening>"+test.in+"</PositionOpening>")
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.name, got, test.want)
		}
	}

	// Entries of one opening have places of their own, and the opening's bytes; they do not share memory.
	opening := "<PositionOpening>" + supplier + posting + record(1) + "\n " + record(2) + "</PositionOpening>"
	items, entries, end := read(t, strings.NewReader("<Js>"+opening+"</Js>"), nil)
	if len(items) != 2 || end != nil || items[0].place != fmt.Sprintf("1:%d", 22+len(supplier+posting)) || items[1].place != "2:2" {
		t.Fatalf("%v, %v", items, end)
	}
	entries[0].Links[0].URL, entries[0].Postings[0] = "changed", 9
	if entries[1].Links[0].URL != "u" || entries[1].Postings[0] != 7 {
		t.Errorf("%+v changed with another entry", entries[1])
	}
	for e, err := range jobfeed.NewReader(strings.NewReader(opening), nil).Entries() {
		if err != nil || string(e.Raw()) != opening {
			t.Errorf("%v, %v", e, err)
		}
	}
}
