package jobboardtest

// AddChannel adds or replaces a channel.
func (s *Server) AddChannel(c Channel) Channel {
	s.change(func(st *state) { st.channels[c.ID] = c })
	return c
}

// AddCompany adds or replaces a company, and returns it with its identifier.
func (s *Server) AddCompany(c Company) Company {
	s.change(func(st *state) { c = st.addCompany(c) })
	return c
}

// AddClient adds or replaces an application that talks to the service.
func (s *Server) AddClient(c ClientApp) ClientApp {
	s.change(func(st *state) { st.addClient(c) })
	return c
}

// AddApplicant adds or replaces an applicant, and returns it with its identifier.
func (s *Server) AddApplicant(a Applicant) Applicant {
	s.change(func(st *state) { a = st.addApplicant(a) })
	return a
}

// AddJob adds or replaces a job, and returns it with its identifier. A search finds
// only jobs with postings; see Publish.
func (s *Server) AddJob(j Job) Job {
	s.change(func(st *state) { j = st.addJob(j) })
	return j
}

// AddPosting adds or replaces a posting, and returns it with its identifiers and
// link. Channels it names are added too.
func (s *Server) AddPosting(p Posting) Posting {
	s.change(func(st *state) { p = st.addPosting(p) })
	return p
}

// Publish adds a job and a posting for it with the same title and language.
func (s *Server) Publish(channel string, j Job) (Job, Posting) {
	var p Posting
	s.change(func(st *state) {
		j = st.addJob(j)
		p = st.addPosting(Posting{JobID: j.ID, Channels: []string{channel}, Language: j.Language, Title: j.Title})
	})
	return j, p
}

// Job returns a copy of a job.
func (s *Server) Job(id int64) (j Job, ok bool) {
	s.read(func(st *state) {
		var r *job
		if r, ok = st.jobs[id]; ok {
			j = cloneJob(r.Job)
		}
	})
	return j, ok
}

// UpdateJob changes a job in one step by f, which must not call the server. f may
// change every field but the identifier. It reports whether there is such a job.
func (s *Server) UpdateJob(id int64, f func(*Job)) (found bool) {
	s.change(func(st *state) { found = st.updateJob(id, f) })
	return found
}

// UpdateApplicant changes an applicant in one step by f, which must not call the
// server. Tokens and applications stay with the identifier, which f cannot change. It
// reports whether there is such an applicant.
func (s *Server) UpdateApplicant(id int64, f func(*Applicant)) (found bool) {
	s.change(func(st *state) { found = st.updateApplicant(id, f) })
	return found
}

// DeactivateJob makes a job inactive: it leaves the search, the applied check
// says 410 and the lookup ERROR_JOB_INACTIVE.
func (s *Server) DeactivateJob(id int64) bool {
	return s.UpdateJob(id, func(j *Job) { j.Status = Inactive })
}

// ActivateJob makes a job active again.
func (s *Server) ActivateJob(id int64) bool {
	return s.UpdateJob(id, func(j *Job) { j.Status = Active })
}

// DeleteJob makes a job unavailable: the server then answers as for a job that
// never existed. The job's applications stay, so that ActivateJob restores
// everything.
func (s *Server) DeleteJob(id int64) bool {
	return s.UpdateJob(id, func(j *Job) { j.Status = Deleted })
}

// UnpublishJob removes a job's postings and keeps the job: the applied check says
// "JobPosting not found" and the lookup ERROR_POSTING_UNAVAILABLE until a posting is
// added. By section 7.3 this code is a technical error, which says nothing about the
// job. UnpublishJob reports whether the job had postings.
func (s *Server) UnpublishJob(id int64) (found bool) {
	s.change(func(st *state) { found = st.unpublish(id) })
	return found
}

// RemovePosting removes one posting; it reports whether there was one.
func (s *Server) RemovePosting(id int64) (found bool) {
	s.change(func(st *state) { found = st.removePosting(id) })
	return found
}

// Apply makes an application and returns its identifier. If the applicant has
// applied before, even if that application was withdrawn, Apply returns its
// identifier and ErrAlreadyApplied. For a job that this applicant cannot apply to it
// returns ErrNotOpen.
func (s *Server) Apply(applicant, jobID int64) (id string, err error) {
	now := s.stamp()
	s.change(func(st *state) { id, err = st.apply(applicant, jobID, now) })
	return id, err
}

// Withdraw withdraws an application; a withdrawn application still counts as
// applied (section 8). Without an application Withdraw returns
// ErrNoApplication.
func (s *Server) Withdraw(applicant, jobID int64) (err error) {
	s.change(func(st *state) { err = st.withdraw(applicant, jobID) })
	return err
}
