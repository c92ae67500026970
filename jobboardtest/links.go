package jobboardtest

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// link makes the address of a posting's ad: it names the job in its path and
// the posting's version in its query. The link of a posting without a job names
// neither.
func (p *Posting) link() string {
	if p.JobID == 0 {
		return "https://jobs.example.com" + opaque(p.ID)
	}
	language := p.Language
	if language == "" {
		language = "en"
	}
	return fmt.Sprintf("https://jobs.example.com/job/%d/%s?jobDbPVId=%d&l=%s",
		p.JobID, words(p.Title), p.VersionID, url.QueryEscape(language))
}

func opaque(posting int64) string { return "/apply/" + strconv.FormatInt(posting, 10) }

// words writes a title as the words of a link: letters and digits of ASCII with
// hyphens between.
func words(title string) string {
	replaced := strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(strings.ToLower(title))
	ws := strings.FieldsFunc(replaced, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(ws) == 0 {
		return "job"
	}
	return strings.Join(ws, "-")
}

// link returns a posting's link in the form of the switch. A link without a job
// in its path stays unchanged.
func (v Variants) link(p *Posting, inFeed bool) string {
	u, err := url.Parse(p.ApplyURL)
	if err != nil {
		return p.ApplyURL
	}
	if named, _ := path.Match("/job/*/*", u.Path); !named {
		return p.ApplyURL
	}
	switch v.Links {
	case LinksPlain:
		u.RawQuery = ""
		return u.String()
	case LinksRelative:
		if inFeed {
			return ".." + u.RequestURI()
		}
	case LinksOpaque:
		return u.Scheme + "://" + u.Host + opaque(p.ID)
	}
	return p.ApplyURL
}
