// This file is the inspect command.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

func inspectCommand(c console) *cli.Command {
	env := ""
	cmd := &cli.Command{
		Name: "inspect", Args: "[PATH]", Summary: "print a snapshot's sections", Purpose: purposeLook,
		Long:     "Prints the sections of a snapshot, or of all snapshots of a release. PATH is a snapshot file or the directory of a release (default " + defaultPublic + ").",
		Examples: []cli.Example{{Line: "generator inspect public --env site"}},
	}
	cmd.Group(groupRelease).String(&env, "env", "ID", "print only this environment of a release").Offer(environmentsIn(defaultPublic)).CommandLineOnly()
	cmd.Run = func(_ context.Context, args []string) error {
		path := append(args, defaultPublic)[0]
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		files := []string{path}
		if info.IsDir() {
			files, err = snapshotFiles(path, env)
		} else {
			err = refuseUnused(cmd, ofFile)
		}
		for _, f := range files {
			if err == nil {
				err = dump(c.out, f)
			}
		}
		return err
	}
	return cmd
}

// environmentsIn offers the environments of a release.
func environmentsIn(dir string) func() []string {
	return func() (names []string) {
		m, err := readManifest(dir)
		if err != nil {
			return nil
		}
		for _, e := range m.Environments {
			names = append(names, e.ID)
		}
		return names
	}
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
