//go:build !race

package jobboard_test

const raceDetector = false
