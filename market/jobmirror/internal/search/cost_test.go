package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/words"
)

// wordyDocuments returns documents as boards have them: a few words occur in most, and most words in few.
func wordyDocuments(n int) (list []Document, word func(rank uint64) string) {
	const letters = "eeeeenniissrrraattdhulcgmobwfkzpvj" // about as often as German has them
	word = func(rank uint64) string {
		r := rand.New(rand.NewPCG(rank, 5))
		out := make([]byte, 3+r.IntN(10))
		for i := range out {
			out[i] = letters[r.IntN(len(letters))]
		}
		return string(out)
	}
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.15, 20, uint64(2*n))
	some := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = word(z.Uint64())
		}
		return strings.Join(list, " ")
	}
	for i := range n {
		d := Document{Row: int64(i + 1), Title: some(1 + r.IntN(4)), Short: []string{some(1), some(2)}, Other: []string{some(100 + r.IntN(100))}}
		d.Languages = []string{[]string{"de", "de", "de", "en"}[i%4]}
		list = append(list, d)
	}
	return list, word
}

// What a search costs that finds nothing, of a processor, by what is typed.
func BenchmarkWordsThatNobodyHas(b *testing.B) {
	x := newIndex(b)
	documents, word := wordyDocuments(3000)
	for len(documents) > 0 {
		x.put(b, documents[:100]...)
		documents = documents[100:]
	}
	r := rand.New(rand.NewPCG(3, 4))
	text := func(n int, one func() string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = one()
		}
		return strings.Join(list, " ")
	}
	letters := func(n int) string {
		out := make([]byte, n)
		for i := range out {
			out[i] = byte('a' + r.IntN(26))
		}
		return string(out)
	}
	mistyped := func() string { // one letter of a word is another
		letters := []byte(word(uint64(r.IntN(6000))))
		letters[r.IntN(len(letters))] = byte('a' + r.IntN(26))
		return string(letters)
	}
	for _, c := range []struct{ name, text string }{
		{"1 mistyped", mistyped()},
		{"4 mistyped", text(4, mistyped)},
		{"12 mistyped", text(12, mistyped)},
		{"100 mistyped", text(100, mistyped)},
		{"66 of two letters", text(66, func() string { return letters(2) })},
		{"30 random", text(30, func() string { return letters(4 + r.IntN(10)) })},
		{"30 known", text(30, func() string { return word(uint64(r.IntN(6000))) })},
		{"3 known", text(3, func() string { return word(uint64(r.IntN(100))) })},
	} {
		b.Run(c.name, func(b *testing.B) {
			began := processorTime(b)
			for b.Loop() {
				err := x.db.View(b.Context(), func(in *store.Tx) error {
					_, err := x.Find(in, Query{Text: c.text}, Position{}, 20)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((processorTime(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// processorTime returns the processor time that this process has used.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// What a word of a group of synonyms costs, of a processor, beside the same word without them.
func BenchmarkSynonyms(b *testing.B) {
	x := newIndex(b)
	documents, word := wordyDocuments(3000)
	for len(documents) > 0 {
		x.put(b, documents[:100]...)
		documents = documents[100:]
	}
	var group []string
	for rank := range uint64(5) {
		group = append(group, word(20+rank*40)+" "+word(1000+rank), word(40+rank*40))
	}
	list, err := ReadSynonyms(strings.Join(group[:6], ", "), "de")
	if err != nil {
		b.Fatal(err)
	}
	for _, rank := range []uint64{40, 80, 120} {
		for name, synonyms := range map[string]*words.Synonyms{"without": nil, "with": list} {
			b.Run(fmt.Sprint(name, rank), func(b *testing.B) {
				x.Synonyms = synonyms
				began := processorTime(b)
				for b.Loop() {
					err := x.db.View(b.Context(), func(in *store.Tx) error {
						page, err := x.Find(in, Query{Text: word(rank)}, Position{}, 20)
						if err == nil {
							_, err = page.Facets()
						}
						x.counted.kept, x.counted.bytes = nil, 0
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}
