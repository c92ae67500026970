package jobboardtest_test

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go/jobboardtest"
)

// The documentation of a record shows its fields: its type is declared in this
// package, and is no other name of one that users cannot reach.
func TestDocumentationShowsFields(t *testing.T) {
	for _, record := range []any{
		jobboardtest.Job{},
		jobboardtest.Posting{},
		jobboardtest.Applicant{},
		jobboardtest.ClientApp{},
		jobboardtest.Channel{},
		jobboardtest.Company{},
		jobboardtest.Request{},
		jobboardtest.Fault{},
		jobboardtest.Variants{},
		jobboardtest.State{},
	} {
		typ := reflect.TypeOf(record)
		out, err := exec.CommandContext(t.Context(), "go", "doc", typ.Name()).CombinedOutput()
		if err != nil {
			t.Fatalf("go doc %s: %v\n%s", typ.Name(), err, out)
		}
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && !strings.Contains(string(out), "\n\t"+f.Name+" ") {
				t.Errorf("go doc %s does not show %s:\n%s", typ.Name(), f.Name, out)
			}
		}
	}
}
