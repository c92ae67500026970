package control

import (
	"net/http"
	"strconv"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// undoHeader names the answer's header with the number of a change, which POST undo/{number}
// undoes.
const undoHeader = "Undo"

// maxUndo bounds the changes that can be undone, because each may hold a whole
// journal in memory.
const maxUndo = 5

// undoable is a change with the function that undoes it.
type undoable struct {
	number int64
	undo   func()
}

// remember stores a change to undo, and returns the handler of its answer:
// status 204 with the Undo header.
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

// undo undoes the change with a number. It reports false for an unknown number,
// and for a change that was undone before.
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

// removed answers a call that removed postings, or with 404 if found is false.
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
