// This file follows links. A build reads the files that links lead to, whose names or directories may be
// skipped: Kubernetes swaps ..data of a ConfigMap, git-annex keeps files in .git.

package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks bounds a chain of links, as systems do.
const maxLinks = 40

// target digests the file that a link leads to. Directories are not entered. The result is valid until
// the next call.
func (s *scan) target(link string) []byte {
	if s.watch != nil {
		s.follow(link)
	}
	info, err := os.Stat(link)
	if err != nil {
		return nil
	}
	key := link + "/" // no entry has that name
	if info.Mode().IsRegular() {
		return s.note(key, info)
	}
	b := append([]byte(key), info.Mode().Type().String()...)
	s.files.Write(b)
	return b
}

// follow records each name below the root that a link leads through, and watches the directories of the names that
// decide: other links, the end, and the first missing name. Names outside of the root are left to sweeps.
func (s *scan) follow(link string) {
	dir := filepath.Dir(link)
	at, ok := s.realPath(dir)
	if !ok {
		return
	}
	rest := []string{filepath.Base(link)}
	for links := 0; len(rest) > 0 && links <= maxLinks; {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		isLink := err == nil && info.Mode()&fs.ModeSymlink != 0
		s.place(next, dir, err != nil || isLink || len(rest) == 0)
		if err != nil {
			return
		}
		if !isLink {
			at = next
			continue
		}
		to, err := os.Readlink(next) // after the watch
		if err != nil {
			return
		}
		links++
		if filepath.IsAbs(to) {
			at = string(filepath.Separator)
		}
		rest = append(strings.Split(to, string(filepath.Separator)), rest...)
	}
}

// place records that a link in a directory leads through a name.
func (s *scan) place(real, dir string, decides bool) {
	below, err := filepath.Rel(s.real, real)
	if err != nil || !filepath.IsLocal(below) {
		return
	}
	path := filepath.Join(s.root, below)
	if dirs := s.found.places[path]; !slices.Contains(dirs, dir) {
		s.found.places[path] = append(dirs, dir)
	}
	if decides {
		s.watch(filepath.Dir(path))
	}
}

// realPath returns the path of a scanned directory without links, of which only the root can be one.
func (s *scan) realPath(dir string) (string, bool) {
	if s.real == "" {
		real, err := filepath.EvalSymlinks(s.root)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return "", false
		}
		s.real = real
	}
	below, err := filepath.Rel(s.root, dir)
	return filepath.Join(s.real, below), err == nil
}
