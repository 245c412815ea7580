package writer

import (
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// The message names what a manifest is full of.
func TestManifestTooLarge(t *testing.T) {
	field := release.Field{Path: strings.Repeat("x", release.MaxManifest), Type: "text"}
	w := &Writer{manifest: &release.Manifest{Environments: []release.Environment{{ID: "demo", Fields: []release.Field{field}}}}}
	err := w.writeManifest(w.manifest)
	if err == nil || !strings.Contains(err.Error(), "or use fewer keys in Data (671089") {
		t.Error(err)
	}
}
