// This file orders the changes of a publication in place, so that a reader who looks between any two changes finds
// everything that a file names. It does no I/O.

package ship

import (
	"bytes"
	"cmp"
	"slices"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// A change writes or removes a file. A zero sum stands for a file that is not there.
type change struct {
	name string
	old  checksums.Sum // what the store has
	new  checksums.Sum // what the release has
	// left: the file exists, but the list of checksums does not name it. An interrupted publication wrote it, and may
	// not have written what it names.
	left bool
}

func (c *change) added() bool   { return c.old == checksums.Sum{} }
func (c *change) removed() bool { return c.new == checksums.Sum{} }

// A tier is the level of a file: a file names only files of lower tiers. Items name each other, too.
type tier int

const (
	tierMedia     tier = iota
	tierItem           // names media and other items
	tierPage           // names items: a later page of a list, what refers to an item
	tierFirstPage      // of a list or of a saved search; it counts the pages
	tierSnapshot       // has all items; also parts of the manifest
	tierTop            // other files at the top
	tierChecksums      // names all files
	tierManifest       // names the snapshots and the list of checksums
	tiers
)

func tierOf(name string) tier {
	switch name {
	case release.ChecksumsName:
		return tierChecksums
	case release.ManifestName:
		return tierManifest
	}
	switch classOf(name) {
	case release.ClassMedia:
		return tierMedia
	case release.ClassItem, release.ClassList:
		return tierOfBody(name)
	case release.ClassSnapshot:
		return tierSnapshot
	}
	return tierTop
}

func tierOfBody(name string) tier {
	body, _ := contentcoding.OfFile(name)
	r, _ := address.ParsePath("/" + body)
	switch {
	case r.Kind == address.Item:
		return tierItem
	case r.Kind == address.ListFile && r.List.Page == 1, r.Kind == address.SavedSearch && r.Page == 1:
		return tierFirstPage
	}
	return tierPage
}

// isContentNamed reports whether a file's name depends on its content, so that no release changes it.
func isContentNamed(name string) bool {
	t := tierOf(name)
	return t == tierMedia || t == tierSnapshot
}

// ordered are changes in the order in which they are made: all of a stage, in any order or at once, before the first of
// the next.
type ordered struct {
	puts [][]change
	// removals follow when the new manifest exists and the pointer names it.
	removals [][]change
}

// inOrder orders changes. In each tier, new files come before changed ones, as a changed item may name a new one. Files
// that were left come between: they may be named already, and then they name only existing files. A file is removed
// after the files that named it: tiers in falling order.
func inOrder(changes []change) *ordered {
	var added, left, changed, removed [tiers][]change
	for _, c := range changes {
		of := &changed
		switch {
		case c.removed():
			of = &removed
		case c.added():
			of = &added
		case c.left:
			of = &left
		}
		t := tierOf(c.name)
		of[t] = append(of[t], c)
	}
	s := new(ordered)
	for t := range tiers {
		s.puts = appendStage(appendStage(appendStage(s.puts, added[t]), left[t]), changed[t])
	}
	for t := tiers - 1; t >= 0; t-- {
		s.removals = appendStage(s.removals, removed[t])
	}
	return s
}

func appendStage(to [][]change, stage []change) [][]change {
	if len(stage) == 0 {
		return to
	}
	return append(to, stage)
}

// all returns the changes of all stages, in their order.
func (s *ordered) all() []change {
	return slices.Concat(slices.Concat(s.puts...), slices.Concat(s.removals...))
}

// differences compares two lists of checksums. The list itself and the manifest are in neither.
func differences(old, new *checksums.Reader) (changes []change, err error) {
	a, b := old.Next(), new.Next()
	for a || b {
		order := 0
		switch {
		case !b:
			order = -1
		case !a:
			order = 1
		default:
			order = bytes.Compare(old.Name(), new.Name())
		}
		switch {
		case order < 0:
			changes = append(changes, change{name: string(old.Name()), old: old.Sum()})
		case order > 0:
			changes = append(changes, change{name: string(new.Name()), new: new.Sum()})
		case old.Sum() != new.Sum():
			changes = append(changes, change{name: string(new.Name()), old: old.Sum(), new: new.Sum()})
		}
		if order <= 0 {
			a = old.Next()
		}
		if order >= 0 {
			b = new.Next()
		}
	}
	return changes, cmp.Or(old.Err(), new.Err())
}
