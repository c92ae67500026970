package boardcheck

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A board may write the links of its postings in a form of its own. A number in such a link is
// a job's identifier only if the lookup knows a job by it, so the finder tries the links of a
// few postings before it believes a form.

const (
	linkForms    = 4 // the most forms that are tried
	linksPerForm = 4 // the most links of each
)

var (
	jobParameter  = regexp.MustCompile(`(?i)^job(db)?_?(id)?$`)
	numberOfPath  = regexp.MustCompile(`^(?:.*-)?([0-9]{1,18})$`)
	postingFields = []string{"jobPostingId", "postingVersionId"}
)

// candidate is a number in the link of a posting. form says where it stands: the same words for
// the links of other postings.
type candidate struct {
	form string
	job  int64
}

// candidatesIn returns the numbers in a link, apart from the posting's own: first those of
// parameters with a name such as jobid, then those of the path, the last one first.
func candidatesIn(link string, o object) []candidate {
	u, err := url.Parse(link)
	if err != nil {
		return nil
	}
	var found []candidate
	add := func(form, text string) {
		id, err := strconv.ParseInt(text, 10, 64)
		own := slices.ContainsFunc(postingFields, func(name string) bool { return whole(o[name]) == id })
		if err == nil && id > 0 && len(text) <= 18 && !own {
			found = append(found, candidate{form, id})
		}
	}
	for _, part := range []string{u.RawQuery, afterMark(u.Fragment)} {
		query, err := url.ParseQuery(part)
		if err != nil {
			continue
		}
		for name, values := range query {
			if jobParameter.MatchString(name) {
				add("parameter "+name, values[0])
			}
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return strings.Compare(a.form, b.form) })
	path, _, _ := strings.Cut(u.Fragment, "?")
	segments := strings.Split(strings.TrimSuffix(u.Path, "/")+"/"+strings.TrimSuffix(path, "/"), "/")
	for i, segment := range slices.Backward(segments) {
		if m := numberOfPath.FindStringSubmatch(segment); m != nil {
			add("segment "+strconv.Itoa(i), m[1])
		}
	}
	return found
}

// afterMark returns what follows the question mark of a fragment such as /jobs?jobid=7.
func afterMark(fragment string) string {
	_, query, _ := strings.Cut(fragment, "?")
	return query
}

// readOwnLinks finds jobs by links that do not have the usual form: by the form of link in which
// the lookup knows the job of one of the first postings.
func (f *finder) readOwnLinks(results []object) {
	if f.Target.JobDBURL == "" || len(f.jobs) > 0 {
		return
	}
	all := make([][]candidate, len(results))
	asked := map[string]int{}
	form := ""
	for i, o := range results {
		link, _ := o["applyOnlineLink"].(string)
		all[i] = candidatesIn(link, o)
		for _, c := range all[i] {
			if form != "" || asked[c.form] == linksPerForm || len(asked) == linkForms && asked[c.form] == 0 {
				continue
			}
			asked[c.form]++
			if x := f.lookup(c.job); x.status == http.StatusOK {
				v, _ := x.parsed()
				if o, ok := v.(object); ok && whole(o["jobId"]) == c.job {
					form = c.form
				}
			}
		}
	}
	for i, candidates := range all {
		if j := slices.IndexFunc(candidates, func(c candidate) bool { return c.form == form }); j >= 0 {
			f.postings[i].job = candidates[j].job
			f.job(candidates[j].job).posting = f.postings[i].id
		}
	}
}
