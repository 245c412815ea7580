// This file keeps partial releases and whole ones in directories of their own.

package generator

import (
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/release"
)

// checkPartial refuses to replace a whole release by a partial one: then an edge server that serves the directory would
// keep serving the old release, and log why, for ever. current is the directory of the current release, or "".
func (c *BuildConfig) checkPartial(current string) error {
	if !c.Partial || current == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(current, release.ManifestName))
	if err != nil {
		return nil // the build replaces it
	}
	if m, err := release.ParseRows(b); err != nil || m.Partial {
		return nil
	}
	return &UsageError{"--part", c.Out + " holds a whole release, which a partial one must not replace", "name another directory with --out"}
}
