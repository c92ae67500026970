// Package steady reads from a foreign reader, and gives up if it returns neither a byte nor an
// error a hundred times.
package steady

import "io"

// A Reader repeats a Read that returns nothing, a hundred times at most.
type Reader struct{ io.Reader }

// Read returns io.ErrNoProgress after a hundred reads of nothing, as package
// bufio does.
func (r Reader) Read(p []byte) (n int, err error) {
	for range 100 {
		if n, err = r.Reader.Read(p); n != 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
