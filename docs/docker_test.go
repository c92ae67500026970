package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Dockerfiles build existing packages in an existing folder, for the system that was asked for, and end in an image
// that holds nothing else, without root. What serves has a health check.
func TestDockerfiles(t *testing.T) {
	build := regexp.MustCompile(`(?m)^RUN CGO_ENABLED=0 GOOS=\$TARGETOS GOARCH=\$TARGETARCH go (?:-C (\S+) )?build -trimpath -o (\S+) (\S+)$`)
	for _, file := range []string{"cmd/jobboard-fake/Dockerfile", "market/cmd/jobboard-mirror/Dockerfile", "market/cmd/jobboard/Dockerfile"} {
		data, err := os.ReadFile("../" + file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		m := build.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s builds nothing", file)
		}
		if _, err := os.Stat(filepath.Join("..", m[1], m[3], "main.go")); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.Contains(text, "docker build -t "+filepath.Base(m[2])+" -f "+file+" .") {
			t.Errorf("%s does not say how it is built", file)
		}
		_, last, _ := strings.Cut(text, "\nFROM scratch\n")
		for _, want := range []string{
			"COPY --from=build " + m[2] + " " + m[2] + "\n", "\nUSER 65534:65534\n", "\nENTRYPOINT [\"" + m[2] + "\"",
		} {
			if !strings.Contains("\n"+last, want) {
				t.Errorf("the image of %s has no %q", file, want)
			}
		}
		if serves := strings.Contains(last, "\nEXPOSE "); serves != strings.Contains(last, "\nHEALTHCHECK ") {
			t.Errorf("%s serves: %t, and its health check says otherwise", file, serves)
		}
	}
}
