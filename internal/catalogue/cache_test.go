package catalogue

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func (c *Cache[T]) sizes() (n, total int) {
	for _, k := range *c.known.Load() {
		n++
		total += len(k.text)
	}
	return n, total
}

func text(i int) string {
	return fmt.Sprintf("[%d,%s]", i, strings.Repeat(fmt.Sprint(i, ","), 500))
}

func TestShared(t *testing.T) {
	var c Cache[string]
	if _, _, ok := c.Find([]byte("[1]")); ok {
		t.Error("an empty cache knows something")
	}
	if got := c.Add("[1]", "one"); got != "one" {
		t.Errorf("Add gave %q", got)
	}
	if got := c.Add("[1]", "another"); got != "one" {
		t.Errorf("Add gave %q for a text that is known", got)
	}
	for b, want := range map[string]bool{"[1]": true, "[1],2": true, "[1": false, "[2]": false, "": false, " [1]": false} {
		got, n, ok := c.Find([]byte(b))
		if ok != want || ok && (got != "one" || n != 3) {
			t.Errorf("%q: %q, %d, %v", b, got, n, ok)
		}
	}
}

// TestBounds fills the cache again and again, with what is in use staying.
func TestBounds(t *testing.T) {
	var c Cache[int]
	keep := text(0)
	c.Add(keep, 0)
	find := func(i int) bool {
		v, _, ok := c.Find([]byte(text(i)))
		return ok && v == i
	}
	for i := 1; i < 500; i++ {
		for range 2 {
			c.Add(text(i), i)
		}
		if !find(0) {
			t.Fatalf("forgotten after %d others", i)
		}
		if n, total := c.sizes(); n > 32 || total > 1<<20 {
			t.Fatalf("%d values of %d bytes", n, total)
		}
	}
	for i := range 20 {
		big := fmt.Sprintf("[%02d%s]", i, strings.Repeat("x", 256<<10-3-i))
		for range 2 {
			c.Add(big, i)
		}
		if _, _, ok := c.Find([]byte(big)); ok == (len(big) > 256<<10) {
			t.Errorf("text of %d bytes: %v", len(big), ok)
		}
		if n, total := c.sizes(); n > 32 || total > 1<<20 {
			t.Fatalf("%d values of %d bytes", n, total)
		}
	}
}

// TestInTurn gives three times as many values as there is room for, in turn: the
// first ones stay, and the others cost no change of the cache. One that comes
// twice in short order is kept all the same.
func TestInTurn(t *testing.T) {
	var c Cache[int]
	const values = 3 * MaxValues
	for i := range values {
		c.Add(text(i), i)
	}
	full := c.known.Load()
	for range 5 {
		hits := 0
		for i := range values {
			if _, _, ok := c.Find([]byte(text(i))); ok {
				hits++
			} else {
				c.Add(text(i), i)
			}
		}
		if hits != MaxValues {
			t.Errorf("%d hits, want %d", hits, MaxValues)
		}
	}
	if c.known.Load() != full {
		t.Error("the cache changed")
	}
	for range 2 {
		c.Add(text(values-1), values-1)
	}
	if _, _, ok := c.Find([]byte(text(values - 1))); !ok {
		t.Error("a value that comes twice is not kept")
	}
	for range 2 {
		c.Add("[]", -1)
	}
	if v, _, ok := c.Find([]byte("[]")); !ok || v != -1 {
		t.Error("a short text that comes twice is not kept")
	}
}

func TestConcurrent(t *testing.T) {
	var c Cache[int]
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 400 {
				k := (i*7 + g*3) % (2 * MaxValues)
				v, _, ok := c.Find([]byte(text(k)))
				if !ok {
					v = c.Add(text(k), k)
				}
				if v != k {
					t.Errorf("%d for %d", v, k)
				}
			}
		})
	}
	wg.Wait()
}

// TestAllUsed fills the cache with values that are all in use: the oldest value goes first,
// then values that are not used a second time.
func TestAllUsed(t *testing.T) {
	var c Cache[int]
	find := func(i int) bool {
		v, _, ok := c.Find([]byte(text(i)))
		return ok && v == i
	}
	for i := range MaxValues {
		c.Add(text(i), i)
		if !find(i) {
			t.Fatalf("%d is not there", i)
		}
	}
	add := func(i int) {
		t.Helper()
		c.Add(text(i), i)
		if c.Add(text(i), i); !find(i) {
			t.Fatalf("%d is not kept", i)
		}
	}
	add(MaxValues)
	if find(0) || !find(1) || !find(3) {
		t.Errorf("the oldest is there: %v, the next ones: %v, %v", find(0), find(1), find(3))
	}
	add(MaxValues + 1)
	if !find(1) || find(2) || !find(3) {
		t.Errorf("used again: %v, %v; not used again: %v", find(1), find(3), find(2))
	}
}
