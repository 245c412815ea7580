//go:build !race

package edgeserve

const raceDetector = false
