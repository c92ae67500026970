package jobboardtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxProfile is the largest profile in bytes.
const maxProfile = 16 << 20

// ReadLike reads the switches from a profile of a board, which jobboard check and package
// boardcheck write. It returns an error for any other file.
func ReadLike(profile io.Reader) (Variants, error) {
	data, err := io.ReadAll(io.LimitReader(profile, maxProfile+1))
	if err != nil {
		return Variants{}, fmt.Errorf("jobboardtest: %w", err)
	}
	if len(data) > maxProfile {
		return Variants{}, errors.New("jobboardtest: the profile is larger than 16 MiB")
	}
	var file struct {
		Like *Variants `json:"like"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return Variants{}, fmt.Errorf("jobboardtest: this is no profile of a board: %w", err)
	}
	if file.Like == nil {
		return Variants{}, errors.New("jobboardtest: this is no profile of a board: it has no member like")
	}
	return *file.Like, file.Like.Check()
}

// Like sets the switches at the start to those of a profile of a board, see ReadLike. The file,
// often in testdata, is read when the server starts. If it is no profile, New fails the test and
// NewServer panics.
func Like(file string) Option { return func(c *config) { c.like = file } }

// readLike sets the switches of the profile, if one is given.
func (c *config) readLike() error {
	if c.like == "" {
		return nil
	}
	f, err := os.Open(c.like)
	if err != nil {
		return fmt.Errorf("jobboardtest: %w", err)
	}
	defer f.Close()
	if c.variants, err = ReadLike(f); err != nil {
		return fmt.Errorf("%w (file %s)", err, c.like)
	}
	return nil
}
