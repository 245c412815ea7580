// Package record holds what files of other formats than JSON say, as JSON objects. Each object knows where its keys and
// values are in the text of the file.
package record

import (
	"sort"

	"contentedge/generator/source/documents"
)

const (
	// MaxSize bounds the JSON of a record in bytes, as a record becomes an item.
	MaxSize = documents.MaxSize
	// MaxDepth bounds the brackets of a record that are open at once.
	MaxDepth = documents.MaxDepth
)

// Place is a line and a column in the text of a file, from 1. Columns count characters.
type Place struct{ Line, Col int }

// Fault is something wrong in the text of a file.
type Fault struct {
	Place
	Message string
	Hint    string // what to do about it, may be empty
	Warning bool   // the record is valid all the same
}

// Record is an object. Its JSON is valid, without white space between tokens, without a key twice, and
// with the keys in the order of the file.
type Record struct {
	JSON  []byte
	marks []mark
}

// mark says where the key or the value at an offset of the JSON stands.
type mark struct {
	offset    uint32 // MaxSize fits
	line, col uint32
}

// Place returns the place in the text for an offset of the JSON: the place of the last key or value that begins at the
// offset or before it.
func (r *Record) Place(offset int) Place {
	i := sort.Search(len(r.marks), func(i int) bool { return int(r.marks[i].offset) > offset })
	if i == 0 {
		return Place{1, 1}
	}
	return Place{int(r.marks[i-1].line), int(r.marks[i-1].col)}
}

// Start returns the place where the object begins.
func (r *Record) Start() Place { return r.Place(0) }
