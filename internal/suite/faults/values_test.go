package faults_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/internal/suite/rig"
)

// valueFaults are answers of the right form with odd values, and answers in another charset.
func valueFaults() []fault {
	ok, bad := requests(1), final(jobboard.ErrDecode)
	all := []fault{
		{
			name: "an odd value in a posting", cells: at(S, ok),
			forms: checked(postings("Cook", 2), bodies(
				js, found(`{"jobPostingId":"1","title":"Cook"},{"jobPostingId":2,"title":"Cook","config":{"x":1,"y":[1,true,{}],"z":{}}}`),
				found(`{"jobPostingId":1,"title":"Cook","jobStartDate":"soon","postingVersionId":1e3},{"jobPostingId":2,"title":"Cook","config":[]}`),
				found(`{"jobPostingId":1,"title":"Cook","applyOnlineLink":[{}],"postingVersionEndDate":9223372036854775808},`+
					`{"jobPostingId":2,"title":"Cook","TITLE":"x","config":null}`),
			)),
		},
		{
			name: "a posting without a title", cells: at(S, ok),
			forms: checked(postings("", 2), bodies(
				js, found(`{"jobPostingId":1,"title":null},{"jobPostingId":2}`), found(`{"jobPostingId":1,"title":{}},{"jobPostingId":2,"title":[]}`),
			)),
		},
		{
			name: "odd counters", cells: at(S, ok), forms: checked(postings("Cook", 1), bodies(
				js, `{"totalNumberOfJobs":"1","numPages":"many","offset":1e3,"actualPage":{},"itemsPerPage":9223372036854775808,`+
					`"results":[{"jobPostingId":1,"title":"Cook"}]}`,
			)),
		},
		{
			name: "no total, or one that is no count", cells: at(S, bad), forms: says("totalNumberOfJobs", bodies(
				js, `{"results":[]}`, `{"results":[],"totalNumberOfJobs":null}`, `{"results":[],"totalNumberOfJobs":"many"}`,
				`{"results":[],"totalNumberOfJobs":-1}`, `{"results":[],"totalNumberOfJobs":1e3}`,
				`{"results":[],"totalNumberOfJobs":1,"totalNumberOfJobs":1}`,
			)),
		},
		{
			// What Postings yields then is no *Error: TestReadmeLoop of the client holds it.
			name: "a posting that cannot be used, among others", cells: at(S, ok).postings(never),
			forms: checked(postings("Cook", 2), unusable(
				`{"jobPostingId":1,"title":"Cook"},%s,{"jobPostingId":2,"title":"Cook"}`,
			)),
		},
		{
			name: "no posting that can be used", cells: at(S, bad),
			forms: says("results[0]", unusable(`%s,{"jobPostingId":true}`)),
		},
		{
			name: "an odd value in a job information", cells: at(J, ok), forms: checked(isJob("5310482"), bodies(
				js, `{"jobId":"5310482","jobTitle":null,"applyPossible":true,"timestamp":"soon","companyName":7,"companyId":{}}`,
				job(`"location":[],"additionalLocations":[7,{"geoLat":1e3,"geoZip":[]}],"nationalities":[null,{"id":[]},{"id":1}]`),
				job(`"location":{"geoCity":"a","geoCity":"b"},"nationalities":[{"id":1,"id":2}],"questions":[{"id":1,"label":true}]`),
			)),
		},
		{
			name: "no applyPossible, or none that is one", cells: at(J, bad), forms: says("applyPossible", bodies(
				js, `{"jobId":5310482,"jobTitle":"x"}`, `{"jobId":5310482,"jobTitle":"x","applyPossible":null}`,
				`{"jobId":5310482,"jobTitle":"x","applyPossible":"true"}`, job(`"applyPossible":true`),
			)),
		},
		{
			name: "no jobId, or none that is one", cells: at(J, bad), forms: says("jobId", bodies(
				js, `{"jobTitle":"x","applyPossible":true}`, `{"jobId":null,"jobTitle":"x","applyPossible":true}`,
				`{"jobId":"x","jobTitle":"x","applyPossible":true}`, `{"jobId":1e3,"jobTitle":"x","applyPossible":true}`,
			)),
		},
		{
			name: "a question that cannot be read", cells: at(J, bad), forms: says("questions", bodies(
				js, job(`"questions":{}`), job(`"questions":[null]`), job(`"questions":[{"id":[]}]`),
				job(`"questions":[{"id":1,"id":1}]`), job(`"questions":[{"id":1,"answers":[7]}]`),
			)),
		},
		{
			name: "bytes that are no UTF-8, labelled as what they are", cells: at(S, ok),
			forms: checked(postings("Köchin – 5 €", 1), labelled(
				"{\"totalNumberOfJobs\":1,\"results\":[{\"jobPostingId\":1,\"title\":\"K\xf6chin \x96 5 \x80\"}]}",
				"{\"totalNumberOfJobs\":1,\"results\":[{\"jobPostingId\":1,\"title\":\"K\xf6chin – 5 €\"}]}",
				"{\"totalNumberOfJobs\":1,\"results\":[{\"jobPostingId\":1,\"title\":\"Köchin \\u2013 5 €\"}]}",
			)),
		},
		{
			name: "UTF-8 that is labelled as another charset", cells: every(ok),
			forms: []form{
				{name: "latin1", serve: func(x *exchange) { x.Answer(200, "application/json;charset=latin1", x.body()) }},
				{name: "UTF-16", serve: func(x *exchange) { x.Answer(200, "application/json; charset=utf-16", x.body()) }},
			},
		},
		{name: "UTF-16 or UTF-32", cells: unreadable, forms: wide()},
	}
	for i := range all {
		all[i].status, all[i].transport = 200, notMet
	}
	return all
}

// found is a page of these postings, which it counts.
func found(entries string) string {
	return fmt.Sprintf(`{"results":[%s],"totalNumberOfJobs":%d}`, entries, strings.Count(entries, `"jobPostingId"`))
}

// unusable puts each entry that is no usable posting into entries.
func unusable(entries string) []form {
	var all []string
	for _, entry := range []string{
		`null`, `7`, `[]`, `{}`, `{"jobPostingId":0}`, `{"jobPostingId":"x"}`, `{"jobPostingId":1e3}`,
		`{"jobPostingId":9,"title":"a","title":"a"}`, `{"jobPostingId":9,"config":{"a":[],"a":[]}}`,
	} {
		all = append(all, found(fmt.Sprintf(entries, entry)))
	}
	return bodies(js, all...)
}

// postings reports unless the result is n postings, of which the first has the title.
func postings(title string, n int) func(*rig.Operation, any) string {
	return func(_ *rig.Operation, value any) string {
		if list, _ := value.([]jobboard.JobPosting); len(list) != n || list[0].Title != title {
			return fmt.Sprintf("the result is %+v", value)
		}
		return ""
	}
}

func says(text string, forms []form) []form {
	for i := range forms {
		forms[i].says = []string{text}
	}
	return forms
}

// labelled are bodies in windows-1252, under its names and those of ISO-8859-1.
func labelled(texts ...string) (forms []form) {
	for i, charset := range []string{"ISO-8859-1", "latin1", "windows-1252", `"Windows-1252"`, "iso-8859-1; x=y"} {
		for _, text := range texts {
			forms = append(forms, form{
				name:   fmt.Sprintf("%s %d", charset, i),
				answer: answer{kind: "application/json; charset=" + charset, body: text},
			})
		}
	}
	return forms
}

// wide are good answers in UTF-16 and UTF-32, with a label, with a byte order mark, and with both.
func wide() (forms []form) {
	for _, c := range []struct{ name, label, mark, says string }{
		{"UTF-16LE by label", "; charset=utf-16le", "", "UTF-16"},
		{"UTF-16 by label", "; charset=UTF-16", "", "UTF-16"},
		{"UTF-16 by mark", "", "\ufeff", "UTF-16"},
		{"UTF-16 by both", "; charset=utf-16", "\ufeff", "UTF-16"},
		{"UTF-32 by label", "; charset=utf-32", "", "UTF-32"},
		{"UTF-32 by mark", "", "\ufeff", "UTF-32"},
		{"UTF-16 by mark, labelled UTF-8", "; charset=utf-8", "\ufeff", "UTF-16"},
		{"UTF-32 by mark, labelled latin1", "; charset=latin1", "\ufeff", "UTF-32"},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			forms = append(forms, form{name: c.name + " " + fmt.Sprint(order), wanted: wanted{says: []string{c.says}}, serve: func(x *exchange) {
				var b []byte
				for _, r := range c.mark + x.body() {
					if c.says == "UTF-32" {
						b = order.AppendUint32(b, uint32(r))
						continue
					}
					for _, half := range utf16.Encode([]rune{r}) {
						b = order.AppendUint16(b, half)
					}
				}
				x.Answer(200, "application/json"+c.label, string(b))
			}})
		}
	}
	return forms
}
