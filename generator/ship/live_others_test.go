package ship

import (
	"slices"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/store"
)

// TestLiveUnexpected expects the removal of files that a release may have had. Files at addresses of a node that no
// release has a file for stay, as others of no release do.
func TestLiveUnexpected(t *testing.T) {
	w := newWorld(t)
	c := w.inPlace(build(t, 0))
	p := &live{writer: &writer{PublishConfig: c}}
	there := map[string]store.Info{}
	for _, name := range []string{address.Description.Path()[1:], "robots.txt", address.Live.Path()[1:], address.ItemFile("site", "a"), address.ItemFile("site", "b") + ".gz"} {
		there[name] = store.Info{}
	}
	var removed []string
	for _, change := range p.unexpected(there) {
		removed = append(removed, change.name)
	}
	if want := []string{address.ItemFile("site", "a"), address.ItemFile("site", "b") + ".gz"}; !slices.Equal(removed, want) {
		t.Errorf("removes %q, want %q", removed, want)
	}
}
