// This file names the reasons for which a store's pointer or release is refused: a closed list, for metrics and for
// alerts. A store that cannot be reached is not a refusal.

package follow

import (
	"errors"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
)

// Reasons to distrust a store.
var (
	// ErrOlder: the sequence number is below the last one.
	ErrOlder = errors.New("the store's pointer is older than the last one")
	// ErrForked: two different pointers have one sequence number.
	ErrForked = errors.New("the store's pointer changed without a new sequence number")
	// ErrTooHigh: the sequence number is too high to come from publishing.
	ErrTooHigh = errors.New("the sequence number of the store's pointer rose too far")
	// ErrContent: a file is not the one whose digest and size are known.
	ErrContent = errors.New("a file of the release is not the one that was published")
	// ErrUnusable: the release is whole, but the server cannot serve it.
	ErrUnusable = errors.New("the release was downloaded, but this node cannot serve it")
)

// reasons are the refusals by their errors. The first that matches names the reason.
var reasons = []struct {
	err  error
	name string
}{
	{trust.ErrUnsigned, "unsigned"},
	{trust.ErrSignature, "signature"},
	{trust.ErrThreshold, "untrusted"},
	{trust.ErrOrigin, "origin"},
	{ErrExpired, "expired"},
	{ErrOlder, "older"},
	{ErrForked, "forked"},
	{ErrTooHigh, "too_high"},
	{ErrUnusable, "unusable"},
	{ErrContent, "content"},
	{release.ErrFormat, "format"},
	{release.ErrPointer, "malformed"},
	{release.ErrManifest, "malformed"},
	{store.ErrTooLarge, "endless"},
}

// Refusals are the reasons, as Status and the metric name them.
func Refusals() (names []string) {
	for _, r := range reasons {
		if len(names) == 0 || names[len(names)-1] != r.name {
			names = append(names, r.name)
		}
	}
	return names
}

// refusalOf is the reason for which an attempt refused what the store has; "" if it failed otherwise, or not.
func refusalOf(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.name
		}
	}
	return ""
}
