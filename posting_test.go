package jobboard

import (
	"errors"
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	for _, link := range []string{
		"https://jobs.example.com/apply/1?a=b&c=d#e", "http://jobs.example.com", "HTTPS://JOBS.example.com/", "https://[2001:db8::1]:8443/x",
		"http://localhost:8080/", "https://xn--bcher-kva.example/", "https://jobs.example.com/%C3%BC", "https://jobs.example.com/ü",
	} {
		u, err := (&JobPosting{ApplyOnlineLink: link}).ApplyURL()
		if err != nil || u.Host == "" {
			t.Errorf("%s: %v", link, err)
		}
		if _, err := (&JobInformation{DataSecurityLink: link}).DataSecurityURL(); err != nil {
			t.Errorf("%s: %v", link, err)
		}
	}
	for _, link := range []string{
		"", " ", "/apply/s3cret", "//jobs.example.com/s3cret", "jobs.example.com/s3cret", "javascript:alert(s3cret)", "JavaScript://jobs.example.com/%0aalert(s3cret)",
		"data:text/html,s3cret", "ftp://jobs.example.com/s3cret", "https:s3cret", "https:///s3cret", "https://:443/s3cret", "https://user@jobs.example.com/s3cret",
		"https://user:s3cret@jobs.example.com/", "https://@jobs.example.com/s3cret", "https://jobs.example.com:0/s3cret", "https://jobs.example.com:65536/s3cret",
		"https://jobs.example.com:x/s3cret", " https://jobs.example.com/s3cret", "https://jobs.example.com/s3cret ", "https://jobs.example.com/\ns3cret",
		"https://jobs.example.com\\@evil.example/s3cret", "https://jobs.example.com/\x00s3cret", "https://jobs.example.com/%zz?s3cret", "https://jobs example.com/s3cret",
		"file:///etc/s3cret", "blob:https://jobs.example.com/s3cret", "\thttps://jobs.example.com/s3cret",
	} {
		u, err := (&JobPosting{ApplyOnlineLink: link}).ApplyURL()
		if u != nil || !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), "applyOnlineLink") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, %v", link, u, err)
		}
		u, err = (&JobInformation{DataSecurityLink: link}).DataSecurityURL()
		if u != nil || !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), "dataSecurityLink") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, %v", link, u, err)
		}
	}
}

func TestCoordinates(t *testing.T) {
	for _, c := range []struct {
		lat, long       string
		wantLat, wantLo float64
		ok              bool
	}{
		{"52.520014", "13.373006", 52.520014, 13.373006, true},
		{"-90", "180", -90, 180, true},
		{"+1.5", " 2 ", 1.5, 2, true},
		{"0", "0", 0, 0, true},
		{"90.0001", "0", 0, 0, false},
		{"0", "-180.5", 0, 0, false},
		{"", "", 0, 0, false},
		{"1", "", 0, 0, false},
		{"", "1", 0, 0, false},
		{"52,5", "13,3", 0, 0, false},
		{"NaN", "0", 0, 0, false},
		{"0", "Inf", 0, 0, false},
		{"0x1p2", "0", 0, 0, false},
		{"1_0", "0", 0, 0, false},
		{"51.478", "-5.0E-4", 51.478, -0.0005, true},
		{"1e1", "1.8e+2", 10, 180, true},
		{"1e2", "0", 0, 0, false},
		{"1e999", "0", 0, 0, false},
		{"e", "0", 0, 0, false},
		{"1e", "0", 0, 0, false},
		{"--1", "0", 0, 0, false},
		{"1.2.3", "0", 0, 0, false},
	} {
		lat, long, ok := Location{GeoLat: c.lat, GeoLong: c.long}.Coordinates()
		if lat != c.wantLat || long != c.wantLo || ok != c.ok {
			t.Errorf("%q, %q: %v, %v, %v", c.lat, c.long, lat, long, ok)
		}
	}
}
