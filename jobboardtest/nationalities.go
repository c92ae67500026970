package jobboardtest

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// nationalityTable has a line for each nationality, English=German.
//
//go:embed nationalities.txt
var nationalityTable string

type catalogues struct{ german, english []Choice }

// nationalities are the built-in catalogues; both languages use the same
// identifier for a nationality.
var nationalities = sync.OnceValue(func() catalogues {
	var c catalogues
	id := 2800100
	for line := range strings.Lines(nationalityTable) {
		english, german, _ := strings.Cut(strings.TrimSpace(line), "=")
		c.english = append(c.english, Choice{strconv.Itoa(id), english})
		c.german = append(c.german, Choice{strconv.Itoa(id), german})
		id++
	}
	return c
})

func isGerman(language string) bool {
	primary, _, _ := strings.Cut(strings.ReplaceAll(language, "_", "-"), "-")
	return strings.EqualFold(primary, "de")
}
