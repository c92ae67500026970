package control

import (
	"net/http"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// undoHeader names the header of an answer that has the number with which POST undo/{number}
// takes the change back.
const undoHeader = "Undo"

// maxUndo bounds the changes that can be taken back. One may hold a journal.
const maxUndo = 5

// undoable is a change that was made and can be taken back. Its answer is 204.
type undoable struct {
	number int64
	undo   func()
}

// remember keeps a change, and returns its answer.
func (c *Control) remember(undo func()) http.HandlerFunc {
	c.undone++
	u := undoable{c.undone, undo}
	if c.changes = append(c.changes, u); len(c.changes) > maxUndo {
		c.changes = append([]undoable(nil), c.changes[1:]...)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(undoHeader, strconv.FormatInt(u.number, 10))
		w.WriteHeader(http.StatusNoContent)
	}
}

// undo takes a change back, once.
func (c *Control) undo(number int64) bool {
	for i, u := range c.changes {
		if u.number == number {
			c.changes = append(c.changes[:i:i], c.changes[i+1:]...)
			u.undo()
			return true
		}
	}
	return false
}

func (c *Control) reset(*http.Request) (any, error) {
	setClock, stopped := c.setClock, c.stopped.Load()
	clock := c.inside.Clock()
	undo := c.inside.Reset()
	c.cleared.Add(1)
	if setClock {
		c.backToRealTime()
	}
	return c.remember(func() {
		undo()
		c.cleared.Add(1)
		if setClock {
			clock()
			c.setClock = true
			c.stopped.Store(stopped)
		}
	}), nil
}

func (c *Control) clear(*http.Request) (any, error) {
	undo := c.inside.ClearRequests()
	c.cleared.Add(1)
	return c.remember(func() {
		undo()
		c.cleared.Add(1)
	}), nil
}

func (c *Control) deleteJob(id int64) (any, error) {
	was, ok := c.srv.Job(id)
	if !ok {
		return nil, notFound(noJob, id)
	}
	c.srv.DeleteJob(id)
	return c.remember(func() {
		c.srv.UpdateJob(id, func(j *jobboardtest.Job) { j.Status = was.Status })
	}), nil
}

func (c *Control) unpublishJob(id int64) (any, error) {
	var postings []jobboardtest.Posting
	for _, p := range c.srv.Snapshot().Postings {
		if p.JobID == id {
			postings = append(postings, p)
		}
	}
	return c.removed(postings, c.srv.UnpublishJob(id), "there is no posting of a job %d", id)
}

func (c *Control) removePosting(id int64) (any, error) {
	var postings []jobboardtest.Posting
	for _, p := range c.srv.Snapshot().Postings {
		if p.ID == id {
			postings = append(postings, p)
		}
	}
	return c.removed(postings, c.srv.RemovePosting(id), "there is no posting %d", id)
}

// removed answers that postings were removed.
func (c *Control) removed(postings []jobboardtest.Posting, found bool, none string, id int64) (any, error) {
	if !found {
		return nil, notFound(none, id)
	}
	return c.remember(func() {
		for _, p := range postings {
			c.srv.AddPosting(p)
		}
	}), nil
}
