package places

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// index is the list in memory.
type index struct {
	towns []town // the largest first
	names []name // by key, then the largest first
}

type town struct {
	Place
	state string // of the USA, Germany, Austria or Switzerland by its code in the list, such as "IL"; elsewhere empty
}

type name struct {
	key   string
	place int32 // its place in the list
}

//go:embed places.bin.gz
var list []byte

var load = sync.OnceValue(func() *index {
	x, err := read(list)
	if err != nil {
		panic(err) // the embedded list is broken, and every test would fail
	}
	return x
})

// read returns the index of a compressed list, which gen has sorted.
func read(compressed []byte) (*index, error) {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("places: %w", err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("places: %w", err)
	}
	d := decoder{rest: all, text: string(all)}
	x := &index{towns: d.towns()}
	x.names = d.names(len(x.towns))
	if d.broken || len(d.rest) > 0 {
		return nil, errBroken
	}
	return x, nil
}

var errBroken = errors.New("places: the list is broken")

// decoder reads what gen has encoded.
type decoder struct {
	rest   []byte
	text   string // the text of the whole list; words are parts of it
	broken bool
}

// towns reads the columns of the places.
func (d *decoder) towns() []town {
	towns := make([]town, min(d.count(), len(d.text)))
	for i := range towns {
		towns[i].Country = d.word()
	}
	for i := range towns {
		towns[i].state = d.word()
	}
	for i := range towns {
		towns[i].Name = d.word()
	}
	population := 0
	for i := range towns {
		if fewer := d.count(); i == 0 {
			population = fewer
		} else {
			population -= fewer
		}
		towns[i].Population = population
	}
	for i := range towns {
		towns[i].Latitude, towns[i].Longitude = float64(d.number())/1000, float64(d.number())/1000
	}
	return towns
}

// names reads the columns of the keys. Each key has the index of a place, and all keys are parts of
// one text.
func (d *decoder) names(places int) []name {
	names := make([]name, min(d.count(), len(d.text)))
	ends := make([]int, len(names))
	keys := make([]byte, 0, len(d.text))
	for i, last := 0, 0; i < len(names); i++ {
		begin, same := len(keys), d.count()
		if d.broken = d.broken || same > begin-last; d.broken {
			return nil
		}
		keys = append(append(keys, keys[last:last+same]...), d.word()...)
		ends[i], last = len(keys), begin
	}
	text, begin := string(keys), 0
	for i, end := range ends {
		place := d.count()
		d.broken = d.broken || place >= places
		names[i] = name{text[begin:end], int32(place)}
		begin = end
	}
	return names
}

func (d *decoder) number() int64 {
	n, size := binary.Varint(d.rest)
	d.skip(size, size > 0)
	return n
}

// count reads a number that is not negative.
func (d *decoder) count() int {
	n, size := binary.Uvarint(d.rest)
	if d.skip(size, size > 0 && n <= maxCount); d.broken {
		return 0
	}
	return int(n)
}

// maxCount bounds the numbers of the list; no town has more inhabitants.
const maxCount = 1 << 26

func (d *decoder) word() string {
	n := d.count()
	at := len(d.text) - len(d.rest)
	if d.skip(n, n <= len(d.rest)); d.broken {
		return ""
	}
	return d.text[at : at+n]
}

// skip goes on behind what was read, or notes that it cannot be read.
func (d *decoder) skip(size int, ok bool) {
	if d.broken = d.broken || !ok; !d.broken {
		d.rest = d.rest[size:]
	}
}
