package jobboardtest

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
)

// The pages to which the links of postings lead: jobPages of a job, as /job/4711/nurse, and
// postingPages of a posting, as /apply/9. The interface does not define them: no fault hits
// them, and the journal leaves them out.
const (
	jobPages     = "/job"
	postingPages = "/apply"
)

// isPage reports whether a path is of one of these pages.
func isPage(path string) bool {
	return strings.HasPrefix(path, jobPages+"/") || strings.HasPrefix(path, postingPages+"/")
}

//go:embed applypage.html
var applySource string

var applyTemplate = template.Must(template.New("apply").Parse(applySource))

type applyView struct {
	Title, Language string
	Closed          string // why no application begins here; empty: one does
}

// serveApplyPage serves the page on which an application to a job begins.
func (s *core) serveApplyPage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "GET the page", http.StatusMethodNotAllowed)
		return
	}
	none := applyView{Title: "No such job", Closed: "The job of this address is not there.", Language: "en"}
	view := none
	status := http.StatusNotFound
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	text, _, _ := strings.Cut(rest, "/")
	id, _ := parseID(text) // 0 for text that is no number
	s.read(func(st *state) {
		job := id
		if "/"+kind == postingPages {
			p := st.postings[id]
			if p == nil {
				return
			}
			view.Title, view.Language, job = p.Title, cmp.Or(p.Language, "en"), p.JobID
		}
		switch j := st.jobs[job]; {
		case j == nil && (job != 0 || "/"+kind == jobPages) || j != nil && j.Status == Deleted:
			view = none
			return
		case j != nil && "/"+kind == jobPages:
			view.Title, view.Language = j.Title, j.Language
		}
		status, view.Closed = http.StatusOK, ""
		if j := st.jobs[job]; j != nil && (j.Status == Inactive || j.ApplyClosed) {
			view.Closed = "This job takes no applications any more."
		}
	})
	var page bytes.Buffer
	_ = applyTemplate.Execute(&page, view) // our own shapes, into memory: cannot fail
	w.Header().Set("Content-Type", typeHTML)
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes())
}
