// Package gobuild builds the project's programs for tests.
package gobuild

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Program builds the program in a directory of cmd into a file, without libraries of the system, as releases are built.
// Go's cache does not answer for a test that calls it once a source has changed.
func Program(name, out string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if err := statSources(root); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", out, "./cmd/"+name)
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", name, err, text)
	}
	return nil
}

// moduleRoot returns the directory of go.mod, above the package whose tests run.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("no directory above this one has a go.mod")
		}
		dir = above
	}
	return "", err
}

// statSources looks at all that programs are built from. The cache of test results knows the files that a test has
// looked at, and not the files that its child processes read.
func statSources(root string) error {
	if _, err := os.Stat(filepath.Join(root, "go.sum")); err != nil {
		return err
	}
	for _, dir := range []string{"cmd", "edgeserve", "generator"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir():
				return nil
			}
			_, err = os.Stat(path)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
