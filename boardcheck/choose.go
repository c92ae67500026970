package boardcheck

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jobboard-sdk/jobboard-go"
)

// chooseJobs returns the jobs to look up: those given, then of the links' and the feed's jobs those whose
// identifiers have the lowest hashes, which are the same ones each night.
func (a *asker) chooseJobs() []jobboard.JobID {
	for _, page := range a.pages {
		for i := range page.Results {
			if job, ok := page.Results[i].LinkedJob(); ok {
				a.named[job] = true
			}
		}
	}
	jobs := slices.Clone(a.Jobs)
	others := slices.AppendSeq(slices.Clone(a.feed), maps.Keys(a.named))
	slices.SortFunc(others, func(x, y jobboard.JobID) int { return cmp.Or(cmp.Compare(hash(x), hash(y)), cmp.Compare(x, y)) })
	for _, job := range others {
		if len(jobs) >= maxJobs {
			break
		}
		if !slices.Contains(jobs, job) {
			jobs = append(jobs, job)
		}
	}
	return jobs[:min(len(jobs), maxJobs)]
}

func hash(job jobboard.JobID) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.FormatInt(int64(job), 10)))
	return h.Sum64()
}

// leastResult is how many postings a search must find before its parameters are judged by it.
const leastResult = 20

func (a *asker) searchWords() error {
	return a.eachSearch(func(channel jobboard.ChannelID, language string) error {
		plain := a.pages[searchKey(channel, language)]
		if plain == nil {
			return nil
		}
		word := chooseWord(plain.Results)
		if word == "" {
			return nil
		}
		page, err := a.search(kindWord, channel, jobboard.Query{Text: word, Language: language})
		a.night.effects[effectWord].add(plain, page)
		return err
	})
}

// chooseWord returns the word that the fewest titles have, if they are fewer than half: of several the
// longest. It returns "" if there is none.
func chooseWord(postings []jobboard.JobPosting) string {
	titles := map[string]int{}
	for i := range postings {
		words := strings.FieldsFunc(strings.ToLower(postings[i].Title), func(r rune) bool { return !unicode.IsLetter(r) })
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			titles[w]++
		}
	}
	best := ""
	for _, w := range slices.Sorted(maps.Keys(titles)) {
		switch {
		case len([]rune(w)) < 4 || titles[w]*2 >= len(postings):
		case best == "" || titles[w] < titles[best] || titles[w] == titles[best] && len(w) > len(best):
			best = w
		}
	}
	return best
}

const (
	circleKm = 50
	farKm    = 100
	// leastFar is how many jobs of postings must be far from a circle before the search in it is judged.
	leastFar = 3
)

func (a *asker) searchCircles() error {
	centre, far := a.chooseCentre()
	if centre == nil {
		return nil
	}
	return a.eachSearch(func(channel jobboard.ChannelID, language string) error {
		plain := a.pages[searchKey(channel, language)]
		if plain == nil {
			return nil
		}
		page, err := a.search(kindCircle, channel, jobboard.Query{Near: *centre, Language: language})
		if far >= leastFar {
			a.night.effects[effectCircle].add(plain, page)
		}
		return err
	})
}

// chooseCentre returns the circle around the job that most jobs of postings are far from, and how many they are.
func (a *asker) chooseCentre() (best *jobboard.GeoLocation, most int) {
	places := map[jobboard.JobID][]jobboard.GeoLocation{}
	for _, info := range a.found {
		for _, l := range append([]jobboard.Location{info.Location}, info.AdditionalLocations...) {
			if p, ok := placeOf(l); ok {
				places[info.JobID] = append(places[info.JobID], p)
			}
		}
	}
	for _, info := range a.found {
		centre, ok := placeOf(info.Location)
		if !ok {
			continue
		}
		far := 0
		for job, at := range places {
			near := func(p jobboard.GeoLocation) bool { return jobboard.DistanceKm(centre, p) < farKm }
			if a.named[job] && !slices.ContainsFunc(at, near) {
				far++
			}
		}
		if best == nil || far > most {
			best, most = &centre, far
		}
	}
	return best, most
}

func placeOf(l jobboard.Location) (jobboard.GeoLocation, bool) {
	p, err := l.Near(circleKm)
	return p, err == nil
}

// compareLanguages counts the postings that the languages show differently.
func (a *asker) compareLanguages() {
	if len(a.Languages) < 2 {
		return
	}
	e := a.night.effects[effectLanguage]
	for _, channel := range a.Channels {
		titles := map[jobboard.JobPostingID]map[string]bool{}
		in := map[jobboard.JobPostingID]int{}
		all := true
		for _, language := range a.Languages {
			page := a.pages[searchKey(channel, language)]
			if all = all && page != nil; !all {
				break
			}
			for i := range page.Results {
				p := &page.Results[i]
				if titles[p.JobPostingID] == nil {
					titles[p.JobPostingID] = map[string]bool{}
				}
				titles[p.JobPostingID][p.Title] = true
				in[p.JobPostingID]++
			}
		}
		if !all || len(titles) < leastResult {
			continue
		}
		for id, t := range titles {
			e.Of++
			if len(t) > 1 || in[id] < len(a.Languages) {
				e.Changed++
			}
		}
	}
}
