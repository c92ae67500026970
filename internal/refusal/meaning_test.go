package refusal

import (
	"strings"
	"testing"
)

// Whether a message speaks of a job's posting. Words that only look like it, and words
// in addresses, do not count.
func TestSays(t *testing.T) {
	for message, want := range map[string]bool{
		"JobPosting not found for jobId 4711":             true,
		"JobPosting not fount for jobId 4711":             true,
		"JOBPOSTING NOT FOUND\n":                          true,
		"no such posting.":                                true,
		"\u201cPosting\u201d is closed":                   true,
		"Job-Posting unknown: 4711":                       true,
		"job_posting 4711 not found":                      true,
		"there is nothing for job id 4711":                true,
		"there is nothing for job  -  id: 4711":           true,
		"nothing for jobId=4711":                          true,
		"nothing for jobId4711":                           true,
		"Stelle nicht gefunden (jobId 4711)":              true,
		"Posting not found: /api/rest/v3/frontend/jobs/1": true,
		"":          false,
		"Not Found": false,
		"the repository of postings is being rebuilt":            false,
		"Service not accessible from this network":               false,
		"This version of the jobs API is gone":                   false,
		"Tenant inactive":                                        false,
		"this job. Id unknown":                                   false,
		"job 4711 id":                                            false,
		"reposting disabled, see xposting and postingx":          false,
		"Cannot GET /posting/api/rest/v3/frontend/jobs/4711":     false,
		"no route to posting.example:443":                        false,
		"https://jobs.example/posting?jobid=4711 does not exist": false,
		"Stellenausschreibung nicht gefunden":                    false,
		"postingé":                                               false,
	} {
		w := Words{Message: message}
		if got := w.Says("posting|jobposting|jobid|job id"); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
	w := Words{Message: "Job Posting"}
	for list, want := range map[string]bool{"posting": true, "x|job": true, "job posting": true, "x|y": false, "jobs": false, "ob": false} {
		if w.Says(list) != want {
			t.Errorf("%q says %q: %v", w.Message, list, !want)
		}
	}
}

// What a message denies of a project. One word too many, too few or in another language
// and nothing is known.
func TestDenies(t *testing.T) {
	for message, want := range map[string]string{
		"Project for jobId 4711 not available":                     "available",
		"Project for jobId 4711 not accessible":                    "accessible",
		"The project is NOT accessible to you":                     "accessible",
		"the project with job id \"4711\" is no longer available.": "available",
		"Project for jobId=4711: not available":                    "available",
		"This project is not available any more, user 5":           "available",
		"not any longer accessible for this applicant":             "accessible",
		"NOT-AVAILABLE": "available",
		"No available project for job number 4711":               "available",
		"\u201eProject\u201c (4711)\u00a0\u2013 not\tavailable!": "available",
		"":                                       "",
		"get_project_error":                      "",
		"Project":                                "",
		"available":                              "",
		"not":                                    "",
		"Project is available":                   "",
		"Project unavailable":                    "",
		"Project isn't available":                "",
		"Service temporarily not available":      "",
		"Project temporarily not available":      "",
		"Project not yet available":              "",
		"Project not available, try again":       "",
		"Project could not be loaded, try again": "",
		"Project not available: connection refused":                     "",
		"Project not available in this region":                          "",
		"Project not available (timeout)":                               "",
		"lock":                                                          "",
		"Das Projekt ist nicht verf\u00fcgbar":                          "",
		"Projet non accessible":                                         "",
		"El proyecto no disponible":                                     "",
		"project no disponible":                                         "",
		"\u043f\u0440\u043e\u0435\u043a\u0442 not available":            "",
		"Project not available or accessible":                           "",
		"Project not available, not accessible":                         "",
		"Project not available. This project is accessible to you":      "",
		"Project is available, not accessible":                          "",
		"Project not not available":                                     "",
		"no project is not available":                                   "",
		"not this project available":                                    "",
		"not 4711 available":                                            "",
		"Project not avail\u00adable":                                   "",
		"Project not available \U0001f512":                              "",
		"Project for job 4711x not available":                           "",
		"<b>Project not available</b>":                                  "",
		"Project not accessible" + strings.Repeat(" the project", 1000): "accessible",
	} {
		for _, quality := range []string{"available", "accessible", ""} {
			w := Words{Message: message}
			if got := w.Denies(quality); got != (quality != "" && quality == want) {
				t.Errorf("%.80q denies %q: %v", message, quality, got)
			}
		}
	}
}
