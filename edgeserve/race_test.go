//go:build race

package edgeserve

// raceDetector is on: sync.Pool then drops some of what it gets, and Fiber's contexts with it.
const raceDetector = true
