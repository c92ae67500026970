package jobmirror

// The numbers by which the mirror keeps order. The database gives each of the first
// five once, and a higher one each time, whatever any clock says.
const (
	// generations number the refreshes of all sources. A source's column generation has the number
	// of its latest refresh: who refreshes with an older one writes nothing more.
	generations = "generation"
	// answers number what the board is asked: a refresh takes one, and each hundred lookups,
	// before the request is sent. A posting or a job is replaced only by an answer with a higher
	// number than its own, a posting also by a later version in the same answer. putDue takes a
	// number as well, so that an answer to an earlier request does not settle the job.
	answers = "answer"
	// batches number what is looked up together. A job has the number of the batch that
	// leased it last.
	batches = "batch"
	// postingRows and sourceRows identify rows.
	postingRows = "posting"
	sourceRows  = "source"

	// lastChange is the number of the last change in the log, which has no gaps: it is
	// given when a change is committed, in a transaction of its own where several write.
	lastChange = "change"
	// lastErased is the number of the last change that was erased from the log.
	lastErased = "erased"
	// erasedStamp is the stamp of that change; see logPlace.
	erasedStamp = "erased_stamp"
)

// A posting also has a version, which the board numbers; see newestOf and merge.
