package jobfeed

import (
	"cmp"
	"slices"
)

// An opening has one PositionRecordInfo as a rule, and all that it says is of one job. If it has several,
// what stands behind each is of its job; what stands before the first, or only behind the last of
// records that follow each other, is shared.

// beginRecord begins the next job.
func (p *parser) beginRecord() {
	j := p.now
	switch {
	case j == p.aside:
		p.keepAside()
	case j.exists:
		p.jobs = append(p.jobs, *j)
		*j = job{}
	case !j.content.empty():
		before := j.content
		p.before = &before
		*j = job{}
	}
	j.exists, j.begins = true, p.begins
}

// beginAside begins an element that may hold a job of its own.
func (p *parser) beginAside() {
	if p.asideDeep == 0 {
		if p.aside == nil {
			p.aside = new(job)
		}
		*p.aside = job{}
		p.now = p.aside
	} else {
		p.keepAside()
	}
	p.asideDeep++
}

func (p *parser) endAside() {
	p.keepAside()
	if p.asideDeep--; p.asideDeep == 0 {
		p.now = &p.own
	}
}

// keepAside keeps the job of the element that was read, if it has a record.
func (p *parser) keepAside() {
	if p.aside.exists {
		p.asideJobs = append(p.asideJobs, *p.aside)
		*p.aside = job{}
	}
}

// results returns the entries of the opening's jobs.
func (p *parser) results() (first result, others []result) {
	var shared content
	if p.before != nil {
		shared = *p.before
	}
	isAside := !p.own.exists && len(p.asideJobs) > 0
	if len(p.jobs) == 0 && !isAside {
		if p.before != nil {
			p.own.content = shared.or(p.own.content)
		}
		return p.result(&p.own, p.entry), nil
	}
	all := append(p.jobs, p.own)
	last := len(all) - 1
	if isAside {
		shared, all = p.own.content, p.asideJobs
	} else if !slices.ContainsFunc(all[:last], func(j job) bool { return !j.empty() }) {
		shared, all[last].content = shared.or(all[last].content), content{}
	}
	shared.settle()
	around := *p.entry
	for i := range all {
		e := p.entry
		if i > 0 {
			e = &Entry{Position: around.Position, Language: around.Language}
		}
		all[i].settle()
		all[i].content = all[i].or(shared)
		r := p.result(&all[i], e)
		r.begin = all[i].begins
		others = append(others, r)
	}
	return others[0], others[1:]
}

// result completes an entry with what was read of its job.
func (p *parser) result(j *job, e *Entry) result {
	switch {
	case j.several, j.id == 0 && j.fault != nil:
		return result{entry: e, fault: j.fault}
	case j.id == 0:
		return result{entry: e, fault: &fault{0, ErrNoJobID, "no value at PositionRecordInfo > Id > IdValue"}}
	}
	j.settle()
	e.JobID, e.Title, e.Company, e.Status = j.id, j.title, j.company, j.status
	e.Language = cmp.Or(j.profileLang, p.openingLang, e.Language)
	e.Locations, e.Links = j.locations, j.links
	e.Postings, e.PostingVersions = ascending(j.postings), ascending(j.versions)
	valid := cmp.Or(j.posting, j.active, j.ids)
	e.ValidFrom, e.ValidTo = valid.from, valid.to
	return result{entry: e}
}

// settle decides which title and which company count.
func (c *content) settle() {
	c.title = cmp.Or(c.title, c.profileName, c.postingTitle)
	c.company = cmp.Or(c.company, c.organization, c.supplier)
	c.profileName, c.postingTitle, c.organization, c.supplier = "", "", "", ""
}

// empty reports whether an opening says nothing beside its records.
func (c *content) empty() bool {
	words := c.title + c.profileName + c.postingTitle + c.company + c.organization + c.supplier + c.profileLang
	return words == "" && c.posting == dates{} && len(c.locations)+len(c.links)+len(c.postings)+len(c.versions) == 0
}

// or returns c, with what it lacks from other, and the lists of both.
func (c content) or(other content) content {
	if c.empty() || other.empty() {
		if c.empty() {
			c = other
		}
		c.locations, c.links = slices.Clone(c.locations), slices.Clone(c.links)
		c.postings, c.versions = slices.Clone(c.postings), slices.Clone(c.versions)
		return c
	}
	c.title = cmp.Or(c.title, other.title)
	c.profileName = cmp.Or(c.profileName, other.profileName)
	c.postingTitle = cmp.Or(c.postingTitle, other.postingTitle)
	c.company = cmp.Or(c.company, other.company)
	c.organization = cmp.Or(c.organization, other.organization)
	c.supplier = cmp.Or(c.supplier, other.supplier)
	c.profileLang = cmp.Or(c.profileLang, other.profileLang)
	c.posting = cmp.Or(c.posting, other.posting)
	c.locations = slices.Concat(c.locations, other.locations)
	c.links = slices.Concat(c.links, other.links)
	c.postings = slices.Concat(c.postings, other.postings)
	c.versions = slices.Concat(c.versions, other.versions)
	return c
}
