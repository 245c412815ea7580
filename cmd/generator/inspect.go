// This file is the inspect command.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

const inspectUsage = `Usage: generator inspect [--env ID] [FILE|DIR]

Prints the sections of a snapshot file, or of all snapshots of the release in a directory
(default public).

  --env ID               print only this environment of a release
`

func runInspect(_ context.Context, args []string, c console) error {
	set := flag.NewFlagSet("inspect", flag.ContinueOnError)
	env := set.String("env", "", "")
	rest, err := parse(set, inspectUsage, args, 1, c.out)
	if err != nil {
		return err
	}
	path := append(rest, "public")[0]
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if err := refuseUnused(set, ofFile); err != nil {
			return err
		}
		return dump(c.out, path)
	}
	files, err := snapshotFiles(path, *env)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := dump(c.out, f); err != nil {
			return err
		}
	}
	return nil
}

// snapshotFiles returns the snapshot files of a release: of one environment, or of all if env is "".
func snapshotFiles(path, env string) ([]string, error) {
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(filepath.Join(path, release.ManifestName))
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range m.Environments {
		if env == "" || env == e.ID {
			files = append(files, filepath.Join(filepath.Dir(root), filepath.FromSlash(e.Snapshot.File)))
		}
	}
	if len(files) == 0 {
		return nil, wrongUsage(fmt.Sprintf("the release has no environment %q", env), "omit --env to see all")
	}
	return files, nil
}

func dump(w io.Writer, file string) error {
	r, err := snapshot.Open(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return errors.Join(r.Dump(w), r.Close())
}
