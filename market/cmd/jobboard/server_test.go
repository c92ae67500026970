package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The entry for the registry of assistants' servers names the image by its label, settings that the command knows, and
// the version that a release replaces.
func TestServerEntry(t *testing.T) {
	var entry struct {
		Name, Description, Version string
		Packages                   []struct {
			Identifier           string
			EnvironmentVariables []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "server.json")), &entry); err != nil {
		t.Fatal(err)
	}
	if image := read(t, "Dockerfile"); !strings.Contains(image, `io.modelcontextprotocol.server.name="`+entry.Name+`"`) {
		t.Errorf("the image is not labelled %s", entry.Name)
	}
	if entry.Version != "0.0.0" || len(entry.Packages) != 1 || !strings.HasSuffix(entry.Packages[0].Identifier, ":0.0.0") {
		t.Errorf("a release replaces 0.0.0, and the entry has %s and %v", entry.Version, entry.Packages)
	}
	if len(entry.Description) > 100 { // the registry's bound
		t.Errorf("the description has %d bytes", len(entry.Description))
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range entry.Packages[0].EnvironmentVariables {
		if !strings.Contains(string(page), "| `"+variable.Name+"` |") {
			t.Errorf("%s is no setting of the command", variable.Name)
		}
	}
}
