package openapitest

import (
	"os"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestControlDocument validates the document of the stand-in's control
// interface. That its answers keep to it is tested beside it.
func TestControlDocument(t *testing.T) {
	data, err := os.ReadFile("../../jobboardtest/control/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if doc.Paths.Value("/faults") == nil {
		t.Error("it does not describe faults")
	}
}
