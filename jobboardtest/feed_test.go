package jobboardtest_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The feed holds the published jobs and their identifiers, read where the interface says
// they stand.
// The names in a feed come in four forms; encoding/xml reads an element of any
// namespace by its name alone.
func TestFeedForms(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	srv.Publish("c", jobboardtest.Job{ID: 7, Title: "<A> & <b>"})
	for form, want := range map[jobboardtest.FeedForm][]string{
		"":                         {"\n<PositionOpenings>\n<PositionOpening ", "</PositionOpenings>\n"},
		jobboardtest.FeedNamespace: {`<PositionOpenings xmlns="http://`, "</PositionOpenings>\n"},
		jobboardtest.FeedPrefix:    {`<hr:PositionOpenings xmlns:hr="http://`, "<hr:IdValue>7</hr:IdValue>", "</hr:PositionOpenings>\n"},
		jobboardtest.FeedLowerCase: {"\n<positionOpenings>\n<positionOpening ", "<idValue>7</idValue>", "</positionOpenings>\n"},
	} {
		srv.SetVariants(jobboardtest.Variants{Feed: form})
		_, body := get(t, srv, srv.FeedURL, "")
		for _, w := range want {
			if !strings.Contains(string(body), w) {
				t.Errorf("%q: no %q in %s", form, w, body)
			}
		}
		var feed struct {
			ID         string `xml:"PositionOpening>PositionRecordInfo>Id>IdValue"`
			Title      string `xml:"PositionOpening>PositionProfile>PositionDetail>PositionTitle"`
			LowerID    string `xml:"positionOpening>positionRecordInfo>id>idValue"`
			LowerTitle string `xml:"positionOpening>positionProfile>positionDetail>positionTitle"`
		}
		if err := xml.Unmarshal(body, &feed); err != nil {
			t.Errorf("%q: %v", form, err)
		}
		if feed.ID+feed.LowerID != "7" || feed.Title+feed.LowerTitle != "<A> & <b>" {
			t.Errorf("%q: %+v", form, feed)
		}
	}
}

// A posting without a link gets one, in words of ASCII.
func TestMadeLinks(t *testing.T) {
	srv := jobboardtest.New(t, jobboardtest.WithoutSockets())
	for _, c := range []struct {
		posting jobboardtest.Posting
		want    string
	}{
		{jobboardtest.Posting{ID: 1, VersionID: 2, JobID: 3, Title: "Köchin/Koch (Süß & 24 h)"}, "/job/3/koechin-koch-suess-24-h?jobDbPVId=2&l=en"},
		{jobboardtest.Posting{ID: 1, VersionID: 2, JobID: 3, Title: "Повар", Language: "ru"}, "/job/3/job?jobDbPVId=2&l=ru"},
		{jobboardtest.Posting{ID: 1, VersionID: 2, JobID: 3, Title: "`AZ{@[/09:"}, "/job/3/az-09?jobDbPVId=2&l=en"},
		{jobboardtest.Posting{ID: 1, VersionID: 2, Title: "Chef"}, "/apply/1"},
	} {
		if got := srv.AddPosting(c.posting).ApplyURL; got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

type feedEntry struct {
	Posted []struct {
		ID   string `xml:"Id>IdValue"`
		Link string
	} `xml:"PositionPosting"`
}

func feedEntries(t *testing.T, srv *jobboardtest.Server) []feedEntry {
	t.Helper()
	_, body := get(t, srv, srv.FeedURL, "")
	var feed struct {
		Positions []feedEntry `xml:"PositionOpening"`
	}
	if err := xml.Unmarshal(body, &feed); err != nil {
		t.Fatal(err)
	}
	return feed.Positions
}

// An entry has the job's place and state, and all that leads from a posting to
// its job, as far as the switches let it.
func TestFeedEntry(t *testing.T) {
	srv := jobboardtest.New(t)
	srv.AddClient(jobboardtest.ClientApp{ID: "10"})
	srv.Publish("c", jobboardtest.Job{ID: 70, Title: "Deleted", Status: jobboardtest.Deleted})
	srv.AddJob(jobboardtest.Job{ID: 80, Title: "Unpublished"})
	srv.AddJob(jobboardtest.Job{ID: 90, Title: "Chef", Status: jobboardtest.Inactive, Internal: true})
	srv.AddPosting(jobboardtest.Posting{ID: 5, VersionID: 55, JobID: 90, Channels: []string{"c"}, Title: "Chef", ApplyURL: "HTTPS://agency.example/5"})
	srv.AddJob(jobboardtest.Job{ID: 1000, Title: "Bäcker & Koch (m/w/d)", Language: "de", Location: jobboardtest.Location{
		Country: "Deutschland", Zip: "50667", City: "Köln", Street: "Hohe Straße 48",
	}})
	srv.AddPosting(jobboardtest.Posting{ID: 12, VersionID: 120, JobID: 1000, Channels: []string{"c"}, Title: "Bäcker & Koch (m/w/d)", Language: "de"})
	srv.AddPosting(jobboardtest.Posting{ID: 9, VersionID: 99, JobID: 1000, Channels: []string{"c"}, Title: "Baker", Language: "en"})
	srv.AddPosting(jobboardtest.Posting{ID: 13, Channels: []string{"c"}, Title: "without a job"})

	srv.AddCompany(jobboardtest.Company{ID: "A", Name: "Nordlicht"})
	srv.UpdateJob(1000, func(j *jobboardtest.Job) { j.CompanyID = "A" })
	document := `<?xml version="1.0" encoding="UTF-8"?>
<PositionOpenings>
<PositionOpening xml:lang="en">` +
		"<PositionRecordInfo><Id><IdValue>90</IdValue></Id><Status>inactive</Status></PositionRecordInfo>" +
		"<PositionProfile><Organization></Organization><PositionDetail><PositionTitle>Chef</PositionTitle></PositionDetail></PositionProfile>" +
		"<PositionPosting><Id><IdValue>5</IdValue></Id><Link>HTTPS://agency.example/5</Link></PositionPosting>" + `</PositionOpening>
<PositionOpening xml:lang="de">` +
		"<PositionRecordInfo><Id><IdValue>1000</IdValue></Id><Status>active</Status></PositionRecordInfo>" +
		"<PositionProfile><Organization><OrganizationName>Nordlicht</OrganizationName></Organization>" +
		"<PositionDetail><PositionTitle>Bäcker &amp; Koch (m/w/d)</PositionTitle><PhysicalLocation><PostalAddress><CountryCode>Deutschland</CountryCode>" +
		"<PostalCode>50667</PostalCode><Municipality>Köln</Municipality><DeliveryAddress><AddressLine>Hohe Straße 48</AddressLine></DeliveryAddress>" +
		"</PostalAddress></PhysicalLocation></PositionDetail></PositionProfile>" +
		"<PositionPosting><Id><IdValue>9</IdValue></Id><Link>" + srv.BaseURL + "/job/1000/baker?jobDbPVId=99&amp;l=en</Link></PositionPosting>" +
		"<PositionPosting><Id><IdValue>12</IdValue></Id><Link>" + srv.BaseURL + "/job/1000/baecker-koch-m-w-d?jobDbPVId=120&amp;l=de</Link></PositionPosting>" + `</PositionOpening>
</PositionOpenings>
`
	res, body := get(t, srv, srv.FeedURL, "")
	if got := res.Header.Get("Content-Type"); got != "application/xml; charset=utf-8" || string(body) != document {
		t.Errorf("%s: %s", got, body)
	}
	if res, body = do(t, srv, "POST", srv.FeedURL, "", ""); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" || string(body) != "GET the feed\n" {
		t.Errorf("POST: %v, %s", res.Header, body)
	}
	if entries := feedEntries(t, srv); len(entries) != 2 || srv.Count() != 0 {
		t.Fatalf("%+v, %d requests in the journal", entries, srv.Count())
	}
	const path = "/job/1000/baecker-koch-m-w-d"
	for _, link := range []string{srv.BaseURL + path, srv.BaseURL + "/apply/12", strings.TrimSuffix(srv.BaseURL, "/board") + path} { // the last as ".." leads there
		if res, body := get(t, srv, link, ""); res.StatusCode != 200 || !strings.Contains(string(body), "<h1>Bäcker &amp; Koch (m/w/d)</h1>") || !strings.Contains(string(body), "Here the board's form begins.") {
			t.Errorf("%s leads to %d %s", link, res.StatusCode, body)
		}
	}
	for _, c := range []struct {
		v                jobboardtest.Variants
		id, link, search string
	}{
		{jobboardtest.Variants{}, "12", srv.BaseURL + path + "?jobDbPVId=120&l=de", srv.BaseURL + path + "?jobDbPVId=120&l=de"},
		{jobboardtest.Variants{FeedUnnamed: true}, "", srv.BaseURL + path + "?jobDbPVId=120&l=de", srv.BaseURL + path + "?jobDbPVId=120&l=de"},
		{jobboardtest.Variants{FeedUnlinked: true}, "12", "", srv.BaseURL + path + "?jobDbPVId=120&l=de"},
		{jobboardtest.Variants{Links: jobboardtest.LinksPlain}, "12", srv.BaseURL + path, srv.BaseURL + path},
		{jobboardtest.Variants{Links: jobboardtest.LinksRelative}, "12", ".." + path + "?jobDbPVId=120&l=de", srv.BaseURL + path + "?jobDbPVId=120&l=de"},
		{jobboardtest.Variants{Links: jobboardtest.LinksOpaque}, "12", srv.BaseURL + "/apply/12", srv.BaseURL + "/apply/12"},
	} {
		srv.SetVariants(c.v)
		entries := feedEntries(t, srv)
		p := entries[1].Posted
		if len(p) != 2 || p[1].ID != c.id || p[1].Link != c.link || c.id != "" && p[0].ID != "9" {
			t.Errorf("%+v: %+v", c.v, p)
		}
		if own := entries[0].Posted[0].Link; own != "HTTPS://agency.example/5" && c.link != "" {
			t.Errorf("%+v: a link of its own became %s", c.v, own)
		}
		var page struct {
			Results []struct {
				JobPostingID    int64
				ApplyOnlineLink string
			}
		}
		_, body := get(t, srv, srv.BaseURL+"/api/rest/v2/frontend/jobboards/c/jobs", "10:")
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Results {
			if r.JobPostingID == 12 && r.ApplyOnlineLink != c.search {
				t.Errorf("%+v: the search links to %s", c.v, r.ApplyOnlineLink)
			}
		}
	}
}
