//go:build !race

package jobboard

const raceEnabled = false
