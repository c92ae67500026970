package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// maxSize is how many times as large as a program with bare net/http one with
// the library may be.
const maxSize = 1.25

// bare does with net/http and encoding/json what the README's program does with
// the library.
const bare = `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

func main() {
	req, err := http.NewRequest("GET", "https://jobs.example/api/rest/v2/frontend/jobboards/27828_extern/jobs?search=nurse", nil)
	if err != nil {
		log.Fatal(err)
	}
	req.SetBasicAuth("10", "")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var page struct {
		Results []struct {
			JobPostingID int64
			Title        string
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		log.Fatal(err)
	}
	for _, p := range page.Results {
		fmt.Println(p.JobPostingID, p.Title)
	}
}
`

// size builds both programs, stripped, and compares them.
func (c checkout) size() error {
	tmp, err := os.MkdirTemp("", "releasecheck")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	source := filepath.Join(tmp, "main.go")
	if err := os.WriteFile(source, []byte(bare), 0o600); err != nil {
		return err
	}
	build := func(name string, args ...string) (int64, error) {
		binary := filepath.Join(tmp, name)
		args = append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", binary}, args...)
		if name == "ours" {
			args = append([]string{"-C", c.dir}, args...)
		}
		if _, err := c.run("go", args...); err != nil {
			return 0, err
		}
		info, err := os.Stat(binary)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	theirs, err := build("bare", source)
	if err != nil {
		return err
	}
	ours, err := build("ours", "./docs/program")
	if err != nil {
		return err
	}
	times := float64(ours) / float64(theirs)
	fmt.Fprintf(c.out, "      the README's program: %d KB; with net/http alone: %d KB; %.2f times\n", ours>>10, theirs>>10, times)
	if times > maxSize {
		return fmt.Errorf("more than %.2f times as large", maxSize)
	}
	return nil
}
