// This file counts the files of an environment that no format reads, by extension, and names the folders
// that no environment needs.

package source

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/generator/source/documents"
)

const (
	shownKinds   = 5  // kinds that are named; the others are added up
	maxExtension = 12 // a longer extension names no kind
)

// ruled reports whether rules say which files of an environment are read.
func (w *walker) ruled(env string) bool {
	settings := w.tree.Settings[env]
	return settings != nil && len(settings.Rules) > 0
}

type skippedFiles map[string]int

// extension returns the extension of a name in lower case, with its dot. It returns "" without an extension, as for
// "v1.2 of the text".
func extension(name string) string {
	ext := strings.ToLower(filepath.Ext(name))
	if len(ext) < 2 || len(ext) > maxExtension || strings.Trim(ext[1:], "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return ext
}

func (skippedFiles) name(kind string) string { return cmp.Or(kind, "without an extension") }

// describe names the kinds with the most files first. ruled: rules say which files are read.
func (u skippedFiles) describe(ruled bool) string {
	kinds := slices.SortedFunc(maps.Keys(u), func(a, b string) int {
		return cmp.Or(cmp.Compare(u[b], u[a]), strings.Compare(u.name(a), u.name(b)))
	})
	all, others := 0, 0
	var parts []string
	for i, kind := range kinds {
		all += u[kind]
		if i >= shownKinds {
			others += u[kind]
			continue
		}
		parts = append(parts, fmt.Sprintf("%d %s", u[kind], u.name(kind)))
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d more kinds", others, len(kinds)-shownKinds))
	}
	one, many := "of a kind no source reads", "of kinds no source reads"
	if ruled {
		one, many = "that no rule reads", "that no rule reads"
	}
	if all == 1 {
		return "1 file " + one + ": " + parts[0]
	}
	return fmt.Sprintf("%d files %s: %s", all, many, strings.Join(parts, ", "))
}

// Without takes files out of the count of skipped files: media that items name. It returns false if the count becomes
// zero.
func (p Problem) Without(paths []string) (Problem, bool) {
	if p.skipped == nil || len(paths) == 0 {
		return p, true
	}
	left := maps.Clone(p.skipped)
	for _, path := range paths {
		if kind := extension(path); left[kind] > 1 {
			left[kind]--
		} else {
			delete(left, kind)
		}
	}
	p.skipped, p.Message = left, left.describe(p.ruled)
	return p, len(left) > 0
}

// skippedPaths are folders that no environment needs, such as folders of volumes and unreadable folders, or files that
// exist twice.
type skippedPaths []string

const shownPaths = 5

// message names the first ones.
func (p skippedPaths) message(what string) string {
	slices.Sort(p)
	names := make([]string, min(len(p), shownPaths))
	for i := range names {
		names[i] = Show(p[i])
	}
	text := what + ": " + strings.Join(names, ", ")
	if more := len(p) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// passedOver finds the compressed files of a folder that has the same file uncompressed, or in a compression that is
// read first.
func passedOver(entries []fs.DirEntry) map[string]bool {
	var names, passed map[string]bool
	for _, entry := range entries {
		format := documents.FormatOf(entry.Name())
		if format == nil || format.Compression == nil {
			continue
		}
		if names == nil {
			names, passed = make(map[string]bool, len(entries)), map[string]bool{}
			for _, other := range entries {
				names[other.Name()] = true
			}
		}
		inner := format.Uncompressed(entry.Name())
		passed[entry.Name()] = names[inner] || format.Compression == documents.Zstd && names[inner+documents.Gzip.Extension]
	}
	return passed
}
