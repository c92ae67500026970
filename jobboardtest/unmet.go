package jobboardtest

import (
	"fmt"
	"slices"
	"strings"
)

// Unmet returns the planted faults that have hit no call so far, oldest first. It leaves out faults that were lifted, as Restore does, and
// faults that may well hit nothing: those with Optional, Share or For. New fails the test for
// each of them.
func (s *Server) Unmet() []*ActiveFault { return s.faults.unmet() }

func (fs *faults) unmet() []*ActiveFault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(fs.list), func(a *ActiveFault) bool {
		return a.hits > 0 || a.fault.Optional || a.fault.Share > 0 || a.fault.For > 0
	})
}

// missed returns a sentence about a fault that hit no call.
func (a *ActiveFault) missed() string {
	f := &a.fault
	on := ""
	if f.Operation != "" {
		on = " on " + f.Operation.words()
	}
	return fmt.Sprintf("the fault %q%s hit no call: %s; lift it, or plant it with Optional, if it need not", f.String(), on, a.instead())
}

// instead returns what came since a fault was planted that hit no call: "3 calls of search,
// none of job information".
func (a *ActiveFault) instead() string {
	a.owner.mu.Lock()
	defer a.owner.mu.Unlock()
	var parts []string
	for _, op := range operations {
		switch n := a.came[op]; n {
		case 0:
		case 1:
			parts = append(parts, "1 call of "+op.words())
		default:
			parts = append(parts, fmt.Sprintf("%d calls of %s", n, op.words()))
		}
	}
	f := &a.fault
	switch {
	case len(parts) == 0:
		return "no call came"
	case f.Operation != "" && a.came[f.Operation] == 0:
		parts = append(parts, "none of "+f.Operation.words())
	case a.fit == 0:
		parts = append(parts, "none with the path "+f.Path)
	case a.seen == 0:
		parts = append(parts, "hit by earlier faults")
	default:
		parts = append(parts, fmt.Sprintf("and it skips %d", f.Skip))
	}
	return strings.Join(parts, ", ")
}

// words returns the operation as it stands in a sentence.
func (op Operation) words() string { return strings.ReplaceAll(string(op), "_", " ") }
