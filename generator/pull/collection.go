// This file collects the items of a walk: their texts in a temporary file, the rest in memory.

package pull

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"

	"contentedge/generator/spill"
)

// sum identifies a text. An origin gains nothing from two texts with one sum: it could send the other text right away.
type sum [16]byte

func sumOf(line []byte) (s sum) {
	full := sha256.Sum256(line)
	copy(s[:], full[:])
	return s
}

// entry is an item without its text.
type entry struct {
	offset int64 // in the temporary file
	size   int32 // 0: the item is left out by its status
	sum    sum
	// inMirror: the text is in the mirror of the last pull, at the offset.
	inMirror bool
}

// collection has the items of one walk, by id.
type collection struct {
	entries map[string]entry
	stamps  map[string]stamp // of at most maxIndex items: larger collections have no index
	file    *spill.File      // nil: all texts are in the mirror
	set     *settings

	statuses, leftOut map[string]int
	began, ended      time.Time // of the walk
	made              time.Time // of the oldest page: before began if it came from a cache
	release           string    // that answered everything, or "" if unknown
}

func newCollection(set *settings) (*collection, error) {
	file, err := scratchFile(set)
	if err != nil {
		return nil, err
	}
	return &collection{entries: map[string]entry{}, stamps: map[string]stamp{}, file: file, set: set, statuses: map[string]int{}, leftOut: map[string]int{}}, nil
}

// close frees the texts. The collection may be nil.
func (c *collection) close() {
	if c != nil && c.file != nil {
		_ = c.file.Close()
	}
}

// add takes an item. It returns false if the collection has the id already.
func (c *collection) add(it item) (bool, error) {
	id := strings.Clone(it.id)
	if _, ok := c.entries[id]; ok {
		return false, nil
	}
	line := c.set.line(&it)
	e := entry{sum: sumOf(line)}
	count := c.leftOut
	if c.set.wants(it.stamp.status) {
		count = c.statuses
		e.offset, e.size = c.file.Reserve(len(line)), int32(len(line))
		if _, err := c.file.WriteAt(line, e.offset); err != nil {
			return true, err
		}
	}
	count[it.stamp.status]++
	c.entries[id] = e
	if len(c.entries) <= maxIndex {
		c.stamps[id] = it.stamp
	}
	return true, nil
}

// equal reports whether two walks read the same items with the same texts.
func (c *collection) equal(other *collection) bool {
	return maps.EqualFunc(c.entries, other.entries, func(a, b entry) bool { return a.sum == b.sum })
}

// ids returns the ids of the items that are not left out, in the order of a mirror.
func (c *collection) ids() []string {
	ids := make([]string, 0, len(c.entries))
	for id, e := range c.entries {
		if e.size > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
