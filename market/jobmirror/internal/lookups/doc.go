// Package lookups keeps the jobs of a copy in tables: which are to be looked up and when, which
// process looks them up, and what the last lookup said.
//
// The table jobs is also the list of the jobs to look up: a job is due from the time in its next_due
// on. A [Writer] puts jobs on the list, for whoever saves what a source shows or shows no more, and
// takes those that are due, as a [Batch]: a lease keeps others from them. Saving an answer, or that
// there was none, sets the next time, which is now if Put has asked for a newer answer.
//
// Which answers are believed decides the package evidence. What it needs to remember of a job stands
// in the columns said and doubted: the answer of the board that is not believed, and since when the
// board gives it.
//
// Once a day a pass looks at every job, and removes those that nothing has named for long.
//
// Whether a job is named is read from the tables postings, listings and entries, whether it was
// forgotten from the table forgotten, and when the sources were copied from the table sources. What is
// in a job's record, the caller knows.
package lookups

import (
	_ "embed"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/changelog"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
)

//go:embed tables.sql
var tables string

// AddTables adds the tables of jobs to a schema.
func AddTables(s *store.Schema) { s.Tables += tables }

const (
	// Answers is the counter that numbers what the board is asked; see the file numbers.go of the
	// mirror.
	Answers = "answer"
	// batches is the counter that numbers what is looked up together.
	batches = "batch"
)

// Lease is how long the jobs of a batch are leased.
const Lease = 24 * time.Second

// The causes of changes of jobs.
const (
	CauseLookup  = "lookup"
	CauseUnnamed = "unnamed"
)

// ChangeKind is the kind of changes of jobs in the log.
const ChangeKind = "job"

// Writer writes to the tables of jobs in one transaction.
type Writer struct {
	// Due reports that jobs may have become due. Whoever looks them up is to be woken once the
	// transaction is committed.
	Due bool

	*store.Tx
	log    *changelog.Writer
	stored string // the catalogue that was stored last
}

// NewWriter returns a Writer of a transaction, which writes changes to the transaction's log.
func NewWriter(t *store.Tx, log *changelog.Writer) *Writer { return &Writer{Tx: t, log: log} }
