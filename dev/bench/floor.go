package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
)

// A floor holds the last accepted ratios by the engine of encoding/json and by
// name. More is better.
type floor map[string]map[string]float64

// mostLost is the part by which a ratio may fall.
const mostLost = 0.15

// holdFloor compares the ratios of r with the accepted ones in a file, and
// reports whether none fell by more than mostLost. With accept it writes the
// ratios of r into the file instead, and keeps ratios that were not measured.
func (r *report) holdFloor(w io.Writer, name string, accept bool) (bool, error) {
	all := floor{}
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !(accept && errors.Is(err, fs.ErrNotExist)) {
		return false, err
	}
	mine := all[engine()]
	if accept {
		if mine == nil {
			mine = map[string]float64{}
			all[engine()] = mine
		}
		for name, ratio := range r.ratios {
			mine[name] = math.Round(ratio*1000) / 1000
		}
		if text, err = json.MarshalIndent(all, "", "\t"); err != nil {
			return false, err
		}
		return true, os.WriteFile(name, append(text, '\n'), 0o644)
	}
	if mine == nil {
		return false, fmt.Errorf("%s has no ratios for the %s: -accept writes them", name, engine())
	}
	kept := true
	for _, name := range slices.Sorted(maps.Keys(r.ratios)) {
		last, ok := mine[name]
		switch ratio := r.ratios[name]; {
		case !ok:
			fmt.Fprintf(w, "new   %s: %s\n", name, times(ratio))
		case !(ratio >= last*(1-mostLost)):
			kept = false
			fmt.Fprintf(w, "FELL  %s: %s, last accepted %s\n", name, times(ratio), times(last))
		default:
			fmt.Fprintf(w, "kept  %s: %s, last accepted %s\n", name, times(ratio), times(last))
		}
	}
	return kept, nil
}

// engine returns the name of encoding/json's engine in this program.
func engine() string {
	if jsonV2 {
		return "engine of version 2"
	}
	return "engine of version 1"
}
