// Package snapshot is the file an edge node searches: all items of one environment,
// rendered, with the indexes that answer every list and every search body. The
// Writer takes finished, sorted input; the Reader maps the file and reads it in
// place. Both live here so that there is one truth about the bytes.
//
// # The file
//
//	+--------------------------------------------+
//	| header: magic, version, byte-order mark    |  16 bytes
//	+--------------------------------------------+
//	| sections, each padded with zeros to 8      |
//	+--------------------------------------------+
//	| table of contents: 32 bytes a section      |
//	+--------------------------------------------+
//	| footer: where the table lies, checksums    |  32 bytes
//	+--------------------------------------------+
//
// Global rules. Integers are little-endian; <uv> is an unsigned varint, <str> a <uv>
// length and its bytes. Every section begins at a multiple of 8; its checksum,
// CRC-32C, covers the padding behind it, so that every byte of the file is covered
// by one checksum. Documents are numbered from 0 in the environment's default order.
//
// A table entry is kind <u32>, field <u32>, offset <u64>, length <u64> without the
// padding, checksum <u32>, zero <u32>; entries ascend by (field, kind). Sections of
// the whole file carry the field NoField. A reader skips kinds it does not know.
//
// The footer is the table's offset <u64>, its number of entries <u32>, its checksum
// <u32>, the file's length <u64>, the checksum of the header and of the footer so far
// <u32>, magic <u32>.
//
// A small file stands byte by byte in golden_test.go.
//
// # Arrays
//
// A packed array is count and width in one <u64> (the width in the top byte), then
// count integers of width bits, low bits first, then 8 bytes of zero. Widths are 0 to
// 56, or 64. A document map is the integer that means "none" <u64>, a byte that is 1
// for the sparse form, and one packed array with an integer a document, or (sparse)
// two: the documents that have one, ascending, and their integers.
//
// # Sections of the whole file
//
// Meta: environment <str>, default sort <str>, ascending <byte>, analysis version
// <uv>, items <uv>.
//
// Fragments: the items' JSON in document order, joined by commas: any run of
// documents is a contiguous slice that stands in a list envelope as it is.
//
// Starts: a packed array of items+1 offsets; fragment d ends one byte before the
// start of d+1.
//
// Fields: number of fields <uv>, then for each, in byte order of its path: path
// <str>, type <byte>, documents with a token <uv>, tokens <uv>, a column description,
// and its further sets of values. The position in this list is the field number of its
// sections. A column description is flags <byte> (1: no document has two values),
// distinct values <uv>, pairs <uv>, documents <uv>.
//
// A field has up to seven sets of values. Set 0 is the path itself, as its type has its
// values. Sets 1 to 5 are the sub-fields keyword, long, double, boolean and date, each
// with the values that parse as that type. Set 6 is the order of REST lists: a column
// without values.
//
// Sets 1 to 6 follow the column description of set 0, a byte each. The byte is 0 for an
// empty set; for set 6, 0 means the order of set 0. Otherwise it is 1 + 7v + c. Here v is
// the set that holds the values, and c the set that holds the column: this set, or an
// earlier one with equal values or an equal column. v is 0 for set 6; v and c are 0 for
// the keyword of a text field. For double, v may hold integers up to 2^53. If the set has
// a column of its own, its description follows the byte.
//
// # Sections of a field
//
// Terms (text): blocks of 16 entries in byte order: bytes shared with the entry before
// <uv>, the rest <str>, then x <uv>. If x is odd one document holds the term, x>>1,
// and frequency <uv> and that many position gaps <uv> follow. Otherwise x>>1 documents
// hold it, and the lengths of its postings <uv> and of its positions <uv> follow;
// both lie behind those of the term before.
//
// Term index: number of terms <uv>; the prefix all share <str>; for each block 8 bytes
// <u64> that follow the prefix in its first term, as a big-endian number; three packed
// arrays with a number a block: offset in Terms, in Postings, in Positions.
//
// Postings: a list is its tail's greatest impact <byte>; with 128 documents or more
// also the offset of its tail's positions <uv>, a skip entry for each full block of
// 128 (last document <u32>, offset <u32>, offset of positions <u32>, greatest impact,
// delta width, frequency width, 0), and the blocks: 128 document deltas and 128
// frequencies less one, as bits. The tail is, for each document, its delta doubled
// plus one if the frequency is 1 <uv>, else the frequency <uv> too. An impact is
// tf/(tf+f), f being the length factor of the document, in 255ths, rounded up.
//
// Positions: for each block of a list the gaps between positions (from 0 in each
// document), in groups of 128: width <byte>, bits.
//
// Norms: a document map of encoded lengths; 0 is no token.
//
// Values of strings (keyword): an index like that of terms (number, prefix, heads, offsets) and
// blocks of 16: x <uv>; x>>1 bytes, and no more, are shared with the value before; if x
// is even the rest follows <str>; if it is odd the value is the JSON string in fragment
// <uv> at offset <uv> (behind its opening quote). Values of numbers: 0 <byte> and the least
// <u64>, or 1 <byte> and zero for fractions, then a packed array: differences from the
// least, or the 64 bits of the fraction with the sign bit flipped (all bits of a
// negative one), which order as the numbers do.
//
// A column: the first pair of each value (a packed array of distinct+1, empty where
// every value has one document), the document of each pair, within a value by
// ContentID; a document map of the least value, and, where a document has several, of
// the greatest.
//
// Grams (text): for the strings of short-valued fields, an index of the folded three-rune
// sequences: packed arrays of the sequences (21 bits a rune), ascending, and of
// offsets, one more; then for each the values that hold it, as gaps <uv>.
//
// # Who enforces what
//
// The Writer refuses disorder. Open checks header, footer, table and the shape of
// every array, which is work for each field, not for each item. Verify reads every
// checksum; Check proves the rest: every list ascends and stays below the number of
// items, every value lies where it is said to.
//
// # Limits
//
// Items, and distinct values of a path, below 2^32-1; a snapshot below 2^40 bytes; a
// term at most 255 UTF-16 units.
//
// # Versions
//
//	1  the first.
//	2  every path has sub-fields, and its type follows from all its values.
package snapshot

import "hash/crc32"

// Version is the format this package writes and the only one it reads.
const Version = 2

// DocID is a document: an item's position in the default order.
type DocID = uint32

const (
	magic     = "cdgesnap"
	endMark   = 0x65646765
	orderMark = 0x01020304
	headerLen = 16
	entryLen  = 32
	footerLen = 32
	align     = 8
)

// NoField is the field number of sections that belong to the whole file.
const NoField = 1<<32 - 1

// kind is the type of a section.
type kind uint32

const (
	kindMeta kind = 1 + iota
	kindFragments
	kindStarts
	kindFields
)

const (
	kindTerms kind = 16 + iota
	kindTermIndex
	kindPostings
	kindPositions
	kindNorms
	kindValueIndex
	kindValues
	kindNumbers
	kindGrams
)

// The four sections of a column follow each other: starts, documents, least, greatest.
// Those of a sub-field stand behind its numbers.
const (
	kindColumn kind = 32
	kindSort   kind = 36
	kindSubs   kind = 40 // five for each sub-field
)

var kindNames = map[kind]string{
	kindMeta: "meta", kindFragments: "fragments", kindStarts: "starts", kindFields: "fields",
	kindTerms: "terms", kindTermIndex: "term index", kindPostings: "postings", kindPositions: "positions",
	kindNorms: "norms", kindValueIndex: "value index", kindValues: "values", kindNumbers: "numbers", kindGrams: "grams",
	kindColumn: "column starts", kindColumn + 1: "column documents", kindColumn + 2: "column least", kindColumn + 3: "column greatest",
	kindSort: "sort starts", kindSort + 1: "sort documents", kindSort + 2: "sort least", kindSort + 3: "sort greatest",
}

func init() {
	for s := SubKeyword; s < SubCount; s++ {
		for i, part := range []string{"numbers", "starts", "documents", "least", "greatest"} {
			kindNames[subKind(s)+kind(i)] = s.String() + " " + part
		}
	}
	delete(kindNames, subKind(SubKeyword)) // its values are texts
}

// Type is how a path is searched. It follows from all values of the path: text unless
// all are dates, all integers, all numbers or all booleans.
type Type byte

// The types of fields.
const (
	Text Type = iota // words, and whole values under .keyword
	Date             // milliseconds since 1970
	Long
	Float
	Boolean
)

var typeNames = [...]string{"text", "date", "long", "float", "boolean"}

// String names the type.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "unknown"
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)
