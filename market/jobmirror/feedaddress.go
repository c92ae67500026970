package jobmirror

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jobboard-sdk/jobboard-go"
	"github.com/jobboard-sdk/jobboard-go/market/internal/feedaddress"
	"github.com/jobboard-sdk/jobboard-go/market/jobmirror/internal/sources"
)

// mayHoldPassword reports whether a name is an address with a user or a query.
func mayHoldPassword(name string) bool {
	return strings.Contains(name, "://") && strings.ContainsAny(name, "@?")
}

// isFile returns nil if a path is that of a file.
func isFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // without the path
	}
	return err
}

// checkFeed returns an error unless the address of a feed is a web address or a path: the path
// of an existing file, or of a file that may come into an existing folder. A process that only
// reads the database may run on a machine without the file.
func checkFeed(address string, readOnly bool) error {
	if address == "" {
		return errors.New("has no address")
	}
	if feedaddress.Parse(address) != nil {
		return nil
	}
	err := isFile(address)
	switch {
	case err == nil:
		return nil
	case feedaddress.IsMistyped(address):
		return errors.New("has an address that is neither http or https with a host, nor the path of a file that exists; " +
			"in a user, a password and a path an @ is written as %40 and a / of a password as %2F")
	case readOnly:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if folder, err := os.Stat(filepath.Dir(address)); err == nil && folder.IsDir() {
			return nil
		}
		return fmt.Errorf("is to be the file %q, in a folder that does not exist", feedaddress.Public(address))
	}
	return fmt.Errorf("is to be the file %q, which cannot be read: %w", feedaddress.Public(address), err)
}

// feedSources lists the feeds of the options, each with a name of its own.
func (o *Options) feedSources() (out []source, err error) {
	addresses := map[string]string{} // by the names of the feeds
	for i, f := range o.Feeds {
		if err := checkFeed(f.Address, o.ReadOnly); err != nil {
			return nil, fmt.Errorf("jobmirror: %w: Options.Feeds[%d] %w", jobboard.ErrInvalidInput, i, err)
		}
		if mayHoldPassword(f.Name) {
			return nil, fmt.Errorf("jobmirror: %w: Options.Feeds[%d] has a Name that is an address with a user or a query",
				jobboard.ErrInvalidInput, i)
		}
		f.Name = cmp.Or(f.Name, feedaddress.Public(f.Address))
		if other, ok := addresses[f.Name]; ok && other != f.Address {
			return nil, fmt.Errorf("jobmirror: %w: Options.Feeds[%d] has the name %q of another feed, so it would not be copied: give each a Name",
				jobboard.ErrInvalidInput, i, f.Name)
		}
		addresses[f.Name] = f.Address
		out = append(out, source{feed: f, Source: sources.Source{Kind: sources.Feed, Name: f.Name}})
	}
	return out, nil
}
