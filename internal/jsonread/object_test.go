package jsonread_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/internal/jsonread"
)

// TestObjectOfMostMembers reads an object with as many members as there may be:
// once without predictions, and again with those of the first time.
func TestObjectOfMostMembers(t *testing.T) {
	var got, names []string
	var members []jsonread.Member[*jsonread.Reader]
	var pairs []string
	for i := range jsonread.MaxMembers {
		name := fmt.Sprintf("m%d", i)
		names = append(names, name)
		members = append(members, jsonread.Member[*jsonread.Reader]{
			Name: name, Required: true, Read: func(r *jsonread.Reader) { r.Skip(); got = append(got, name) },
		})
		pairs = append(pairs, fmt.Sprintf("%q:%d", name, i))
	}
	object := jsonread.NewObject(members)
	var order jsonread.Order
	for range 2 {
		got = nil
		r := new(jsonread.Reader)
		r.ResetBytes([]byte("{" + strings.Join(pairs, ",") + "}"))
		object.Read(r, &order, r)
		if r.Err() != nil || !slices.Equal(got, names) {
			t.Errorf("%v, %q", r.Err(), got)
		}
	}
}
