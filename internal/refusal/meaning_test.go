package refusal

import (
	"strings"
	"testing"
)

// The sentences about a posting that settle a job, and those that look like them and settle nothing: the
// words of a service that is down, of another address, of another language, and of a posting that is there.
func TestSentencesAboutAPosting(t *testing.T) {
	for s, messages := range map[*Sentence]struct{ is, isNot []string }{
		PostingNotFound: {
			is: []string{
				"JobPosting not found for jobId 4711",
				"JobPosting not fount for jobId 4711",
				"job posting not found for job id",
				"JOBPOSTING NOT FOUND\n",
				"posting not found",
				"No posting found",
				"no posting found for job id 4711.",
				"No job posting with jobId 4711 was found!",
				"Posting could not be found",
				"The job posting for this job does not exist any more",
				"jobposting does not exist",
				"The posting is no longer found",
				"Job-Posting [4711] not found",
				"job_posting 4711 not found",
				"\u201eJobPosting\u201c\u00a04711 \u2013 not found",
				"jobId=4711: not found",
				"posting not found: jobId 4711",
				"posting no. 4711 not found",
				"posting no 4711 was not found",
				"No active posting found for jobId 4711",
				"posting is not any more found",
				"posting not foudn", "posting not foun", "posting not founnd",
				"not found: job position with jobDbId 4711, this posting",
				"posting not found for the job with the number 4711 with the id 4712 with the jobdbid 4713 for position",
			},
			isNot: []string{
				"", "posting", "not found", "Not Found", "job not found", "jobs not found",
				"posting service temporarily unavailable",
				"upstream jobposting-service not found",
				"Posting API not found",
				"hosting not found", "compositing not found", "postings not found",
				"posting found", "posting was found", "found posting: no", "posting is not lost, found",
				"posting not accessible", "posting inactive", "posting not active, found",
				"posting is not active, not found", "no posting was not found", "posting not not found",
				"active posting not found. This posting is active",
				"No posting found. This posting is active", "no posting found found", "no longer posting found", "not. found posting",
				"No. Posting found", "no, posting found", "posting no. 4711 found", "posting no 4711 found",
				"not this posting found", "not posting 4711 found",
				"posting not found, found", "posting not found, does not exist",
				"posting does exist", "posting does not", "posting not exist", "does posting not exist",
				"404 posting not found", "posting not found (404)",
				"posting not sound", "posting not ofund", "posting not fnd", "posting not fuont!d", "postin not found",
				"posting nit found", "posting not existt",
				"posting not found for user 4711", "posting not found, try again", "posting not yet found",
				"/posting/4711 not found", "posting.job not found", "10.0.0.1 posting not found", "posting?id=4711/x not found",
				"posting not found \U0001f512", "posting not fo\u00adund", "p\u043esting not found", "posting not found & more",
				"Stellenausschreibung nicht gefunden", "posting nicht gefunden", "posting introuvable",
				"jobposting not found for jobId4711", "posting for job 4711x not found",
				"posting not found for the job with the number 4711 with the id 4712 with the jobdbid 4713 for position 1",
			},
		},
		PostingNotAccessible: {
			is: []string{
				"JobPosting not accessible for jobId 4711",
				"jobposting NOT ACCESSIBLE for jobid 4711\r\n",
				"job posting not accessible for job id",
				"The posting for job 4711 is not accessible",
				"This job posting is not accessible to you.",
				"This posting is no longer accessible for this user",
				"posting not any longer accessible to this applicant, user 5",
				"posting not accessable", "posting not acessible",
				"No posting accessible to you",
				"posting could not be accessible",
			},
			isNot: []string{
				"not accessible", "Service not accessible from this network",
				"Access to posting api denied from 10.0.0.1", "posting not accessible from 10.0.0.1",
				"posting not accessible for 10.0.0.1", "posting not accessible (403)", "403 posting not accessible",
				"posting accessible", "posting is accessible to you", "posting inaccessible", "posting not found",
				"posting not accessible, not found", "posting no 7 accessible", "jobId 4711: no access",
				"Kein Zugriff auf jobId 4711", "Kein Zugriff auf Posting 4711", "job not accessible to you",
				"posting not caccessible", "posting not accesible1s", "posting not accessible or not there",
			},
		},
		PostingInactive: {
			is: []string{
				"JobPosting inactive for jobId 4711",
				"job posting inactive for job id",
				"jobposting is INACTIVE\n",
				"the posting was deactivated",
				"posting is not active",
				"This posting is no longer active",
				"posting not active any more",
				"posting is not actve", "posting is no longer activ",
				"No active posting for jobId 4711", "No active posting found",
			},
			isNot: []string{
				"this version of the interface is gone", "The posting API v3 is gone", "Tenant inactive", "inactive",
				"job inactive", "the posting is closed", "User inactive for jobId 4711", "posting is inactive for you",
				"posting is not inactive", "posting no longer inactive", "no posting inactive", "posting inactive: no",
				"posting inactive, deactivated", "posting is not active, inactive", "posting is inactive, not active",
				"posting is active", "posting not inactiv", "posting inactiv", "posting is not reactive",
				"posting not found", "posting inactive (410)", "posting inactive: http://10.0.0.1/",
				"JobPosting inaktiv", "Die Stelle ist nicht mehr aktiv",
			},
		},
	} {
		for want, list := range map[bool][]string{true: messages.is, false: messages.isNot} {
			for _, message := range list {
				if w := (Words{Message: message}); w.Denies(s) != want {
					t.Errorf("%q is a sentence of %s: %v", message, s.status, !want)
				}
			}
		}
	}
}

// A sentence settles a job with its own status only.
func TestSentencesAreOfOneStatus(t *testing.T) {
	for _, s := range []*Sentence{PostingNotFound, PostingNotAccessible, PostingInactive} {
		for of, message := range map[*Sentence]string{
			PostingNotFound: "posting not found", PostingNotAccessible: "posting not accessible", PostingInactive: "posting not active",
		} {
			if w := (Words{Message: message}); w.Denies(s) != (s == of) {
				t.Errorf("%q with %s: %v", message, s.status, s != of)
			}
		}
	}
}

// One letter wrong, missing, added or swapped with its neighbour, and not the first.
func TestOneErrorOff(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyz0"
	for _, want := range []string{"found", "accessible", "active"} {
		near := map[string]bool{want: true}
		for at := 1; at <= len(want); at++ {
			if at < len(want) {
				near[want[:at]+want[at+1:]] = true
			}
			if at+1 < len(want) {
				near[want[:at]+want[at+1:at+2]+want[at:at+1]+want[at+2:]] = true
			}
			for _, c := range letters {
				near[want[:at]+string(c)+want[at:]] = true
				if at < len(want) {
					near[want[:at]+string(c)+want[at+1:]] = true
				}
			}
		}
		for word := range near {
			if !oneErrorOff(word, want) {
				t.Errorf("%q is %q with one error", word, want)
			}
			for at := range word { // and a second error
				if other := word[:at] + word[at+1:]; other != "" && oneErrorOff(other, want) != near[other] {
					t.Errorf("%q is %q with one error: %v", other, want, !near[other])
				}
				if other := word[:at] + "z" + word[at:]; oneErrorOff(other, want) != near[other] {
					t.Errorf("%q is %q with one error: %v", other, want, !near[other])
				}
			}
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
		"No project available for jobId 4711":                    "available",
		"\u201eProject\u201c (4711)\u00a0\u2013 not\tavailable!": "available",
		"":                                          "",
		"get_project_error":                         "",
		"Project":                                   "",
		"available":                                 "",
		"not":                                       "",
		"Project is available":                      "",
		"Project not avaliable":                     "",
		"Project unavailable":                       "",
		"Project isn't available":                   "",
		"Service temporarily not available":         "",
		"Project temporarily not available":         "",
		"Project not yet available":                 "",
		"Project not available, try again":          "",
		"Project could not be loaded, try again":    "",
		"Project not available: connection refused": "",
		"Project not available in this region":      "",
		"Project not available (timeout)":           "",
		"lock":                                      "",
		"Das Projekt ist nicht verf\u00fcgbar":      "",
		"Projet non accessible":                     "",
		"El proyecto no disponible":                 "",
		"project no disponible":                     "",
		"\u043f\u0440\u043e\u0435\u043a\u0442 not available":         "",
		"Project not available or accessible":                        "",
		"Project not available, not accessible":                      "",
		"Project not available. This project is accessible to you":   "",
		"Project is available, not accessible":                       "",
		"Project not not available":                                  "",
		"no project is not available":                                "",
		"not this project available":                                 "",
		"not 4711 available":                                         "",
		"Project not avail\u00adable":                                "",
		"Project not available \U0001f512":                           "",
		"Project for job 4711x not available":                        "",
		"<b>Project not available</b>":                               "",
		"Project not accessible" + strings.Repeat(" the project", 8): "accessible",
		"Project not accessible" + strings.Repeat(" the project", 9): "",
	} {
		for _, s := range []*Sentence{ProjectNotAvailable, ProjectNotAccessible} {
			w := Words{Message: message}
			if got := w.Denies(s); got != (s.denied == want) {
				t.Errorf("%.80q denies %q: %v", message, s.denied, got)
			}
		}
	}
}
