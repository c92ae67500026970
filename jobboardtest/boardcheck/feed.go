package boardcheck

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// feedJob is an entry of a feed.
type feedJob struct {
	id       int64
	inactive bool
}

// maxEntries is the most entries read from a feed.
const maxEntries = 5000

// feedWalk collects the jobs and the shape of a feed. About feeds the interface says
// only where the job's identifier stands (section 4.4).
type feedWalk struct {
	jobs                            []feedJob
	entries                         int
	namespace, prefix, lower, plain bool
	named, linked                   int // postings
	postings                        int
	paths                           map[string]int // number of entries with an element
	links                           map[string]int
	broken                          bool
	isFeed                          bool // its root, an entry or another element is one of a feed's
}

// feedRoots has the elements that a feed without entries may begin with, and feedElements those that only a feed
// has, in lower case.
var (
	feedRoots = []string{
		"feed", "hrxml", "jobfeed", "joblist", "jobs", "positionlist", "positionopeninglist", "positionopenings", "positions", "staffingorder", "staffingorders",
	}
	feedElements = []string{"positionopening", "positionrecordinfo", "positionposting", "positionpostings", "positionprofile", "positionsupplier"}
)

func walkFeed(body []byte) *feedWalk {
	w := &feedWalk{paths: map[string]int{}, links: map[string]int{}}
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict = false
	var open []string
	var text strings.Builder
	begin := -1 // depth of the open entry
	var job feedJob
	inEntry := map[string]bool{}
	for w.entries < maxEntries {
		t, err := d.RawToken()
		if err != nil {
			w.broken = len(open) > 0
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			name := strings.ToLower(t.Name.Local)
			w.isFeed = w.isFeed || slices.Contains(feedElements, name) || len(open) == 0 && slices.Contains(feedRoots, name)
			open = append(open, name)
			text.Reset()
			if open[len(open)-1] == "positionopening" && begin < 0 {
				begin, job = len(open)-1, feedJob{}
				clear(inEntry)
			}
			w.spelling(t)
			if begin >= 0 && len(open)-begin < 12 {
				inEntry[strings.Join(open[begin:], "/")] = true
			}
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if len(open) == 0 {
				w.broken = true
				continue
			}
			if begin >= 0 {
				w.leaf(strings.Join(open[begin+1:], "/"), strings.TrimSpace(text.String()), &job)
			}
			open = open[:len(open)-1]
			text.Reset()
			if len(open) == begin {
				w.close(job, inEntry)
				begin = -1
			}
		}
	}
	return w
}

func (w *feedWalk) spelling(t xml.StartElement) {
	for _, a := range t.Attr {
		if a.Name.Space == "" && a.Name.Local == "xmlns" {
			w.namespace = true
		}
	}
	first := []rune(t.Name.Local + " ")[0]
	switch {
	case t.Name.Space != "":
		w.prefix = true
	case unicode.IsLower(first):
		w.lower = true
	default:
		w.plain = true
	}
}

func (w *feedWalk) leaf(path, text string, job *feedJob) {
	switch path {
	case "positionrecordinfo/id/idvalue":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			job.id = n
		}
	case "positionrecordinfo/status":
		job.inactive = strings.EqualFold(text, "inactive")
	case "positionposting":
		w.postings++
	case "positionposting/id/idvalue":
		w.named++
	case "positionposting/link":
		w.linked++
		w.links[linkForm(text)]++
	}
}

func (w *feedWalk) close(job feedJob, inEntry map[string]bool) {
	w.entries++
	for path := range inEntry {
		if len(w.paths) < maxMembers || w.paths[path] > 0 {
			w.paths[path]++
		}
	}
	if job.id > 0 {
		w.jobs = append(w.jobs, job)
	}
}

// form returns the value of the switch feed for the spelling of the feed's element
// names.
func (w *feedWalk) form() string {
	switch {
	case w.prefix:
		return "prefix"
	case w.namespace:
		return "namespace"
	case w.lower && !w.plain:
		return "lower-case"
	}
	return "plain"
}

const (
	factNames    = "names: "
	factLinks    = "links: "
	factNamed    = "postings are named"
	factUnnamed  = "postings are not named"
	factLinked   = "postings have links"
	factUnlinked = "postings have no links"
	entryPath    = "positionopening"
)

func (c *recorder) addFeed(x *exchange) {
	if x.status != 200 {
		c.addOther("feed", x, "another")
		return
	}
	w := walkFeed(x.body)
	if !w.isFeed {
		c.addOther("feed", x, "no feed")
		return
	}
	form := "XML"
	if w.broken {
		form = "XML that is not whole"
	}
	a := c.count("feed/feed", x, form)
	if w.entries == 0 {
		return
	}
	a.Facts[factNames+w.form()]++
	if w.postings > 0 {
		note(a, w.named > 0, factNamed, factUnnamed)
		note(a, w.linked > 0, factLinked, factUnlinked)
	}
	for form, n := range w.links {
		a.Facts[factLinks+form] += n
	}
	for path, n := range w.paths {
		kept := true
		for part := range strings.SplitSeq(path, "/") {
			kept = kept && memberName(part) == part
		}
		if !kept {
			path = entryPath + "/" + otherName
		}
		addElement(a, strings.ReplaceAll(path, "/", "."), n)
	}
}

func addElement(a *Answer, path string, n int) {
	m := a.Members[path]
	if m == nil {
		m = &Member{Forms: map[string]int{}}
		a.Members[path] = m
	}
	m.Seen += n
	m.Forms[formObject] += n
}

func note(a *Answer, yes bool, is, isNot string) {
	if yes {
		a.Facts[is]++
	} else {
		a.Facts[isNot]++
	}
}
