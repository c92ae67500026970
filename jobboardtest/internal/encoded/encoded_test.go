package encoded

import (
	"strconv"
	"testing"
)

// Eight forms are kept, each made once; a ninth takes the place of all.
func TestForms(t *testing.T) {
	var forms Forms[int]
	made := 0
	get := func(key int) {
		t.Helper()
		if got := string(forms.Get(key, func() []byte { made++; return []byte(strconv.Itoa(key)) })); got != strconv.Itoa(key) {
			t.Errorf("the form of %d is %q", key, got)
		}
	}
	for range 2 {
		for key := range 8 {
			get(key)
		}
	}
	if made != 8 {
		t.Errorf("eight forms are made %d times", made)
	}
	get(8)
	get(8)
	if made != 9 {
		t.Errorf("the ninth is made %d times", made-8)
	}
	get(0)
	get(8)
	if made != 10 {
		t.Errorf("after the ninth, the first and the ninth are made %d times", made-9)
	}
}
