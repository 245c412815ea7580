// This file has what all parts use: the programs, their documents and licences, and the destination.

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"packaging/licences"
	"packaging/source"
	"packaging/tree"
)

// job is a run.
type job struct {
	options
	src       *source.Source
	work      string // scratch
	dist      string // finished artefacts
	collector licences.Collector
	documents map[string][]document // by program
}

// document is a file that comes with a program: a completion or a page of the manual.
type document struct {
	kind documentKind
	name string // of the file in an archive, below completions or man
	data []byte
}

type documentKind int

const (
	bash documentKind = iota
	zsh
	fish
	powershell
	man
)

// newJob compiles the programs for this machine, which print the documents, and for all platforms.
func newJob(o options, work string) (*job, error) {
	j := &job{options: o, work: work, dist: filepath.Join(work, "dist"), documents: map[string][]document{}}
	var err error
	if j.src, err = source.Open(o.root, o.version, filepath.Join(work, "bin")); err != nil {
		return nil, err
	}
	j.collector.Go = func(args ...string) *exec.Cmd { return j.src.GoFor(native(), args...) }
	for _, p := range append([]source.Platform{native()}, o.platforms...) {
		if _, err := os.Stat(j.src.Program(source.Programs[0], p)); err == nil {
			continue
		}
		if err := j.src.Build(p); err != nil {
			return nil, err
		}
	}
	for _, name := range source.Programs {
		if j.documents[name], err = j.printDocuments(name); err != nil {
			return nil, err
		}
	}
	return j, os.Mkdir(j.dist, 0o755)
}

func native() source.Platform { return source.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH} }

func (j *job) program(name string, p source.Platform) ([]byte, error) {
	return os.ReadFile(j.src.Program(name, p))
}

// licences is the page of licences of some programs.
func (j *job) licences(programs []string, p source.Platform) ([]byte, error) {
	var sets [][]licences.Module
	for _, name := range programs {
		modules, err := j.collector.Of(j.src.Program(name, p))
		if err != nil {
			return nil, err
		}
		sets = append(sets, modules)
	}
	return []byte(licences.Page(strings.Join(programs, ", "), licences.Union(sets...))), nil
}

// text is a file of this directory, for example a unit of systemd.
func (j *job) text(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(j.src.Root, "scripts", "package.d", filepath.FromSlash(name)))
}

// artefact is the name of a file for a platform, without its ending. It has the form of versions of the
// project for packages too, as GitHub replaces the ~ of their own form.
func (j *job) artefact(name string, p source.Platform) string {
	return strings.Join([]string{name, j.src.FileVersion(), p.OS, p.Arch}, "-")
}

// write creates an artefact.
func (j *job) write(name string, write func(*os.File) error) error {
	f, err := os.OpenFile(filepath.Join(j.dist, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// checksums writes what `sha256sum --check` reads.
func (j *job) checksums() error {
	entries, err := os.ReadDir(j.dist)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(j.dist, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sha256Hex(data), e.Name())
	}
	return j.write("SHA256SUMS", func(f *os.File) error {
		_, err := f.WriteString(b.String())
		return err
	})
}

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// add reads files of this directory into a tree, by their names there.
func (j *job) add(files *[]tree.File, names map[string]string) error {
	for _, from := range slices.Sorted(maps.Keys(names)) {
		data, err := j.text(from)
		if err != nil {
			return err
		}
		*files = append(*files, tree.New(names[from], 0o644, data))
	}
	return nil
}
