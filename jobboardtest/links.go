package jobboardtest

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// link makes the address of a posting's ad, a path of the server: it names the job
// and, in its query, the posting's version. The link of a posting without a job names
// neither.
func (p *Posting) link() string {
	if p.JobID == 0 {
		return opaque(p.ID)
	}
	language := p.Language
	if language == "" {
		language = "en"
	}
	return fmt.Sprintf("%s/%d/%s?jobDbPVId=%d&l=%s", jobPages, p.JobID, words(p.Title), p.VersionID, url.QueryEscape(language))
}

func opaque(posting int64) string { return postingPages + "/" + strconv.FormatInt(posting, 10) }

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

// link returns a posting's link in the form of the switch. A link without a job in its
// path keeps its form. A path gets base, the server's address, before it.
func (v Variants) link(p *Posting, base string, inFeed bool) string {
	link := p.ApplyURL
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	if named, _ := path.Match(jobPages+"/*/*", u.Path); named {
		switch v.Links {
		case LinksPlain:
			u.RawQuery = ""
			link = u.String()
		case LinksRelative:
			if inFeed {
				return ".." + u.RequestURI()
			}
		case LinksOpaque:
			link = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: opaque(p.ID)}).String()
		}
	}
	if u.Scheme == "" && u.Host == "" && strings.HasPrefix(link, "/") {
		return base + link
	}
	return link
}
