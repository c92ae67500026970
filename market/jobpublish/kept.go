package jobpublish

import (
	"bufio"
	"encoding/binary"
	"hash/maphash"
	"io"
	"math"
	"os"
)

// An advertisement takes a millisecond to clean, and hardly any changes between two files. So a file
// notes, in a second file on disk, where it has which advertisement, and the next file copies those that
// are the same. Jobs come in the same order each time: the notes are read along with them, and memory
// holds only those around the job at hand.

// keptAround is how many notes are held in memory before and after the one that was found last.
const keptAround = 2048

// adSeed makes the hashes of advertisements.
var adSeed = maphash.MakeSeed()

// adKey returns a hash of all that a job's cleaned advertisement is made of.
func adKey(job Job) uint64 {
	ad := job.Posting.Config.AdText() // a posting may have none
	var h maphash.Hash
	h.SetSeed(adSeed)
	h.WriteString(job.Posting.ApplyOnlineLink)
	h.WriteByte(0)
	h.WriteString(ad)
	return h.Sum64()
}

// noteSize is the length of a note: a key, where the advertisement begins, and its length.
const noteSize = 24

// notes are the advertisements of a file, in the order of its jobs.
type notes struct {
	disk *os.File
	out  *bufio.Writer
	n    int64
}

func (n *notes) add(key uint64, at, size int64) error {
	var note [noteSize]byte
	binary.LittleEndian.PutUint64(note[:], key)
	binary.LittleEndian.PutUint64(note[8:], uint64(at))
	binary.LittleEndian.PutUint64(note[16:], uint64(size))
	n.n++
	_, err := n.out.Write(note[:])
	return err
}

// kept finds the advertisements of an earlier file. The zero value finds none.
type kept struct {
	from   *file
	notes  *bufio.Reader
	around map[uint64]noted
	keys   []uint64 // of around, in the order of the notes
	read   int64    // notes that were read
	found  int64    // the place of the note that was found last
	text   []byte
}

type noted struct{ place, at, size int64 }

// keptOf returns what an earlier file holds; nil: there is none. The file must stay open.
func keptOf(from *file) kept {
	if from == nil {
		return kept{}
	}
	disk := io.NewSectionReader(from.notes.disk, 0, math.MaxInt64)
	return kept{from: from, notes: bufio.NewReader(disk), around: map[uint64]noted{}}
}

// find returns the encoded advertisement with a key, which stays as it is until the next call.
func (k *kept) find(key uint64) ([]byte, bool) {
	if k.from == nil {
		return nil, false
	}
	k.readOn()
	is, ok := k.around[key]
	if !ok {
		return nil, false
	}
	k.found = max(k.found, is.place)
	if int64(cap(k.text)) < is.size {
		k.text = make([]byte, is.size+is.size/4)
	}
	k.text = k.text[:is.size]
	_, err := k.from.body.ReadAt(k.text, is.at)
	return k.text, err == nil
}

// readOn reads the notes after the one that was found last, and forgets those long before it.
func (k *kept) readOn() {
	for k.read < k.from.notes.n && k.read <= k.found+keptAround {
		var note [noteSize]byte
		if _, err := io.ReadFull(k.notes, note[:]); err != nil {
			k.from = nil // what cannot be read is made anew
			return
		}
		key := binary.LittleEndian.Uint64(note[:])
		if _, twice := k.around[key]; !twice {
			at, size := binary.LittleEndian.Uint64(note[8:]), binary.LittleEndian.Uint64(note[16:])
			k.around[key] = noted{k.read, int64(at), int64(size)}
			k.keys = append(k.keys, key)
		}
		k.read++
	}
	for len(k.keys) > 0 && k.around[k.keys[0]].place < k.found-keptAround {
		delete(k.around, k.keys[0])
		k.keys = k.keys[1:]
	}
}

// ad returns a job's advertisement, cleaned and encoded by encode, and its key. If the file
// before has the same advertisement, ad copies it from there. The bytes stay as they are until the next call.
func (f *file) ad(job Job, encode func(ad string) []byte) (text []byte, key uint64) {
	key = adKey(job)
	if text, ok := f.kept.find(key); ok {
		return text, key
	}
	return encode(job.ad()), key
}

// writeAd writes what ad returned to the end of the file, and notes where it is.
func (f *file) writeAd(text []byte, key uint64) error {
	if err := f.notes.add(key, f.written, int64(len(text))); err != nil {
		return err
	}
	_, err := f.Write(text)
	return err
}
