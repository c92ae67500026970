package jobmirror

// The numbers by which the mirror keeps order. The database gives each of them
// once, and a higher one each time, whatever any clock says.

// postingRows numbers the rows of postings.
const postingRows = "posting"

// The package sources numbers the refreshes of all sources, and the rows of sources.
//
// The counter lookups.Answers numbers what the board is asked: a refresh takes a number, and each
// hundred lookups, before the request is sent. A posting or a job is replaced only by an answer with
// a higher number than its own, a posting also by a later version in the same answer.
// lookups.Writer.Put takes a number as well, so that an answer to an earlier request does not settle
// the job. Batches of lookups have numbers too: a job has that of the batch that leased it last.
//
// The changes of the log are numbered in the package changelog, and the transactions that index what changed in marks.go.
// A posting also has a version, which the board numbers; see newestOf and merge.
