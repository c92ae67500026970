package search

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/store"
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

// BenchmarkFind shows what a search costs of a processor, by what is typed, and what its facets cost: counted, and as they
// were counted before.
func BenchmarkFind(b *testing.B) {
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
		{"3 known", text(3, func() string { return word(uint64(r.IntN(100))) })},
		{"30 known", text(30, func() string { return word(uint64(r.IntN(6000))) })},
		{"1 mistyped", mistyped()},
		{"12 mistyped", text(12, mistyped)},
		{"100 mistyped", text(100, mistyped)},
		{"66 of two letters", text(66, func() string { return letters(2) })},
		{"30 random", text(30, func() string { return letters(4 + r.IntN(10)) })},
	} {
		b.Run(c.name, func(b *testing.B) {
			reportProcessorTime(b, func() {
				err := x.db.View(b.Context(), func(in *store.Tx) error {
					_, err := x.Find(in, Query{Text: c.text}, Position{}, 20)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	b.Run("facets", func(b *testing.B) {
		reportProcessorTime(b, func() {
			x.counted.kept, x.counted.bytes = nil, 0
			facetsOf(b, x.Index, "")
		})
	})
	b.Run("facets, kept", func(b *testing.B) {
		reportProcessorTime(b, func() { facetsOf(b, x.Index, "") })
	})
}

// reportProcessorTime runs f and reports what this process uses of a processor for it.
func reportProcessorTime(b *testing.B, f func()) {
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	began := used()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(used()-began)/float64(b.N), "cpu-ns/op")
}
